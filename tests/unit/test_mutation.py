"""A benchmark and its mutation: every pair is accounted for, and variants of one original count once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.compare import Transition
from pythagoras.evaluate.analysis.mutation import analyse, compare_mutation, pair_runs
from pythagoras.evaluate.analysis.significance import NO_DIFFERENCE, mcnemar
from pythagoras.evaluate.results import Results, load
from tests.made_runs import made_goals, make_run, mutated

Y, N = True, False
GOALS = made_goals(4)
MUTATIONS = mutated(GOALS)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Makes a run of a label with these outcomes and loads it."""

    def make(label: str, solved: Sequence[Sequence[bool]], goals: Any, **options: Any) -> Results:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        return load(make_run(folder, solved, goals, label=label, **options))

    return make


def _prover(run: Any, label: str, originals: str, mutations: str, **options: Any) -> tuple[Results, Results]:
    """One attempt each: `+` is solved."""
    rows = [[[mark == "+"] for mark in marks] for marks in (originals, mutations)]
    return run(label, rows[0], GOALS, **options), run(label, rows[1], MUTATIONS, **options)


def test_every_transition(run: Any) -> None:
    found = compare_mutation([_prover(run, "A", "++--", "+-+--+--")])
    names = [cell for (cell,) in found.cells]
    both, lost, gained, failed = Transition.BOTH_SOLVED, Transition.LOST, Transition.GAINED, Transition.BOTH_FAILED
    assert names == [both, lost, both, lost, failed, gained, failed, failed]
    assert [(pair.original, pair.operator) for pair in found.pairs[:2]] == [
        (GOALS[0].name, "generalisation"),
        (GOALS[0].name, "reformulation"),
    ]
    (tally,) = found.tallies
    assert (tally.both_solved, tally.lost, tally.gained, tally.both_failed, tally.not_told) == (2, 2, 1, 3, 0)
    assert tally.drop == pytest.approx(100 / 8) == pytest.approx(found.drops[0].points)
    assert found.unmatched == {}
    assert found.warnings == ()


def test_tallies_by_operator_add_up(run: Any) -> None:
    provers = [_prover(run, "A", "++--", "+-+--+--"), _prover(run, "B", "+-+-", "--++--+-")]
    found = compare_mutation(provers)
    assert {tally.operator for tally in found.by_operator} == {"generalisation", "reformulation"}
    for tally in found.tallies:
        parts = [one for one in found.by_operator if one.label == tally.label]
        for count in ("pairs", "both_solved", "both_failed", "lost", "gained", "not_told"):
            assert getattr(tally, count) == sum(getattr(one, count) for one in parts)
        told = tally.both_solved + tally.both_failed + tally.lost + tally.gained
        assert tally.pairs == told + tally.not_told == 8


def test_the_grid_has_all_pairs_with_alike_ones_together(run: Any) -> None:
    provers = [_prover(run, "A", "+--+", "+++---++"), _prover(run, "B", "+--+", "+-----++")]
    found = compare_mutation(provers)
    grid = found.grid()
    assert grid.columns == ("A", "B")
    assert sorted(grid.problems) == sorted(pair.mutation for pair in found.pairs)
    by_name = {pair.mutation: row for pair, row in zip(found.pairs, found.cells, strict=True)}
    assert [by_name[name] for name in grid.problems] == list(grid.cells)
    assert set(grid.cells[0]) == {Transition.BOTH_SOLVED}
    assert set(grid.cells[-1]) == {Transition.BOTH_FAILED}
    changes = sum(one != other for one, other in zip(grid.cells, grid.cells[1:], strict=False))
    assert changes == len(set(grid.cells)) - 1
    domains = {pair.mutation: pair.domain for pair in found.pairs}
    alike = [domains[name] for name, row in zip(grid.problems, grid.cells, strict=True) if row == grid.cells[0]]
    assert alike == ["IMO", "MathD", "MathD"]


