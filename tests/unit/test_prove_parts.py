"""What proving is made of: texts with open theorems, proofs as they are judged, counterexamples, hints, opening."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import HostDied, InputError
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.statements import Statement, parse_statement
from pythagoras.lean.submission import prepare
from pythagoras.lean.verdict import STANDARD, Refusal
from pythagoras.lean.verifier import Judged, Submission
from pythagoras.lean.wire import Answer
from pythagoras.prove import opening
from pythagoras.prove.candidates import candidate
from pythagoras.prove.errand import Errand, Over
from pythagoras.prove.hints import hinted
from pythagoras.prove.later import Later
from pythagoras.prove.opening import Means, one_liners, open_prover
from pythagoras.prove.refusal import StatementRefused
from pythagoras.prove.refuting import counterexample
from pythagoras.prove.sheet import Sheet

TEXT = """import Mathlib

/-- Doubles. -/
def double (n : ℕ) : ℕ := 2 * n

#eval double 3

/-- It is even. -/
theorem double_even (n : ℕ) : double n % 2 = 0 := by
  -- not yet
  sorry

namespace Foo

lemma swap (p q : Prop) : p ∧ q → q ∧ p := sorry

end Foo

theorem partly (a : ℕ) : a = a := by
  have h : a = a := sorry
  exact h

