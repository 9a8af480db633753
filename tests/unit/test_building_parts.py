"""Parts of a build by themselves: sources against each other, answers that can't be used, proofs as instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pythagoras.corpus.embedding.role import Floats, unit_rows
from pythagoras.corpus.proofs import reasoning_in
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, Problem, Provenance, Tier, record_id, settings_text
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Finish, Request, Sample, Sampler
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.statements import parse_statement
from pythagoras.pipeline import sources
from pythagoras.pipeline.case import Case, ask, seed_of
from pythagoras.pipeline.finishing import ROWS_TO_SPLIT, deduplicated, new_problems, validation_roots
from pythagoras.pipeline.formalising import Formalising
from pythagoras.pipeline.held_out import HeldOut
from pythagoras.pipeline.proving import Proving
from pythagoras.pipeline.recipe import Recipe, Source
from pythagoras.pipeline.roles.role import Task, Written
from pythagoras.pipeline.roles.vary import VARY
from pythagoras.pipeline.tools import Metered, RecipeTools
from tests.pipeline_fakes import FakeTools, ScriptedProver, lean, text


class ByLetters:
    """Texts are near when they have the same letters."""

    name = "letters"

    def embed(self, texts: Sequence[str]) -> Floats:
        return unit_rows(np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]))


# --- sources --------------------------------------------------------------------------------------


def test_what_is_in_both_sources_goes_to_the_harder_one() -> None:
    hard = [Problem("Show that nine is odd.", "contest", tier=Tier.HARD)]
    medium = [
        Problem("Show that NINE is odd", "made"),
        Problem("Show that nine is odd, odd.", "made"),
        Problem("Prove that ten is even.", "made"),
        Problem("Prove that ten is even, even.", "made"),
        Problem("prove that ten is even", "made"),
    ]
    decisions = list(sources.below(hard, medium, ByLetters(), 0.95))
    told = [(decision.reason, decision.detail) if isinstance(decision, Dropped) else None for decision in decisions]
    assert told == [
        (Reason.HARDER_TIER, "same text"),
        (Reason.HARDER_TIER, "near duplicate"),
        None,
        None,  # near another of its own source: the finished corpus decides about that
        (Reason.SAME_TEXT, ""),
    ]


def test_the_generator_gives_words_alone_and_the_tier_is_the_sources() -> None:
    found = list(sources.problems(Source(count=30, levels=(1, 3), false_share=0.5, seed=4), Tier.MEDIUM))
    assert {type(problem) for problem in found} == {Problem}
    assert {problem.tier for problem in found if isinstance(problem, Problem)} == {Tier.MEDIUM}
    assert found == list(sources.problems(Source(count=30, levels=(1, 3), false_share=0.5, seed=4), Tier.MEDIUM))


def test_the_generator_needs_a_count() -> None:
    with pytest.raises(InputError, match="say in the recipe how many"):
        list(sources.problems(Source(), Tier.MEDIUM))


def test_made_problems_that_are_known_near_or_held_out_are_not_new() -> None:
    held = HeldOut()
    original = Problem("Prove that 3 + 4 = 7.", "contest")
    held.add(original)
    known = Problem("Prove that 5 + 5 = 10.", "made")
    found = [
        Problem("Prove that three plus one is four.", "made"),
        Problem("Prove that one plus three is four.", "made"),
        Problem("prove that 3 + 4 = 7", "made"),
        Problem("Prove that 5 + 5 = 10.", "made", tier=Tier.EASY),
    ]
    decisions = list(new_problems(found, [known], held.decide, ByLetters(), 0.999))
    told = [(decision.reason, decision.other) if isinstance(decision, Dropped) else None for decision in decisions]
    assert told == [
        None,
        (Reason.NEAR_DUPLICATE, record_id(found[0])),
        (Reason.HELD_OUT, record_id(original)),
        (Reason.SAME_TEXT, record_id(known)),
    ]


def test_what_is_near_one_held_out_goes_and_a_hard_variant_may_have_other_numbers() -> None:
    held = HeldOut()
    original = Problem("Show that n is odd if n + 3 is even.", "contest", tier=Tier.HARD)
    held.add(original)
    texts = [
        "Show that n is odd if so n + 3 is even.",  # the same formulas in other words
        "Show that n is odd if n + 5 is even.",
        "Show that n + 3 is odd if n is even.",
        "Name all large squares below sixty.",
    ]
    kept = {
        tier: [
            isinstance(each, Problem)
            for each in held.decide_near([Problem(text, "made", tier=tier) for text in texts], ByLetters(), 0.9)
        ]
        for tier in (Tier.HARD, Tier.EASY)
    }
    assert kept == {Tier.HARD: [False, True, True, True], Tier.EASY: [False, False, False, True]}
    assert list(held.decide_near([original], None, 0.9)) == [original]


# --- the corpus as a whole ------------------------------------------------------------------------


def instance(name: str, statement: str, tier: Tier, root: str = "") -> Instance:
    settings = settings_text({"root": root or name})
    statement = f"theorem {name} {statement}"
    return Instance(name, statement, "by simp", "made", tier, True, provenance=Provenance(settings=settings))


def test_of_the_same_in_two_tiers_the_harder_stays() -> None:
    rows = [instance("a", "(n : ℕ) : n = n", Tier.EASY), instance("b", "(m : ℕ) : m = m", Tier.HARD)]
    rows += [instance("c", "(k : ℕ) : k ≤ k", Tier.EASY), instance("d", "(m : ℕ) : m ≤ m", Tier.EASY)]
    decisions = list(deduplicated(lambda: rows, None, 0.95, "direct"))
    told = [decision.reason if isinstance(decision, Dropped) else None for decision in decisions]
    assert told == [Reason.HARDER_TIER, None, None, Reason.SAME_UP_TO_NAMES]


def test_the_split_goes_by_the_root_the_seed_and_the_share() -> None:
    rows = [instance(f"t{at}", ": True", Tier.EASY, root=f"r{at // 2}") for at in range(2000)]
    roots = validation_roots(rows, 0.25, 1)
    assert roots < {f"r{at}" for at in range(1000)}
    assert 200 < len(roots) < 300
    assert validation_roots(reversed(rows), 0.25, 1) == roots
    assert validation_roots(rows[::2], 0.25, 1) == roots  # whoever else is there changes no one's side
    assert validation_roots(rows, 0.25, 2) != roots
    assert validation_roots(rows, 0.0, 1) == frozenset()


@pytest.mark.parametrize("seed", range(5))
def test_a_small_corpus_has_something_to_validate_with(seed: int) -> None:
    rows = [instance(f"t{at}", ": True", Tier.EASY, root=f"r{at // 2}") for at in range(ROWS_TO_SPLIT)]
    assert validation_roots(rows, 1e-9, seed) == validation_roots(rows[::-1], 1e-9, seed)
    assert len(validation_roots(rows, 1e-9, seed)) == 1
    assert validation_roots(rows[1:], 1e-9, seed) == frozenset()  # too small for that
    assert validation_roots(rows, 0.0, seed) == frozenset()  # nobody wants it
    relatives = [instance(f"t{at}", ": True", Tier.EASY, root="r") for at in range(ROWS_TO_SPLIT)]
    assert validation_roots(relatives, 1e-9, seed) == frozenset()  # nothing would be left to train with


# --- answers and proofs ---------------------------------------------------------------------------


class Answering:
    """A player that answers, fails, or is silent, by the problem's text."""

    name = "answering"
    settings: Mapping[str, Any] = {}

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        for task in tasks:
            if task.fields["problem"] == "down":
                yield Written(task, "", failure="the server is down")
            elif task.fields["problem"] == "known":
                yield Written(task, "known", prompt_tokens=7, generated_tokens=3, seconds=1.5, from_cache=True)
            elif task.fields["problem"] != "silent":
                yield Written(task, task.fields["problem"], cut_off=task.fields["problem"] == "long")


