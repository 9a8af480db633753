"""The symbolic mutator: one variant a category, refusals with reasons, the same for the same random numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

import pytest

from pythagoras.alf.mutating import (
    Missing,
    Refusal,
    SymbolicMutator,
    as_record,
    learned_mutator,
    parent_of,
    variant_name,
)
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.partners import Partners
from pythagoras.alf.renaming import called
from pythagoras.alf.variants import Category, Made, Operator, Parent, Promise, Variant
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Formalisation, Instance, Tier, Truth, record_id, settings_of
from pythagoras.errors import InputError
from pythagoras.language.evaluate import refuted
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.lean_writer import Written
from pythagoras.language.meaning import Apply, Bind, Claim, Number, Term, Typed, Variable
from pythagoras.language.normal import key
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.tokens import Sort, tokens


def parent(text: str, context: str = "") -> Parent:
    return parent_of(Formalisation(name="t", text=text, source="test", context=context, truth=Truth.TRUE))


def operator(*made: Made, category: Category = Category.LEMMA, name: str = "given") -> Operator:
    def make(of: Parent, rng: Random) -> Iterable[Made]:
        return made

    return Operator(name, category, Promise.UNKNOWN, "what a test gives", make)


def only(
    *made: Made, category: Category = Category.LEMMA, longest: int = 1_000, refute: bool = False
) -> SymbolicMutator:
    one = operator(*made, category=category)
    return SymbolicMutator({one.name: one}, categories=(category,), longest=longest, refute=refute)


@pytest.fixture(scope="module")
def parents() -> list[Parent]:
    """True statements, one of every family, with partners."""
    made = [parent_of(drawn.formalisation) for drawn in generate(67, 5)]
    index = Partners(made)
    return [index.of(one, Random(at)) for at, one in enumerate(made)]


Found = list[tuple[Parent, Sequence[Variant | Missing]]]


def all_of(parents: list[Parent], mutator: SymbolicMutator) -> Found:
    return [(one, mutator.variants_of(one, Random(at))) for at, one in enumerate(parents)]


@pytest.fixture(scope="module")
def found(parents: list[Parent]) -> Found:
    return all_of(parents, SymbolicMutator(OPERATORS))


def operators_of(found: Found) -> Counter[str]:
    return Counter(one.operator for _, each in found for one in each if isinstance(one, Variant))


def test_what_is_promised_true_is_not_refuted(found: Found) -> None:
    for at, (of, variants) in enumerate(found):
        for variant in variants:
            if isinstance(variant, Variant) and variant.promise is Promise.TRUE and variant.claim is not None:
                said = read_lean(variant.text)
                assert key(said) == key(variant.claim), (variant.operator, variant.text)
                values = refuted(said, Random(at), 12)
                assert values is None, (variant.operator, of.statement.text, variant.text, values)
    assert len(operators_of(found)) > 25


def test_one_of_each_category_and_the_same_again(found: Found) -> None:
    mutator = SymbolicMutator(OPERATORS)
    assert all([variant.category for variant in variants] == list(Category) for _, variants in found)
    assert [list(mutator.variants_of(of, Random(at))) for at, (of, _) in enumerate(found[:20])] == [
        list(variants) for _, variants in found[:20]
    ]
    made = Counter(one.category for _, each in found for one in each if isinstance(one, Variant))
    assert all(made[category] > 0.5 * len(found) for category in Category), made


def test_variants_are_statements_of_their_own(found: Found) -> None:
    for of, variants in found:
        texts = [one.text for one in variants if isinstance(one, Variant)]
        names = [parse_statement(f"{text} := sorry").name for text in texts]
        assert len({*names, of.statement.name}) == len(names) + 1


def test_operators_that_seldom_apply_come_first() -> None:
    def seldom(of: Parent, rng: Random) -> Iterable[Made]:
        return (": 2 < 5 + n",) if "Even" in of.statement.text else ()

    often = operator(": 2 + 2 = 4", name="often")
    rare = replace(often, name="seldom", make=seldom)
    parents = [parent(f"theorem t (n : ℕ) : n < n + {at}") for at in range(1, 40)]
    parents.append(parent("theorem t (n : ℕ) : Even (n + n)"))
    mutator = learned_mutator({"often": often, "seldom": rare}, parents, seed=0)
    assert mutator.weights["seldom"] > 10 * mutator.weights["often"]
    found = [mutator.variants_of(parents[-1], Random(seed))[2] for seed in range(40)]
    assert sum(isinstance(one, Variant) and one.operator == "seldom" for one in found) > 30


def test_a_mutator_that_knows_a_corpus_finds_partners() -> None:
    parents = [parent(f"theorem t (x : ℤ) : 0 ≤ (x ^ 2 + 3 * x + 4) ^ {power}") for power in (2, 4)]
    mutator = learned_mutator({"joined": OPERATORS["joined"]}, parents, seed=0)
    found = mutator.variants_of(parents[0], Random(0))[2]
    assert isinstance(found, Variant)
    assert found.text == "theorem t_lemma (x : ℤ) : 0 ≤ (x ^ 2 + 3 * x + 4) ^ 2 ∧ 0 ≤ (x ^ 2 + 3 * x + 4) ^ 4"


@pytest.mark.parametrize(
    ("made", "longest", "refute", "reason"),
    [
        (": ∀ m : ℕ, m < m + 1", 100, True, None),
        ("(m : ℕ) : m = m + 0", 100, False, Refusal.SAME_AS_PARENT),
        ("(m : ℕ) :", 100, False, Refusal.ILL_FORMED),
        ("(m : ℕ) : m = m := by rfl theorem u : 1 = 1", 100, False, Refusal.ILL_FORMED),
        ("(m : ℕ) : m * 2 = m + m", 20, False, Refusal.TOO_LONG),
        ("(m : ℕ) : m * 2 = m + 1", 100, True, Refusal.REFUTED),
        ("(m : ℕ) : m * 2 = m + 1", 100, False, None),
    ],
)
def test_refusals(made: str, longest: int, refute: bool, reason: Refusal | None) -> None:
    mutator = only(made, longest=longest, refute=refute)
    (found,) = mutator.variants_of(parent("theorem t (n : ℕ) : n + 0 = n"), Random(0))
    assert (found.reason if isinstance(found, Missing) else None) == reason


def _sum(domain: Term) -> Claim:
    """Of integers, over that."""
    total = Bind("∑", (Typed("i", "ℤ"),), Apply("-", (Variable("i"), Number(3))), domain)
    return Claim((), (), Apply("=", (Number(0), total)))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (_sum(Apply("icc", (Number(1), Number(5)))), ": 0 = ∑ i ∈ Finset.Icc (1 : ℤ) 5, (i - 3)"),
        (_sum(Apply("range", (Number(5),))), None),  # those are natural numbers
        (Claim((), (), Apply("=", (Apply("^", (Number(2), Apply("-", (Number(8), Number(15))))), Number(1)))), None),
    ],
)
def test_what_lean_would_take_for_something_else_is_not_made(made: Claim, text: str | None) -> None:
    (found,) = only(made).variants_of(parent("theorem t : 1 + 1 = 2"), Random(0))
    if text is None:
        assert isinstance(found, Missing)
        assert found.reason is Refusal.ILL_FORMED
    else:
        assert isinstance(found, Variant)
        assert found.text == f"theorem t_lemma {text}"


def test_a_text_with_another_meaning_than_the_claim_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pythagoras.alf.mutating.written", lambda claim: Written((), (), (), "1 + 2 = 4"))
    (found,) = only(read_lean("theorem s : 1 + 2 = 3")).variants_of(parent("theorem t : 1 + 1 = 2"), Random(0))
    assert isinstance(found, Missing)
    assert found.reason is Refusal.ILL_FORMED


def test_operators_that_look_at_traces_weigh_what_is_usual_where_there_are_none() -> None:
    of_proof = [name for name, one in OPERATORS.items() if one.of_proof]
    untraced = parent("theorem t (n : ℕ) (h : n = 3) : n + 1 = 4")
    assert {"goal_after", "have_alone", "rewriting", "unneeded_hypothesis"} <= {*of_proof}
    assert not any(next(iter(OPERATORS[name].make(untraced, Random(0))), None) for name in of_proof)
    mutator = learned_mutator(OPERATORS, [untraced], seed=0)
    assert mutator.weights["witness"] == 2.0
    for name in of_proof:
        usual = [mutator.weights[one.name] for one in OPERATORS.values() if one.category is OPERATORS[name].category]
        assert min(usual) <= mutator.weights[name] <= max(usual)
    rare = learned_mutator(OPERATORS, [untraced] * 60, seed=0)
    assert rare.weights["goal_after"] > 10  # most operators of its category do not apply to such a statement


@pytest.mark.parametrize("name", ["«2019_p3»", "«a b»", "«λ»", "x²", "mathd_algebra_1", "«»", "A.«b c»"])
def test_names_of_variants_are_names(name: str) -> None:
    statement = replace(parse_statement("theorem t : 1 = 1 := sorry"), name=name)
    for category in Category:
        (token,) = tokens(variant_name(statement, category))
        assert token.sort is Sort.NAME


def test_a_theorem_with_a_bracketed_name_is_called_otherwise() -> None:
    assert called("theorem «2019 p3» (n : ℕ) : n = n", suffix="_by0").startswith("theorem «2019 p3_by0» (n")
    assert called("theorem «2019 p3» (n : ℕ) : n = n", "goal").startswith("theorem goal (n")
    assert called("theorem a.b : 1 = 1", suffix="'").startswith("theorem a.b' :")


def test_a_reformulation_may_mean_the_same_but_not_in_the_same_words() -> None:
    original = parent("theorem t (n : ℕ) (h : 2 ∣ n) : n % 2 = 0")
    renamed, other = "(k : ℕ) (hk : 2 ∣ k) : k % 2 = 0", "(n : ℕ) (h : n % 2 = 0) : 2 ∣ n"
    (found,) = only(renamed, other, category=Category.REFORMULATION).variants_of(original, Random(0))
    assert isinstance(found, Variant)
    assert found.text.endswith("2 ∣ n")
    (found,) = only(other, category=Category.LEMMA).variants_of(original, Random(0))
    assert isinstance(found, Missing)


def test_siblings_differ() -> None:
    same = ": 2 + 2 = 4"
    operators = {
        category.name: operator(same, category=category, name=category.name)
        for category in (Category.LEMMA, Category.DECOMPOSITION)
    }
    mutator = SymbolicMutator(operators, categories=(Category.LEMMA, Category.DECOMPOSITION))
    first, second = mutator.variants_of(parent("theorem t : 1 + 1 = 2"), Random(0))
    assert isinstance(first, Variant)
    assert second == Missing(Category.DECOMPOSITION, Refusal.SAME_AS_SIBLING, "1 the same as a sibling")


def test_nothing_applies() -> None:
    (found,) = only().variants_of(parent("theorem t : 1 + 1 = 2"), Random(0))
    assert found == Missing(Category.LEMMA, Refusal.NONE)


def test_real_numbers_are_read_as_rational_ones_and_written_as_real() -> None:
    original = parent("theorem t (x y : ℝ) (h₀ : x + y = 4) (h₁ : x - y = 2) : x = 3")
    assert original.claim is not None
    for seed in range(6):
        for found in SymbolicMutator(OPERATORS).variants_of(original, Random(seed)):
            assert isinstance(found, Missing) or "ℚ" not in found.text
    (found,) = only(read_lean("theorem s (x : ℚ) : 0 ≤ x ^ 2")).variants_of(original, Random(0))
    assert isinstance(found, Variant)
    assert found.text == "theorem t_lemma (x : ℝ) : 0 ≤ x ^ 2"


def test_records_say_where_they_come_from() -> None:
    proved = Instance("p", "theorem N.p (n : ℕ) : n + 0 = n", "by simp", "test", Tier.EASY, verified=True)
    original = parent_of(proved)
    variant = Variant("theorem p_lemma : 0 + 0 = 0", Category.LEMMA, "given", Promise.TRUE)
    made = as_record(original, variant, "run 1")
    assert (made.name, made.tier, made.truth) == ("p_lemma", Tier.ALF, Truth.TRUE)
    assert (made.provenance.parent, made.provenance.maker) == (record_id(proved), "given")
    assert settings_of(made) == {"category": "lemma proposal", "promise": "true"}
    unknown = as_record(parent_of(replace(proved, verified=False)), variant)
    assert unknown.truth is Truth.UNKNOWN


def test_a_context_goes_with_the_statement_without_the_proofs_lemmas() -> None:
    context = "def f (n : ℕ) : ℕ := n + 1\n\ntheorem helper : f 0 = 1 := rfl"
    original = parent("theorem t : f 1 = 2", context)
    assert original.claim is None
    assert "helper" not in original.statement.context
    (found,) = only(": f 2 = 3").variants_of(original, Random(0))
    assert isinstance(found, Variant)
    assert as_record(original, found).context == "def f (n : ℕ) : ℕ := n + 1"


def test_a_record_without_a_statement_is_refused() -> None:
    with pytest.raises(InputError):
        parent("no theorem")
