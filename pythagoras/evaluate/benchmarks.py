"""Benchmarks to measure with: statements without proofs, and what exactly they are.

CoreBench and CoreBench-ALF by their names, anything else by its file, folder or name on the hub, in whatever shape it
is published (`corpus/sources`). Nothing of a reference proof or of a reference answer leaves this module.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pythagoras.corpus.digest import file_sha256
from pythagoras.corpus.files import OnFault
from pythagoras.corpus.goals import without_lemmas, without_proof
from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Record,
    Tier,
    record_id,
    settings_of,
    settings_text,
)
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.lean_files import SPLITS
from pythagoras.corpus.sources.reader import benchmark
from pythagoras.errors import InputError
from pythagoras.evaluate.corebench import items as corebench
from pythagoras.evaluate.corebench import mutated
from pythagoras.evaluate.runs import BenchmarkInfo
from pythagoras.lean import headers
from pythagoras.lean.scopes import own_context
from pythagoras.lookup import choose

COREBENCH = "corebench"
_TIERS = {1: Tier.EASY, 2: Tier.MEDIUM, 3: Tier.HARD}
_SHOWN_FAULTS = 3


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a run measures."""

    info: BenchmarkInfo
    goals: tuple[Formalisation, ...]
    """In the benchmark's order. Their names are all different: see `open_benchmark`."""


def open_benchmark(
    spec: str,
    *,
    split: str | None = None,
    mapping: str | None = None,
    limit: int | None = None,
    names: Sequence[str] = (),
    levels: Collection[int] = (),
    on_fault: OnFault | None = None,
) -> Benchmark:
    """The benchmark that `spec` names: `corebench` (of which the test split is meant), `corebench/valid`, its mutation
    `corebench-alf`, or a source.

    A source is a file, a folder, or a set of the hub as owner/name, read by `mapping` or by what it looks like. Without
    `split` all of its rows count, whichever split they are from.

    `names` (with `*` and `?` for any characters), `levels` (1 easy, 2 medium, 3 hard) and then `limit` choose some of
    the statements, which the information says. Where a name comes twice, as in a file of two splits it may, the first
    keeps it and the others are called `name#2`, `name#3`; only what people see changes, never the Lean. The same
    statement twice under one name is a fault.

    Raises InputError for what is no benchmark, and for rows that can't be read, with the first few of them and their
    number; with `on_fault`, that is told of each instead, and the others are measured.
    """
    name, slash, part = spec.partition("/")
    if name in _OWN and (not slash or part in corebench.SPLITS or not Path(spec).exists()):
        if mapping is not None:
            raise InputError(f"{name} needs no mapping ({mapping!r} was given): leave it out")
        whole = _OWN[name](part, split)
    else:
        whole = _foreign(spec, split, mapping, on_fault)
    return _chosen(whole, limit, names, levels)


def with_header(goals: Iterable[Formalisation], header: str) -> tuple[Formalisation, ...]:
    """The same statements for a Lean whose own header is this one: `core` of the embedded, `mathlib` of others.

    With `core`, those that stand on Mathlib are moved to it: statements about ℕ, ℤ, ℚ, finite sums and the like mean
    what they mean there; what it does not have (ℝ, ℂ, sets, topology) makes a statement unfit (`fitness`). Lost are the
    limit on Lean's work, for the embedded Lean has a clock, and all of Mathlib's lemmas. A result on moved statements
    is none on the benchmark itself; a run's manifest says so. With `mathlib`, only those on `core` are moved.
    """
    on_mathlib = headers.header(header).has_imports
    return tuple(
        replace(goal, header=header, context=own_context(goal.context, header))
        if (goal.header == headers.core().id if on_mathlib else headers.header(goal.header).has_imports)
        else goal
        for goal in goals
    )


# --- our own -------------------------------------------------------------------------------------


