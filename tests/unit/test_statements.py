"""Statements out of every shape in which Lean text and benchmark rows come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.signatures import BinderKind
from pythagoras.lean.statements import Binder, Statement, parse, parse_statement, parse_with_lean, statement_from_row
from pythagoras.lean.wire import Answer

SIGNATURE = "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b"
ENDINGS = [
    *(":= sorry", ":= by sorry", ":= by\n  sorry", ":=\nsorry", ":=\n  sorry\n", ":= by", ":= by\n", ":=", "", "\n"),
    *(":= by omega", ":= by\n  have h' : a = a := rfl\n  omega", ":= fun x => x", "-- the end\n := by", "/- := -/"),
    ":= by\n  let ⟨x, y⟩ := foo\n  simp\n\ndef later := 3\n\nexample : 1 = 1 := rfl",
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_proof_is_cut_off_whatever_it_is(ending: str) -> None:
    found = parse_statement(f"{SIGNATURE} {ending}")
    assert found.name == "t"
    assert found.text == SIGNATURE
    assert found.goal == "a + 1 ≤ b"
    assert [binder.text for binder in found.binders] == ["(a b : ℕ)", "(h : a < b)"]
    assert found.context == ""
    assert found.source == f"{SIGNATURE} := sorry\n"


GOALS = [
    "let x := 2; x = 2",
    "let x : ℕ := 2\n  x = 2",
    "∀ n, let x := n; let y := x; y = n",
    "have h := foo; h = h",
    "(let x := 2; x) = 2",
    "∃ f : ℕ → ℕ, f = fun x => if x = 2 then 3 else 4",
    "∑ x in s, f x = ∑ x ∈ s, f x",
    "{x | x = 1} = {x : ℕ | x ∈ {y | y = 1}}",
    "({ a := 1, b := 2 } : S) = { a := 1, b := 2 }",
    "f (x := 3) = 3",
    'f "theorem u : False := sorry" = "a := b"',
    "c = ':' ∧ d = '\"'",
    "a -- := sorry\n  = b",
    "a /- theorem u : 1 = 2 := /- := -/ -/ = b",
    "show True from trivial",
    "|a| ≤ |b| ∧ |(a : ℤ) - b| = 2",
    "match n with\n  | 0 => True\n  | _ + 1 => False",
    "open Nat in n ! = 3",
    "«theorem» = «a := b»",
    "x.theorem = Foo.def",
    "⟨1, by decide⟩ = (⟨1, by let y := 2; decide⟩ : Fin 3)",
    "f⁻¹' {x} = A ∧ f '' A = B",
    "∀ x y : ℝ, x ≠ y → ∃! z, z * x = y",
    "(fun (x : ℕ := 3) => x) = id",
]


@pytest.mark.parametrize("ending", [":= by sorry", ":=\nsorry\n", ""])
@pytest.mark.parametrize("goal", GOALS)
def test_goals_end_at_their_own_sign(goal: str, ending: str) -> None:
    found = parse_statement(f"theorem t (n : ℕ) : {goal} {ending}")
    assert found.goal == goal
    assert found.text == f"theorem t (n : ℕ) : {goal}"


BINDERS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "(x y : ℕ)": (("x", "y"), "ℕ", "explicit"),
    "(x)": (("x",), "", "explicit"),
    "x": (("x",), "", "explicit"),
    "_": (("_",), "", "explicit"),
    "(_ : 1 = 1)": (("_",), "1 = 1", "explicit"),
    "{α : Type*}": (("α",), "Type*", "implicit"),
    "{α β}": (("α", "β"), "", "implicit"),
    "⦃s⦄": (("s",), "", "strict implicit"),
    "⦃s : Set ℕ⦄": (("s",), "Set ℕ", "strict implicit"),
    "{{s : Set ℕ}}": (("s",), "Set ℕ", "strict implicit"),
    "[Fact p.Prime]": ((), "Fact p.Prime", "instance"),
    "[inst : Fact p.Prime]": (("inst",), "Fact p.Prime", "instance"),
    "[DecidablePred fun x : ℕ => x = 1]": ((), "DecidablePred fun x : ℕ => x = 1", "instance"),
    "(x : ℕ := 3)": (("x",), "ℕ", "explicit"),
    "(h : x = 3 := by simp)": (("h",), "x = 3", "explicit"),
    "(h : ∀ x : ℕ, (x : ℤ) = 2)": (("h",), "∀ x : ℕ, (x : ℤ) = 2", "explicit"),
    "(h : let y := 2; y = 2)": (("h",), "let y := 2; y = 2", "explicit"),
    "(h₀' : x -- a comment )\n = 2)": (("h₀'",), "x -- a comment )\n = 2", "explicit"),
    "(«a b» : ℕ)": (("«a b»",), "ℕ", "explicit"),
    "(h : s = {x | x < 2})": (("h",), "s = {x | x < 2}", "explicit"),
    '(h : s = ")")': (("h",), 's = ")"', "explicit"),
    "(\n  x : ℕ\n  )": (("x",), "ℕ", "explicit"),
}


@pytest.mark.parametrize("text", BINDERS)
def test_binders(text: str) -> None:
    found = parse_statement(f"theorem t (first : ℕ) {text} (last : ℕ) : True := trivial")
    _, binder, _ = found.binders
    assert (binder.names, binder.type, binder.kind) == BINDERS[text]
    assert binder.text == text


NAMES: dict[str, tuple[str, str]] = {
    "theorem foo.bar : 1 = 1": ("foo.bar", "1 = 1"),
    "theorem foo.{u, v} (α : Type u) : 1 = 1": ("foo", "1 = 1"),
    "theorem «odd name» : 1 = 1": ("«odd name»", "1 = 1"),
    "theorem A.«b c».d₁' : 1 = 1": ("A.«b c».d₁'", "1 = 1"),
    "theorem φ_λ' : 1 = 1": ("φ_", ""),
    "lemma foo : 1 = 1": ("foo", "1 = 1"),
    "private theorem foo : 1 = 1": ("foo", "1 = 1"),
    "@[simp] theorem foo : 1 = 1": ("foo", "1 = 1"),
    "@[simp, grind =] protected lemma foo : 1 = 1": ("foo", "1 = 1"),
    "open Nat in theorem foo : 1 = 1": ("foo", "1 = 1"),
    "set_option maxRecDepth 9 in\nopen Nat in\n@[simp]\ntheorem foo : 1 = 1": ("foo", "1 = 1"),
    "variable (n : ℕ) in\ntheorem foo : n = n": ("foo", "n = n"),
}


@pytest.mark.parametrize("text", [text for text in NAMES if NAMES[text][1]])
def test_names_and_modifiers(text: str) -> None:
    found = parse_statement(f"def before := 1\n{text} := by simp")
    assert (found.name, found.goal) == NAMES[text]
    assert found.text == text
    assert found.context == "def before := 1"


def test_a_sign_is_no_letter() -> None:
    with pytest.raises(InputError, match="no type"):
        parse_statement("theorem φ_λ' : 1 = 1")


def test_a_docstring_is_taken_out_wherever_it_stands() -> None:
    for text in (
        "/-- Says /- nested -/ this. -/\ntheorem t : 1 = 1",
        "open Nat in\n/-- Says this. -/\n@[simp] theorem t : 1",
    ):
        found = parse_statement(text + " := rfl")
        assert found.docstring.startswith("Says")
        assert found.docstring.endswith("this.")
        assert "Says" not in found.source
    assert found.text == "open Nat in\n@[simp] theorem t : 1"


PUTNAM = """import Mathlib
import Aesop -- theorem in a comment

