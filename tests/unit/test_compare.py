"""Runs with known outcomes compared: which problems, who solved what, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.alignment import labels_of, named_apart
from pythagoras.evaluate.analysis.compare import Comparison, State, compare
from pythagoras.evaluate.analysis.passn import estimates, pass_at
from pythagoras.evaluate.analysis.significance import NO_DIFFERENCE, mcnemar
from pythagoras.evaluate.domains import domain_of
from pythagoras.evaluate.results import Results, load
from tests.made_runs import made_goals, make_run, mutated

Y, N = True, False


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Makes a run of a label with these outcomes and loads it."""

    def make(label: str, solved: Sequence[Sequence[bool]], goals: Any = None, **options: Any) -> Results:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        return load(make_run(folder, solved, goals, label=label, **options))

    return make


def _sets_add_up(found: Comparison) -> None:
    names = [*found.solved_by_all, *found.at_least_one_wrong, *found.undecided]
    assert sorted(names) == sorted(found.problems)
    assert set(found.all_wrong) <= set(found.at_least_one_wrong)
    assert all(score.problems == score.solved + score.failed + score.not_told for score in found.scores)
    for pair in found.head_to_head:
        parts = [*pair.both, *pair.neither, *pair.a_only, *pair.b_only, *pair.not_told]
        assert sorted(parts) == sorted(found.problems)
    for shares in found.make_ups():
        assert shares.total == sum(count for _, count in shares.parts)


# --- who solved what ------------------------------------------------------------------------------


def test_outcomes_sets_and_pairs(run: Any) -> None:
    goals = made_goals(5)
    names = [goal.name for goal in goals]
    first = run("A", [[Y, N], [N, Y], [N, N], [N, N], [Y, Y]])
    second = run("B", [[N, Y], [N, N], [N, N], [Y, N], [Y, Y]])
    found = compare([first, second])
    assert (found.n, found.problems, found.left_out, found.warnings) == (2, tuple(names), {}, ())
    solved, failed = State.SOLVED, State.FAILED
    expected = ((solved, solved), (solved, failed), (failed, failed), (failed, solved), (solved, solved))
    assert found.outcomes == expected
    assert found.solved_by_all == (names[0], names[4])
    assert found.all_wrong == (names[2],)
    assert found.at_least_one_wrong == (names[1], names[2], names[3])
    (pair,) = found.head_to_head
    assert (pair.both, pair.neither) == ((names[0], names[4]), (names[2],))
    assert (pair.a_only, pair.b_only, pair.disagreements) == ((names[1],), (names[3],), 2)
    assert [score.solved for score in found.scores] == [3, 3]
    _sets_add_up(found)


def test_the_papers_panel(run: Any) -> None:
    """Of 244 problems 22 that all four fail at and 41 that some do, with the paper's domains and disagreements."""
    goals = made_goals(244)
    of = {name: [at for at, goal in enumerate(goals) if domain_of(goal) == name] for name in ("IMO", "AMC", "MathD")}
    nobody = [*of["IMO"][:11], *of["AMC"][:6], *of["MathD"][:5]]
    some = [*of["IMO"][11:13], *of["AMC"][6:14], *of["MathD"][5:14]]
    failed_by = {"4B": some[7:], "8B": some, "big": [], "G-big": some[:3]}
    runs = [
        run(label, [[at not in nobody and at not in missed] for at in range(244)], goals)
        for label, missed in failed_by.items()
    ]
    found = compare(runs)
    assert (len(found.all_wrong), len(found.at_least_one_wrong), len(found.solved_by_all)) == (22, 41, 203)
    whole, some_wrong, all_wrong, _ = (dict(shares.parts) for shares in found.make_ups())
    assert sum(whole.values()) == 244
    assert 100 * some_wrong["AMC"] / 41 == pytest.approx(34.15, abs=0.005)
    assert 100 * some_wrong["IMO"] / 41 == pytest.approx(31.71, abs=0.005)
    assert 100 * all_wrong["IMO"] / 22 == pytest.approx(50.0)
    assert 100 * all_wrong["AMC"] / 22 == pytest.approx(27.27, abs=0.005)
    pair, difference = found.head_to_head[0], found.differences[0]
    assert (len(pair.a_only), len(pair.b_only)) == (7, 0) == (difference.a_more, difference.b_more)
    assert difference.p == mcnemar(7, 0)
    assert difference.p_adjusted > difference.p
    _sets_add_up(found)