def _corebench(said: str, split: str | None) -> Benchmark:
    wanted = _split(COREBENCH, said, split, corebench.SPLITS)
    chosen = corebench.load(wanted)
    goals = tuple(map(without_proof, corebench.as_instances(chosen)))
    rows = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in corebench.as_rows(chosen))
    digest = hashlib.sha256(rows.encode()).hexdigest()
    return Benchmark(
        BenchmarkInfo(name=f"{COREBENCH}/{wanted}", variant=corebench.version(), sha256=digest, items=len(goals)), goals
    )


def _corebench_alf(said: str, split: str | None) -> Benchmark:
    """Read as any other file of rows: so it is the same benchmark by its name and by its file."""
    _split(mutated.NAME, said, split, {"test": "test"})
    return _foreign(str(mutated.rows_file()), None, None, None)


def _split(name: str, said: str, split: str | None, splits: Mapping[str, corebench.Split]) -> corebench.Split:
    """The split that is asked for, behind the name or by itself; else the test split."""
    if said and split and said != SPLITS.get(split, split):
        raise InputError(f"{name}/{said} is not the split {split!r}: name one of them")
    wanted = said or (SPLITS.get(split, split) if split else "test")
    return choose(f"split of {name}", wanted, splits)


_OWN: dict[str, Callable[[str, str | None], Benchmark]] = {COREBENCH: _corebench, mutated.NAME: _corebench_alf}
"""Our own, each by the split that its name is followed by, and the one that was asked for."""


# --- those of others -----------------------------------------------------------------------------


def _foreign(spec: str, split: str | None, mapping: str | None, on_fault: OnFault | None) -> Benchmark:
    near = difflib.get_close_matches(spec.partition("/")[0], _OWN, n=1)
    if near and not Path(spec).exists():
        raise InputError(f"{spec} does not exist: did you mean {near[0]!r}? Else name a file, a folder, or owner/name")
    faults = _Faults(on_fault)
    records = benchmark(spec, mapping=mapping, split=split, proofs=False, on_fault=faults.take)
    found = tuple(_goals(spec, records, faults))
    if faults.seen and (on_fault is None or not found):
        raise InputError(faults.told(spec))
    if not found:
        raise InputError(f"{spec} has no statements to measure on: name a benchmark's file, or another split")
    goals = _apart(found)
    path = Path(spec)
    mutation = any(goal.provenance.parent for goal in goals)
    info = BenchmarkInfo(
        name=_name(goals, path, mutation),
        variant=", ".join(sorted({str(settings_of(goal).get("mapping", "")) for goal in goals} - {""})),
        file=path.name if path.exists() else "",
        sha256=_sha256(path) if path.exists() else _digest(map(record_id, found)),
        items=len(goals),
        mutation=mutation,
    )
    return Benchmark(info, goals)


class _Faults:
    """What can't be used of a source; all are counted, the first few are shown."""

    def __init__(self, told_to: OnFault | None) -> None:
        self._told_to = told_to
        self._first: list[Fault] = []
        self.seen = 0

    def take(self, fault: Fault) -> None:
        self.seen += 1
        self._first = [*self._first, fault][:_SHOWN_FAULTS]
        if self._told_to is not None:
            self._told_to(fault)

    def told(self, spec: str) -> str:
        shown = "; ".join(map(str, self._first))
        if self.seen == 1:
            return shown
        more = f"; and {self.seen - len(self._first)} more" if self.seen > len(self._first) else ""
        return f"{self.seen} rows of {spec} can't be measured on: {shown}{more}: correct them, or go on without them"


def _goals(spec: str, records: Iterable[Record], faults: _Faults) -> Iterable[Formalisation]:
    """The statements, each once."""
    seen: dict[str, str] = {}
    for record in records:
        match record:
            case Problem():
                raise InputError(
                    f"{spec} has problems in words and no Lean statements: provers are measured on formal statements; "
                    "name a file that has them"
                )
            case Formalisation():
                goal = _without_answers(replace(record, context=without_lemmas(record.context, record.text)))
            case Instance():
                goal = _without_answers(without_proof(record))
            case _:
                raise AssertionError(f"a benchmark gives no {type(record).__name__}")
        goal_id = record_id(goal)
        place = settings_of(record)
        file, row = str(place.get("file", spec)), place.get("row")
        if goal_id in seen:
            why = f"{goal.name} is there already ({seen[goal_id]}), with the same statement"
            faults.take(Fault(file, row if isinstance(row, int) else None, "", why))
        else:
            seen[goal_id] = f"{file}, row {row}" if row else file
            yield goal


