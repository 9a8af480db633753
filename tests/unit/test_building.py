"""A whole build in a world of sums: where each problem ends, that all is counted, and what the records say."""

from __future__ import annotations

import json

import pytest

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Instance,
    Judgement,
    Problem,
    Rejected,
    Tier,
    record_id,
    settings_of,
)
from pythagoras.corpus.rows import from_line
from pythagoras.pipeline.building import Built
from pythagoras.pipeline.stage_runner import read_costs
from tests.pipeline_fakes import WORDS, a_recipe
from tests.unit.builds import made, of


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sums")
    return made(folder / "run", a_recipe(folder))


# --- the funnel -----------------------------------------------------------------------------------


def test_every_row_is_kept_or_dropped_for_a_reason_and_its_record_is_there(built: Built) -> None:
    reasons = {reason.value for reason in Reason}
    assert len(built.funnel) == len(built.stages) == 24
    for name, store in built.stages.items():
        step = store.manifest.funnel[-1]
        rejected = of(store, Rejected)
        assert step.stage == name
        assert set(step.dropped) <= reasons
        assert sum(step.dropped.values()) == len(rejected) == step.read - step.kept
        assert all(record_id(from_line(each.row)) == each.record for each in rejected)
        kept = {kind: store.rows(kind) for kind in ("instance", "formalisation", "problem")}
        assert sum(kept.values()) == step.kept


def test_stages_read_what_those_before_them_kept(built: Built) -> None:
    step = {step.stage: step for step in built.funnel}
    for before, after in (
        ("hard-source", "formalise-originals"), ("source", "formalise-medium"), ("formalise-medium", "apart-medium"),
        ("apart-medium", "prove-medium"), ("distil", "new-easy"), ("new-easy", "formalise-easy"),
        ("apart-easy", "prove-easy"), ("vary", "new-hard"), ("new-hard", "formalise-hard"),
        ("apart-hard", "prove-hard"), ("gather", "dedup"), ("dedup", "leaks"),
    ):  # fmt: skip
        assert step[after].read == step[before].kept, after
    assert step["distil"].read == 4 * step["examine"].kept
    assert step["vary"].read == 4 * step["hard-source"].kept
    assert step["gather"].read == sum(step[f"prove-{tier.value}"].kept for tier in Tier if tier is not Tier.ALF)
    assert step["train"].kept + step["validation"].kept == step["leaks"].kept
    assert step["apart-refused"].read == step["formalise-medium"].dropped["refused by Lean"]
    assert step["examine"].read == step["apart-refused"].kept + step["prove-medium"].dropped["not proved"]


def test_each_problem_ends_where_its_word_says(built: Built) -> None:
    ended: dict[str, set[str]] = {word: set() for word in WORDS}
    for name in ("source", "formalise-medium", "prove-medium"):
        for rejected in of(built.stages[name], Rejected):
            record = from_line(rejected.row)
            told = record.text if isinstance(record, Problem) else record.docstring  # type: ignore[union-attr]
            ended[told.partition(", ")[2].rstrip(".")].add(rejected.reason)
    assert ended == {
        "": {"in a harder tier"},
        "plain": set(),
        "second": set(),
        "never": {"not proved"},
        "unwritten": {"not formalised"},
        "refused": {"refused by Lean"},
        "unread": {"not read back"},
        "otherwise": {"not aligned"},
        "dies": {"no verdict"},
        "barren": {"not proved"},
    }
    assert built.stages["distil"].manifest.funnel[-1].dropped == {"not distilled": 8}


def test_a_rejection_tells_what_was_wrong(built: Built) -> None:
    rejected = {each.reason: each.detail for each in of(built.stages["formalise-medium"], Rejected)}
    assert rejected["not formalised"] == "can't: it is beyond me"
    assert rejected["refused by Lean"].startswith("unsolved goals: the statement is no Lean")
    assert rejected["not aligned"] == "another total"
    proofs = {each.reason: each.detail for each in of(built.stages["prove-medium"], Rejected)}
    assert proofs == {"not proved": "unsolved goals", "no verdict": "the host died"}