def test_two_points_on_244_are_no_win(run: Any) -> None:
    better = run("better", [[at < 210] for at in range(244)])
    worse = run("worse", [[at < 205] for at in range(244)])
    (difference,) = compare([better, worse]).differences
    assert difference.points == pytest.approx(100 * 5 / 244)
    assert difference.verdict == NO_DIFFERENCE
    far_worse = run("far worse", [[at < 180] for at in range(244)])
    assert compare([far_worse, better]).differences[0].verdict == "better ahead"


def test_order_matters_neither_of_runs_nor_of_goals(run: Any) -> None:
    dice = np.random.default_rng(0)
    goals = made_goals(40)
    rows = [(dice.random((40, 4)) < chance).tolist() for chance in (0.5, 0.2)]
    a, b = run("A", rows[0], goals), run("B", rows[1], goals)
    turned = run("B", rows[1][::-1], goals[::-1])
    found, mirrored = compare([a, b], n=2), compare([b, a], n=2)
    assert compare([a, turned], n=2).outcomes == found.outcomes
    assert compare([a, turned], n=2).differences == found.differences
    one, other = found.differences[0], mirrored.differences[0]
    assert (one.p, one.p_mcnemar, one.points) == (other.p, other.p_mcnemar, -other.points)


def test_variants_of_one_original_are_tested_together(run: Any) -> None:
    goals = mutated(made_goals(30))
    a, b = run("A", [[Y]] * 60, goals), run("B", [[at >= 10] for at in range(60)], goals)
    (difference,) = compare([a, b]).differences
    assert (difference.problems, difference.groups, difference.a_more) == (60, 30, 5)
    assert difference.p == mcnemar(5, 0)


# --- how many attempts ----------------------------------------------------------------------------


def test_scores_are_those_of_passn(run: Any) -> None:
    dice = np.random.default_rng(1)
    runs = [run(label, (dice.random((50, 16)) < 0.05).tolist()) for label in "AB"]
    for n in (1, 5, 16):
        found = compare(runs, n=n)
        for score, one in zip(found.scores, runs, strict=True):
            assert score.solved == pass_at(one, n).solved
            assert score.estimate == pytest.approx(estimates(one, [n])[0].value)
        (difference,) = found.differences
        assert difference.points == pytest.approx(100 * (found.scores[0].estimate - found.scores[1].estimate))


def test_the_largest_common_number_of_attempts_is_compared(run: Any) -> None:
    a, b = run("A", [[N, N, N, Y], [Y, N, N, N]]), run("B", [[N, Y, N], [N, Y]])
    found = compare([a, b])
    assert found.n == 2
    assert found.outcomes == ((State.FAILED, State.SOLVED), (State.SOLVED, State.SOLVED))


def test_what_was_not_drawn_is_not_told(run: Any) -> None:
    a, b = run("A", [[N, N, N, Y], [Y, N, N, N]]), run("B", [[N, N, N], [N, Y]])
    found = compare([a, b], n=4)
    assert found.outcomes == ((State.SOLVED, State.NOT_TOLD), (State.SOLVED, State.SOLVED))
    assert found.undecided == found.head_to_head[0].not_told == found.problems[:1]
    assert (found.differences[0].problems, found.differences[0].not_told) == (2, 1)
    assert [score.estimate for score in found.scores] == [1.0, 0.5]
    assert "B: 1 problems can't be told at pass@4 and count as unsolved" in found.warnings[0]
    _sets_add_up(found)
    _sets_add_up(compare([b, a], n=4))


