"""Recorded attempts as they stand in files, whoever wrote them.

a run of ours     its folder, the folder's attempts/ alone, or attempts as records in a file
pythagoras        rows {name, samples: [{completion, ...}, ...]}
goedel            full_records, to_inference_codes or code_compilation_repl: ids NAME_g0, then NAME_g0_corr1_g0
plain             rows {name, completion or proof or code, prompt_tokens, generated_tokens}; or a list of such texts

Rows are recognised by their fields. One that can't be used is a fault, and reading goes on behind it; where it is known
whose attempt it was, its number stays free. Verdicts that stand beside attempts are not read, nor are
`generation_metrics`, which are sums over all samples of a row.

All texts are held in memory: a recording must fit into it, about once over.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pythagoras.corpus.files import read_records
from pythagoras.corpus.parts import parts_of
from pythagoras.corpus.records import KINDS, Attempt, Formalisation, record_id
from pythagoras.corpus.rows import Fault, RowError, from_row
from pythagoras.corpus.sources import raw
from pythagoras.errors import InputError

NAMES = ("name", "problem_id", "problem_name", "theorem_name", "id")
"""What a row may call its problem: the first that it has counts."""
TEXTS = ("completion", "model_output", "output", "response", "generation", "text", "proof", "full_code", "code")
"""What a row may call what was written: all of it goes before the proof alone."""
LISTS = ("samples", "completions", "model_outputs", "outputs", "responses", "generations", "proofs", "codes")
"""Several of them."""
_PROMPT_TOKENS = ("prompt_tokens", "input_tokens")
_GENERATED_TOKENS = ("generated_tokens", "completion_tokens", "output_tokens")
_WANTED = f"rows need a name ({', '.join(NAMES)}) and a text ({', '.join(TEXTS)}) or a list of texts"

_GOEDEL_ID = re.compile(r"(?P<name>.+?)_g(?P<first>\d+)(?P<later>(?:_corr\d+_g\d+)*)")
_LATER = re.compile(r"_corr\d+_g(\d+)")
_GOEDEL_FILES = ("full_records", "to_inference_codes", "code_compilation_repl")
"""The files of a run of Goedel's: all have the same attempts, the first ones with all that was written."""

_Branch = tuple[int, ...]
"""Which sample of the first round, then which of each later one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded round of an attempt."""

    text: str
    cut: bool = False
    """Whether it ended at a limit of tokens."""
    prompt_tokens: int | None = None
    """None where nobody counted."""
    generated_tokens: int | None = None
    cached_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Recording:
    """All that was recorded."""

    path: Path
    entries: Mapping[str, Mapping[tuple[int, int], Entry]]
    """By the problem's name (or, of records alone, the statement's id), then by attempt and round."""
    faults: tuple[Fault, ...]
    """What is in the files, but can't be used."""
    shared: int = 0
    """Rounds that attempts have in common with an earlier one; their tokens count there alone."""

    @property
    def attempts(self) -> int:
        """How many there are of the problem that has most; gaps count."""
        return max(number + 1 for rounds in self.entries.values() for number, _ in rounds)

    @property
    def rounds(self) -> int:
        return max(round_ + 1 for rounds in self.entries.values() for _, round_ in rounds)


def read_recording(path: Path) -> Recording:
    """The attempts of a file or a folder. Raises InputError where there are none that can be used."""
    if not path.exists():
        raise InputError(f"{path} does not exist: name a file with recorded attempts, or a folder with such files")
    reader = _Reader()
    journal = next((folder for folder in (path / "attempts", path) if any(folder.glob("part-*"))), None)
    if journal is not None:
        reader.read_journal(journal)
    else:
        for table in _tables(path):
            reader.read_table(table)
    entries = reader.entries()
    if not entries:
        why = f" ({reader.faults[0]})" if reader.faults else ""
        raise InputError(f"{path} has no recorded attempts that can be read{why}: {_WANTED}")
    return Recording(path, entries, tuple(reader.faults), reader.shared)


def _tables(path: Path) -> list[raw.Table | Fault]:
    """The files to read; of those of a run of Goedel's, one kind."""
    tables = list(raw.tables(path))
    kinds = [_goedel_kind(table) for table in tables]
    best = min((kind for kind in kinds if kind is not None), default=None)
    return [table for table, kind in zip(tables, kinds, strict=True) if kind in (None, best)]