def test_tallies_name_faults_errors_and_groups(built: Built) -> None:
    tally = {step.stage: step.tally for step in built.funnel}
    assert tally["formalise-medium"]["fault/formalise/can't"] == 2
    assert tally["formalise-medium"]["read/topic/sums"] == 19
    assert tally["prove-medium"]["error/unsolved goals"] == 2 * 4  # two attempts each
    assert tally["prove-medium"]["recovered/unsolved goals"] == tally["prove-medium"]["proved/attempt/1"] == 2
    assert tally["prove-medium"]["kept/source/made"] == 5
    assert tally["examine"]["class/unsolved goals"] == 6
    assert tally["examine"]["level/formalisation"] == 2
    assert tally["prove-easy"]["read/origin/rubric:small"] == tally["prove-easy"]["kept/origin/rubric:small"] > 0


# --- records --------------------------------------------------------------------------------------


def test_an_instance_has_proof_reasoning_and_where_it_comes_from(built: Built) -> None:
    formalised = {record_id(goal): goal for goal in of(built.stages["formalise-medium"], Formalisation)}
    problems = {record_id(problem): problem for problem in of(built.stages["source"], Problem)}
    for instance in of(built.stages["prove-medium"], Instance):
        assert (instance.proof, instance.verified, instance.tier) == ("by simp", True, Tier.MEDIUM)
        assert instance.reasoning == "It is a sum, so computing it is enough."
        goal = formalised[instance.provenance.parent]
        assert (goal.name, goal.text, goal.docstring) == (instance.name, instance.statement, instance.informal)
        assert problems[goal.problem].text == instance.informal
        assert goal.name == f"problem_{goal.problem[:16]}"
        assert settings_of(goal)["read_back"].startswith("Prove that")


def test_a_second_attempt_is_made_only_where_the_first_failed(built: Built) -> None:
    attempts: dict[str, list[int]] = {}
    for attempt in of(built.stages["prove-medium"], Attempt):
        attempts.setdefault(attempt.formalisation, []).append(attempt.number)
    assert sorted(map(tuple, attempts.values())) == [(0,)] * 3 + [(0, 1)] * 8
    judged = {judgement.submission for judgement in of(built.stages["prove-medium"], Judgement)}
    assert judged == {attempt.submission for attempt in of(built.stages["prove-medium"], Attempt)}


def test_no_record_tells_how_long_it_took(built: Built) -> None:
    for store in built.stages.values():
        for kind in (Attempt, Judgement):
            assert all(record.milliseconds == 0 for record in of(store, kind))


def test_what_is_distilled_is_easy_and_names_its_failure(built: Built) -> None:
    failed = {record_id(goal) for goal in of(built.stages["examine"], Formalisation)}
    problems = of(built.stages["new-easy"], Problem)
    assert problems
    for problem in problems:
        assert (problem.tier, problem.provenance.parent in failed) == (Tier.EASY, True)
        assert problem.provenance.maker in ("rubric:large", "rubric:small")
        assert settings_of(problem)["solution"].startswith("Start with")
    tiers = {instance.tier for store in (built.train, built.validation) for instance in of(store, Instance)}
    assert tiers == {Tier.EASY, Tier.MEDIUM, Tier.HARD}


def test_relatives_are_on_the_same_side(built: Built) -> None:
    train, validation = (
        {settings_of(instance)["root"] for instance in of(store, Instance)} for store in (built.train, built.validation)
    )
    assert train
    assert validation
    assert not train & validation


def test_costs_stand_beside_the_records(built: Built) -> None:
    costs = read_costs(built.folder)
    assert costs["prove-medium"]["rows"] == 11
    assert costs["prove-medium"]["prover_attempts"] == 3 + 2 * 8
    assert costs["prove-medium"]["lean_checks"] > 19
    assert costs["formalise-medium"]["formalise_generated_tokens"] == 3 * 19
    assert costs["distil"]["distil_small_s"] == pytest.approx(0.5 * 12)
    assert all(cost["wall_s"] > 0 for cost in costs.values())


def test_the_funnel_is_a_file(built: Built) -> None:
    told = json.loads((built.folder / "funnel.json").read_text())
    assert [stage["stage"] for stage in told["stages"]] == list(built.stages)
    assert all(stage["read"] == stage["kept"] + sum(stage["dropped"].values()) for stage in told["stages"])
    assert told["corpus"]["train"].keys() == {"easy", "medium", "hard"}
    assert told["held_out"] == {"problem": 11, "formalisation": 11}