def test_a_run_that_stops_at_solved_problems_is_compared_at_its_n(run: Any) -> None:
    stopped = run("A", [[N, N, N, N], [Y], [N, N, Y]], stop_when_solved=True, n=4)
    full = run("B", [[N, N, N, N], [Y, Y, N, N], [N, N, N, N]])
    found = compare([stopped, full])
    assert (found.n, found.warnings) == (4, ())
    assert [score.solved for score in found.scores] == [2, 1]
    assert [score.estimate for score in found.scores] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert [score.solved for score in compare([stopped, full], n=2).scores] == [1, 1]


def test_problems_without_any_attempt_are_said(run: Any) -> None:
    a, b = run("A", [[N, Y], [Y, N]]), run("B", [[N, Y], []])
    with pytest.raises(InputError, match=r"B has no attempt at amc12a_1961_p1: finish the run, or say"):
        compare([a, b])
    assert compare([a, b], n=2).outcomes[1] == (State.SOLVED, State.NOT_TOLD)


def test_an_attempt_without_a_verdict_is_no_failure(run: Any) -> None:
    a, b = run("A", [[N, N], [N, Y]]), run("B", [[N, N], [N, Y]])
    broken = tuple(replace(judged, outcome="", reason="") for judged in b.judgements[:1])
    found = compare([a, replace(b, judgements=broken + b.judgements[1:])])
    assert found.outcomes == ((State.FAILED, State.NOT_TOLD), (State.SOLVED, State.SOLVED))
    assert (found.all_wrong, len(found.at_least_one_wrong)) == ((), 1)
    _sets_add_up(found)


def _broken(run: Results, share: float, seed: int = 0) -> Results:
    """The run without some of its verdicts, whatever they were."""
    lost = np.random.default_rng(seed).random(len(run.rounds)) < share
    return replace(run, rounds=replace(run.rounds, judgement=np.where(lost, -1, run.rounds.judgement)))


def _half_solved(seed: int) -> list[list[bool]]:
    dice = np.random.default_rng(seed)
    able = dice.random(244) < 0.5
    return [[bool(one) for one in row] for row in (dice.random((244, 32)) < 0.3) & able[:, None]]


def test_lost_verdicts_and_attempts_win_nothing(run: Any) -> None:
    """Equals, one of which lost verdicts: its unsolved problems must not vanish from what is compared."""
    whole, other = run("A", _half_solved(1)), run("B", _half_solved(2), seed=1)
    known = compare([whole, other])
    assert known.differences[0].verdict == NO_DIFFERENCE
    for share in (0.002, 0.02, 0.2):
        broken = _broken(whole, share)
        found = compare([broken, other])
        assert found.scores[0].not_told > 0
        assert found.scores[0].solved == pass_at(broken, 32).solved
        assert found.scores[0].estimate <= known.scores[0].estimate <= found.scores[0].most
        for n in (1, 32, 40):  # of 40 attempts, 8 were not even drawn
            (difference,) = compare([broken, other], n=n).differences
            assert (difference.problems, difference.verdict) == (244, NO_DIFFERENCE)


def test_nobody_is_ahead_by_verdicts_that_the_other_lacks(run: Any) -> None:
    ahead, behind = run("A", [[at < 30] for at in range(60)]), run("B", [[at < 10] for at in range(60)], seed=1)
    assert compare([ahead, behind]).differences[0].verdict == "A ahead"
    (doubtful,) = compare([ahead, _broken(behind, 0.5)]).differences
    assert doubtful.p_adjusted < 0.05 <= doubtful.p_worst
    assert doubtful.verdict == NO_DIFFERENCE
    assert "verdicts that are missing could take it away" in doubtful.hint
    assert compare([ahead, _broken(behind, 0.03)]).differences[0].verdict == "A ahead"  # too few to matter
    assert compare([_broken(ahead, 0.03), behind]).differences[0].verdict == "A ahead"


