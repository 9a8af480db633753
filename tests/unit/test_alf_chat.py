"""The chat mutator: a prompt a category, strict answers, reasons for what is refused; and the judge."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pythagoras.alf.chat import (
    WELL_FORMED,
    ChatJudge,
    ChatMutator,
    category_prompt,
    examples,
    open_chat,
    parse_judgement,
    parse_variant,
)
from pythagoras.alf.mutating import Missing, Mutator, Refusal, parent_of
from pythagoras.alf.variants import Category, Promise, Variant
from pythagoras.cli.alf import mutate
from pythagoras.corpus.records import Formalisation, Instance, Tier
from pythagoras.corpus.stages import run_stage
from pythagoras.errors import InputError
from pythagoras.pipeline.roles.role import Fault, Refused
from tests.unit.model_server import ModelServer, answers, chat, model_server

STATEMENT = "theorem t (n : ℕ) (h : n % 4 = 3) : n % 2 = 1"
PARENT = parent_of(Formalisation("t", STATEMENT, "made"))
PROVED = parent_of(Instance("t", STATEMENT, "by omega", "made", Tier.EASY, verified=True))
OTHER = "theorem x (n : ℕ) (h : n % 6 = 5) : n % 3 = 2"


def block(statement: str) -> str:
    return f"Here it is.\n```lean4\n{statement} := by sorry\n```"


def plays(*texts: str) -> Any:
    """A server that answers with these texts in turn, for ever."""
    asked = iter(range(10**6))

    def play(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        answers(chat(texts[next(asked) % len(texts)]))(handler, body)

    return play


def mutated(server: ModelServer, **more: Any) -> list[Variant | Missing]:
    with open_chat("mutates", server.url, "tiny", concurrency=1) as backend:
        return ChatMutator(backend, **more).mutate([PARENT])[0]


# --- prompts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("category", Category)
def test_every_category_has_its_prompt(category: Category) -> None:
    prompt = category_prompt(category)
    assert prompt.places == {"statement", "proof", "header", "name"}
    assert category.value.upper() in prompt.system
    assert not re.search(r"\{[a-z]+\}", prompt.system)
    others = [category_prompt(other).system for other in Category if other is not category]
    assert prompt.system not in others
    given, good, *bad = examples(category)
    assert len(bad) >= 2
    assert all(f"`{one}`" in prompt.system for one in bad)
    assert f"{given} := by sorry" in prompt.system
    assert f"{good} := by sorry" in prompt.system
    perturbed = category_prompt(category, perturbed=True)
    assert "Change the numbers" in perturbed.system
    assert "Change the numbers" not in prompt.system


@pytest.mark.parametrize("category", Category)
def test_an_example_of_the_prompt_is_no_answer(category: Category) -> None:
    for example in examples(category):
        fields = {"category": category.value, "statement": STATEMENT, "name": "t_again"}
        refused = parse_variant(block(example), fields)
        assert isinstance(refused, Refused)
        assert refused.fault is Fault.REPEATS


def test_a_model_is_shown_statement_proof_and_category(tmp_path: Path) -> None:
    with (
        model_server(plays(block(OTHER))) as server,
        open_chat("mutates", server.url, "tiny", tmp_path, concurrency=1, temperature=0.3) as backend,
    ):
        mutator: Mutator = ChatMutator(backend, seed=3)
        found = mutator.variants_of(PROVED, Random(1))
        assert [one.category for one in found] == list(Category)
        again = mutator.variants_of(PROVED, Random(1))
        assert (again, len(server.asked)) == (found, 5)  # from the cache
        mutator.variants_of(PROVED, Random(2))
        assert len(server.asked) == 10
    systems = [asked["messages"][0]["content"] for asked in server.asked[:5]]
    assert systems == [category_prompt(category).system.strip() for category in Category]
    for asked in server.asked[:5]:
        user = asked["messages"][1]["content"]
        assert f"```lean4\n{STATEMENT}\n```" in user
        assert "```lean4\nby omega\n```" in user
        assert asked["temperature"] == 0.3


# --- answers -------------------------------------------------------------------------------------


def test_a_good_answer_becomes_a_variant_that_nobody_promises() -> None:
    with model_server(plays(block(OTHER))) as server:
        found = mutated(server)
    for category, one in zip(Category, found, strict=True):
        assert isinstance(one, Variant)
        assert (one.category, one.operator, one.promise) == (category, "tiny", Promise.UNKNOWN)
        assert re.fullmatch(r"theorem t_\w+ \(n : ℕ\) \(h : n % 6 = 5\) : n % 3 = 2", one.text)
        assert one.claim is not None


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ("", Refusal.NO_ANSWER, "no answer"),
        ("CAN'T: it is as simple as can be", Refusal.NO_ANSWER, "can't: it is as simple as can be"),
        ("A nice theorem.", Refusal.ILL_FORMED, "no Lean block"),
        (block("theorem x : 1 = 1 := by sorry\n\ntheorem y : 2 = 2"), Refusal.ILL_FORMED, "several statements: x, y"),
        ("```lean4\ndef f := 1\ntheorem x : f = 1 := by sorry\n```", Refusal.ILL_FORMED, "no statement"),
        (block(STATEMENT), Refusal.SAME_AS_PARENT, "repeats: it is the statement that it was made from"),
        (block("theorem u (m : ℕ) (g : m % 4 = 3) :\n    m % 2 = 1"), Refusal.SAME_AS_PARENT, "repeats"),
        (block(f"theorem u : {' + '.join(['1'] * 2000)} = 2000"), Refusal.TOO_LONG, "too long"),
        ("<think>hm", Refusal.NO_ANSWER, "cut off"),
    ],
)
def test_what_is_no_variant_is_refused_with_a_reason(answer: str, reason: Refusal, detail: str) -> None:
    with model_server(plays(answer)) as server:
        for one in mutated(server):
            assert isinstance(one, Missing)
            assert one.reason is reason
            assert one.detail.startswith(detail)


def test_a_reformulation_may_mean_the_same_and_nothing_else_may() -> None:
    same = block("theorem u (n : ℕ) (h : n % 4 = 3) : Odd n")
    for category in Category:
        read = parse_variant(same, {"category": category.value, "statement": STATEMENT, "name": "u"})
        assert isinstance(read, str) is (category is Category.REFORMULATION)


def test_answers_go_to_their_own_parents() -> None:
    parents = [parent_of(Formalisation(f"t{at}", f"theorem t{at} : {at} + 1 = {at + 1}", "made")) for at in range(4)]

    def play(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        number = re.search(r"theorem t(\d)", body["messages"][1]["content"])
        assert number
        answers(chat(block(f"theorem u (n : ℕ) : n + {number[1]} = {number[1]} + n")))(handler, body)

    with model_server(play) as server, open_chat("mutates", server.url, "tiny", concurrency=4) as backend:
        found = ChatMutator(backend).mutate(parents)
    for at, made in enumerate(found):
        assert len(made) == 5
        assert all(isinstance(one, Variant) and f"n + {at} = {at} + n" in one.text for one in made)


REAL = parent_of(Formalisation("t", "theorem t (x : ℝ) (h : 2 * x = 6) : x = 3", "made"))


def test_what_small_numbers_refute_is_refused_where_that_is_asked_for() -> None:
    false = block("theorem x (x : ℝ) (h : 2 * x = 8) : x = 3")
    with model_server(plays(false)) as server, open_chat("mutates", server.url, "tiny", concurrency=1) as backend:
        kept, refused = (ChatMutator(backend, refute=refute).mutate([REAL])[0][0] for refute in (False, True))
    assert isinstance(kept, Variant)
    assert isinstance(refused, Missing)
    assert (refused.reason, refused.detail) == (Refusal.REFUTED, "x = 4")


def test_variants_of_what_rests_on_definitions_are_not_refuted() -> None:
    """What the definition makes of `f` is not read here."""
    context = "def f (n : ℕ) : ℕ := n"
    parent = parent_of(Formalisation("t", "theorem t (n : ℕ) : f n = n", "made", context=context))
    with (
        model_server(plays(block("theorem x (n : ℕ) (h : n = 2) : n + n = 5"))) as server,
        open_chat("mutates", server.url, "tiny", concurrency=1) as backend,
    ):
        found = ChatMutator(backend, refute=True).mutate([parent])[0]
    assert all(isinstance(one, Variant) and one.claim is None for one in found)


def test_the_command_takes_a_chat_model_and_refutes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_stage([PROVED.record], tmp_path / "seed", stage="made", settings={}, inputs={})
    false = OTHER.replace("= 2", "= 1")
    with model_server(plays(block(false), *[block(OTHER)] * 4)) as server:
        for setting, name in ((server.url, "one"), (f"endpoint:{server.url}", "two")):
            mutate(
                *([tmp_path / "seed"], tmp_path / name),
                mutator=setting,
                model="tiny",
                refute=True,
                embedder="none",
                concurrency=1,
                json=True,
            )
            told = json.loads(capsys.readouterr().out)["funnel"][0]
            assert (told["read"], told["dropped"]) == (5, {"no variant": 1})


@pytest.mark.parametrize("setting", ["endpont:http://localhost:1/v1", "symbolik", "endpoint:", "replay:nowhere.jsonl"])
def test_a_wrong_setting_is_told(setting: str) -> None:
    with pytest.raises(InputError), open_chat("mutates", setting, "tiny"):
        pass
    with pytest.raises(InputError, match="api_key_env"), open_chat("mutates", "http://x", "m", api_key_env="my key"):
        pass


# --- the judge -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"verdict": "well-formed", "fault": ""}, ""),
        ({"verdict": "Ill-formed.", "fault": "n = 0 refutes it"}, "n = 0 refutes it"),
    ],
)
def test_a_verdict_is_read(answer: dict[str, str], fault: str) -> None:
    assert parse_judgement(f"Well.\n{json.dumps(answer)}", {}) == fault


@pytest.mark.parametrize(
    "answer",
    [
        '{"verdict": "well-formed", "fault": "n = 0"}',
        '{"verdict": "ill-formed", "fault": ""}',
        '{"verdict": "good"}',
        "?",
    ],
)
def test_a_verdict_that_contradicts_itself_is_none(answer: str) -> None:
    assert isinstance(parse_judgement(answer, {}), Refused)


def test_no_verdict_is_no_approval() -> None:
    variant = Variant(OTHER, Category.SIMPLIFICATION, "o", Promise.UNKNOWN)
    texts = ('{"verdict": "well-formed", "fault": ""}', "I like it", '{"verdict": "ill-formed", "fault": "odd"}')
    with (
        model_server(plays(*texts)) as server,
        open_chat("judges", server.url, "tiny", concurrency=1) as backend,
    ):
        faults = ChatJudge(backend).faults([(PARENT, variant)] * 3)
    assert faults[0] == ""
    assert str(faults[1]).startswith("no verdict: no JSON")
    assert faults[2] == "odd"
    assert WELL_FORMED.places == ("original", "variant")
