"""A run's folder: what is in it, and what must be the same for a run to go on in it.

run.json             what is measured, by whom and how (`Manifest`)
goals.jsonl          the benchmark's statements, as formalisations
unfit.jsonl          statements that Lean refuses, with its word: no attempt at them can be judged; Lean is asked once,
                     and again when the file is deleted and the run goes on
attempts/            a journal of attempts, a round each
judgements/          a journal of judgements, a different proof each
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pythagoras.corpus.records import Formalisation, Record, Rejected
from pythagoras.corpus.rows import RowError, from_line, to_line
from pythagoras.errors import InputError
from pythagoras.evaluate.running.protocols import Protocol

FORMAT = 1
MANIFEST = "run.json"
GOALS = "goals.jsonl"
UNFIT = "unfit.jsonl"
ATTEMPTS = "attempts"
JUDGEMENTS = "judgements"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BenchmarkInfo(_Strict):
    """Which statements, exactly."""

    name: str
    """`corebench/test`, `minif2f/valid`; of several splits the benchmark's name alone."""
    variant: str = ""
    """Of a published set the mapping that reads it (MiniF2F's variants differ), of ours its version."""
    file: str = ""
    """Its name; what it was called where it lay."""
    sha256: str = ""
    """Of the file's bytes; of a folder, of its files' names and bytes; of CoreBench and the hub's sets, of the rows."""
    items: int
    filter: str = ""
    """Which of its statements were chosen, in words; empty: all. A part must never be taken for the whole."""
    of: int | None = None
    """How many it has; None: `items` is all."""
    mutation: bool = False
    """Whether its statements are mutations of another benchmark's, which their provenance names."""


class SamplerInfo(_Strict):
    """Who writes the attempts."""

    name: str
    settings: dict[str, Any] = {}


class LeanInfo(_Strict):
    """Who judges them, and by which rules."""

    backend: str
    """Its kind: embedded, native or kimina."""
    version: str
    header: str = ""
    """The header that was put in the place of the benchmark's own; empty: as the benchmark gives it."""
    timeout_s: float
    policy: dict[str, Any] = {}


class Manifest(_Strict):
    """What a run is."""

    format: int = FORMAT
    label: str
    """What tables and pictures call it."""
    benchmark: BenchmarkInfo
    samplers: tuple[SamplerInfo, ...]
    protocol: Protocol
    lean: LeanInfo
    seed: int
    n: int
    """Attempts at each statement."""
    stop_when_solved: bool = False
    """Whether statements that are solved got no further attempts: then only pass@n itself can be told."""
    versions: dict[str, str] = {}
    """Of the programs that took part, and of the machine."""
    started: str = ""
    """When, in UTC."""
    wall_seconds: float = 0.0
    """Of all sessions together."""
    notes: dict[str, int] = {}
    """What samplers could not use, or do not have, in words: how often."""

    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to go on; more attempts may be asked for.

        Words about a protocol may change, and the name of a file whose content is the same.
        """
        free = dict.fromkeys(("label", "n", "stop_when_solved", "versions", "started", "wall_seconds", "notes"), True)
        return self.model_dump(mode="json", exclude={**free, "protocol": {"about"}, "benchmark": {"file"}})


def is_run(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder. Raises InputError where there is none that can be read."""
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
        _refuse_other_formats(path, text)
        return Manifest.model_validate_json(text)
    except FileNotFoundError:
        raise InputError(f"{folder} is no run: it has no {MANIFEST}; `pythagoras eval run` makes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read ({error}): take it from a copy, or run again") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {where}: {first['msg']}; take it from a copy, or run again") from None


def _refuse_other_formats(path: Path, text: str) -> None:
    try:
        found = json.loads(text)
    except ValueError:
        return  # whoever reads it says what is wrong
    told = found.get("format", FORMAT) if isinstance(found, dict) else FORMAT
    if told != FORMAT:
        raise InputError(
            f"{path} has the format {told!r}, and this version of pythagoras knows {FORMAT}: use the version that "
            f"wrote it ({found.get('versions')}), or run again"
        )


def refuse_strangers(folder: Path, asked: Iterable[str], known: Container[str]) -> None:
    """Raise InputError where there are attempts at statements that the run does not have."""
    unknown = {goal for goal in asked if goal not in known}
    if unknown:
        raise InputError(
            f"{folder} has attempts at {len(unknown)} statements that its goals do not have: "
            "it is damaged; take it from a copy, or run in a new folder"
        )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """All or nothing."""
    staging = folder / f"{MANIFEST}.staging"
    text = json.dumps(manifest.model_dump(mode="json"), ensure_ascii=False, indent=2)
    staging.write_text(text + "\n", encoding="utf-8")
    os.replace(staging, folder / MANIFEST)


def read_goals(folder: Path) -> tuple[Formalisation, ...]:
    """The statements of a run, in the benchmark's order."""
    return tuple(record for record in _read_lines(folder / GOALS) if isinstance(record, Formalisation))


def read_unfit(folder: Path) -> dict[str, str]:
    """For each statement that Lean refuses, by its id: why."""
    path = folder / UNFIT
    found = _read_lines(path) if path.exists() else []
    return {record.record: record.detail for record in found if isinstance(record, Rejected)}


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Records as lines; all or nothing."""
    staging = path.with_suffix(".staging")
    staging.write_text("".join(to_line(record) + "\n" for record in records), encoding="utf-8")
    os.replace(staging, path)


def _read_lines(path: Path) -> list[Record]:
    try:
        return [from_line(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    except (OSError, UnicodeDecodeError, RowError) as error:
        raise InputError(f"{path} can't be read ({error}): take it from a copy, or run again") from None