def test_attempts_that_only_one_made_win_nothing(run: Any) -> None:
    rows = _half_solved(1)[:100]
    short, long = run("A", [row[:2] for row in rows]), run("B", rows, seed=1)
    (difference,) = compare([short, long], n=32).differences
    assert difference.points < -5
    assert difference.p_adjusted < 0.05
    assert difference.verdict == NO_DIFFERENCE  # who knows what 30 more would have solved
    assert compare([short, long], n=2).scores[0].not_told == 0


def test_no_attempts_mean_nothing(run: Any) -> None:
    with pytest.raises(InputError, match="pass@0 means nothing"):
        compare([run("A", [[Y]])], n=0)
    with pytest.raises(InputError, match="no run to compare"):
        compare([])


def test_one_run_has_its_sets(run: Any) -> None:
    found = compare([run("A", [[Y], [N]])])
    assert (len(found.all_wrong), found.differences, found.head_to_head) == (1, (), ())


# --- which problems -------------------------------------------------------------------------------


def test_problems_of_some_runs_are_listed(run: Any) -> None:
    goals = made_goals(6)
    a, b, c = (run(label, [[Y]] * 5, some) for label, some in (("A", goals[:5]), ("B", goals[1:]), ("C", goals[:5])))
    found = compare([a, b, c])
    assert found.problems == tuple(goal.name for goal in goals[1:5])
    assert found.left_out == {goals[0].name: "only in A, C", goals[5].name: "only in B"}
    assert found.warnings == (f"2 problems are not compared: {goals[0].name}, {goals[5].name}",)


def test_statements_that_differ_under_one_name_are_refused_or_left_out(run: Any) -> None:
    goals = made_goals(4)
    reworded = replace(goals[1], text=goals[1].text.replace("n %", "(n + 0) %"))
    spaced = replace(goals[2], text=goals[2].text.replace(" : ", "\n    : "))
    a, b = run("A", [[Y]] * 4, goals), run("B", [[N]] * 4, (goals[0], reworded, spaced, goals[3]))
    with pytest.raises(InputError, match=f"1 statement differs under the same name: {goals[1].name}"):
        compare([a, b])
    found = compare([a, b], allow_mixed=True)
    assert found.left_out == {goals[1].name: "its statement differs between the runs"}
    assert len(found.problems) == 3
    assert "1 statement differs" in found.warnings[0]


def test_other_files_with_the_same_statements_are_mentioned(run: Any) -> None:
    a, b = run("A", [[Y]]), run("B", [[Y]])
    info = b.manifest.benchmark.model_copy(update={"sha256": "cd" * 32, "variant": "minif2f-goedel"})
    found = compare([a, replace(b, manifest=b.manifest.model_copy(update={"benchmark": info}))])
    assert found.warnings == (
        "the benchmark was read from different files: minif2f-kimina abababab (A), minif2f-goedel cdcdcdcd (B)",
    )


def test_other_benchmarks_have_nothing_in_common(run: Any) -> None:
    a, b = run("A", [[Y]] * 3), run("B", [[Y]] * 6, mutated(made_goals(3)))
    with pytest.raises(InputError, match="A, B have no problem in common"):
        compare([a, b])


def test_a_name_that_occurs_twice_is_two_problems(run: Any) -> None:
    goal = made_goals(1)[0]
    twice = (goal, replace(goal, text=goal.text + " ∨ False"))
    found = compare([run("A", [[Y], [N]], twice), run("B", [[Y], [Y]], twice)])
    assert found.problems == (goal.name, f"{goal.name}~2")
    assert found.at_least_one_wrong == (f"{goal.name}~2",)


def test_statements_that_lean_refuses_fail(run: Any) -> None:
    a, b = (run(label, [[Y, N], [], [N, N]], unfit=[1]) for label in "AB")
    found = compare([a, b])
    assert (found.n, found.unfit) == (2, found.problems[1:2])
    assert found.all_wrong == found.problems[1:]
    assert [score.not_told for score in found.scores] == [0, 0]
    _sets_add_up(found)


# --- what must not be mixed -----------------------------------------------------------------------