theorem done (a : ℕ) : a = a := rfl
"""


def sheet(text: str = TEXT) -> Sheet:
    return Sheet(text)


def taken(statement: Statement, text: str) -> Judged:
    """What a verifier hands out for a proof, but for the verdict."""
    return Judged(Submission(statement, text), None)


def lean(answer: dict[str, Any]) -> FakeChecker:
    return FakeChecker(lambda check: Answer.model_validate(answer))


# --- texts -------------------------------------------------------------------------------------------


def test_theorems_whose_whole_proof_is_sorry_are_open() -> None:
    assert [(one.name, one.line) for one in sheet().open] == [("double_even", 9), ("Foo.swap", 15)]


@pytest.mark.parametrize(
    "ending", ["", " :=", " := by", " := sorry", " := by sorry", " := by\n  sorry", "\n  := -- later\n  by sorry"]
)
def test_a_theorem_without_a_proof_is_open(ending: str) -> None:
    made = sheet(f"theorem t (a : ℕ) : a = a{ending}")
    assert [one.name for one in made.open] == ["t"]
    found = made.statement("t")
    assert (found.text, found.context) == ("theorem t (a : ℕ) : a = a", "")
    made.fill("t", taken(found, "by rfl"))
    assert made.text == "theorem t (a : ℕ) : a = a := by rfl"
    asked = lean({})
    sheet(f"theorem t (a : ℕ) : a = a{ending}").check(asked)
    assert asked.asked[0].code.split()[-1] == "sorry"


def test_what_stands_before_is_the_context_and_proofs_join_it() -> None:
    made = sheet()
    first = made.statement("double_even")
    assert first.context == "/-- Doubles. -/\ndef double (n : ℕ) : ℕ := 2 * n"
    assert "double_even" not in made.statement("Foo.swap").context
    made.fill("double_even", taken(first, "by simp [double]"))
    second = made.statement("Foo.swap")
    assert "theorem double_even (n : ℕ) : double n % 2 = 0 := by simp [double]\n\nnamespace Foo" in second.context
    made.fill("Foo.swap", taken(second, "fun h => ⟨h.2, h.1⟩"))
    before, after = TEXT.split("\n"), made.text.split("\n")
    assert [line for line in before if line not in after] == [
        "theorem double_even (n : ℕ) : double n % 2 = 0 := by",
        "  -- not yet",
        "  sorry",
        "lemma swap (p q : Prop) : p ∧ q → q ∧ p := sorry",
    ]
    assert "/-- It is even. -/\ntheorem double_even (n : ℕ) : double n % 2 = 0 := by simp [double]\n\nname" in made.text
    assert "lemma swap (p q : Prop) : p ∧ q → q ∧ p := fun h => ⟨h.2, h.1⟩\n\nend Foo" in made.text


def test_lemmas_that_a_proof_brings_go_before_the_theorem_and_its_docstring() -> None:
    made = sheet("/-- Doc. -/\ntheorem t : 1 = 1 := sorry\n")
    brought = "lemma one : 1 = 1 := rfl\n\ntheorem t : 1 = 1 := by\n  exact one"
    made.fill("t", taken(made.statement("t"), brought))
    assert made.text == "lemma one : 1 = 1 := rfl\n\n/-- Doc. -/\ntheorem t : 1 = 1 := by exact one\n"


def test_lean_is_asked_about_the_text_with_all_places_kept() -> None:
    asked = lean({})
    made = sheet(TEXT.replace("\n", "\r\n"))
    made.check(asked)
    [check] = asked.asked
    assert "import" not in check.code
    assert "#eval" not in check.code
    lines = check.code.split("\n")
    assert lines[8] == "theorem double_even (n : ℕ) : double n % 2 = 0 := by"
    assert lines[14].startswith("lemma swap")


def test_an_error_of_leans_is_told_where_the_user_sees_it() -> None:
    error = {"severity": "error", "pos": {"line": 2, "column": 20}, "data": "unexpected token\nand more"}
    with pytest.raises(StatementRefused, match="line 2, column 21: unexpected token: ") as caught:
        sheet("\ntheorem t (a : ℕ) : a + = a").check(lean({"messages": [error]}))
    assert (caught.value.line, caught.value.column) == (2, 20)
    assert caught.value.message == "unexpected token\nand more"


def test_an_error_behind_the_last_open_theorem_does_not_matter() -> None:
    error = {"severity": "error", "pos": {"line": 3, "column": 0}, "data": "wrong"}
    text = "theorem t : 1 = 1 := sorry\n\ntheorem u : 1 = 2 := rfl\n"
    sheet(text).check(lean({"messages": [error]}))
    with pytest.raises(StatementRefused):
        sheet(text + "\ntheorem v : 1 = 1 := sorry\n").check(lean({"messages": [error]}))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theorem t : 1 = 1 := rfl", "nothing to prove"),
        ("", "nothing to prove"),
        ("theorem t : 1 = 1 := sorry\ntheorem t : 2 = 2 := sorry", "two theorems are called t"),
        ("mutual\ntheorem t : 1 = 1 := sorry\nend", "mutual block"),
    ],
)
def test_what_can_not_be_proved_is_said(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        sheet(text).check(lean({}))


def test_programs_in_a_text_are_refused() -> None:
    with pytest.raises(InputError, match="the text has an axiom, which nothing may have"):
        sheet("axiom a : False\ntheorem t : False").check(lean({"refused": {"kind": "axiom", "syntax": "an axiom"}}))


def test_a_lean_that_breaks_says_nothing_about_the_text() -> None:
    with pytest.raises(HostDied, match="broke down"):
        sheet().check(FakeChecker(lambda check: HostDied("gone")))


def test_a_sorry_inside_of_a_proof_is_told() -> None:
    assert sheet().partly == ("partly",)


def test_definitions_without_a_body_are_left_out_unless_the_theorem_needs_them() -> None:
    made = sheet("def f : ℕ := sorry\n\ndef g : ℕ := 1\n\ntheorem t : g = 1 := sorry\n\ntheorem u : f = 1 := sorry")
    found = made.statement("t")
    assert (found.context, found.answers) == ("def g : ℕ := 1", ())
    with pytest.raises(InputError, match="u rests on f, whose own body is `sorry`"):
        made.statement("u")


def test_modules_that_are_not_mathlibs_are_told() -> None:
    assert sheet("import Mathlib.Tactic\nimport Aesop\ntheorem t : 1 = 1").foreign == ()
    assert sheet("import Std.Data\ntheorem t : 1 = 1").foreign == ("Std.Data",)


def test_on_mathlib_a_text_stands_on_the_header_that_it_begins_as() -> None:
    scope = "set_option maxHeartbeats 400000\nopen BigOperators Real Nat Topology Rat\n"
    made = Sheet(f"import Mathlib\nimport Aesop\n{scope}\ntheorem t : 1 = 1", "mathlib")
    assert (made.statement("t").header, made.statement("t").context) == ("mathlib", "")
    bare = Sheet("import Mathlib\nopen Nat\ntheorem t : 1 = 1", "mathlib").statement("t")
    assert (bare.header, bare.context) == ("mathlib-bare", "open Nat")


# --- proofs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "proof"),
    [
        ("omega", "by omega"),
        ("by omega", "by omega"),
        (":= by\n  omega  \n", "by omega"),
        ("```lean4\ntheorem t (a : ℕ) : a = a := by\n  omega\n```", "by omega"),
        ("by\n  intro\n  omega", "by\n  intro\n  omega"),
        ("fun h => h", "fun h => h"),
        ("theorem t (a : ℕ) : a = a\n  | 0 => rfl\n  | n + 1 => rfl", "| 0 => rfl\n  | n + 1 => rfl"),
    ],
)
def test_a_proof_is_taken_out_of_what_was_written(written: str, proof: str) -> None:
    statement = parse_statement("theorem t (a : ℕ) : a = a")
    found = candidate(statement, written)
    assert found is not None
    assert found.proof == proof
    made = prepare(statement, found.text, STANDARD)
    assert not isinstance(made, Refusal)
    assert made.text.split() == found.theorem.split()  # what is handed out is what Lean was asked
    assert candidate(statement, found.text) == found


@pytest.mark.parametrize("written", ["", "```lean\n```", "-- nothing\n", "x" * 300_000])
def test_what_holds_no_proof_is_none(written: str) -> None:
    statement = parse_statement("theorem t (a : ℕ) : a = a")
    found = candidate(statement, written)
    assert found is None or isinstance(prepare(statement, found.text, STANDARD), Refusal)


def test_only_what_is_new_is_brought() -> None:
    statement = parse_statement("def f : ℕ := 1\n\ntheorem t : f = 1 := sorry")
    answer = (
        "import Mathlib\nopen BigOperators Real Nat Topology Rat\n\ndef f : ℕ := 1\n\n"
        "lemma g : f = 1 := rfl\n\ntheorem t : f = 1 := by\n  exact g"
    )
    found = candidate(statement, answer)
    assert found is not None
    assert found.lemmas == "lemma g : f = 1 := rfl"
    assert found.theorem == "lemma g : f = 1 := rfl\n\ntheorem t : f = 1 := by exact g"
    made = prepare(statement, found.text, STANDARD)
    assert not isinstance(made, Refusal)
    assert made.text.strip() == f"def f : ℕ := 1\n\n{found.theorem}"


def test_tactics_are_told_what_the_text_declares() -> None:
    context = "def f : ℕ := 1\n\ndef g : ℕ := 2\n\nlemma l : f = 1 := rfl\n\n"
    found = hinted(parse_statement(f"{context}theorem t : f = 1 := sorry"))
    assert found[:4] == ("simp [f]", "grind [f]", "simp_all [f]", "unfold f; omega")
    assert found[-4:] == ("simp [f, l]", "grind [f, l]", "simp_all [f, l]", "exact l ..")
    assert hinted(parse_statement("theorem t : 1 = 1")) == ()


def test_likely_tactics_come_first_and_each_once() -> None:
    assert one_liners("core")[:2] == ("omega", "simp")
    assert len(set(one_liners("core"))) == len(one_liners("core")) == 15
    assert "norm_num" not in one_liners("core")
    assert "norm_num" in one_liners("mathlib")


# --- counterexamples -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "negation"),
    [
        ("theorem t : 2 + 2 = 5", [], "theorem t_is_false : ¬ (2 + 2 = 5)"),
        ("theorem t (a : ℕ) : a < 3", ["a"], "theorem t_is_false : ¬ (∀ (a : ℕ), a < 3)"),
        ("theorem t (p q : Prop) (h : p → q) : q → p", ["p", "q"], "¬ (∀ (p q : Prop) (h : p → q), q → p)"),
        ("theorem t (x : ℚ) (h : 0 < x) : x < 1", ["x"], "¬ (∀ (x : ℚ) (h : 0 < x), x < 1)"),
        ("def f : ℕ := 1\nnamespace N\ntheorem t (a : ℕ) : a < 3", ["a"], "theorem t_is_false : ¬ (∀ (a : ℕ), a < 3)"),
    ],
)
def test_a_false_statement_has_a_counterexample_and_a_negation(text: str, names: list[str], negation: str) -> None:
    found = counterexample(parse_statement(text))
    assert found is not None
    assert list(found.values) == names
    assert found.negation is not None
    assert negation in found.negation.text
    assert all(f"({name} := " in found.proof for name in names)


def test_what_stands_before_a_theorem_may_change_it_so_lean_is_not_asked() -> None:
    found = counterexample(parse_statement("open Foo in\ntheorem t (a : ℕ) : a < 3"))
    assert found is None or found.negation is None


def test_a_function_is_shown_by_values_and_leans_word_is_not_asked() -> None:
    found = counterexample(parse_statement("theorem t (f : ℕ → ℕ) (h : ∀ n, f n = n + 3) : f 5 = 9"))
    assert found is not None
    assert found.values == {"f": "0 ↦ 3, 1 ↦ 4, 2 ↦ 5, 3 ↦ 6, …"}
    assert found.negation is None


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (a : ℕ) : a < a + 1",
        "theorem t (x : ℝ) : x = 0",
        "theorem t (a b : ℕ) : a - b + b = a",
        "def f (n : ℕ) : ℕ := n\ntheorem t (a : ℕ) : f a = 3",
        "variable (a : ℕ)\ntheorem t : a = 3",
        "open Foo\ntheorem t (a : ℕ) : a = 3",
    ],
)
def test_what_is_true_or_not_read_has_none(text: str) -> None:
    assert counterexample(parse_statement(text)) is None


# --- a Lean that is lent -----------------------------------------------------------------------------------


class SlowLean:
    """Answers when it is told to; checks can be dropped."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.dropped: list[Check] = []

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for check in checks:
            self.go.wait(5)
            yield Checked(check, Status.ANSWERED, Answer(), 0.25)

    def drop(self, check: Check) -> None:
        self.dropped.append(check)