open MeasureTheory Set
open scoped Real

-- Note: theorem note : False := sorry
noncomputable abbrev p_solution : ℝ → Set ℕ := sorry
-- fun x => {1, 2}
/-- not an answer -/
def p_helper (n : ℕ) : ℕ := n + 1
abbrev p_other : ℕ := by
  sorry
/--
What is $p$?
-/
theorem p
    (n : ℕ)
    (hn : 0 < n) :
    p_helper n ∈ p_solution 0 :=
  sorry
"""


def test_a_putnam_file() -> None:
    found = parse_statement(PUTNAM)
    assert found.imports == ("Mathlib", "Aesop")
    assert found.answers == ("p_solution", "p_other")
    assert found.docstring == "What is $p$?"
    assert found.text == "theorem p\n    (n : ℕ)\n    (hn : 0 < n) :\n    p_helper n ∈ p_solution 0"
    assert found.context == (
        "open MeasureTheory Set\n\nopen scoped Real\n\n"
        "noncomputable abbrev p_solution : ℝ → Set ℕ := sorry\n\n"
        "/-- not an answer -/\ndef p_helper (n : ℕ) : ℕ := n + 1\n\nabbrev p_other : ℕ := by\n  sorry"
    )
    assert "{1, 2}" not in found.source


NAMESPACES = """
namespace A.B
theorem one : 1 = 1 := rfl
section inner
variable {x : ℕ}
theorem two (h : x = 2) : x = 2 := by
  have h' : x = 2 := h
  exact h'