def test_a_drop_is_resampled_by_originals(run: Any) -> None:
    """Ten pairs lost, but of five originals: the same as five problems against none, which chance can do."""
    goals = made_goals(40)
    original = run("A", [[Y]] * 40, goals)
    lost = run("A", [[at >= 10] for at in range(80)], mutated(goals))
    (drop,) = compare_mutation([(original, lost)]).drops
    assert (drop.a, drop.b) == ("A: original", "A: mutation")
    assert (drop.a_more, drop.groups, drop.problems) == (5, 40, 80)
    assert drop.points == pytest.approx(12.5)
    assert drop.p == mcnemar(5, 0)
    assert drop.verdict == NO_DIFFERENCE
    more = run("A", [[at >= 14] for at in range(80)], mutated(goals))
    assert compare_mutation([(original, more)]).drops[0].verdict == "A: original ahead"


def test_what_is_not_told_is_no_transition(run: Any) -> None:
    original, mutation = _prover(run, "A", "++--", "+-+--+--")
    broken = tuple(replace(judged, outcome="", reason="") for judged in mutation.judgements[1:2])
    judged = (mutation.judgements[0], *broken, *mutation.judgements[2:])
    found = compare_mutation([(original, replace(mutation, judgements=judged))])
    assert found.cells[1] == (Transition.NOT_TOLD,)
    (tally,) = found.tallies
    assert (tally.pairs, tally.lost, tally.not_told, tally.refused) == (8, 1, 1, 0)
    assert (found.drops[0].problems, found.drops[0].not_told) == (8, 1)
    assert tally.drop == pytest.approx(100 / 8) == pytest.approx(found.drops[0].points)  # it counts as unsolved
    assert "can't be told" in found.warnings[0]


def test_a_drop_is_none_if_the_verdicts_that_lack_could_undo_it(run: Any) -> None:
    goals = made_goals(40)
    original, mutation = run("A", [[Y]] * 40, goals), run("A", [[at >= 20] for at in range(80)], mutated(goals))
    assert compare_mutation([(original, mutation)]).drops[0].verdict == "A: original ahead"
    lost = np.where(mutation.rounds.goal < 16, -1, mutation.rounds.judgement)
    (drop,) = compare_mutation([(original, replace(mutation, rounds=replace(mutation.rounds, judgement=lost)))]).drops
    assert (drop.not_told, drop.verdict) == (16, NO_DIFFERENCE)


def test_what_lean_refuses_is_no_transition(run: Any) -> None:
    original = run("A", [[Y], [Y], [Y], []], GOALS, unfit=[3])
    mutation = run("A", [[Y], [N], [], [], [Y], [Y], [Y], [N]], MUTATIONS, unfit=[2, 3])
    found = compare_mutation([(original, mutation)])
    (tally,) = found.tallies
    assert (tally.both_solved, tally.lost, tally.gained, tally.both_failed) == (3, 1, 0, 0)
    assert (tally.not_told, tally.refused, tally.drop) == (4, 4, 25.0)
    assert (found.drops[0].problems, found.drops[0].points, found.drops[0].not_told) == (4, 25.0, 0)
    assert found.warnings == (
        "A: Lean refuses a statement of 4 pairs, the mutation of 2; these pairs are not told, and no drop counts them",
    )


def test_the_same_number_of_attempts_on_both_sides(run: Any) -> None:
    original = run("A", [[N, Y]] * 4, GOALS)
    mutation = run("A", [[N, N, Y]] * 8, MUTATIONS)
    found = compare_mutation([(original, mutation)])
    assert (found.n, found.original.n, found.mutated.n) == (2, 2, 2)
    assert set(found.cells) == {(Transition.LOST,)}
    assert set(compare_mutation([(original, mutation)], n=1).cells) == {(Transition.BOTH_FAILED,)}


def test_what_has_no_counterpart_is_listed(run: Any) -> None:
    strangers = mutated(made_goals(6)[5:], 1)
    orphan = replace(MUTATIONS[7], name="orphan", provenance=replace(MUTATIONS[7].provenance, parent=""))
    original = run("A", [[Y]] * 4, GOALS)
    mutation = run("A", [[Y]] * 8, (*MUTATIONS[:6], *strangers, orphan))
    found = compare_mutation([(original, mutation)])
    assert len(found.pairs) == 6
    assert found.unmatched == {
        strangers[0].name: f"its original {strangers[0].provenance.parent} is not compared",
        "orphan": "names no original",
        GOALS[3].name: "has no mutation",
    }
    assert "3 problems have no counterpart" in found.warnings[-1]


