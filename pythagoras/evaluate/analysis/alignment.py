"""Runs side by side: the same problems in the same order, and what n attempts at each came to.

Problems are matched by name. What can't be compared is said by name: problems that only some runs have, statements that
differ under one name (MiniF2F's variants), and judges that differ, since what is provable depends on Lean's version.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.passn import tried
from pythagoras.evaluate.results import Flags, Floats, Ints, Results

_SHOWN = 5  # names in a message
_Value = TypeVar("_Value", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Problem by run: the rows are the problems that all runs have, in the first one's order."""

    labels: tuple[str, ...]
    n: int
    names: tuple[str, ...]
    goals: tuple[Formalisation, ...]
    solved: Flags
    """This and the three below as in `passn.Tried`: what can't be told counts as unsolved."""
    told: Flags
    chance: Floats
    most: Floats
    unfit: Flags
    """Whether Lean refuses the statement; then it counts as unsolved."""
    left_out: dict[str, str]
    """All other problems of any run, each with the reason."""
    warnings: tuple[str, ...]


def align(runs: Sequence[Results], n: int | None = None, *, allow_mixed: bool = False) -> Aligned:
    """Runs on the same benchmark, at pass@n; without n, at as many attempts as every problem got in every run.

    Raises InputError where runs differ in what makes numbers comparable, unless that is allowed; then statements that
    differ are left out, and the rest is warned of.
    """
    if not runs:
        raise InputError("there is no run to compare: give the folders of one or more")
    if n is not None and n < 1:
        raise InputError(f"pass@{n} means nothing: n counts attempts, so give 1 or more")
    labels = labels_of(runs)
    rows = [_rows(run.goals) for run in runs]
    left_out = _not_everywhere(labels, rows)
    differing = _differing(runs, rows, left_out)
    left_out |= dict.fromkeys(differing, "its statement differs between the runs")
    warnings = [*mixed(runs, labels), *_about_statements(differing)]
    refuse(warnings, allow_mixed)
    names = tuple(name for name in rows[0] if name not in left_out)
    if not names:
        raise InputError(f"{listed(labels)} have no problem in common that can be compared: give runs on one benchmark")
    chosen = [np.array([row[name] for name in names], dtype=np.int64) for row in rows]
    attempts = n if n is not None else _attempts_of_all(runs, labels, chosen, names)
    columns = [tried(run, attempts) for run in runs]
    return Aligned(
        labels=labels,
        n=attempts,
        names=names,
        goals=tuple(runs[0].goals[at] for at in chosen[0]),
        solved=_beside([column.solved for column in columns], chosen),
        told=_beside([column.told for column in columns], chosen),
        chance=_beside([column.chance for column in columns], chosen),
        most=_beside([column.most for column in columns], chosen),
        unfit=_beside([~run.fit for run in runs], chosen),
        left_out=left_out,
        warnings=(*warnings, *_about_files(runs, labels)),
    )


def labels_of(runs: Sequence[Results]) -> tuple[str, ...]:
    """What to call each run where all of them stand together: its label, as long as no other has the same.

    Then with its benchmark, then with its folder, each where that tells some apart; numbered if it is not enough.
    """
    labels = [run.label for run in runs]
    more = ([f", {run.manifest.benchmark.name}" for run in runs], [f" ({run.folder.name})" for run in runs])
    for endings in more:
        count = Counter(labels)
        longer = [label + end if count[label] > 1 else label for label, end in zip(labels, endings, strict=True)]
        if len(set(longer)) > len(count):
            labels = longer
    count = Counter(labels)
    return tuple(f"{label} ({at})" if count[label] > 1 else label for at, label in enumerate(labels, 1))


def named_apart(runs: Sequence[Results]) -> list[Results]:
    """The same runs under labels that are their own among those on originals, and among those on mutations.

    A run on a benchmark and one on its mutation keep the label that they share: by it they are paired.
    """
    named = list(runs)
    for mutation in (False, True):
        places = [at for at, run in enumerate(runs) if run.manifest.benchmark.mutation == mutation]
        for at, run in zip(places, with_benchmark([runs[at] for at in places]), strict=True):
            named[at] = run
    return named


def with_benchmark(runs: Sequence[Results]) -> list[Results]:
    """The same runs for a table or picture of all of them, under `labels_of`."""
    return [
        replace(run, manifest=run.manifest.model_copy(update={"label": label}))
        for run, label in zip(runs, labels_of(runs), strict=True)
    ]


# --- what must not differ -------------------------------------------------------------------------