def _goedel_kind(table: raw.Table | Fault) -> int | None:
    name = Path(table.file if isinstance(table, Fault) else table.name).name
    return next((kind for kind, stem in enumerate(_GOEDEL_FILES) if name.startswith(stem)), None)


class _Reader:
    """What has been read until now."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.shared = 0
        self._numbered: defaultdict[str, dict[tuple[int, int], Entry]] = defaultdict(dict)
        self._branches: defaultdict[str, dict[_Branch, Entry]] = defaultdict(dict)
        self._in_order: defaultdict[str, list[Entry | None]] = defaultdict(list)
        """Those that say no number: they have that of their place. None where one can't be used."""

    def entries(self) -> dict[str, dict[tuple[int, int], Entry]]:
        """Everything by problem, attempt and round."""
        found: defaultdict[str, dict[tuple[int, int], Entry]] = defaultdict(dict, self._numbered)
        for name, branches in self._branches.items():
            chains, shared = _chains(branches)
            found[name].update(chains)
            self.shared += shared
        for name, entries in self._in_order.items():
            first = max((number + 1 for number, _ in found[name]), default=0)
            found[name].update({(number, 0): entry for number, entry in enumerate(entries, first) if entry is not None})
        return {name: rounds for name, rounds in found.items() if rounds}

    def read_journal(self, folder: Path) -> None:
        """The attempts of a run of ours; its goals say which problem an id belongs to."""
        goals = folder.parent / "goals.jsonl"
        names: dict[str, str] = {}
        if goals.is_file():
            records = read_records(goals, "formalisation", on_fault=self.faults.append)
            names = {record_id(goal): goal.name for goal in records if isinstance(goal, Formalisation)}
        for path in parts_of(folder):
            for attempt in read_records(path, "attempt", on_fault=self.faults.append):
                if isinstance(attempt, Attempt):
                    self._put(names.get(attempt.formalisation, attempt.formalisation), attempt, str(path), None)

    def read_table(self, table: raw.Table | Fault) -> None:
        """The attempts of a foreign file, or of records of ours in one."""
        if isinstance(table, Fault):
            self.faults.append(table)
            return
        if table.lean:
            why = "Lean files are not read: put each into a row of JSON, with the problem's name"
            self.faults.append(Fault(table.name, None, "", why))
            return
        rows: list[tuple[int, str, Entry | None]] = []
        for item in table.rows(None):
            if isinstance(item, Fault):
                self.faults.append(item)
                continue
            number, row = item
            try:
                if row.get("kind") == "attempt":
                    attempt = from_row(row)
                    assert isinstance(attempt, Attempt)
                    self._put(attempt.formalisation, attempt, table.name, number)
                    continue
                name = _name(row)
                for found in _entries(row):
                    if isinstance(found, RowError):
                        self.faults.append(Fault(table.name, number, found.field, found.why))
                        rows.append((number, name, None))
                    else:
                        rows.append((number, name, found))
            except RowError as error:
                self.faults.append(Fault(table.name, number, error.field, error.why))
        self._put_rows(table.name, rows)

    def _put(self, name: str, attempt: Attempt, file: str, row: int | None) -> None:
        place = attempt.number, attempt.round
        if place in self._numbered[name]:
            self.faults.append(Fault(file, row, "", f"attempt {place[0]}, round {place[1]}, of {name} is there twice"))
            return
        self._numbered[name][place] = Entry(
            attempt.completion,
            cut=attempt.finish == "length",
            prompt_tokens=attempt.prompt_tokens,
            generated_tokens=attempt.generated_tokens,
            cached_tokens=attempt.cached_tokens,
            seconds=attempt.milliseconds / 1000,
        )

    def _put_rows(self, file: str, rows: list[tuple[int, str, Entry | None]]) -> None:
        """Rows with Goedel's ids by these, if all have them; others in their order."""
        usable = [(number, name, entry) for number, name, entry in rows if entry is not None]
        if usable and all(_GOEDEL_ID.fullmatch(name) for _, name, _ in usable):
            for number, name, entry in usable:
                problem, branch = _goedel_branch(name)
                if branch in self._branches[problem]:
                    self.faults.append(Fault(file, number, "", f"the attempt {name} is there twice"))
                else:
                    self._branches[problem][branch] = entry
        else:
            for _, name, found in rows:
                self._in_order[name].append(found)


# --- one row -------------------------------------------------------------------------------------


