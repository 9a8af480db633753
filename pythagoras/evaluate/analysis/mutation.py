"""A benchmark and its mutation: what became of each problem when its statement was changed, prover by prover.

Each mutated problem names its original. A prover is two runs: one on the originals, one on the mutations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.alignment import align, labels_of, listed, mixed, refuse
from pythagoras.evaluate.analysis.compare import Comparison, Grid, Transition, compare
from pythagoras.evaluate.analysis.failures import UNNAMED
from pythagoras.evaluate.analysis.significance import Difference, Paired, differences
from pythagoras.evaluate.domains import domain_of, in_order
from pythagoras.evaluate.results import Flags, Floats, Ints, Results

Prover = tuple[Results, Results]
"""Its run on the originals, and its run on the mutations."""

_ORDER = (Transition.BOTH_SOLVED, Transition.GAINED, Transition.LOST, Transition.BOTH_FAILED, Transition.NOT_TOLD)
"""Of cells in a sorted grid, from the top."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A mutated problem and its original."""

    mutation: str
    original: str
    operator: str
    domain: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How the pairs ended for one prover: pairs = the five counts."""

    label: str
    operator: str
    """Empty: of all operators together."""
    pairs: int
    both_solved: int
    both_failed: int
    lost: int
    gained: int
    not_told: int
    refused: int
    """Of those not told, the pairs of which Lean refuses a statement: they say nothing about the prover."""
    drop: float
    """Points that mutation costs at what n attempts solved, of all pairs but the refused; of the others that are not
    told, what is not known to be solved counts as unsolved."""

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Side:
    """Originals or mutations, pair by prover; the fields as in `Aligned`."""

    solved: Flags
    told: Flags
    chance: Floats
    most: Floats
    unfit: Flags

    @classmethod
    def of(cls, comparison: Comparison, rows: Ints) -> Side:
        aligned = comparison.aligned
        return cls(
            solved=aligned.solved[rows],
            told=aligned.told[rows],
            chance=aligned.chance[rows],
            most=aligned.most[rows],
            unfit=aligned.unfit[rows],
        )


@dataclass(frozen=True)
class MutationComparison:
    """Provers on a benchmark and on its mutation, at pass@n."""

    labels: tuple[str, ...]
    original: Comparison
    mutated: Comparison
    pairs: tuple[Pair, ...]
    cells: tuple[tuple[Transition, ...], ...]
    """Pair by prover."""
    sides: tuple[Side, Side]
    """What the cells are made of: the originals, and the mutations."""
    drops: tuple[Difference, ...]
    """For each prover the original against the mutation, originals being what is resampled."""
    unmatched: dict[str, str]
    """Mutated problems without an original, and originals without a mutation, each with the reason."""
    warnings: tuple[str, ...]

    @property
    def n(self) -> int:
        return self.original.n

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """For each prover, all pairs."""
        return tuple(self._tally(at, "") for at in range(len(self.labels)))

    @cached_property
    def by_operator(self) -> tuple[Tally, ...]:
        """For each operator and prover, its pairs."""
        operators = sorted({pair.operator for pair in self.pairs})
        return tuple(self._tally(at, operator) for operator in operators for at in range(len(self.labels)))

    def grid(self) -> Grid:
        """All pairs, alike ones together: from those that everybody solved both of to those that nobody did."""
        rank = {transition: at for at, transition in enumerate(_ORDER)}
        domains = in_order({pair.domain for pair in self.pairs})

        def place(at: int) -> tuple[Any, ...]:
            pattern = tuple(rank[cell] for cell in self.cells[at])
            return sum(pattern), pattern, domains.index(self.pairs[at].domain), at

        order = sorted(range(len(self.pairs)), key=place)
        return Grid(
            label=f"{self.original.benchmark} and its mutation, pass@{self.n}",
            problems=tuple(self.pairs[at].mutation for at in order),
            columns=self.labels,
            cells=tuple(self.cells[at] for at in order),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "provers": list(self.labels),
            "n": self.n,
            "warnings": list(self.warnings),
            "unmatched": self.unmatched,
            "tallies": [tally.as_dict() for tally in self.tallies],
            "by_operator": [tally.as_dict() for tally in self.by_operator],
            "drops": [drop.as_dict() for drop in self.drops],
            "pairs": [
                {
                    "mutation": pair.mutation,
                    "original": pair.original,
                    "operator": pair.operator,
                    "domain": pair.domain,
                    "outcomes": dict(zip(self.labels, row, strict=True)),
                }
                for pair, row in zip(self.pairs, self.cells, strict=True)
            ],
            "original": self.original.as_dict(),
            "mutated": self.mutated.as_dict(),
        }

    def _tally(self, at: int, operator: str) -> Tally:
        chosen = [row for row, pair in enumerate(self.pairs) if operator in ("", pair.operator)]
        counts = Counter(self.cells[row][at] for row in chosen)
        original, mutated = (side.solved[chosen, at] for side in self.sides)
        fit = ~(self.sides[0].unfit | self.sides[1].unfit)[chosen, at]
        fewer = int((original & fit).sum()) - int((mutated & fit).sum())
        return Tally(
            label=self.labels[at],
            operator=operator,
            pairs=counts.total(),
            both_solved=counts[Transition.BOTH_SOLVED],
            both_failed=counts[Transition.BOTH_FAILED],
            lost=counts[Transition.LOST],
            gained=counts[Transition.GAINED],
            not_told=counts[Transition.NOT_TOLD],
            refused=len(chosen) - int(fit.sum()),
            drop=100 * fewer / int(fit.sum()) if fit.any() else 0.0,
        )


def pair_runs(runs: Sequence[Results]) -> tuple[tuple[Prover, ...], tuple[Results, ...]]:
    """Which run on a mutation belongs to which on the original, and the runs that belong to none.

    By label; where that does not tell, by samplers and protocol. Raises InputError where two are as good.
    """
    originals = [run for run in runs if not run.manifest.benchmark.mutation]
    provers = []
    for run in runs:
        if run.manifest.benchmark.mutation:
            found = [one for one in originals if one.label == run.label] or [
                one for one in originals if _maker(one) == _maker(run)
            ]
            if len(found) > 1:
                raise InputError(
                    f"{listed(str(one.folder) for one in found)} could all be the run on the originals that belongs to "
                    f"{run.folder}: give the runs different labels, or the pairs one by one"
                )
            provers += [(one, run) for one in found]
    paired = {id(run) for prover in provers for run in prover}
    return tuple(provers), tuple(run for run in runs if id(run) not in paired)


def compare_mutation(
    provers: Sequence[Prover], *, n: int | None = None, allow_mixed: bool = False, seed: int = 0
) -> MutationComparison:
    """Provers on a benchmark and its mutation; n as in `compare`, the same for all runs."""
    if not provers:
        raise InputError("there is no pair to compare: give a prover's run on a benchmark, and its run on the mutation")
    every = [run for prover in provers for run in prover]
    refuse(mixed(every, labels_of(every)), allow_mixed)
    originals, mutants = ([prover[at] for prover in provers] for at in (0, 1))
    shared = _shared_n((originals, mutants), n)
    original, mutated = (compare(side, n=shared, allow_mixed=allow_mixed, seed=seed) for side in (originals, mutants))
    rows, unmatched = _match(original, mutated)
    if not len(rows):
        raise InputError(
            f"no problem of {mutated.benchmark} names one of {original.benchmark} as its original: "
            "give runs on a benchmark and on its own mutation"
        )
    labels = _prover_labels(provers)
    sides = Side.of(original, rows[:, 0]), Side.of(mutated, rows[:, 1])
    return MutationComparison(
        labels=labels,
        original=original,
        mutated=mutated,
        pairs=_pairs(original, mutated, rows),
        cells=_cells(*sides),
        sides=sides,
        drops=_drops(labels, *sides, rows[:, 0], shared, seed),
        unmatched=unmatched,
        warnings=(*_warnings(every, original, mutated, unmatched), *_refused(labels, *sides)),
    )


def analyse(
    runs: Sequence[Results], *, n: int | None = None, allow_mixed: bool = False, seed: int = 0
) -> tuple[tuple[Comparison, ...], MutationComparison | None]:
    """All that can be compared of some runs: those on originals, those on mutations, and the two with each other."""
    sides = [[run for run in runs if run.manifest.benchmark.mutation == mutation] for mutation in (False, True)]
    sides = [side for side in sides if side]
    provers, alone = pair_runs(runs)
    if not provers:
        return tuple(compare(side, n=n, allow_mixed=allow_mixed, seed=seed) for side in sides), None
    shared = _shared_n(sides, n)
    found = compare_mutation(provers, n=shared, allow_mixed=allow_mixed, seed=seed)
    if not alone:
        return (found.original, found.mutated), found
    note = f"no counterpart on the other benchmark: {listed(f'{run.label} ({run.folder.name})' for run in alone)}"
    comparisons = tuple(compare(side, n=shared, allow_mixed=allow_mixed, seed=seed) for side in sides)
    return comparisons, replace(found, warnings=(*found.warnings, note))


def _shared_n(sides: Sequence[Sequence[Results]], n: int | None) -> int:
    """As given, or the largest that all runs of all sides have; mixtures are refused elsewhere."""
    return n if n is not None else min(align(side, allow_mixed=True).n for side in sides)


def _maker(run: Results) -> tuple[Any, ...]:
    return run.manifest.samplers, run.manifest.protocol


def _prover_labels(provers: Sequence[Prover]) -> tuple[str, ...]:
    """The label of both runs; both labels where they differ."""
    names = zip(*(labels_of([prover[at] for prover in provers]) for at in (0, 1)), strict=True)
    same = [prover[0].label == prover[1].label for prover in provers]
    return tuple(a if alike else f"{a} / {b}" for (a, b), alike in zip(names, same, strict=True))


def _match(original: Comparison, mutated: Comparison) -> tuple[Ints, dict[str, str]]:
    """Row of the original and row of the mutation for each pair; and what has no counterpart."""
    place = {name: at for at, name in enumerate(original.problems)}
    rows, unmatched = [], {}
    for at, goal in enumerate(mutated.aligned.goals):
        parent = goal.provenance.parent
        if parent in place:
            rows.append((place[parent], at))
        else:
            unmatched[mutated.problems[at]] = (
                f"its original {parent} is not compared" if parent else "names no original"
            )
    with_mutation = {row for row, _ in rows}
    without = (name for at, name in enumerate(original.problems) if at not in with_mutation)
    unmatched |= dict.fromkeys(without, "has no mutation")
    return np.array(rows, dtype=np.int64).reshape(-1, 2), unmatched


def _pairs(original: Comparison, mutated: Comparison, rows: Ints) -> tuple[Pair, ...]:
    goals = mutated.aligned.goals
    return tuple(
        Pair(
            mutation=mutated.problems[to],
            original=original.problems[of],
            operator=goals[to].provenance.maker or UNNAMED,
            domain=domain_of(original.aligned.goals[of]),
        )
        for of, to in rows.tolist()
    )


def _cells(original: Side, mutated: Side) -> tuple[tuple[Transition, ...], ...]:
    codes = 2 * original.solved + mutated.solved
    codes[~(original.told & mutated.told) | original.unfit | mutated.unfit] = 4
    meaning = (
        *(Transition.BOTH_FAILED, Transition.GAINED),
        *(Transition.LOST, Transition.BOTH_SOLVED, Transition.NOT_TOLD),
    )
    return tuple(tuple(meaning[code] for code in row) for row in codes.tolist())


def _drops(
    labels: Sequence[str], original: Side, mutated: Side, originals: Ints, n: int, seed: int
) -> tuple[Difference, ...]:
    """Two mutations of one original do not stand by themselves: they are a group. What Lean refuses is left out."""
    paired = []
    for at, label in enumerate(labels):
        fit = ~(original.unfit | mutated.unfit)[:, at]
        told = (original.told & mutated.told)[fit, at]
        paired.append(
            Paired(
                a=f"{label}: original",
                b=f"{label}: mutation",
                a_value=original.chance[fit, at],
                b_value=mutated.chance[fit, at],
                a_solved=original.solved[fit, at],
                b_solved=mutated.solved[fit, at],
                groups=originals[fit],
                a_most=original.most[fit, at],
                b_most=mutated.most[fit, at],
                not_told=int((~told).sum()),
            )
        )
    return differences(paired, n, seed=seed)


def _refused(labels: Sequence[str], original: Side, mutated: Side) -> list[str]:
    """What Lean takes no part of; the same for all provers where all were judged alike."""
    owners: dict[tuple[int, int], list[str]] = {}
    for at, label in enumerate(labels):
        either = original.unfit[:, at] | mutated.unfit[:, at]
        owners.setdefault((int(either.sum()), int(mutated.unfit[:, at].sum())), []).append(label)
    return [
        f"{listed(who)}: Lean refuses a statement of {pairs:,} pairs, the mutation of {mutations:,}; these pairs are "
        "not told, and no drop counts them"
        for (pairs, mutations), who in owners.items()
        if pairs
    ]


def _warnings(
    runs: Sequence[Results], original: Comparison, mutated: Comparison, unmatched: dict[str, str]
) -> tuple[str, ...]:
    found = [*mixed(runs, labels_of(runs))]
    for side, comparison in ((runs[::2], original), (runs[1::2], mutated)):
        said = mixed(side, comparison.labels)  # above, of all runs together
        found += [warning for warning in comparison.warnings if warning not in said]
    if unmatched:
        found.append(f"{len(unmatched):,} problems have no counterpart: {listed(unmatched)}")
    return tuple(dict.fromkeys(found))