def test_mixed_lean_versions_are_refused_unless_allowed(run: Any) -> None:
    runs = [run("A", [[Y]]), run("B", [[Y]]), run("C", [[N]], lean_version="4.9.0")]
    sentence = "Lean versions differ: 4.28.0 (A, B), 4.9.0 (C)"
    with pytest.raises(InputError) as refused:
        compare(runs)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert compare(runs, allow_mixed=True).warnings == (sentence,)
    assert compare(runs[:2]).warnings == ()


def test_a_run_judged_by_two_leans_is_mixed_by_itself(run: Any) -> None:
    one = run("A", [[Y], [N]])
    judged = (replace(one.judgements[0], lean_version="4.9.0"), one.judgements[1])
    with pytest.raises(InputError, match=r"A was judged by several Lean versions: 4\.28\.0 and 4\.9\.0"):
        compare([replace(one, judgements=judged)])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"backend": "kimina"}, "backends differ: embedded"),
        ({"header": "mathlib"}, "headers differ: core"),
        ({"timeout_s": 300.0}, "time limits differ: 60 s"),
        ({"policy": {"compiler": True}}, "policies differ"),
    ],
)
def test_other_judges_are_refused_unless_allowed(run: Any, change: dict[str, Any], word: str) -> None:
    a, b = run("A", [[Y]]), run("B", [[Y]])
    lean = b.manifest.lean.model_copy(update=change)
    other = replace(b, manifest=b.manifest.model_copy(update={"lean": lean}))
    with pytest.raises(InputError, match=word):
        compare([a, other])
    (warning,) = compare([a, other], allow_mixed=True).warnings
    assert word in warning


def test_seeds_and_samplers_may_differ(run: Any) -> None:
    assert compare([run("A", [[Y]], seed=1), run("B", [[Y]], seed=2, rounds=3)]).warnings == ()


# --- names, and JSON ------------------------------------------------------------------------------


def test_runs_of_one_label_are_told_apart(run: Any) -> None:
    runs = [run("same", [[Y]]), run("same", [[N]]), run("other", [[N]])]
    assert labels_of(runs) == ("same (run-0)", "same (run-1)", "other")
    assert labels_of([runs[0], runs[0]]) == ("same (1)", "same (2)")
    assert len(set(compare(runs).labels)) == 3
    elsewhere = run("same", [[N]] * 2, mutated(made_goals(1)))
    assert labels_of([runs[0], elsewhere, runs[2]]) == ("same, minif2f/test", "same, minif2f-alf/test", "other")
    assert labels_of([*runs[:2], elsewhere]) == (
        "same, minif2f/test (run-0)",
        "same, minif2f/test (run-1)",
        "same, minif2f-alf/test",
    )


def test_runs_are_renamed_but_not_what_pairs_them_with_their_mutations(run: Any) -> None:
    originals = [run("same", [[Y]]), run("same", [[N]]), run("other", [[N]])]
    mutations = [run("other", [[N]] * 2, mutated(made_goals(1)))]
    named = named_apart([*originals, *mutations])
    assert [one.label for one in named] == ["same (run-0)", "same (run-1)", "other", "other"]
    assert [one.solved.tolist() for one in named[:2]] == [[[True]], [[False]]]


def test_a_comparison_is_json(run: Any) -> None:
    found = compare([run("A", [[Y], [N]]), run("B", [[N], [N]])])
    written = json.loads(json.dumps(found.as_dict()))
    assert written["problems"] == 2
    assert written["outcomes"][found.problems[0]] == ["solved", "failed"]
    assert written["differences"][0]["verdict"] == NO_DIFFERENCE
    assert written["head_to_head"][0]["a_only"] == [found.problems[0]]


def test_goals_are_found_by_name(run: Any) -> None:
    found = compare([run("A", [[Y], [N], [N]])])
    goals: tuple[Formalisation, ...] = found.goals_of(found.all_wrong)
    assert tuple(goal.name for goal in goals) == found.all_wrong
