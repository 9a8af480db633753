"""Canonical texts: equal for statements that differ in names and spacing only, and for no others."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pythagoras.errors import HostDied, InputError
from pythagoras.lean.canonical import canonical_key, canonical_keys, canonical_text
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.wire import Answer


def text_of(source: str) -> str:
    return canonical_text(parse_statement(source))


# Each row: ways to write one statement.
SAME: dict[str, tuple[str, ...]] = {
    "names": (
        "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b",
        "theorem other (x y : ℕ) (hxy : x < y) : x + 1 ≤ y",
        "theorem other (b a : ℕ) (x : b < a) : b + 1 ≤ a",
    ),
    "grouping": ("theorem t (a b : ℕ) : a = b", "theorem t (a : ℕ) (b : ℕ) : a = b", "theorem t (a : ℕ)(y : ℕ):a=y"),
    "spacing and comments": (
        "theorem t (a : ℕ) : a = a",
        "theorem t\n  ( a : ℕ ) -- a number\n  : a /- is -/ = a",
        "/-- Says it. -/ theorem t (a:ℕ):a=a := by simp",
    ),
    "modifiers": ("theorem t : 1 = 1", "@[simp] theorem t : 1 = 1", "private lemma t : 1 = 1"),
    "quantifiers": (
        "theorem t : ∀ x y : ℕ, ∃ z > x, z = y",
        "theorem t : ∀ (x : ℕ) (y : ℕ), ∃ w > x, w = y",
        "theorem t : ∀ b a : ℕ, ∃ x > b, x = a",
    ),
    "functions": ("theorem t : f = fun x => x + 1", "theorem t : f = λ y ↦ y + 1", "theorem t : f = fun (z) => z + 1"),
    "sums": (
        "theorem t (n : ℕ) : ∑ i ∈ range n, i * n = n",
        "theorem t (m : ℕ) : ∑ k ∈ range m, k * m = m",
        "theorem t (m : ℕ) : ∑ k in range m, k * m = m",
        "theorem t (i : ℕ) : ∑ n ∈ range i, n * i = i",
    ),
    "the end of a sum": ("theorem t (i : ℕ) : ∑ i ∈ s, i + i = 0", "theorem t (j : ℕ) : ∑ i ∈ s, i + j = 0"),
    "a sign with something glued to it": (
        "theorem t : ∃ k : ℝ, ∀ a : ℕ → ℝ, ∑' n : ℕ, a n ≤ k",
        "theorem t : ∃ c : ℝ, ∀ b : ℕ → ℝ, ∑' i : ℕ, b i ≤ c",
    ),
    "the domain of a sum": ("theorem t (i : ℕ) : ∑ i ∈ s i, i = 0", "theorem t (i : ℕ) : ∑ j ∈ s i, j = 0"),
    "the condition of a sum": ("theorem t : ∑ i ∈ s with p i, i = 0", "theorem t : ∑ j ∈ s with p j, j = 0"),
    "the type of a quantifier": ("theorem t (n : ℕ) : ∀ n : Fin n, p n", "theorem t (n : ℕ) : ∀ m : Fin n, p m"),
    "dependent arrows": (
        "theorem t (f : (n : ℕ) → {m : ℕ} → Fin n → Fin m) (n : ℕ) : f n = 0",
        "theorem t (f : (a : ℕ) → {b : ℕ} → Fin a → Fin b) (b : ℕ) : f b = 0",
    ),
    "the end of a tuple": ("theorem t (x : ℕ) : f (∀ x, p x, x)", "theorem t (x : ℕ) : f (∀ y, p y, x)"),
    "the end of a type ascription": ("theorem t (x : ℕ) : (fun x ↦ x : T x)", "theorem t (x : ℕ) : (fun y ↦ y : T x)"),
    "inner binders own their commas": (
        "theorem t (x : ℕ) : ∀ y : ℕ, ∃ x : ℕ, x = y ∧ y = x",
        "theorem t (x : ℕ) : ∀ z : ℕ, ∃ y : ℕ, y = z ∧ z = y",
    ),
    "conditions": (
        "theorem t : ∀ x, if h : x = 1 then x = 2 else x = 3",
        "theorem t : ∀ y, if e : y = 1 then y = 2 else y = 3",
    ),
    "sets": (
        "theorem t : {x | x = 1} = {x : ℕ | x ∈ {y ∈ s | y = x}}",
        "theorem t : {a | a = 1} = {y : ℕ | y ∈ {x ∈ s | x = y}}",
    ),
    "subtypes": ("theorem t (a : {x : ℕ // x < 2}) : a.1 = 1", "theorem t (x : {y : ℕ // y < 2}) : x.1 = 1"),
    "patterns": ("theorem t : f = fun (a, b) => a + b", "theorem t : f = fun (x, y) => x + y"),
    "let": ("theorem t (n : ℕ) : let x := n; x = n", "theorem t (k : ℕ) : let y := k; y = k"),
    "let in a scope": ("theorem t : ∀ n, let x : ℕ := n; x = n", "theorem t : ∀ k, let y : ℕ := k; y = k"),
    "projections": ("theorem t (p : ℕ) : p.Prime ∧ p.succ.pred = p", "theorem t (q : ℕ) : q.Prime ∧ q.succ.pred = q"),
    "instances": ("theorem t [Fact p.Prime] : 1 = 1", "theorem t [h : Fact p.Prime] : 1 = 1"),
    "holes": ("theorem t (_ : 1 = 1) : _ = 1", "theorem t (h : 1 = 1) : _ = 1"),
    "universes": ("theorem t.{u} (α : Type u) : α = α", "theorem t.{v} (β : Type v) : β = β"),
    "variables before it": ("variable (x : ℕ)\ntheorem t : x = x", "variable (y : ℕ)\ntheorem t : y = y"),
    "definitions before it": (
        "abbrev a_solution : ℕ := sorry\n-- 3\ntheorem a : 1 = a_solution",
        "abbrev b_solution : ℕ := sorry\n-- 4\ntheorem b : 1 = b_solution",
    ),
    "what does not matter before it": (
        "theorem t : 1 = 1",
        "import Mathlib\nset_option maxHeartbeats 0\ntheorem u : 2 = 2 := rfl\nexample : 1 = 1 := rfl\nlemma t : 1 = 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_one_statement_has_one_text(case: str) -> None:
    assert len({text_of(source) for source in SAME[case]}) == 1


# Each row: statements that differ, each from each.
DIFFERENT: dict[str, tuple[str, ...]] = {
    "numerals": ("theorem t : 1 = 1", "theorem t : 1 = 2", "theorem t : 11 = 1", "theorem t : 1 = 1.0"),
    "operators": ("theorem t : a < b", "theorem t : a ≤ b", "theorem t : a = b", "theorem t : a ∣ b"),
    "which variable": (
        "theorem t (a b : ℕ) : a < b", "theorem t (a b : ℕ) : b < a", "theorem t (a b : ℕ) : a < a",
        "theorem t (a b : ℕ) : a < c",
    ),
    "types": ("theorem t (a : ℕ) : a = a", "theorem t (a : ℤ) : a = a", "theorem t (a) : a = a"),
    "types of patterns": ("theorem t : fun (⟨x, y⟩ : ℕ × ℕ) => x", "theorem t : fun (⟨x, y⟩ : ℤ × ℤ) => x"),
    "arrows": ("theorem t : (x : p) → q x", "theorem t : (x : p) ∧ q x", "theorem t : (x : r) → q x"),
    "constructors in patterns": ("theorem t : fun ⟨some x, y⟩ => y", "theorem t : fun ⟨other x, y⟩ => y"),
    "kinds of binders": ("theorem t (a : ℕ) : a = a", "theorem t {a : ℕ} : a = a", "theorem t ⦃a : ℕ⦄ : a = a"),
    "order": ("theorem t (a : ℕ) (b : ℤ) : a = b", "theorem t (b : ℤ) (a : ℕ) : a = b"),
    "shadowing": (
        "theorem t (x y : ℕ) : f (∀ x, p x, x)", "theorem t (y x : ℕ) : f (∀ x, p x, x)",
        "theorem t (x y : ℕ) : f (∀ z, p z, z)",
    ),
    "shadowing in a match": (
        "theorem t (x : ℕ) : (fun x => match x with | 0 => x | _ => x) = f",
        "theorem t (x : ℕ) : (fun z => match z with | 0 => x | _ => x) = f",
    ),
    "shadowing in a sum": (
        "theorem t (i : ℕ) : ∑ i ∈ s, i + i = 0", "theorem t (i : ℕ) : ∑ i ∈ s, (i + i) = 0",
        "theorem t (i : ℕ) : ∑ j ∈ s, (j + i) = 0",
    ),
    "brackets": ("theorem t : a - (b - c) = 0", "theorem t : (a - b) - c = 0", "theorem t : a - b - c = 0"),
    "quantifiers": ("theorem t : ∀ x, p x", "theorem t : ∃ x, p x", "theorem t : ∃! x, p x", "theorem t : ∀ᶠ x, p x"),
    "names of arguments": ("theorem t (x : ℕ) : f (x := x)", "theorem t (x : ℕ) : f (y := x)"),
    "glued dots": ("theorem t : f x.1", "theorem t : f x .1"),
    "strings": ('theorem t : f "a"', 'theorem t : f "b"', 'theorem t : f "a "'),
    "definitions": (
        "def f := 1\ntheorem t : f = 1", "def f := 2\ntheorem t : f = 1", "theorem t : f = 1",
        "abbrev f := 1\ntheorem t : f = 1",
    ),
    "open": ("theorem t : π = 1", "open Real\ntheorem t : π = 1", "open Nat\ntheorem t : π = 1",
             "open Nat in theorem t : π = 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_statements_have_different_texts(case: str) -> None:
    texts = [text_of(source) for source in DIFFERENT[case]]
    assert len(set(texts)) == len(texts)


def test_the_text_itself() -> None:
    assert text_of("theorem t (a b : ℕ) : ∃ x > a, x = b") == (
        "theorem ( #0 : ℕ ) ( #1 : ℕ ) : ∃ ( #2 ) > #0 , #2 = #1"
    )


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        text_of(f"theorem t : {'(' * 20_000}1{')' * 20_000} = 1")


# --- properties --------------------------------------------------------------------------------

# Statements over the variables V0 to V5 and the free names f, p, s; each variable is bound once, so any renaming that
# keeps them apart and off the free names means the same.
VARIABLES = [f"V{number}" for number in range(6)]
RENAMED = ["x", "y₁", "n'", "α", "hx", "k_2", "«odd.name»", "Z", "t", "𝓝"]
BODIES = st.recursive(
    st.sampled_from([*VARIABLES[:3], "1", "23", "f V0", "V1.succ", "(V2 : ℤ)", "s"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "=", "≤", "∣", "∧", "→", "-"]), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("f ({}) V1".format),
        inner.map("⟨{}, V0⟩".format),
    ),
    max_leaves=8,
)
WRAPPERS = st.sampled_from(
    [
        *("{}", "∀ V3 : ℕ, {} ∧ V3 = V0", "∃ V3 > 0, ∀ V4 V5 : ℤ, V3 = V4 → p V5 ({})", "(fun V3 ↦ V3 + {}) = s"),
        *("∑ V3 ∈ s, f V3 * V0 = {}", "{{V3 : ℕ | V3 = {}}} = {{V4 ∈ s | V4 = V1}}", "let V3 := {}; V3 = V0"),
        *("∀ (V3 : ℕ) (V4 : V3 = V0), if V5 : V3 = 1 then {} else V3 = 2", "(∃! V3, p V3, {})"),
    ]
)
STATEMENTS = st.tuples(WRAPPERS, BODIES).map(
    lambda parts: f"theorem t (V0 V1 : ℕ) {{V2 : ℕ}} (h : V0 = V1) : {parts[0].format(parts[1])}"
)


@given(STATEMENTS, st.permutations(RENAMED), st.sampled_from([" ", "\n", " -- ∀ x,\n", " /- x -/ "]))
def test_renaming_changes_nothing(source: str, names: list[str], blank: str) -> None:
    renamed = re.sub(r"V(\d)", lambda match: names[int(match[1])], source).replace("(h :", f"({names[6]} :")
    assert text_of(renamed.replace(" ", blank)) == text_of(source)
    groups = source.replace("(V0 V1 : ℕ)", "(V0 : ℕ) (V1 : ℕ)").replace("V4 V5 : ℤ,", "(V4 : ℤ) (V5 : ℤ),")
    assert text_of(groups) == text_of(source)


@given(STATEMENTS, st.data())
def test_any_other_word_shows(source: str, data: st.DataObject) -> None:
    """One token of the statement, not a binder's name, replaced by another of its kind."""
    kinds = (r"(?<![V\d])\d+", r"(?<=[ (])[+*=≤∣∧→-](?= )", r"\bV[012]\b(?! V1| : ℕ)(?<!V0 V1)", r"\b[fps]\b", "[ℕℤ]")
    places = [match for kind in kinds for match in re.finditer(kind, source)]
    place = data.draw(st.sampled_from(places))
    others = st.sampled_from(["7", "9", "+", "*", "≤", "=", "∨", "V0", "V1", "V2", "f", "g", "ℕ", "ℤ", "ℚ"])
    other = data.draw(others)
    assume(other != place[0])
    assert text_of(source[: place.start()] + other + source[place.end() :]) != text_of(source)