def asked(*problems: str) -> list[Case[str]]:
    cases = [Case(problem, Problem(problem, "made")) for problem in problems]
    for case, _ in ask(
        VARY, Answering(), "vary", cases, lambda case: Task({"problem": case.row, "number": "1"}), Reason.NOT_VARIED
    ):
        case.kept = case.record
    return cases


def test_a_player_that_could_not_be_asked_says_nothing_about_the_record() -> None:
    down, empty, long = asked("down", "", "long")
    assert down.dropped == Dropped(down.record, Reason.NO_VERDICT, detail="no answer: the server is down")
    assert empty.dropped == Dropped(empty.record, Reason.NOT_VARIED, detail="no answer")
    assert long.dropped is not None
    assert long.dropped.detail == "cut off: after 0 tokens"
    assert long.tally == {"fault/vary/cut off": 1}


def test_an_answer_from_the_cache_costs_nothing() -> None:
    known, long = asked("known", "long")
    assert known.costs == {"vary_from_cache": 1}
    assert long.costs["vary_requests"] == 1
    assert "vary_from_cache" not in long.costs


def test_a_player_that_leaves_a_task_out_is_an_error_of_ours() -> None:
    with pytest.raises(AssertionError, match="left 1 of 2 tasks of vary without an answer"):
        asked("silent", "down")


