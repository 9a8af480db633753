"""The generator: the same problems for the same seed, all different, balanced, and with records that fit together."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.generator.families import FAMILIES, TOPICS
from pythagoras.corpus.generator.family import LEVELS, Draft, Family, statement_key, write_statement
from pythagoras.corpus.generator.generate import Drawn, Exhausted, generate
from pythagoras.corpus.generator.surface import math, terms
from pythagoras.corpus.records import Tier, Truth, record_id, statement_of
from pythagoras.corpus.rows import from_row, to_row
from pythagoras.errors import InputError
from pythagoras.lean.canonical import canonical_text

SLOTS = len(FAMILIES) * len(LEVELS)


def drawn(count: int, seed: int = 0, **options: object) -> list[Drawn]:
    return list(generate(count, seed, **options))  # type: ignore[arg-type]


# --- the families --------------------------------------------------------------------------------


def test_there_are_many_families_of_many_topics() -> None:
    assert len(FAMILIES) >= 40
    assert len(TOPICS) >= 15
    assert all(FAMILIES[family.name] is family for families in TOPICS.values() for family in families)
    assert {family.topic for family in FAMILIES.values()} == TOPICS.keys()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("level", LEVELS)
def test_every_family_draws_true_and_false_at_every_level(name: str, level: int) -> None:
    family = FAMILIES[name]
    keys: dict[bool, set[str]] = {}
    for false in (False, True):
        rng = Random(level)
        drafts = [family.draw(rng, level, false) for _ in range(120)]
        assert {draft.true for draft in drafts} == {not false}
        keys[false] = {statement_key(draft) for draft in drafts}
        assert len(keys[false]) >= 60, "too few different statements to learn from"
        assert len({draft.text for draft in drafts}) >= 60
        for draft in drafts:
            _is_well_told(draft)
    assert not keys[False] & keys[True], "the same statement was called true and false"


def _is_well_told(draft: Draft) -> None:
    """Every number of the Lean is in the words, but for 0, 1 and 2 and counts that words express otherwise."""
    assert draft.text
    assert draft.text[0].isupper()
    assert draft.text[-1] in ".?"
    assert "  " not in draft.text
    assert not re.search(r"Nat\.|Finset|∃|∀|∣|%|\*|ℕ|ℤ|ℚ|∑|∧|↔", draft.text), draft.text
    bounds = {int(number) for number in re.findall(r"Finset\.range (\d+)", draft.goal)}
    formal = {int(number) for number in re.findall(r"\d+", " ".join((*draft.hypotheses, draft.goal)))}
    informal = {int(number) for number in re.findall(r"\d+", draft.text)}
    allowed = {0, 1, 2, 10} | bounds
    assert formal - informal <= allowed, (draft.text, draft.hypotheses, draft.goal)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_level_has_an_effect(name: str) -> None:
    """Levels of a family share (almost) no statement."""
    sets = []
    for level in LEVELS:
        rng = Random(7)
        sets.append({statement_key(FAMILIES[name].draw(rng, level, False)) for _ in range(150)})
    for lower, higher in itertools.combinations(sets, 2):
        assert len(lower & higher) <= 7


# --- streams -------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_problems() -> None:
    assert drawn(300, 5, false_share=0.3) == drawn(300, 5, false_share=0.3)
    assert drawn(300, 5)[:120] == drawn(120, 5), "what stands at an index depends on the count"
    assert not {one.formalisation.text for one in drawn(100, 5)} & {one.formalisation.text for one in drawn(100, 6)}


@settings(max_examples=12, deadline=None)
@given(start=st.integers(0, 260), count=st.integers(0, 60), distinct=st.booleans(), seed=st.integers(0, 2**31))
def test_a_stream_can_start_anywhere(start: int, count: int, distinct: bool, seed: int) -> None:
    options = {"false_share": 0.2, "distinct": distinct}
    assert drawn(count, seed, start=start, **options) == drawn(start + count, seed, **options)[start:]


def test_a_stream_that_starts_late_knows_what_came_before() -> None:
    """With one small family the statements of earlier indices must not come again."""
    options = {"families": ["divides_power"], "levels": [1]}
    whole = drawn(900, 1, **options)
    assert drawn(100, 1, start=800, **options) == whole[800:]
    assert len({one.formalisation.name for one in whole}) == 900


def test_twenty_thousand_are_distinct_and_balanced() -> None:
    exhausted: list[Exhausted] = []
    items = drawn(20_000, 3, false_share=0.25, on_exhausted=exhausted.append)
    assert not exhausted
    assert len({one.formalisation.name for one in items}) == 20_000
    assert len({_unnamed(one) for one in items}) == 20_000
    by_slot = Counter((one.formalisation.provenance.maker, one.formalisation.tier) for one in items)
    assert len(by_slot) == SLOTS
    assert max(by_slot.values()) - min(by_slot.values()) <= 1
    false = sum(one.formalisation.truth is Truth.FALSE for one in items)
    assert 4_500 <= false <= 5_500


def _unnamed(one: Drawn) -> str:
    return one.formalisation.text.replace(one.formalisation.name, "", 1)


def test_no_two_are_the_same_up_to_names() -> None:
    """By the corpus's own measure, which knows more about scopes than the generator's key does."""
    items = drawn(3 * SLOTS, 4, false_share=0.3)
    few = drawn(800, 4, families=["divides_power", "gcd_transformed", "injective_function"], levels=[1])
    for group in (items, few):
        texts = Counter(canonical_text(statement_of(one.formalisation)) for one in group)
        assert [text for text, count in texts.items() if count > 1] == []


def test_a_name_is_stable_and_says_the_family() -> None:
    for one in drawn(SLOTS, 9):
        formal = one.formalisation
        assert re.fullmatch(rf"{formal.provenance.maker}_[0-9a-f]{{10}}", formal.name)
        assert formal.text.startswith(f"theorem {formal.name}")


def test_without_distinct_repetitions_stay() -> None:
    options = {"families": ["gcd_transformed"], "levels": [1], "false_share": 0.0}
    plain = drawn(3_000, 2, distinct=False, **options)
    assert len({one.formalisation.name for one in plain}) < 3_000
    assert drawn(5, 2, start=40, distinct=False, **options) == plain[40:45]


# --- records -------------------------------------------------------------------------------------


def test_records_fit_together() -> None:
    tiers = {1: Tier.EASY, 2: Tier.MEDIUM, 3: Tier.HARD}
    for index, (problem, formal) in enumerate(drawn(2 * SLOTS, 8, false_share=0.5)):
        assert formal.problem == formal.provenance.parent == record_id(problem)
        assert formal.docstring == problem.text
        assert (formal.topic, formal.tier, formal.source) == (problem.topic, problem.tier, problem.source)
        assert formal.topic == FAMILIES[formal.provenance.maker].topic
        settings_of = dict(re.findall(r'"(\w+)":(\w+)', formal.provenance.settings))
        assert settings_of["index"] == str(index)
        assert settings_of["seed"] == "8"
        assert formal.tier is tiers[int(settings_of["level"])]
        assert (settings_of["false"] == "true") is (formal.truth is Truth.FALSE)
        statement = statement_of(formal)
        assert (statement.name, statement.text) == (formal.name, formal.text)
        for record in (problem, formal):
            assert from_row(to_row(record)) == record


def test_families_topics_and_levels_can_be_chosen() -> None:
    items = drawn(60, 0, families=["bezout"], topics=["parity"], levels=[2])
    assert {one.formalisation.provenance.maker for one in items} == {"bezout", *(f.name for f in TOPICS["parity"])}
    assert {one.problem.tier for one in items} == {Tier.MEDIUM}
    assert {one.formalisation.truth for one in drawn(60, 0, false_share=1.0)} == {Truth.FALSE}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"families": ["bezuot"]}, "no family is called 'bezuot': did you mean 'bezout'?"),
        ({"topics": ["partiy"]}, "no topic is called 'partiy': did you mean 'parity'?"),
        ({"families": []}, "no family is left to draw from"),
        ({"levels": [4]}, "no family has the level 4: choose from 1, 2 and 3"),
        ({"levels": []}, "no family has the level none at all"),
        ({"false_share": 1.5}, "a share of 1.5 false statements can't be had"),
        ({"start": -1}, "1 problems from index -1 can't be made"),
    ],
)
def test_wrong_use_is_explained_at_once(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        generate(1, 0, **options)  # type: ignore[arg-type]


# --- families that run dry -----------------------------------------------------------------------


def _tiny(name: str, size: int) -> Family:
    def draw(rng: Random, level: int, false: bool) -> Draft:
        value = rng.randrange(size)
        return Draft((), (), f"{value} + {level} = {value + level + false}", f"Sum {value}.", true=not false)

    return Family(name, "sums", draw)


def test_an_exhausted_family_says_so_and_others_take_its_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES, "tiny", _tiny("tiny", 4))
    monkeypatch.setitem(FAMILIES, "large", _tiny("large", 10_000))
    exhausted: list[Exhausted] = []
    items = drawn(100, 0, families=["tiny", "large"], levels=[1], on_exhausted=exhausted.append)
    assert Counter(one.formalisation.provenance.maker for one in items) == {"tiny": 4, "large": 96}
    assert exhausted == [Exhausted("tiny", 1, False)]


def test_when_nothing_new_is_left_it_stops_with_an_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES, "tiny", _tiny("tiny", 4))
    made: list[Drawn] = []
    with pytest.raises(InputError, match=r"no new true statement is left at index 8 .* ask for fewer statements"):
        made.extend(generate(100, 0, families=["tiny"], levels=[1, 2]))
    stream = generate(100, 0, families=["tiny"], levels=[1, 2])
    assert len({next(stream).formalisation.name for _ in range(8)}) == 8


# --- surface -------------------------------------------------------------------------------------


def test_shapes_of_a_statement_mean_the_same() -> None:
    draft = Draft(((("x", "y"), "ℤ"),), ("∃ k, x = 2 * k", "x < y"), "x = 1 ↔ y = 2", "")
    written = {write_statement(draft, "t", Random(seed)) for seed in range(300)}
    assert "theorem t (x y : ℤ) (h₀ : ∃ k, x = 2 * k) (h₁ : x < y) : x = 1 ↔ y = 2" in written
    assert "theorem t (x y : ℤ) : (∃ k, x = 2 * k) → x < y → (x = 1 ↔ y = 2)" in written
    assert "theorem t : ∀ x y : ℤ, (∃ k, x = 2 * k) → x < y → (x = 1 ↔ y = 2)" in written
    assert any("\n    " in text for text in written)


def test_the_key_sees_names_as_numbers() -> None:
    def key(*goals: str) -> set[str]:
        return {statement_key(Draft((((goal[0],), "ℕ"),), (), goal[2:], "")) for goal in goals}

    assert len(key(*(f"{name} Even ({name} + 1)" for name in "abcdefghijklmnopqrstuvwxyzPQRS"))) == 1
    assert len(key("n ∑ i ∈ Finset.range n, i = n", "i ∑ n ∈ Finset.range i, n = i")) == 1
    assert len(key("n Even (n + 1)", "n Odd (n + 1)", "n Even (n + 2)", "n Even (1 + n)")) == 4
    assert len(key("n Nat.gcd n 2 = 1", "n Nat.lcm n 2 = 1")) == 2


@pytest.mark.parametrize(
    ("lean", "words"),
    [
        ("3 * x ^ 2 - 5 * x + 7 = 0", "3x^2 - 5x + 7 = 0"),
        ("x ^ 2 * y + 2 * 3 ^ n", "x^2 · y + 2 · 3^n"),
        ("4 * f (n + 1) - f n ^ 2", "4f(n + 1) - f(n)^2"),
        ("f (f 3) = -7 / 2 * x", "f(f(3)) = -7/2 · x"),
        ("5 * (i : ℚ) / (2 * (i : ℚ) + 1)", "5i/(2i + 1)"),
        ("2 * Nat.fib (n + 2) + Nat.fib n", "2F(n + 2) + F(n)"),
        ("x₁ + 2 * x₂", "x₁ + 2x₂"),
    ],
)
def test_words_of_a_term(lean: str, words: str) -> None:
    assert math(lean) == words


def test_sums_of_terms() -> None:
    assert terms([(1, "x"), (-1, "y"), (0, "z"), (-3, "")]) == "x - y - 3"
    assert terms([(-2, "x ^ 2"), (5, "")]) == "-2 * x ^ 2 + 5"
    assert terms([(0, "x")]) == "0"