def _name(row: Mapping[str, Any]) -> str:
    if row.get("kind") in KINDS and row["kind"] != "instance":  # such as a benchmark's statements
        raise RowError("kind", f"it is a {row['kind']}, no attempt at one")
    for field in NAMES:
        if row.get(field) is not None:
            if not isinstance(row[field], str | int) or not str(row[field]).strip():
                raise RowError(field, f"{row[field]!r} is no name of a problem")
            return str(row[field]).strip()
    raise _missing("name", NAMES, row)


def _entries(row: Mapping[str, Any]) -> Iterator[Entry | RowError]:
    """What was written, once or several times; in the place of what can't be used, why."""
    several = next((field for field in LISTS if isinstance(row.get(field), list)), None)
    several = several or next((field for field in TEXTS if isinstance(row.get(field), list)), None)
    if several is None:
        try:
            yield _entry(row)
        except RowError as error:
            yield error
        return
    if not row[several]:
        raise RowError(several, "the list is empty: there is no attempt in it")
    for at, sample in enumerate(row[several]):
        try:
            if isinstance(sample, str):
                yield Entry(_sound(sample))
            elif isinstance(sample, dict):
                yield _entry(sample)
            else:
                raise RowError("", f"it is a {type(sample).__name__}, neither a text nor an object")
        except RowError as error:
            yield RowError(f"{several}.{at}{'.' if error.field else ''}{error.field}", error.why)


def _entry(row: Mapping[str, Any]) -> Entry:
    field = next((field for field in TEXTS if row.get(field) is not None), None)
    if field is None:
        empty = next((field for field in TEXTS if field in row), None)
        raise _missing("text", TEXTS + LISTS, row) if empty is None else RowError(empty, "there is nothing in it")
    if not isinstance(row[field], str):
        raise RowError(field, f"it is a {type(row[field]).__name__}, not a text")
    usage = row.get("usage")
    counts = {**row, **usage} if isinstance(usage, dict) else row
    return Entry(
        _sound(row[field]),
        cut="length" in (row.get("finish_reason"), row.get("finish")),
        prompt_tokens=_count(counts, _PROMPT_TOKENS),
        generated_tokens=_count(counts, _GENERATED_TOKENS),
        cached_tokens=_count(counts, ("cached_tokens",)) or 0,
    )


def _count(row: Mapping[str, Any], fields: tuple[str, ...]) -> int | None:
    """A number of tokens; tables write whole numbers as floats where some are missing."""
    field = next((field for field in fields if row.get(field) is not None), None)
    if field is None:
        return None
    value = row[field]
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**63 or value != int(value):
        raise RowError(field, f"{value!r} is no number of tokens")
    return int(value)


def _sound(text: str) -> str:
    """JSON can say half characters; rows can't hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _missing(what: str, fields: tuple[str, ...], row: Mapping[str, Any]) -> RowError:
    meant = [(field, near[0]) for field in row if (near := difflib.get_close_matches(field, fields, n=1))]
    guess = f"is its {meant[0][0]!r} meant as {meant[0][1]!r}? " if meant else ""
    return RowError("", f"it has no {what}: {guess}wanted is one of {', '.join(fields)}")


# --- Goedel's ids --------------------------------------------------------------------------------


def _goedel_branch(name: str) -> tuple[str, _Branch]:
    found = _GOEDEL_ID.fullmatch(name)
    assert found is not None
    return found["name"], (int(found["first"]), *map(int, _LATER.findall(found["later"])))


def _chains(branches: Mapping[_Branch, Entry]) -> tuple[dict[tuple[int, int], Entry], int]:
    """The entries by attempt and round, and how many of these repeat another attempt's.

    An attempt is a first sample with its corrections. Where one sample was corrected several times, each way to the end
    is an attempt, and they are numbered anew: what they have in common is in all of them, but was paid for once.
    """
    if not any(later for branch in branches for later in branch[1:]):
        return {(branch[0], len(branch) - 1): entry for branch, entry in branches.items()}, 0
    found: dict[tuple[int, int], Entry] = {}
    paid: set[_Branch] = set()
    begun = {branch[:length] for branch in branches for length in range(1, len(branch))}
    for number, end in enumerate(sorted(branch for branch in branches if branch not in begun)):
        for length in range(1, len(end) + 1):
            if (here := end[:length]) in branches:
                found[number, length - 1] = _for_nothing(branches[here]) if here in paid else branches[here]
                paid.add(here)
    return found, len(found) - len(paid)


def _for_nothing(entry: Entry) -> Entry:
    return replace(entry, prompt_tokens=0, generated_tokens=0, cached_tokens=0, seconds=0.0)