def _without_answers(goal: Formalisation) -> Formalisation:
    """Without the answers that PutnamBench's files have in comments, which readers keep in the provenance."""
    settings = settings_of(goal)
    if "answers" not in settings:
        return goal
    kept = {name: value for name, value in settings.items() if name != "answers"}
    return replace(goal, provenance=replace(goal.provenance, settings=settings_text(kept)))


def _apart(goals: Sequence[Formalisation]) -> tuple[Formalisation, ...]:
    """The same with names that are all different."""
    seen = Counter[str]()
    found: list[Formalisation] = []
    for goal in goals:
        seen[goal.name] += 1
        found.append(goal if seen[goal.name] == 1 else replace(goal, name=f"{goal.name}#{seen[goal.name]}"))
    return tuple(found)


def _name(goals: Sequence[Formalisation], path: Path, mutation: bool) -> str:
    """`minif2f/test`; of several splits `minif2f`; of several benchmarks the file's name without its ending.

    A mutation's rows look as those of its original do; it is `minif2f-alf/test`.
    """
    sources = {goal.source for goal in goals}
    names = {source.rpartition("/")[0] or source for source in sources}
    name = next((found.pop() for found in (sources, names) if len(found) == 1), path.name.split(".")[0])
    benchmark, slash, split = name.partition("/")
    return f"{benchmark}-alf{slash}{split}" if mutation and "alf" not in benchmark.lower() else name


def _sha256(path: Path) -> str:
    """Of a file's bytes; of a folder, of the names and bytes of all files in it but hidden ones."""
    if path.is_file():
        return file_sha256(path)
    files = sorted(found for found in path.rglob("*") if found.is_file() and not _is_hidden(found.relative_to(path)))
    return _digest(f"{file.relative_to(path).as_posix()} {_sha256(file)}" for file in files)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


# --- a part of it --------------------------------------------------------------------------------


def _chosen(whole: Benchmark, limit: int | None, names: Sequence[str], levels: Collection[int]) -> Benchmark:
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} leaves nothing to measure: ask for 1 or more")
    goals: Sequence[Formalisation] = whole.goals
    said: list[str] = []
    if names:
        goals = _named(whole, names)
        said.append(f"name {', '.join(names)}")
    if levels:
        tiers = {choose("level", str(level), {str(known): tier for known, tier in _TIERS.items()}) for level in levels}
        goals = [goal for goal in goals if goal.tier in tiers]
        said.append(f"level {', '.join(map(str, sorted(levels)))}")
    if limit is not None and limit < len(goals):
        goals = goals[:limit]
        said.append(f"first {limit}")
    if not goals:
        raise InputError(f"{whole.info.name} has no statement with {' and '.join(said)}: ask for less")
    if not said or len(goals) == len(whole.goals):
        return whole
    part = {"items": len(goals), "filter": "; ".join(said), "of": len(whole.goals)}
    return Benchmark(whole.info.model_copy(update=part), tuple(goals))


def _named(whole: Benchmark, names: Sequence[str]) -> list[Formalisation]:
    known = [goal.name for goal in whole.goals]
    for name in names:
        if not any(fnmatchcase(one, name) for one in known):
            near = difflib.get_close_matches(name, known, n=1)
            example = f"did you mean {near[0]!r}?" if near else f"its names are like {known[0]!r}"
            raise InputError(f"no statement of {whole.info.name} is called {name!r}: {example}")
    return [goal for goal in whole.goals if any(fnmatchcase(goal.name, name) for name in names)]