def test_a_mutation_of_something_else_is_refused(run: Any) -> None:
    others = made_goals(12)[8:]
    with pytest.raises(InputError, match="names one of minif2f/test as its original"):
        compare_mutation([(run("A", [[Y]] * 4, GOALS), run("A", [[Y]] * 8, mutated(others)))])
    with pytest.raises(InputError, match="no pair to compare"):
        compare_mutation([])


def test_mixed_lean_versions_between_the_sides_are_refused(run: Any) -> None:
    original = run("A", [[Y]] * 4, GOALS)
    mutation = run("A", [[Y]] * 8, MUTATIONS, lean_version="4.9.0")
    with pytest.raises(
        InputError, match=r"Lean versions differ: 4\.28\.0 \(A, minif2f/test\), 4\.9\.0 \(A, minif2f-alf"
    ):
        compare_mutation([(original, mutation)])
    (warning,) = compare_mutation([(original, mutation)], allow_mixed=True).warnings
    assert warning.startswith("Lean versions differ")


# --- which runs belong together -------------------------------------------------------------------


def test_runs_are_paired_by_label(run: Any) -> None:
    a, b = _prover(run, "A", "++++", "++++++++"), _prover(run, "B", "----", "--------")
    provers, alone = pair_runs([a[1], b[0], a[0], b[1]])
    assert provers == (a, b)
    assert alone == ()


def test_runs_are_paired_by_who_wrote_where_labels_do_not_tell(run: Any) -> None:
    original = run("A on the test split", [[Y]] * 4, GOALS, seed=3)
    other = run("B on the test split", [[Y]] * 4, GOALS, seed=4)
    mutation = run("A mutated", [[Y]] * 8, MUTATIONS, seed=3)
    provers, alone = pair_runs([original, other, mutation])
    assert provers == ((original, mutation),)
    assert alone == (other,)
    assert compare_mutation(provers).labels == ("A on the test split / A mutated",)


def test_a_run_that_could_belong_to_two_is_refused(run: Any) -> None:
    twice = [run("A", [[Y]] * 4, GOALS), run("A", [[N]] * 4, GOALS)]
    with pytest.raises(InputError, match="could all be the run on the originals"):
        pair_runs([*twice, run("A", [[Y]] * 8, MUTATIONS)])


def test_all_that_can_be_compared_at_once(run: Any) -> None:
    a, b = _prover(run, "A", "++--", "+-+--+--"), _prover(run, "B", "+-+-", "--++--+-")
    comparisons, found = analyse([*a, *b])
    assert [comparison.benchmark for comparison in comparisons] == ["minif2f/test", "minif2f-alf/test"]
    assert [len(comparison.problems) for comparison in comparisons] == [4, 8]
    assert found is not None
    assert Counter(found.warnings) == Counter()
    assert json.loads(json.dumps(found.as_dict()))["tallies"][0]["pairs"] == 8

    alone = run("C", [[Y]] * 4, GOALS)
    comparisons, found = analyse([*a, alone])
    assert comparisons[0].labels == ("A", "C")
    assert found is not None
    assert found.labels == ("A",)
    assert found.warnings == (f"no counterpart on the other benchmark: C ({alone.folder.name})",)
    assert analyse([a[0], alone])[1] is None


def test_estimates_of_many_attempts_go_into_the_drop(run: Any) -> None:
    dice = np.random.default_rng(2)
    original = run("A", (dice.random((4, 8)) < 0.6).tolist(), GOALS)
    mutation = run("A", (dice.random((8, 8)) < 0.3).tolist(), MUTATIONS)
    (drop,) = compare_mutation([(original, mutation)], n=1).drops
    assert drop.points == pytest.approx(100 * (original.solved.mean() - mutation.solved.mean()))