def test_a_lean_that_is_lent_is_counted_and_taken_back() -> None:
    slow = SlowLean()
    errand = Errand(slow)
    ends: list[str] = []

    def ask(code: str) -> None:
        try:
            list(errand.check([Check(code)]))
            ends.append("answered")
        except Over:
            ends.append("over")

    threads = [threading.Thread(target=ask, args=(code,)) for code in ("a", "b")]
    for thread in threads:
        thread.start()
    while len(errand._under_way) < 2:
        time.sleep(0.01)
    errand.end()
    errand.make_room(3)
    errand.make_room(2)
    assert slow.dropped == []
    time.sleep(1.5)
    assert len(slow.dropped) == 1
    slow.go.set()
    for thread in threads:
        thread.join()
    assert ends == ["over", "over"]
    with pytest.raises(Over):
        list(errand.check([Check("c")]))
    other = Errand(slow)
    assert len(list(other.check([Check("c"), Check("d")]))) == 2
    assert other.seconds == 0.5


# --- opening -------------------------------------------------------------------------------------------------


def test_what_is_opened_later_is_opened_once_and_closed_once() -> None:
    happened: list[str] = []

    @contextmanager
    def thing() -> Iterator[int]:
        happened.append("opened")
        yield 7
        happened.append("closed")

    later = Later(thing)
    assert not later.is_open
    assert later.start().result() == later.start().result() == 7
    assert later.is_open
    later.close(wait=True)
    later.close(wait=True)
    assert happened == ["opened", "closed"]