def test_seeds_differ_by_what_they_are_for() -> None:
    assert len({seed_of(1, "prove", "a", 0), seed_of(1, "prove", "a", 1), seed_of(2, "prove", "a", 0)}) == 3
    assert seed_of(1, "prove", "a", 0) == seed_of(1, "prove", "a", 0) < 2**31


STATEMENT = parse_statement("theorem t (n : ℕ) : n = n")


@pytest.mark.parametrize(
    ("completion", "reasoning"),
    [
        ("by rfl", ""),
        ("Both sides agree.\n\n```lean4\ntheorem t (n : ℕ) : n = n := by rfl\n```", "Both sides agree."),
        ("<think>\nHm.\n</think>\n\n```lean4\nby rfl\n```", "Hm."),
        ("A plan.\n\n### Complete Lean 4 Proof\n\n```lean4\nby rfl\n```\n", "A plan."),
        ("First `rfl`:\n```lean4\nby simp\n```\nNo, better:\n```lean4\nby rfl\n```",
         "First `rfl`:\n```lean4\nby simp\n```\nNo, better:"),
    ],
)  # fmt: skip
def test_reasoning_is_what_stands_before_the_lean(completion: str, reasoning: str) -> None:
    assert reasoning_in(completion, STATEMENT) == reasoning


class Writing(ScriptedProver):
    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        for request in requests:
            text = self.texts[request.number]
            yield Sample(request, text, Finish.STOP if text else Finish.FAILED, failure="" if text else "no answer")


@dataclass(frozen=True)
class WritingTools(FakeTools):
    texts: tuple[str, ...] = ()

    def prover(self, checker: Checker) -> nullcontext[Sampler]:
        return nullcontext(Writing(*self.texts))


def proved(*texts: str) -> Any:
    goal = Formalisation("t", "theorem t (n : ℕ) : n = n", "made", docstring="Prove that n = n.")
    with Proving(WritingTools(texts), 1, len(texts)).open() as handle:
        (outcome,) = handle((goal,))
    return outcome


@pytest.mark.parametrize(
    ("completion", "proof", "context"),
    [
        ("by rfl", "by rfl", ""),
        ("rfl", "by\n  rfl", ""),
        ("by\n  intro\n  rfl", "by\n  intro\n  rfl", ""),
        ("by rw [x]\n   rfl", "\nby rw [x]\n   rfl", ""),  # the second line hangs on the column of the first
        ("```lean\nlemma a : 1 = 1 := rfl\n\ntheorem t (n : ℕ) : n = n := by rfl\n```", "by rfl",
         "lemma a : 1 = 1 := rfl"),
    ],
)  # fmt: skip
def test_an_instance_says_what_lean_was_asked(completion: str, proof: str, context: str) -> None:
    (made,) = proved(completion).kept
    assert (made.proof, made.context) == (proof, context)


def test_a_proof_by_cases_without_a_body_is_no_instance() -> None:
    outcome = proved("```lean\ntheorem t : ∀ n : ℕ, n = n\n  | 0 => rfl\n  | _ + 1 => rfl\n```")
    assert outcome.dropped[0].detail == "proved by cases, without :="


def test_a_prover_that_does_not_answer_gives_no_verdict() -> None:
    assert proved("", "").dropped[0].reason is Reason.NO_VERDICT
    assert proved("", "by wrong").dropped[0].reason is Reason.NOT_PROVED
    assert proved("", "by rfl").kept


def test_what_lean_is_asked_is_counted_once() -> None:
    with Formalising(FakeTools(), 1, "core").open() as handle:
        (outcome,) = handle((Problem(text(1, 2), "made"),))
    assert outcome.costs["lean_checks"] == 1
    metered = Metered(FakeChecker(lean))
    list(metered.check([Check("theorem t : True := trivial", names=("t",))]))
    assert metered.taken()["lean_checks"] == 1
    assert metered.taken() == {}


def test_judging_is_bounded_by_the_same_heartbeats_as_the_search() -> None:
    recipe = Recipe.model_validate({"name": "r", "prover": {"heartbeats": 77}})
    assert RecipeTools(recipe, None).limits().heartbeats == 77
    model = Recipe.model_validate({"name": "r", "prover": {"backend": "endpoint"}})
    assert RecipeTools(model, None).limits().heartbeats is None
