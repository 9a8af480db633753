"""Statement trees: one key for one theorem, however it is ordered and noted; other keys for others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.decontamination.kernel_trees import kernel_tree
from pythagoras.corpus.decontamination.lexical_trees import lexical_tree
from pythagoras.corpus.decontamination.structure import StructureStage, lexical_key, signature
from pythagoras.corpus.decontamination.trees import order_free_key
from pythagoras.corpus.decontamination.views import items_of, view_of
from pythagoras.corpus.normal import alpha_text
from pythagoras.corpus.records import Formalisation
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer


def key(text: str, context: str = "") -> str:
    return lexical_key(alpha_text(text, context))


# Each row: ways to state one theorem.
SAME: dict[str, tuple[str, ...]] = {
    "order of hypotheses": (
        "theorem t (a b : ℕ) (h : a < b) (k : b ≠ 3) : a ≤ 9",
        "theorem t (a b : ℕ) (k : b ≠ 3) (h : a < b) : a ≤ 9",
    ),
    "order of variables": (
        "theorem t (a b : ℕ) (h : a < b) : a ≤ 9",
        "theorem t (b a : ℕ) (h : a < b) : a ≤ 9",
        "theorem t (x : ℕ) (y : ℕ) (h : y < x) : y ≤ 9",
    ),
    "signs": ("theorem t (a : ℕ) (h : a > 3) : a ≥ 4", "theorem t (a : ℕ) (h : 3 < a) : 4 ≤ a"),
    "negation": ("theorem t (a : ℕ) : a ≠ 3", "theorem t (a : ℕ) : ¬ a = 3", "theorem t (a : ℕ) : a = 3 → False"),
    "where hypotheses stand": (
        "theorem t (a : ℕ) (h : a > 3) (k : a < 9) : a ∣ 24",
        "theorem t (a : ℕ) : a > 3 → a < 9 → a ∣ 24",
        "theorem t : ∀ a : ℕ, a > 3 → a < 9 → a ∣ 24",
        "theorem t : ∀ a > 3, a < 9 → a ∣ 24".replace("∀ a >", "∀ (a : ℕ), a >").replace(", a <", " → a <"),
    ),
    "joined hypotheses": (
        "theorem t (a b : ℕ) (h : 0 < a ∧ 0 < b) : 0 < a * b",
        "theorem t (a b : ℕ) (h : 0 < a) (k : 0 < b) : 0 < a * b",
        "theorem t (a b : ℕ) (h : 0 < b ∧ 0 < a) : a * b > 0",
    ),
    "sides of an equation": ("theorem t (a : ℕ) : a + 1 = 3", "theorem t (a : ℕ) : 3 = a + 1"),
    "bounded quantifiers": (
        "theorem t : ∀ n ≥ 5, ∃ m > n, m = 7",
        "theorem t : ∀ n, n ≥ 5 → ∃ m, m > n ∧ m = 7",
    ),
    "brackets": ("theorem t (a : ℕ) : a * 2 + 1 = 3", "theorem t (a : ℕ) : (((a * 2) + (1)) = 3)"),
    "ascriptions": ("theorem t (a : ℚ) : a = 1 / 2", "theorem t (a : ℚ) : (a : ℚ) = (1 : ℚ) / 2"),
    "namespaces": ("theorem t (p : ℕ) : Nat.Prime p", "theorem t (p : ℕ) : p.Prime", "theorem t (p : ℕ) : Prime p"),
    "arguments behind a dot": ("theorem t (n k : ℕ) : n.choose k = 1", "theorem t (n k : ℕ) : Nat.choose n k = 1"),
    "number systems": ("theorem t (a : ℕ) : a = a", "theorem t (a : Nat) : a = a"),
    "a pattern in brackets": (
        "theorem t (f : ℕ → ℕ) (h : ∀ n, f n = if Even n then 1 else 2) : f 1 = 2",
        "theorem t (f : ℕ → ℕ) : (∀ n, f n = if Even n then 1 else 2) → (f 1 = 2)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_one_theorem_has_one_key(case: str) -> None:
    assert len({key(text) for text in SAME[case]}) == 1


# Each row: theorems that differ, each from each.
DIFFERENT: dict[str, tuple[str, ...]] = {
    "which variable": (
        "theorem t (a b : ℕ) (h : a < b) : a ≤ 9", "theorem t (a b : ℕ) (h : a < b) : b ≤ 9",
        "theorem t (a b : ℕ) (h : a < a) : a ≤ 9",
    ),
    "who is below whom": (
        "theorem t (a b : ℕ) (h : a < b) (k : b < a) : False", "theorem t (a b : ℕ) (h : a < a) (k : b < b) : False",
    ),
    "strictness": ("theorem t (a : ℕ) : a < 3", "theorem t (a : ℕ) : a ≤ 3"),
    "direction": ("theorem t (a : ℕ) : a < 3", "theorem t (a : ℕ) : a > 3"),
    "numerals": ("theorem t (a : ℕ) (h : a = 3) : a = 4", "theorem t (a : ℕ) (h : a = 4) : a = 3"),
    "hypothesis and goal": ("theorem t (a : ℕ) (h : a = 3) : a = 4", "theorem t (a : ℕ) (h : a = 4) : a = 3"),
    "order in a difference": ("theorem t (a b : ℤ) : a - b = 1 → a = 2", "theorem t (a b : ℤ) : b - a = 1 → a = 2"),
    "types": ("theorem t (a : ℕ) : a = a", "theorem t (a : ℤ) : a = a"),
    "quantifiers": ("theorem t : ∀ x : ℕ, ∃ y : ℕ, x < y", "theorem t : ∃ x : ℕ, ∀ y : ℕ, x < y"),
    "connectives": ("theorem t (a : ℕ) : a = 1 ∧ a = 2", "theorem t (a : ℕ) : a = 1 ∨ a = 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_theorems_have_different_keys(case: str) -> None:
    assert len({key(text) for text in DIFFERENT[case]}) == len(DIFFERENT[case])


def test_answers_that_are_left_open_are_variables() -> None:
    one = key("theorem a : 1 = a_solution", "abbrev a_solution : ℕ := sorry")
    assert one == key("theorem b : b_solution = 1", "abbrev b_solution : ℕ := 3")
    assert one != key("theorem b : b_solution = 1", "abbrev b_solution : ℤ := sorry")


WORDS = ("theorem", *"(){}:,∀∃∑+-=|→¬1f", "#0", "#1", ".den")


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_row_of_words_has_a_tree(words: list[str]) -> None:
    assert order_free_key(lexical_tree(" ".join(words)))


@given(st.permutations(["a < b", "b < c", "c ≠ d", "a * d = 7", "d ∣ b"]), st.permutations("abcd"))
def test_no_order_shows(hypotheses: list[str], variables: list[str]) -> None:
    written = " ".join(f"(h{number} : {text})" for number, text in enumerate(hypotheses))
    reference = key("theorem t (a b c d : ℕ) (h : a < b) (i : b < c) (j : c ≠ d) (k : a * d = 7) (l : d ∣ b) : a = 1")
    assert key(f"theorem t ({' '.join(variables)} : ℕ) {written} : a = 1") == reference


def test_a_tree_too_deep_has_no_key() -> None:
    deep = "#0"
    for _ in range(1000):
        deep = ("f", deep)  # type: ignore[assignment]
    assert order_free_key(deep) == ""


# --- kernel types -------------------------------------------------------------------------------


def test_kernel_types_become_trees() -> None:
    tree = kernel_tree("(forall (const Nat ) (forall (app (app (const P 0) (# 0)) (nat 3)) (app (const Q ) (# 1))))")
    assert tree == ("∀", "#0", "Nat", ("∀", "#1", ("app", "P", "#0", ("nat", "3")), ("app", "Q", "#0")))


@pytest.mark.parametrize("text", ["", "∀ x, x = x", "(forall", "(# 0)", "(const Nat ) (const Nat )", "(forall (x y"])
def test_other_texts_are_no_kernel_types(text: str) -> None:
    assert kernel_tree(text) is None


# --- the stage ----------------------------------------------------------------------------------

ITEM = Formalisation("item", "theorem item (a : ℕ) (h : a = 3) : a + 1 = 4", "bench")
SIMILAR = Formalisation("row", "theorem row (a : ℕ) (h : a = 4) : a + 1 = 3", "rows")
OTHER = Formalisation("row", "theorem row (a : ℕ) (h : a = 5) : a + 1 = 6", "rows")


def answer(key: str) -> Answer:
    declared = {"name": "t", "kind": "theorem", "type": "(const True )", "typeKey": key, "axioms": []}
    return Answer.model_validate({"declarations": [declared]})


def test_lean_is_asked_only_about_rows_that_could_be_an_item() -> None:
    checker = FakeChecker(lambda check: answer("same"))
    stage = StructureStage(items_of([ITEM]), checker)
    found = stage.find([view_of(SIMILAR), view_of(OTHER)])
    assert [hit is not None for hit in found] == [True, False]
    assert [check.code for check in checker.asked] == [f"{ITEM.text} := sorry\n", f"{SIMILAR.text} := sorry\n"]
    stage.find([view_of(SIMILAR)])
    assert len(checker.asked) == 3  # the item is known by now


def test_an_item_is_asked_about_on_the_header_of_the_row() -> None:
    checker = FakeChecker(lambda check: answer("same"))
    item = Formalisation("item", ITEM.text, "bench", header="mathlib", context="open Real\n\ndef f : ℕ := 1")
    StructureStage(items_of([item]), checker).find([view_of(SIMILAR)])
    assert [(check.header, "open" in check.code, "def f" in check.code) for check in checker.asked] == [
        ("core", False, True),
        ("core", False, False),
    ]


def test_mathlibs_headers_are_one_environment() -> None:
    checker = FakeChecker(lambda check: answer("same"))
    item = Formalisation("item", ITEM.text, "bench", header="mathlib")
    row = Formalisation("row", SIMILAR.text, "rows", header="mathlib-bare", context="open Real")
    (hit,) = StructureStage(items_of([item]), checker).find([view_of(row)])
    assert hit is not None
    assert [(check.header, "open" in check.code) for check in checker.asked] == [
        ("mathlib", False),
        ("mathlib-bare", True),
    ]


def test_a_lean_that_breaks_down_is_no_hit_and_is_told() -> None:
    def failing(check: Check) -> Answer | Exception:
        return RuntimeError("gone") if "row" in check.code else answer("same")

    stage = StructureStage(items_of([ITEM]), FakeChecker(failing))
    assert stage.find([view_of(SIMILAR)]) == [None]
    assert "broke down over 1" in " ".join(stage.notes())


def test_signatures_look_past_notation() -> None:
    one = signature(alpha_text("theorem t (a b : ℕ) (h : a > 3) (k : b ≠ 3) : a ≥ b"))
    assert one == signature(alpha_text("theorem t (a b : ℕ) (k : ¬ (b = 3)) : 3 < a → b ≤ a"))
    assert one != signature(alpha_text("theorem t (a b : ℕ) (k : ¬ (b = 4)) : 3 < a → b ≤ a"))