def test_what_is_being_opened_when_it_is_closed_is_closed_behind_that() -> None:
    go, closed = threading.Event(), threading.Event()

    @contextmanager
    def thing() -> Iterator[int]:
        go.wait(5)
        yield 7
        closed.set()

    later = Later(thing)
    later.start()
    later.close(wait=False)
    assert not closed.is_set()
    go.set()
    assert closed.wait(5)


@pytest.fixture
def no_lean(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fake(setting: str, **more: Any) -> Iterator[FakeChecker]:
        yield FakeChecker({})

    monkeypatch.setattr(opening, "open_checker", fake)


@pytest.mark.usefixtures("no_lean")
def test_without_torch_there_is_a_note_and_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else there(name))
    with open_prover() as prover:
        assert prover.notes == ("without a model: embedded needs torch, pip install '.[models]'",)
    with open_prover(Means(model="none")) as prover:
        assert prover.notes == ()


@pytest.mark.usefixtures("no_lean")
@pytest.mark.parametrize(
    ("means", "told"),
    [
        (Means(model="no/such/folder"), "there is no model in no/such/folder"),
        (Means(model="embedded", endpoint="http://localhost:1/v1"), "name one of them"),
        (Means(backend="embeded"), "did you mean 'embedded'"),
        (Means(backend="native:no/such/folder"), "no folder"),
        (Means(prompt="compct"), "did you mean 'compact'"),
    ],
)
def test_what_is_not_there_is_said_at_once(means: Means, told: str) -> None:
    with pytest.raises(InputError, match=told), open_prover(means):
        pytest.fail("it opened")


def test_the_command_reads_files_and_theorems(tmp_path: Path) -> None:
    from pythagoras.cli.prove import _read, _write

    file = tmp_path / "a.lean"
    file.write_bytes("theorem t : 1 = 1 := sorry\r\n-- ∀\r\n".encode())
    file.chmod(0o640)
    assert _read(str(file)) == ("theorem t : 1 = 1 := sorry\n-- ∀\n", file)
    assert _read("theorem t : 1 = 1") == ("theorem t : 1 = 1", None)
    long = f"theorem t : {'1 + ' * 3000}0 = 0"
    assert _read(long) == (long, None)
    for wrong in ("a.lean", "t", "no such file.lean"):
        with pytest.raises(InputError, match="there is no file"):
            _read(wrong)
    _write(file, "theorem t : 1 = 1 := rfl\n", like=file)
    assert file.read_bytes() == b"theorem t : 1 = 1 := rfl\r\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.lean"]
    with pytest.raises(InputError, match="can't be written"):
        _write(tmp_path / "none" / "b.lean", "", like=None)