#eval 3
example : 1 = 1 := rfl
end inner
abbrev two_solution : ℕ := sorry
noncomputable section
theorem three : 3 = two_solution := sorry
end
end B
theorem four : 4 = 4 := sorry
theorem _root_.five : 5 = 5 := sorry
end A
theorem six : 6 = 6 := sorry theorem seven : 7 = 7 := sorry
"""


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *(("A.B.one", "A.B.one"), ("one", "A.B.one"), ("two", "A.B.two"), ("three", "A.B.three"), ("four", "A.four")),
        *(("A.four", "A.four"), ("five", "five"), ("_root_.five", "five"), ("six", "six"), (None, "seven")),
    ],
)
def test_theorems_are_found_by_name_in_their_namespace(asked: str | None, name: str) -> None:
    assert parse_statement(NAMESPACES, name=asked).name == name


def test_what_came_before_stays_in_the_context() -> None:
    assert parse_statement(NAMESPACES, name="one").context == "namespace A.B"
    found = parse_statement(NAMESPACES, name="three")
    assert found.answers == ("A.B.two_solution",)
    assert found.context.startswith("namespace A.B\n\ntheorem one : 1 = 1 := rfl\n\nsection inner\n\nvariable {x : ℕ}")
    assert found.context.endswith("exact h'\n\nend inner\n\nabbrev two_solution : ℕ := sorry\n\nnoncomputable section")
    assert parse_statement(found.source, name="three") == found


def test_indentation_survives() -> None:
    source = "namespace A\n  def f : ℕ → ℕ\n    | 0 => 1\n    | n => n\n  theorem t : f 0 = 1 := rfl\nend A"
    found = parse_statement(source)
    assert found.context == "namespace A\n\n  def f : ℕ → ℕ\n    | 0 => 1\n    | n => n"
    assert found.name == "A.t"


@pytest.mark.parametrize(
    ("source", "name", "says"),
    [
        ("", None, "no theorem in the text"),
        ("example : 1 = 1 := rfl", None, "no theorem in the text"),
        ("-- theorem t : 1 = 1\ndef x := \"theorem t : 1\"", None, "no theorem in the text"),
        ("theorem one : 1 = 1", "ones", "did you mean 'one'"),
        ("theorem t := rfl", None, "theorem t has no type"),
        ("theorem t (x : ℕ)", None, "theorem t has no type"),
        ("theorem t (x : ℕ) :", None, "nothing behind its `:`"),
        ("theorem t : := rfl", None, "nothing behind its `:`"),
        ("theorem t : ∀ n : ℕ, n = n\n  | 0 => rfl\n  | n + 1 => rfl", None, "without `:=`"),
        ("theorem t : A ∧ B where\n  left := a\n  right := b", None, "without `:=`"),
        ("mutual\ntheorem t : 1 = 1 := rfl\nend", None, "mutual block"),
    ],
)  # fmt: skip
def test_what_is_no_statement_is_refused(source: str, name: str | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_statement(source, name=name)


def test_hypotheses_are_told_from_variables() -> None:
    found = parse_statement(
        "theorem t {α : Type*} [Fintype α] (x y : ℕ) (f : ℕ → ℕ) (S : Set {n : ℕ | n < 3}) (h : ℝ) (hp : x.Prime)"
        " (h₀ : x < y) (bound : ∀ x, f x ∣ y) (hf : Continuous f) (hi : Function.Injective f) (P : ℕ → Prop)"
        " ⦃hs : x ∈ S⦄ (height : ℝ) : x = y"
    )
    assert [binder.names[0] for binder in found.hypotheses] == ["hp", "h₀", "bound", "hf", "hi", "hs"]


HEADER = "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat\n\n"
CONTEXT = "set_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat"
DOC = "/-- Show it.-/\n"
ROWS: dict[str, dict[str, object]] = {
    "DeepSeek": {
        "name": "t", "split": "valid", "informal_prefix": DOC, "formal_statement": f"{SIGNATURE} := by\n",
        "goal": "a b : ℕ\n⊢ a + 1 ≤ b", "header": HEADER,
    },
    "Goedel": {
        "name": "t", "informal_prefix": DOC, "formal_statement": f"{HEADER}{DOC}{SIGNATURE} := by\n", "split": "test",
        "lean4_code": f"{HEADER}{DOC}{SIGNATURE} := by sorry", "problem_id": "t",
    },
    "only code": {"problem_id": "t", "informal_prefix": DOC, "lean4_code": f"{HEADER}{SIGNATURE} := by sorry"},
    "MOBench": {
        "name": "t", "solved": False, "tags": ["algebra"], "problem_id": "t", "header": HEADER, "informal_prefix": DOC,
        "formal_statement": f"{SIGNATURE} := by sorry", "split": "test", "category": "x",
        "lean4_code": f"{HEADER}{SIGNATURE} := by sorry",
    },
    "AI-MO": {"name": "t", "informal_prefix": DOC, "formal_statement": f"{HEADER}{DOC}{SIGNATURE} := by sorry"},
    "STP": {
        "name": "t", "formal_statement": f"{SIGNATURE} :=", "informal_prefix": DOC, "header": HEADER,
        "split": "putnam bench", "tags": [],
    },
    "PutnamBench": {
        "name": "t", "lean4_statement": f"{HEADER}\n{DOC}{SIGNATURE} :=\nsorry\n", "informal_statement": "Show it.",
        "informal_solution": "None.", "tags": ["algebra"], "coq_statement": "", "isabelle_statement": "",
    },
    "Pythagoras": {
        "Question": "Show it.", "Source": "x", "Formal Statement": f"{HEADER}{SIGNATURE} := by sorry",
        "Formal Proof": "...", "Difficulty": 3,
    },
    "file": {"name": "t", "source": f"{HEADER}{DOC}{SIGNATURE} :=\nsorry\n"},
    "another name": {"name": "problem 7", "header": HEADER, "informal_prefix": DOC, "formal_statement": SIGNATURE},
    "lemmas around it": {
        "name": "t", "header": HEADER, "informal_prefix": DOC,
        "formal_statement": f"{SIGNATURE} := by sorry\ntheorem later : 1 = 1 := rfl",
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", ROWS)
def test_rows(shape: str) -> None:
    found = statement_from_row(ROWS[shape], header="none")
    assert (found.name, found.text, found.context) == ("t", SIGNATURE, CONTEXT)
    assert found.imports == ("Mathlib", "Aesop")
    assert found.docstring == "Show it."
    assert found.header == "none"


def test_an_informal_text_can_not_swallow_the_statement() -> None:
    found = statement_from_row({"informal_prefix": "/-- open /- comment", "formal_statement": SIGNATURE})
    assert (found.text, found.docstring) == (SIGNATURE, "open /- comment")


def test_a_row_whose_theorem_has_no_name_is_refused() -> None:
    with pytest.raises(InputError, match="there is no theorem in the text"):
        statement_from_row({"name": "b", "formal_statement": "no theorem"})


def test_a_row_without_lean_is_refused() -> None:
    with pytest.raises(InputError, match="fields 'name', 'formal_statement', and one of"):
        statement_from_row({"name": "t", "formal_statement": None})


def test_windows_lines_are_lines() -> None:
    assert parse_statement(PUTNAM.replace("\n", "\r\n")) == parse_statement(PUTNAM)


# --- Lean's parser, as a fake ------------------------------------------------------------------


def lean_says(goal: str) -> FakeChecker:
    """A Lean that sees `goal` as the type, wherever that is."""

    def answer(check: Check) -> Answer:
        name, type_start = check.code.index("t "), check.code.index(goal)
        signature = {
            "start": check.code.index("theorem"), "name": {"start": name, "end": name + 1}, "binders": [],
            "type": {"start": type_start, "end": type_start + len(goal)}, "value": len(check.code) - 8, "doc": None,
        }  # fmt: skip
        place = {"line": 1, "column": 0}
        command = {"kind": "theorem", "name": "t", "pos": place, "endPos": place, "declares": []}
        return Answer.model_validate({"commands": [{**command, "signature": signature}]})

    return FakeChecker(answer)


def test_lean_s_reading_wins() -> None:
    checker = lean_says("1 = 1 odd")
    assert parse("import Mathlib\nopen Nat\ntheorem t : 1 = 1 odd := sign", checker).goal == "1 = 1 odd"
    (check,) = checker.asked
    assert check.code == "              \nopen Nat\ntheorem t : 1 = 1 odd := sign"
    assert check.signatures
    assert "program" in check.refuse


def test_without_a_proof_lean_gets_one() -> None:
    checker = lean_says("1 = 1")
    assert parse("theorem t : 1 = 1 -- that is all", checker).goal == "1 = 1"
    assert checker.asked[0].code == "theorem t : 1 = 1 := sorry"


@pytest.mark.parametrize("answer", [Answer(), RuntimeError("broken")])
def test_where_lean_can_not_read_words_do(answer: Answer | Exception) -> None:
    checker = FakeChecker(lambda _: answer)
    assert parse_with_lean(SIGNATURE, checker) is None
    assert parse(SIGNATURE, checker) == parse(SIGNATURE) == parse_statement(SIGNATURE)


# --- round trips -------------------------------------------------------------------------------

BLANKS = st.sampled_from([" ", "\n  ", " -- := theorem (\n", " /- ) : /- -/ := -/ ", "\t", "  "])
IDENTIFIERS = st.sampled_from(["x", "y₁", "h'", "α", "ε", "«a : b»", "_", "hx_1", "𝓝", "ℓ"])
TERMS = st.recursive(
    st.sampled_from(["x", "1", "ℕ", '"a := b"', "f x.1", "'c'", "|x|", "⌊x⌋", "x⁻¹", "¬p", "Foo.«bar baz»"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" = ", " → ", " ∧ ", "\n  + ", " ∣ ", " :: "]), inner).map("".join),
        st.tuples(st.sampled_from(["∀ x : ℕ, ", "∃ y > 0, ", "fun x ↦ ", "∑ i ∈ s, ", "let z := 1; "]), inner).map(
            "".join
        ),
        inner.map("({})".format),
        inner.map("{{x : ℕ | {}}}".format),
        inner.map("(a := {})".format),
        inner.map("⟨{}, 1⟩".format),
    ),
    max_leaves=6,
)
BRACKETS: dict[BinderKind, tuple[str, str]] = {
    "explicit": ("(", ")"), "implicit": ("{", "}"), "strict implicit": ("⦃", "⦄"), "instance": ("[", "]"),
}  # fmt: skip


@st.composite
def binders(draw: st.DrawFn) -> Binder:
    kind = draw(st.sampled_from(list(BRACKETS)))
    opening, close = BRACKETS[kind]
    names = draw(st.lists(IDENTIFIERS, min_size=1, max_size=1 if kind == "instance" else 3))
    type_ = draw(TERMS)
    blank = draw(BLANKS)
    text = f"{opening}{blank}{blank.join(names)}{blank}:{blank}{type_}{blank}{close}"
    return Binder(tuple(names), type_, kind, text)


@given(
    st.lists(binders(), max_size=4), TERMS, st.lists(BLANKS, min_size=4, max_size=4), st.sampled_from(ENDINGS[:9]),
    st.sampled_from(["", "@[simp] ", "open Nat in\n", "private "]),
)  # fmt: skip
def test_what_is_put_together_comes_apart(
    parts: list[Binder], goal: str, blanks: list[str], ending: str, prefix: str
) -> None:
    between, before_colon, behind_colon, last = blanks
    groups = "".join(between + part.text for part in parts)
    text = f"{prefix}theorem A.t{groups}{before_colon}:{behind_colon}{goal}"
    found = parse_statement(f"import X\n/-- doc -/\n{text}{last}{ending}")
    assert found == Statement("A.t", text, "", "core", ("X",), "doc", tuple(parts), goal)
    assert (found.binders, found.goal) == (tuple(parts), goal)
    again = parse_statement(found.source)
    assert (again.text, again.binders, again.goal, again.name) == (found.text, found.binders, found.goal, found.name)


@given(st.text(alphabet="theorem lemma :=()[]{}⦃⟨|\"'/-\n«»@.#∀,x", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_statement("theorem t : " + text)
    except InputError:
        return
    assert found.goal