@given(st.text(alphabet="∀∃∑{}()⟨⟩|,:= xyzfunlet;if.'!→+\n", max_size=50))
def test_any_text_has_a_text(text: str) -> None:
    try:
        statement = parse_statement("theorem t : " + text)
    except InputError:
        return
    assert canonical_text(statement).startswith("theorem :")


# --- keys --------------------------------------------------------------------------------------


def elaborated(name: str, key: str, **more: object) -> Answer:
    declaration = {"name": name, "kind": "theorem", "type": "True", "typeKey": key, "axioms": ["sorryAx"]}
    return Answer.model_validate({"declarations": [declaration], **more})


ERROR = {"severity": "error", "pos": {"line": 1, "column": 0}, "data": "unknown identifier"}


def test_the_kernel_s_key_where_there_is_one() -> None:
    statement = parse_statement("abbrev t_solution : ℕ := sorry\ntheorem t : 1 = t_solution")
    checker = FakeChecker(lambda _: elaborated("t", "abc"))
    assert canonical_key(statement, checker) == "kernel:abc"
    (check,) = checker.asked
    assert (check.code, check.header) == (statement.source, "core")
    assert check.holes == ("t_solution",)
    assert "program" in check.refuse


@pytest.mark.parametrize(
    "answer",
    [
        *(Answer(), elaborated("u", "abc"), elaborated("t", "abc", messages=[ERROR])),
        *(
            elaborated("t", "abc", interrupted=True),
            elaborated("t", "abc", refused={"kind": "program", "syntax": "macro"}),
        ),
    ],
    ids=["nothing", "another name", "an error", "no time", "refused"],
)
def test_the_text_s_key_elsewhere(answer: Answer) -> None:
    statement = parse_statement("theorem t : 1 = 1")
    key = canonical_key(statement, FakeChecker(lambda _: answer))
    assert key == canonical_key(statement)
    assert re.fullmatch("text:[0-9a-f]{64}", key)


def test_a_broken_lean_gives_no_key() -> None:
    with pytest.raises(HostDied, match="no key for t: gone"):
        canonical_key(parse_statement("theorem t : 1 = 1"), FakeChecker(lambda _: RuntimeError("gone")))


def test_keys_come_in_order_and_one_at_a_time() -> None:
    asked: list[Check] = []

    def answer(check: Check) -> Answer:
        asked.append(check)
        return elaborated("t", str(len(asked)))

    endless = (parse_statement(f"theorem t : {number} = 1") for number in itertools.count())
    keys = canonical_keys(endless, FakeChecker(answer))
    found = list(itertools.islice(keys, 3))
    assert [(statement.goal, key) for statement, key in found] == [
        ("0 = 1", "kernel:1"), ("1 = 1", "kernel:2"), ("2 = 1", "kernel:3"),
    ]  # fmt: skip
    assert len(asked) == 3
