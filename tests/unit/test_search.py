"""The tactic search without Lean: its moves, how proofs are written and told, and how it spends its questions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Formalisation, statement_of
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Finish, Hole, Request, Sample
from pythagoras.generate.samplers import open_sampler
from pythagoras.generate.search import TacticSearch
from pythagoras.generate.searching import divisors, equations, finite, functions, inequalities, residues
from pythagoras.generate.searching.asking import Asker
from pythagoras.generate.searching.goals import Goal, opened
from pythagoras.generate.searching.inductions import inductions
from pythagoras.generate.searching.proofs import Case, Proof, Step, body, holes, lines, spare, told, without
from pythagoras.generate.searching.structure import skeleton, substituted
from pythagoras.generate.searching.witnesses import witnesses
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.submission import Assembly, prepare
from pythagoras.lean.verdict import Policy
from pythagoras.lean.wire import Answer, Command, Declaration, Limits, Message, Position

GOAL = Formalisation("two", "theorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b", "handmade")
FIRST = Request(GOAL, 0)
AT = Position(line=1, column=0)


def goal(text: str) -> Goal:
    return opened(parse_statement(f"theorem t {text} := by sorry"))


def first_lines(plan: Proof) -> str:
    """The plan with its open goals left out."""
    return body(plan, lambda _: ["…"])


# --- moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (": ∃ c d : ℤ, 9 = 45 * c + 54 * d", "refine ⟨-1, 1, ?_⟩"),
        (": ∃ a : ℕ, 1764 = a * (a + 13)", "refine ⟨36, ?_⟩"),
        (": ∃ p : ℕ, 720 < p ^ 2 ∧ p ^ 2 < 732", "refine ⟨27, ?_⟩"),
        ("(a : ℕ) : ∃ b : ℕ, 17 + 64 * a ^ 2 + 144 * a = b * (b + 16)", "refine ⟨8 * a + 1, ?_⟩"),
        ("(x y : ℚ) (h : x < y) : ∃ s : ℚ, 40 * (s - x) = 17 * (y - s) ∧ s < y", "refine ⟨(40 * x + 17 * y) / 57, ?_⟩"),
        ("(a b : ℚ) (h : a < b) : ∃ s : ℚ, a < s ∧ s < b", "refine ⟨(a + b) / 2, ?_⟩"),
        ("(x : ℕ) : ∃ y : ℕ, y > x ∧ y % 19 = 4 ∧ y % 13 = 2", "refine ⟨247 * x + 80, ?_⟩"),
        (": ∃ h k : ℚ, ∀ q : ℚ, 4 * q ^ 2 - 8 * q - 1 = 4 * (q + h) ^ 2 + k", "refine ⟨-1, -5, ?_⟩"),
        ("(u : ℤ) (h : 2 ∣ u) : ∃ x y : ℤ, 56 * x - 58 * y = u", "∃ k, u = 2 * k"),
        ("(k : ℕ) (h : k ≥ 23) : ∃ m n : ℕ, 3 * m + 11 * n = k", "exact ⟨(k - 22) / 3, 2, by omega⟩"),
    ],
)
def test_witnesses_are_found_by_computing(text: str, step: str) -> None:
    assert any(step in first_lines(plan) for plan in witnesses(goal(text)))


def test_no_witness_is_made_up() -> None:
    assert not list(witnesses(goal(": ∃ x : ℕ, x ^ 2 = 7")))
    assert not list(witnesses(goal("(n : ℕ) : ∃ x : ℕ, x + n = 3")))


@pytest.mark.parametrize(
    ("move", "text", "step"),
    [
        (inductions, "(n : ℕ) : ∑ i ∈ Finset.range n, i = n * (n - 1) / 2", "| succ n ih =>"),
        (inductions, "(z : ℕ) (h : z ≥ 12) : 2 ^ z > z ^ 2", "induction z, h using Nat.le_induction with"),
        (
            inductions,
            "(f : ℕ → ℤ) (a : f 0 = 1) (b : f 1 = 2) (r : ∀ n, f (n+2) = 3 * f (n + 1) - 2 * f n) (n : ℕ) : f n = 2^n",
            "have key : ∀ n : ℕ, f n = 2 ^ n ∧ f (n + 1 : ℕ) = 2 ^ (n + 1 : ℕ) := by",
        ),
        (
            inductions,
            "(s : ℕ → ℚ) (h : s 0 ≥ -4) (r : ∀ k : ℕ, s (k + 1) ≥ 5 * s k - 28) (n : ℕ) : s n ≥ -11 * 5 ^ n + 5",
            "have key : ∀ n : ℕ, s n ≥ 7 - 11 * 5 ^ n := by",
        ),
        (residues.residues, "(m : ℤ) : 3 ∣ m ^ 3 + 2 * m", "have hm : m % 3 = 0 ∨ m % 3 = 1 ∨ m % 3 = 2 := by omega"),
        (residues.residues, "(m : ℕ) : 3 ∣ m ^ 3 + 2 * m", "have key : ∀ m < 3, (m ^ 3 + 2 * m) % 3 = 0 := by …"),
        (
            residues.residues,
            "(t x : ℤ) (h : 5 * t ^ 2 + 4 * x = -5) : False",
            "(5 * t ^ 2 + 4 * x) % 4 = -5 % 4 := by rw [h]",
        ),
        (
            residues.residues,
            "(p q : ℤ) (h : 2 * p ^ 2 - q ^ 2 = 101) : False",
            "p ^ 2 % 8 = 0 ∨ p ^ 2 % 8 = 1 ∨ p ^ 2 % 8 = 4",
        ),
        (residues.hidden_divisor, "(m : ℤ) : ∃ e, m ^ 3 + 2 * m = 3 * e", "have h : 3 ∣ m ^ 3 + 2 * m := by …"),
        (
            residues.powers,
            "(n : ℕ) (p : n > 0) (h : n % 4 = 0) : 2 ^ n % 10 = 6",
            "∃ k, n = 4 * k + 4 := ⟨(n - 4) / 4, by omega⟩",
        ),
        (substituted, "(x y : ℕ) (h : x = y + 1) (k : 3 = y) : x + y = 7", "subst h k"),
        (residues.powers, "(n : ℕ) : 7 ^ (2 * n + 1) % 8 = 7", "have hp : ∀ n : ℕ, 7 ^ (2 * n + 1) % 8 = 7 := by"),
        (
            divisors.multiples,
            "(d u v : ℕ) (h : d ∣ u) (k : d ∣ v) : d ∣ 2 * u + v ^ 2",
            "refine ⟨b ^ 2 * d + 2 * a, ?_⟩",
        ),
        (
            divisors.greatest,
            "(n : ℕ) : Nat.gcd (22 * n + 309) (n + 14) = 1",
            "rw [show 22 * n + 309 = 1 + 22 * (n + 14) by omega, Nat.gcd_add_mul_right_left]",
        ),
        (
            equations.roots,
            "(n : ℤ) (h : n ^ 2 - n - 6 = 0) : n = 3 ∨ n = -2",
            "have h₁ : (n - 3) * (n + 2) = 0 := by …",
        ),
        (inequalities.squares, "(u : ℚ) : 2 * u ^ 2 + 8 * u + 14 > 0", "have h := sq_nonneg (u + 2)"),
        (inequalities.by_size, "(x : ℕ) (h : x ^ 2 ≤ 671) : x ≤ 25", "have hp : 26 * 26 ≤ x * x"),
        (functions.uses, "(u : ℚ → ℚ) (h : ∀ s, u s + u (9 - s) = s) (t : ℚ) : u t = 1", "have e₁ := h (9 - t)"),
        (finite.between, "(x : ℕ) (h : 3 < x) (k : x < 6) (e : x ∣ 8) : x = 4", "have hv : x = 4 ∨ x = 5 := by omega"),
    ],
)
def test_moves_fit_their_goals(move: Callable[[Goal], object], text: str, step: str) -> None:
    plans = [first_lines(plan) for plan in move(goal(text))]  # type: ignore[attr-defined]
    assert any(step in plan for plan in plans), plans


def test_a_goal_is_taken_apart_by_its_shape() -> None:
    plan = skeleton(goal(": ∀ x : ℤ, (∃ y : ℤ, x = 2 * y ∧ y > 0) → (x > 1 ∧ x ≠ 3) ∧ (x = 2 ↔ x < 3)"))
    assert first_lines(plan) == (
        "by\n"
        "  rintro x ⟨y, h, h₁⟩\n"
        "  refine ⟨?_, ?_, ?_⟩\n"
        "  · …\n"
        "  · intro h₂\n"
        "    …\n"
        "  · constructor\n"
        "    · intro h₂\n"
        "      …\n"
        "    · intro h₂\n"
        "      …"
    )
    assert [str(hole.goal.target) for hole in holes(plan)] == ["x > 1", "False", "x < 3", "x = 2"]


# --- proofs --------------------------------------------------------------------------------------

TREE: Proof = (
    Step("intro n", "Take `n`."),
    Step("have h : n = n := by", "It is itself.", (Case("", (Step("rfl"),)),), spare=True),
    Step(
        "induction n with",
        "By induction.",
        (Case("| zero =>", (Step("simp", "Simplify."),), "At 0"), Case("| succ n ih =>", (Step("a"), Step("b")))),
    ),
)


def test_proofs_are_written_a_step_a_line() -> None:
    assert body(TREE) == (
        "by\n  intro n\n  have h : n = n := by rfl\n  induction n with\n"
        "  | zero => simp\n  | succ n ih =>\n    a\n    b"
    )
    assert told(TREE) == ["Take `n`.", "It is itself.", "By induction.", "At 0: simplify."]
    assert (spare(TREE), body(without(TREE, {0})).count("\n")) == (1, 6)


def test_long_lines_are_broken_where_lean_goes_on_reading() -> None:
    for text in ("(n m : ℤ) : 13 ∣ n ^ 13 + 12 * n", "(n m : ℤ) (h : 6 ∣ n * m) : (n ^ 2 * m + n * m) % 6 = 0"):
        plans = list(residues.residues(goal(text)))
        assert plans
        for plan in plans:
            written = body(plan, lambda hole: [line for closer in hole.closers for line in lines(closer)])
            assert max(map(len, written.split("\n"))) <= 100, written
            assert " ".join(written.split()).count("<;> rcases") == text.count("%") * 3


def test_steps_that_do_the_same_are_told_in_one_sentence() -> None:
    plan = next(inequalities.squares(goal("(x y : ℤ) : x ^ 2 + y ^ 2 ≥ 0")))
    assert told(plan) == ["`(x)^2` and `(y)^2` are not negative."]
    assert told(without(plan, {0})) == ["`(y)^2` is not negative."]
    plan = next(functions.uses(goal("(u : ℚ → ℚ) (h : ∀ s, u s + u (9 - s) = s) (t : ℚ) : u t = 1")))
    assert told(plan) == ["What is given for all arguments is used at `t` and `9 - t`."]
    assert told(without(plan, {0})) == ["What is given for all arguments is used at `9 - t`."]


# --- the search ----------------------------------------------------------------------------------


def answering(closes: Callable[[str], int | None]) -> FakeChecker:
    """A Lean that takes every plan, and closes its first goal by the closer that a function says."""

    def answer(check: Check) -> Answer:
        names = [line.split()[1] for line in check.code.splitlines() if line.startswith("theorem ")]
        which = closes(check.code)
        marks = () if which is None else (Message(severity="info", pos=AT, data=f"#0.{which}"),)
        declared = tuple(Declaration(name=each, kind="theorem", type=None, type_key="", axioms=()) for each in names)
        commands = tuple(Command(kind="theorem", name=each, pos=AT, end_pos=AT, declares=(each,)) for each in names)
        return Answer(messages=marks, declarations=declared, commands=commands)

    return FakeChecker(answer)


def one(checker: FakeChecker, request: Request = FIRST, checks: int = 24) -> Sample:
    [sample] = TacticSearch(checker, checks=checks).sample([request])
    return sample


def test_the_closer_that_lean_marks_is_the_proof() -> None:
    said = {
        "omega": "This is linear arithmetic of whole numbers, which `omega` decides.",
        "rfl": "Both sides are the same by definition.",
        "simp": "Simplifying settles it.",
        "grind": "This follows from what is at hand, and `grind` finds it.",
    }
    checker = answering(lambda code: 1)
    sample = one(checker)
    assert sample.text in [
        f"{words}\n\n### Complete Lean 4 Proof\n\n"
        f"```lean4\ntheorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b := by {tactic}\n```"
        for tactic, words in said.items()
    ]
    assert (len(checker.asked), sample.finish, sample.prompt_tokens) == (1, Finish.STOP, 0)
    assert sample.generated_tokens > 10


def test_where_several_tactics_would_do_each_comes_up() -> None:
    def written(number: int, name: str) -> str:
        goal = Formalisation(name, f"theorem {name} (a b : ℕ) (h : a < b) : a + 1 ≤ b", "handmade")
        checker = answering(lambda code: number)
        text = one(checker, Request(goal, 0)).text
        assert text == one(answering(lambda code: number), Request(goal, 0)).text
        assert len(checker.asked) == 1
        return text.removesuffix("\n```").rpartition(":= by ")[2]

    firsts = Counter(written(0, f"t{number}") for number in range(60))
    assert firsts.keys() == {"omega", "rfl", "simp", "grind"}
    assert min(firsts.values()) > 5
    assert {written(2, f"t{number}") for number in range(60)} == {"omega", "rfl", "simp"}


def test_an_attempt_that_fails_is_whole_lean_without_sorry() -> None:
    checker = answering(lambda code: None)
    for drawn in generate(67, 3, false_share=0.3):
        for number in (0, 1):
            sample = one(checker, Request(drawn.formalisation, number))
            assert sample.finish is Finish.STOP
            prepared = prepare(statement_of(drawn.formalisation), sample.text, Policy())
            assert isinstance(prepared, Assembly), (prepared, sample.text)
            assert "sorry" not in sample.text
            assert "trace" not in sample.text


@pytest.mark.parametrize("checks", [1, 3])
def test_no_more_is_asked_than_allowed(checks: int) -> None:
    goal = Formalisation("sum", "theorem sum (n : ℕ) : ∑ i ∈ Finset.range n, 2 * i = n * n - n", "handmade")
    for number in (0, 1):
        checker = answering(lambda code: None)
        one(checker, Request(goal, number), checks)
        assert len(checker.asked) == checks


def test_the_two_attempts_begin_differently() -> None:
    goal = Formalisation("sum", "theorem sum : ∀ n : ℕ, ∑ i ∈ Finset.range n, 2 * i = n * n - n", "handmade")
    asked = []
    for number in (0, 1):
        checker = answering(lambda code: None)
        one(checker, Request(goal, number), 1)
        asked.append(checker.asked[0].code)
    assert "intro n" not in asked[0]
    assert "intro n" in asked[1]


SQUARES = Request(Formalisation("t", "theorem t (x y : ℤ) : x ^ 2 + y ^ 2 ≥ 0", "handmade"), 0)


def refusing(needed: str, broken_after: int = 10**6) -> FakeChecker:
    """A Lean that closes no goal without squares, and takes no whole proof without a certain text."""
    inner = answering(lambda code: 0 if "sq_nonneg" in code else None)

    def answer(check: Check) -> Answer | Exception:
        if len(checker.asked) > broken_after:
            return RuntimeError("no memory")
        [found] = inner.check([check])
        assert found.answer is not None
        if "_variant_" not in check.code:
            return found.answer
        proofs = check.code.split("\n\n")
        kept = tuple(each for each, proof in zip(found.answer.declarations, proofs, strict=True) if needed in proof)
        return found.answer.model_copy(update={"declarations": kept})

    checker = FakeChecker(answer)
    return checker


def test_steps_that_are_not_needed_are_left_out() -> None:
    sample = one(refusing(""), SQUARES)
    assert "sq_nonneg" not in sample.text  # this Lean takes everything
    assert sample.text.endswith("by grind\n```")
    sample = one(refusing("sq_nonneg (y)"), SQUARES)
    assert sample.text.count("sq_nonneg") == 1
    assert sample.text.startswith("`(y)^2` is not negative. Expanded,")


def test_a_lean_that_breaks_down_while_it_is_made_shorter_leaves_the_proof() -> None:
    asked = refusing("")
    one(asked, SQUARES)
    first = next(index for index, check in enumerate(asked.asked) if "_variant_" in check.code)
    sample = one(refusing("", broken_after=first), SQUARES)
    assert (sample.finish, sample.text.count("sq_nonneg")) == (Finish.STOP, 2)


def test_every_spare_step_is_looked_at_while_questions_are_left() -> None:
    variables = [f"x{index}" for index in range(9)]
    text = f"theorem t ({' '.join(variables)} : ℤ) : {' + '.join(f'{each} ^ 2' for each in variables)} ≥ 0"
    sample = one(refusing("sq_nonneg (x7)"), Request(Formalisation("t", text, "handmade"), 0))
    assert sample.text.count("sq_nonneg") == 1


def test_a_shorter_plan_takes_the_place_of_a_longer_one() -> None:
    """The second attempt takes apart first, and this Lean closes the whole as well."""
    goal = Formalisation("t", "theorem t : ∀ x : ℕ, x < 3 → x < 4", "handmade")
    assert one(answering(lambda code: 0), Request(goal, 1), 1).text.count("\n  ") == 2
    assert one(answering(lambda code: 0), Request(goal, 1)).text.count("\n  ") == 0


def test_a_proof_of_several_answers_is_confirmed_as_a_whole() -> None:
    goal = Formalisation("t", "theorem t : ∀ x : ℕ, x < 9 → ∃ y : ℕ, y = 3 + 0 * x", "handmade")
    checker = answering(lambda code: 0 if "refine ⟨3, ?_⟩" in code else None)
    sample = one(checker, Request(goal, 0))
    confirmed = next(check.code for check in checker.asked if "_variant_" in check.code)
    assert confirmed.endswith(":= by\n  intro x h\n  refine ⟨3, ?_⟩\n  rfl\n")
    questions = next(index for index, check in enumerate(checker.asked) if check.code == confirmed)
    assert one(checker, Request(goal, 0), questions).text == sample.text  # none is left to ask
    broken = FakeChecker(lambda check: RuntimeError("no") if "_variant_" in check.code else _answer(checker, check))
    assert one(broken, Request(goal, 0)).finish is Finish.FAILED  # so it was not believed before


def _answer(checker: FakeChecker, check: Check) -> Answer:
    [checked] = checker.check([check])
    assert checked.answer is not None
    return checked.answer


def test_a_lean_that_breaks_down_says_nothing_of_the_statement() -> None:
    sample = one(FakeChecker(lambda check: RuntimeError("no memory")))
    assert (sample.finish, sample.failure) == (Finish.FAILED, "Lean broke down: no memory")


def test_an_answer_that_the_clock_cut_short_is_none() -> None:
    """The attempt goes on without that plan, as it does when Lean hangs."""
    whole = answering(lambda code: 1)

    def answer(check: Check) -> Answer:
        [found] = whole.check([check])
        assert found.answer is not None
        return found.answer.model_copy(update={"interrupted": len(checker.asked) == 1})

    checker = FakeChecker(answer)
    sample = one(checker, FIRST)
    assert len(checker.asked) > 1
    assert sample.finish is Finish.STOP


def test_only_marks_that_were_asked_for_count() -> None:
    for strange in ("#check", "#1.2.3", "#x.y", "#-1.0", "#0.99", "#7.0", "# 0.0"):
        message = Message(severity="info", pos=AT, data=strange)
        declared = Declaration(name="two", kind="theorem", type=None, type_key="", axioms=())
        sample = one(FakeChecker(lambda check: Answer(messages=(message,), declarations=(declared,))))  # noqa: B023
        assert sample.finish is Finish.STOP
        assert "What is left is for" in sample.text


def test_variants_are_told_apart_by_their_commands() -> None:
    statement = parse_statement("theorem t : 1 = 1 := by sorry")

    def answer(check: Check) -> Answer:
        second = Position(line=3, column=0)
        commands = (
            Command(kind="theorem", name="t_variant_0", pos=AT, end_pos=AT, declares=()),
            Command(kind="theorem", name="t_variant_1", pos=second, end_pos=second, declares=()),
        )
        declared = tuple(
            Declaration(name=each.name or "", kind="theorem", type=None, type_key="", axioms=()) for each in commands
        )
        return Answer(
            commands=commands, declarations=declared, messages=(Message(severity="error", pos=AT, data="no"),)
        )

    asker = Asker(FakeChecker(answer), statement, checks=1, limits=Limits())
    assert asker.proved([(Step("simp"),), (Step("rfl"),)]) == [False, True]
    assert asker.left == 0


def test_variants_are_named_where_the_theorem_is() -> None:
    """Not in a comment or an attribute's text before it."""
    statement = parse_statement(
        "/-- The theorem t of Thales. -/\nprivate theorem t /- theorem t -/ : 1 = 1 := by sorry"
    )
    checker = FakeChecker(lambda check: Answer())
    Asker(checker, statement, checks=1, limits=Limits()).proved([(Step("rfl"),)])
    assert checker.asked[0].code.startswith("private theorem t_variant_0 /- theorem t -/ : 1 = 1")


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (inequalities.by_size, "(x hp : ℕ) (h : x ^ 2 ≤ 671) : x ≤ 25"),
        (inductions, "(hp hn ih : ℕ) (z : ℕ) (h : z ≥ 12) : 2 ^ z > z ^ 2 + 0 * hp"),
        (inductions, "(ih₁ hr ih₂ : ℤ) (f : ℕ → ℤ) (r : ∀ n, f (n+2) = 3 * f (n + 1) - 2 * f n) (n : ℕ) : f n = 2^n"),
        (finite.binomials, "(pairs hc0 n : ℕ) : Nat.choose (n + 1) 2 = Nat.choose n 2 + n"),
        (residues.powers, "(ih n : ℕ) : 7 ^ (2 * n + 1) % 8 = 7"),
    ],
)
def test_names_of_the_statement_are_not_taken_again(move: Callable[[Goal], object], text: str) -> None:
    given = goal(text)
    mine = {each.name for each in given.variables} - {"n", "z"}
    for plan in move(given):  # type: ignore[attr-defined]
        written = body(plan, lambda hole: [line for closer in hole.closers for line in lines(closer)])
        bound = set(
            re.findall(r"have (\S+) :|intro (\S+)|succ \S+ (\S+) =>|succ \S+ \S+ (\S+) =>|⟨(\S+), (\S+)⟩", written)
        )
        assert not mine & {name for names in bound for name in names}, written