def mixed(runs: Sequence[Results], labels: Sequence[str]) -> tuple[str, ...]:
    """In what the judges of the runs differ, a sentence each."""
    by_run = [_lean_versions(run) for run in runs]
    facets = {
        "Lean versions": [" and ".join(versions) for versions in by_run],
        "backends": [run.manifest.lean.backend for run in runs],
        "headers": [run.manifest.lean.header or listed(sorted({goal.header for goal in run.goals})) for run in runs],
        "time limits": [f"{run.manifest.lean.timeout_s:g} s" for run in runs],
        "policies": [json.dumps(run.manifest.lean.policy, sort_keys=True) for run in runs],
    }
    found = [f"{facet} differ: {_who_has_what(labels, of)}" for facet, of in facets.items() if len(set(of)) > 1]
    several = [(label, versions) for label, versions in zip(labels, by_run, strict=True) if len(versions) > 1]
    found += [f"{label} was judged by several Lean versions: {' and '.join(versions)}" for label, versions in several]
    return tuple(found)


def refuse(found: Sequence[str], allow_mixed: bool) -> None:
    """Raise InputError about differences that were not allowed."""
    if found and not allow_mixed:
        raise InputError(
            f"these runs can't be compared as they are: {'; '.join(found)}. Judge their attempts under one setting, or "
            "allow the mixture (--allow-mixed), which is then said beside the numbers"
        )


def listed(names: Iterable[str]) -> str:
    """Some names for a message, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more


def _lean_versions(run: Results) -> list[str]:
    """By the judgements themselves, and by the manifest."""
    return sorted({run.manifest.lean.version, *(judged.lean_version for judged in run.judgements)} - {""})


def _who_has_what(labels: Sequence[str], values: Sequence[str]) -> str:
    owners: dict[str, list[str]] = {}
    for label, value in zip(labels, values, strict=True):
        owners.setdefault(value, []).append(label)
    return ", ".join(f"{value or 'none'} ({listed(who)})" for value, who in owners.items())


def _about_statements(differing: Sequence[str]) -> list[str]:
    if not differing:
        return []
    are = "statement differs" if len(differing) == 1 else "statements differ"
    return [f"{len(differing):,} {are} under the same name: {listed(differing)}"]


def _about_files(runs: Sequence[Results], labels: Sequence[str]) -> list[str]:
    """Files may differ in what is not compared; the reader should know."""
    files = [f"{run.manifest.benchmark.variant} {run.manifest.benchmark.sha256[:8]}".strip() for run in runs]
    if len(set(files)) < 2:
        return []
    return [f"the benchmark was read from different files: {_who_has_what(labels, files)}"]


# --- the same problems ----------------------------------------------------------------------------


def _rows(goals: Sequence[Formalisation]) -> dict[str, int]:
    """Index by name; one that occurs again gets a number."""
    seen = Counter[str]()
    found = {}
    for at, goal in enumerate(goals):
        seen[goal.name] += 1
        found[goal.name if seen[goal.name] == 1 else f"{goal.name}~{seen[goal.name]}"] = at
    return found


def _not_everywhere(labels: Sequence[str], rows: Sequence[Mapping[str, int]]) -> dict[str, str]:
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        owners = [label for label, row in zip(labels, rows, strict=True) if name in row]
        if len(owners) < len(rows):
            found[name] = f"only in {', '.join(owners)}"
    return found


def _differing(runs: Sequence[Results], rows: Sequence[Mapping[str, int]], left_out: Mapping[str, str]) -> list[str]:
    """Names under which the runs have different statements, white space apart."""
    found = []
    for name in rows[0]:
        if name not in left_out:
            goals = (run.goals[row[name]] for run, row in zip(runs, rows, strict=True))
            if len({(*goal.context.split(), "theorem:", *goal.text.split()) for goal in goals}) > 1:
                found.append(name)
    return found


# --- what n attempts came to ----------------------------------------------------------------------


def _beside(values: Sequence[npt.NDArray[_Value]], chosen: Sequence[Ints]) -> npt.NDArray[_Value]:
    """Problem by run, of values by goal."""
    return np.stack([column[at] for column, at in zip(values, chosen, strict=True)], axis=1)


def _attempts_of_all(
    runs: Sequence[Results], labels: Sequence[str], chosen: Sequence[Ints], names: Sequence[str]
) -> int:
    """The largest n that every problem got in every run, those apart that Lean refuses."""
    least = max(run.manifest.n for run in runs)
    for label, run, at in zip(labels, runs, chosen, strict=True):
        have = run.drawn.sum(axis=1)
        if run.manifest.stop_when_solved:  # more would have changed nothing
            have[run.solved.any(axis=1)] = run.manifest.n
        without = [name for name, row in zip(names, at, strict=True) if run.fit[row] and not have[row]]
        if without:
            raise InputError(
                f"{label} has no attempt at {listed(without)}: finish the run, or say at how many attempts to compare "
                "(--n); what is missing then counts as unsolved, and is listed"
            )
        least = min(least, int(have[at][run.fit[at]].min(initial=least)))
    return least
