"""The lexical gate: words in code are found, in comments and strings they are not, and doubt refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.lean.gate import gate, uses_sorry
from pythagoras.lean.verdict import STANDARD, Policy, Reason, Rung

WORDS = {
    Reason.SORRY: ("sorry", "admit", "sorryAx"),
    Reason.AXIOM: ("axiom", "opaque"),
    Reason.COMPILER: ("native_decide", "bv_decide", "Lean.ofReduceBool", "Lean.reduceBool", "Lean.trustCompiler"),
    Reason.PROGRAM: (
        *("run_cmd", "run_tac", "run_meta", "by_elab", "elab", "elab_rules", "macro", "macro_rules", "syntax"),
        *("initialize", "builtin_initialize", "include_str", "simproc", "declare_syntax_cat", "register_option"),
        *("#eval", "#eval!", "unsafe"),
    ),
    Reason.SEARCH: ("apply?", "exact?", "rw?"),
    Reason.OPTION: ("set_option debug.skipKernelTC true", "set_option compiler.extract_closed false"),
}
ONE_OF_EACH = [(reason, word) for reason, words in WORDS.items() for word in words]
ALL_WORDS = [word for _, word in ONE_OF_EACH]
HONEST = """theorem add_swap (a b : ℕ) : a + b = b + a := by
  have h' : a + 0 = a := Nat.add_zero a
  induction b with
  | zero => simp [h']
  | succ n ih => rw [Nat.add_succ, ih, ← Nat.succ_add]"""
TOKENS = HONEST.split(" ")


def reason(text: str, policy: Policy = STANDARD) -> Reason | None:
    refusal = gate(text, policy)
    return None if refusal is None else refusal.reason


@pytest.mark.parametrize(("expected", "word"), ONE_OF_EACH)
@pytest.mark.parametrize("template", ["{}", "by {}", "by\n  {}\n", "({})", "⟨{}⟩", "x; {}", "by exact ({})", ":= {}"])
def test_a_word_in_code(expected: Reason, word: str, template: str) -> None:
    refusal = gate(template.format(word), STANDARD)
    assert refusal is not None
    assert (refusal.rung, refusal.reason) == (Rung.LEXICAL, expected)


@pytest.mark.parametrize("word", ALL_WORDS)
@pytest.mark.parametrize(
    "template",
    [
        "by rfl -- {}",
        "-- {}\nby rfl",
        "by\n  /- {} -/ rfl",
        "/- /- {} -/ {} -/ by rfl",
        "/-- Uses no {}. -/\ntheorem t : 1 = 1 := rfl",
        'def s : String := "{}"\ntheorem t : s = s := rfl',
    ],
)
def test_a_word_outside_of_code(word: str, template: str) -> None:
    assert gate(template.format(word, word), STANDARD) is None


@pytest.mark.parametrize(
    "text",
    [
        "not_sorry",
        "sorry'",
        "h_sorry",
        "sorry_free",
        "admits",
        "axioms",
        "axiomatic",
        "my_axiom",
        "macros",
        "elaborate",
        "syntax_tree",
        "decide",
        "native",
        "apply",
        "exact",
        "rw",
        "hint : a = b",
        "set_option maxHeartbeats 400000 in",
        "set_option maxRecDepth 1000",
        "set_option linter.all false",
        "metaphor",
        "initialized",
        "0xadd",
        "f <$> x",
        "x.1",
    ],
)
def test_words_that_only_look_alike(text: str) -> None:
    assert gate(text, STANDARD) is None


@pytest.mark.parametrize(
    "text",
    ["«sorry»", "_root_.sorryAx", "x.sorry", "1sorry", "(sorry)", "by{sorry}", "sorry;", "·sorry", "⟨_,sorry⟩"],
)
def test_words_that_lean_may_read(text: str) -> None:
    assert reason(text) is Reason.SORRY


@pytest.mark.parametrize(
    "text",
    [
        "rw [<--sorry\n]",
        's!"{sorry}"',
        "def c := '\"'\nsorry\ndef d := '\"'",
        'def s := r"\\"\nsorry\ndef u := "\\""',
        "/- open\nsorry",
        "x//- \nsorry -/",
        '"a\\" -- " ++ sorry ++ "',
    ],
)
def test_where_the_text_is_unclear_words_in_comments_count(text: str) -> None:
    assert reason(text) is Reason.SORRY


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("@[simp] theorem", False),
        ("@[simp, grind =] theorem", False),
        ("@[local simp ←, ext] theorem", False),
        ("attribute [local instance] foo", False),
        ("attribute [-simp, -instance] foo", False),
        ("attribute [simp] foo in", False),
        ("@[simp, macro foo] def", True),
        ("@[implemented_by f] def", True),
        ('@[extern "f"] def', True),
        ("@[csimp] theorem", True),
        ("@[init] def", True),
        ("@[tactic foo] def", True),
        ("@[local command_elab foo] def", True),
        ("attribute [term_elab foo] bar", True),
        ("attribute\n  [«term_elab» foo] bar", True),
        ("@[app_unexpander foo] def", True),
        ("@[simp,\n  export foo] def", True),
    ],
)
def test_attributes(text: str, refused: bool) -> None:
    assert reason(text) is (Reason.PROGRAM if refused else None)


def test_attributes_behind_a_bracket_in_a_string() -> None:
    assert reason('@[deprecated "]{", init] def later : IO ℕ := pure 1') is Reason.PROGRAM


@pytest.mark.parametrize(
    ("policy", "text", "expected"),
    [
        (Policy(compiler=True), "by native_decide", None),
        (Policy(compiler=True), "by decide +native", None),
        (Policy(compiler=True), "by native_decide <;> sorry", Reason.SORRY),
        (Policy(compiler=True), "by apply?", Reason.SEARCH),
        (Policy(search=True), "by apply?", None),
        (Policy(search=True), "by exact?", None),
        (Policy(search=True), "by native_decide", Reason.COMPILER),
        (Policy(search=True, compiler=True, answers=True), "axiom a : False", Reason.AXIOM),
        (Policy(search=True, compiler=True, answers=True), "run_cmd x", Reason.PROGRAM),
        (Policy(search=True, compiler=True, answers=True), "set_option debug.byAsSorry true", Reason.OPTION),
    ],
)
def test_policies(policy: Policy, text: str, expected: Reason | None) -> None:
    assert reason(text, policy) is expected


@pytest.mark.parametrize(
    "text",
    [
        "by decide +native",
        "by decide + native",
        "by decide (config := { native := true })",
        "by decide (native:=true)",
    ],
)
def test_the_compiler_through_options_of_decide(text: str) -> None:
    assert reason(text) is Reason.COMPILER


@pytest.mark.parametrize(
    "text",
    [
        "set_option debug.skipKernelTC true",
        "set_option debug.byAsSorry true in",
        "set_option\n  debug.proofAsSorry true",
        "set_option «debug».skipKernelTC true",
        "set_option «debug.skipKernelTC» true",
        "set_option /- -/ debug.skipKernelTC true",
        "set_option interpreter.prefer_native true",
    ],
)
def test_options(text: str) -> None:
    assert reason(text) is Reason.OPTION


def test_the_first_finding_is_named_with_its_line() -> None:
    refusal = gate("theorem t : 1 = 2 := by\n  -- sorry\n  first\n  | admit\n  | native_decide", STANDARD)
    assert refusal is not None
    assert (refusal.reason, refusal.detail) == (Reason.SORRY, "`admit` in line 4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("by sorry", True), ("by admit", True), ("by rfl -- sorry", False), ('"sorry"', False), ("sorry'", False)],
)
def test_uses_sorry(text: str, expected: bool) -> None:
    assert uses_sorry(text) is expected


@given(st.integers(0, len(TOKENS)), st.sampled_from(ONE_OF_EACH), st.sampled_from([" ", "\n", "  "]))
def test_a_word_spliced_into_honest_code_is_found(place: int, found: tuple[Reason, str], blank: str) -> None:
    expected, word = found
    text = " ".join(TOKENS[:place]) + f"{blank}{word}{blank}" + " ".join(TOKENS[place:])
    assert reason(text) is expected


@given(
    st.integers(0, len(TOKENS)),
    st.lists(st.sampled_from([*ALL_WORDS, "theorem", ":=", "by", '"', "'", "é"]), min_size=1, max_size=6),
    st.sampled_from(["/- {} -/", "/- /- {} -/ -/", "/-- {} -/", "-- {}\n", "\n-- {}\n"]),
)
def test_words_in_a_comment_spliced_into_honest_code_are_not(place: int, words: list[str], comment: str) -> None:
    spliced = comment.format(" ".join(words))
    text = " ".join([*TOKENS[:place], spliced, *TOKENS[place:]])
    assert gate(text, STANDARD) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    refusal = gate(text, STANDARD)
    assert refusal is None or refusal.rung is Rung.LEXICAL