@pytest.mark.parametrize(
    ("text", "tactic"),
    [
        ("(x y : ℚ) (h : x < y) : x + 1 < y", "grind"),
        (": ∀ x y : ℚ, x < y → x + 1 < y", "grind"),
        ("(f : ℕ → ℚ) (n : ℕ) : f n = 2", "grind"),
        ("(a b : ℕ) (h : a < b) : a + 2 ≤ b", "omega"),
        ("(x : ℝ) (n : ℕ) : x < n + 1", "grind"),
        ("(x : ℝ) : x < x + 0", "simp_all"),
    ],
)
def test_a_failed_attempt_ends_with_a_tactic_that_fits(text: str, tactic: str) -> None:
    for number in (0, 1):
        request = Request(Formalisation("t", f"theorem t {text}", "handmade"), number)
        for checker in (answering(lambda code: None), FakeChecker(lambda check: Answer())):
            sample = one(checker, request)
            reasoning, _, lean = sample.text.partition("### Complete")
            assert lean.split()[-2] == tactic, sample.text
            assert len(reasoning.split()) >= 5


def test_what_the_search_can_not() -> None:
    checker = answering(lambda code: 0)
    assert one(checker, Request(GOAL, 2)).finish is Finish.NONE
    assert one(checker, Request(GOAL, 0, hole=Hole("a", "b"))).finish is Finish.FAILED
    with pytest.raises(InputError, match="allow 1 or more"):
        TacticSearch(checker, checks=0)
    with pytest.raises(InputError, match="write search, or search:24"):
        open_sampler("search:many")
    settings = TacticSearch(checker, checks=7).settings
    assert json.loads(json.dumps(dict(settings))) == settings
    assert settings["checks"] == 7


def test_what_can_not_be_read_is_still_tried() -> None:
    goal = Formalisation("odd", "theorem odd (s : Set ℕ) : s ∩ ∅ ⊆ s", "handmade")
    sample = one(answering(lambda code: None), Request(goal, 0))
    assert sample.finish is Finish.STOP
    assert sample.text.count("theorem odd") == 1
