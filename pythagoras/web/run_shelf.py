"""Runs of evaluations on a shelf: what each came to, and its report.

A report is made when somebody asks, and made again when the run has changed. Runs may be under way, or damaged: one
that can't be read says why, and the others are there.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from pythagoras.errors import InputError
from pythagoras.evaluate.report.page import write_page
from pythagoras.evaluate.results import load
from pythagoras.evaluate.runs import is_run, read_manifest
from pythagoras.web.folders import named_folders
from pythagoras.web.wire import Strict

_REPORTS = 16
"""Pages that are kept; each may have tens of megabytes."""


class RunTold(Strict):
    """A run in the list."""

    name: str = Field(description="For addresses.")
    label: str = Field(description="What tables and pictures call it.")
    benchmark: str
    chosen: str = Field(default="", description="Which of its statements, in words; empty: all.")
    problems: int = 0
    solved: int = 0
    n: int = Field(default=0, description="Attempts that were asked for, at each statement.")
    attempts: int = Field(default=0, description="Attempts that are there.")
    missing: int = Field(default=0, description="Attempts that are not there, or have no verdict.")
    lean: str = ""
    started: str = Field(default="", description="In UTC.")
    seconds: float = Field(default=0.0, description="Of the wall clock.")
    report: str = Field(default="", description="Address of its report; empty where there is none.")
    error: str = Field(default="", description="Why it can't be read.")


class RunShelf:
    """The runs below some folders. For any number of threads."""

    def __init__(self, folders: Sequence[Path], scratch: Path) -> None:
        self._folders = tuple(folders)
        self._scratch = scratch
        self._known: dict[Path, tuple[str, RunTold]] = {}
        self._reports: OrderedDict[str, Path] = OrderedDict()
        self._drawing = threading.Lock()  # pictures are drawn by a library that knows no threads

    def runs(self) -> tuple[RunTold, ...]:
        """All of them, the latest first."""
        found = [self._told(name, folder) for name, folder in named_folders(self._folders, is_run).items()]
        return tuple(sorted(found, key=lambda run: run.started, reverse=True))

    def folder(self, name: str) -> Path | None:
        return named_folders(self._folders, is_run).get(name)

    def report(self, folder: Path) -> Path:
        """The file with the report on a run. Raises InputError for a run that can't be read."""
        with self._drawing:
            name = hashlib.sha256(f"{folder} {_fingerprint(folder)}".encode(errors="replace")).hexdigest()[:32]
            if name not in self._reports:
                path = self._scratch / f"{name}.html"
                write_page([load(folder)], path)
                self._reports[name] = path
                while len(self._reports) > _REPORTS:
                    self._reports.popitem(last=False)[1].unlink(missing_ok=True)
            self._reports.move_to_end(name)
            return self._reports[name]

    def _told(self, name: str, folder: Path) -> RunTold:
        fingerprint = _fingerprint(folder)
        known = self._known.get(folder)
        if known is None or known[0] != fingerprint or known[1].name != name:
            known = self._known[folder] = fingerprint, _summed_up(name, folder)
        return known[1]


def _summed_up(name: str, folder: Path) -> RunTold:
    try:
        manifest = read_manifest(folder)
        counts = load(folder).counts()
    except InputError as error:
        return RunTold(name=name, label=name, benchmark="", error=str(error))
    return RunTold(
        name=name,
        label=manifest.label,
        benchmark=manifest.benchmark.name,
        chosen=manifest.benchmark.filter,
        problems=counts.problems,
        solved=counts.solved,
        n=manifest.n,
        attempts=counts.drawn,
        missing=counts.missing + counts.unjudged,
        lean=manifest.lean.version,
        started=manifest.started,
        seconds=manifest.wall_seconds,
    )


def _fingerprint(folder: Path) -> str:
    """Changes when the run does."""
    digest = hashlib.sha256()
    try:
        for path in sorted(folder.rglob("*")):
            found = path.stat()
            digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode(errors="replace"))
    except OSError:  # a file that went while we looked: look again next time
        digest.update(b"?")
    return digest.hexdigest()
