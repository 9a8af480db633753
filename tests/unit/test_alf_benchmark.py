"""Benchmarks by mutation without Lean: what is refused and why, what is kept, and the files that come of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pythagoras.alf.benchmark import Crew, Kept, Outcome, Plan, Refusal, Truth, build, one_line_proofs
from pythagoras.alf.datasheet import About, Journal, datasheet, line, row, summary, write_benchmark
from pythagoras.alf.diversity import NEAR
from pythagoras.alf.drafting import CANDIDATES, Draft, SymbolicDrafter
from pythagoras.alf.mutating import Missing, parent_of
from pythagoras.alf.mutating import Refusal as NotDrafted
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.renaming import renamed
from pythagoras.alf.variants import Category, Parent, Promise, Variant
from pythagoras.alf.wellformed import RulesJudge, Unjudged, fault
from pythagoras.cli.alf_benchmark import canary_of, demand_place
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.normal import alpha_key, alpha_text
from pythagoras.corpus.records import Formalisation
from pythagoras.corpus.sources.canary import is_marked_row
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import open_benchmark, with_header
from pythagoras.evaluate.corebench.items import CANARY, load
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.reading import NotRead
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.wire import Answer
from tests.scripted import Scripted

ORIGINAL = "theorem t (n : ℕ) (h : n % 4 = 3) : n % 2 = 1"


def problem(name: str = "t", text: str = ORIGINAL) -> Parent:
    return parent_of(Formalisation(name, text.replace(" t ", f" {name} ", 1), "made/test", topic="parity"))


def lean(check: Check) -> Answer | Exception:
    """Takes what has no `wrong`; one-liners prove what has `easy`. Its keys know no names and no order of sides."""
    declared, messages = [], []
    for piece in check.code.strip().split("\n\n"):
        statement = parse_statement(piece)
        axioms = [] if "easy" in piece and "_by2" in statement.name else ["sorryAx"]
        sides = " = ".join(sorted(statement.goal.split(" = ")))
        key = alpha_key(statement.text.removesuffix(statement.goal) + sides)
        declared.append({"name": statement.name, "kind": "theorem", "type": "T", "typeKey": key, "axioms": axioms})
        if "wrong" in piece:
            position = {"line": 1, "column": 0}
            messages.append({"severity": "error", "pos": position, "data": "unknown identifier"})
    sorries = [{"goal": "⊢ g", "pos": {"line": 1, "column": 0}, "endPos": {"line": 1, "column": 1}}]
    return Answer.model_validate({"declarations": declared, "messages": messages, "sorries": sorries})


class Planned:
    """A drafter whose candidates are written down, round by round; the same for every problem."""

    name = "planned"
    settings: Mapping[str, Any] = {"rounds": 2}

    def __init__(
        self, *rounds: Sequence[str], promise: Promise = Promise.TRUE, operators: Mapping[str, str] | None = None
    ) -> None:
        self.rounds = rounds
        self.promise = promise
        self.operators = operators or {}
        """Who made which of the texts, where that is not everybody's operator."""

    def draft(self, parents: Sequence[Parent], number: int) -> list[list[Draft | Missing]]:
        texts = self.rounds[number] if number < len(self.rounds) else ()
        found: list[Draft | Missing] = [Missing(Category.LEMMA, NotDrafted.NONE)]
        for text in texts:
            statement = parse_statement(f"theorem u {text} := sorry")
            try:
                claim = read_lean(statement.text)
            except NotRead:
                claim = None
            operator = self.operators.get(text, "planned_operator")
            variant = Variant(statement.text, Category.REFORMULATION, operator, self.promise, claim)
            found.append(Draft(variant, statement, ("names",)))
        return [list(found) for _ in parents]


PLAN = Plan()


def built(drafter: Any, *parents: Parent, plan: Plan = PLAN, prover: Any = None, answers: Any = lean) -> list[Outcome]:
    crew = Crew(drafter, RulesJudge(), FakeEmbedder(), FakeChecker(answers), prover)
    return [*build(parents or [problem()], crew, plan)]


def reasons(outcome: Outcome) -> list[Refusal]:
    return [one.why for one in outcome.refused]


# --- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(m : ℕ) (g : m % 4 = 3) : m % 2 = 1", Refusal.REPEATED),
        ("(n : ℕ) (h : n % 4 = 3) : n % 2 = 0", Refusal.REFUTED),
        ("(n k : ℕ) (h : n % 4 = 3) : n % 2 ≠ 0", Refusal.ILL_FORMED),
        ("(wrong : ℕ) (h : wrong % 4 = 3) : wrong % 2 ≠ 0", Refusal.NOT_ACCEPTED),
        ("(m : ℕ) (h : m % 4 = 3) : 1 = m % 2", Refusal.SAME_AS_ORIGINAL),
        ("(easy : ℕ) (h : easy % 4 = 3) : easy % 2 ≠ 0", Refusal.TRIVIAL),
    ],
)
def test_a_candidate_is_refused_with_its_reason(text: str, why: Refusal) -> None:
    (outcome,) = built(Planned([text]))
    assert (reasons(outcome), outcome.kept) == ([why], ())
    assert len(outcome.missing) == Plan().rounds


def test_trivial_is_what_is_easier_than_its_original() -> None:
    easy = problem("e", "theorem t (easy : ℕ) (h : easy % 4 = 3) : easy % 2 = 1")
    (outcome,) = built(Planned(["(easy : ℕ) (h : easy % 4 = 3) : easy % 2 ≠ 0"]), easy)
    assert (outcome.one_line, len(outcome.kept)) == ("omega", 1)


def test_what_lean_takes_for_the_same_is_kept_once() -> None:
    same = "(n : ℕ) (h : n % 8 = 3) : n % 2 = 1"
    (outcome,) = built(Planned([same, same.replace("n", "m"), same.replace("n % 2 = 1", "1 = n % 2")]))
    assert (len(outcome.kept), reasons(outcome)) == (1, [Refusal.REPEATED, Refusal.SAME_AS_SIBLING])


@pytest.mark.parametrize(("breakdowns", "refused"), [(1, []), (2, [Refusal.NO_VERDICT])])
def test_a_lean_that_breaks_down_does_not_say_that_nothing_is_trivial(breakdowns: int, refused: list[Refusal]) -> None:
    left = iter(range(breakdowns))

    def breaking(check: Check) -> Answer | Exception:
        is_asked_for_tactics = "_by0" in check.code and "% 8" in check.code
        return OSError("gone") if is_asked_for_tactics and next(left, None) is not None else lean(check)

    (outcome,) = built(Planned(["(n : ℕ) (h : n % 8 = 3) : n % 2 ≠ 0"]), answers=breaking)
    assert reasons(outcome) == refused
    assert len(outcome.kept) == 1 - len(refused)


def test_an_original_that_lean_refuses_has_no_variants() -> None:
    (outcome,) = built(Planned(["(n : ℕ) : n = n + 0"]), problem("w", "theorem t : wrong"))
    assert "no Lean" in outcome.fault
    assert (outcome.kept, outcome.refused, outcome.missing) == ((), (), ())
    assert summary([line(outcome, outcome.parent.record)])["refused_by_lean"] == 1


# --- what is kept ----------------------------------------------------------------------------------


def texts(count: int) -> list[str]:
    return [f"(n : ℕ) (h : n % {4 * at} = 3) : n % 2 = 1" for at in range(2, 2 + count)]


def said(found: Sequence[str]) -> list[str]:
    return [f"theorem u {text}" for text in found]


def test_the_two_most_divergent_are_kept_in_their_order() -> None:
    (outcome,) = built(Planned(texts(5)))
    assert [one.name for one in outcome.kept] == ["t_alf1", "t_alf2"]
    assert reasons(outcome) == [Refusal.LESS_DIVERGENT] * 3
    first, second = outcome.kept
    assert first.distance >= second.distance
    original, *others = FakeEmbedder().embed([alpha_text(one) for one in (ORIGINAL, *said(texts(5)))])
    distances = sorted((1 - float(original @ other) for other in others), reverse=True)
    assert [one.distance for one in outcome.kept] == pytest.approx(distances[:2], abs=1e-5)
    assert first.text.startswith("theorem t_alf1 (n : ℕ)")
    assert (first.truth, first.goal) == (Truth.PROMISED, "⊢ g")


def test_other_names_are_no_distance() -> None:
    plain, renamed_ = "(n : ℕ) (h : n % 8 = 3) : n % 2 ≠ 0", "(xs : ℕ) (hyp : xs % 8 = 3) : xs % 2 ≠ 0"
    (first,), (second,) = (built(Planned([text])) for text in (plain, renamed_))
    assert first.kept[0].distance == second.kept[0].distance


def test_siblings_are_by_different_operators_where_there_are_others() -> None:
    far, near = "(n : ℕ) (h : n % 8 = 3) : (n + 2) % 2 ≠ 0 ∧ n ≠ 5", "(n : ℕ) (h : n % 8 = 3) : n % 2 ≠ 0"
    also_far = far.replace("5", "6")
    for drafter in (
        Planned([far, also_far, near], operators={near: "another"}),
        Planned([far, also_far], [near], operators={near: "another"}),
    ):
        (outcome,) = built(drafter)
        assert [one.draft.statement.text for one in outcome.kept] == said([far, near])
        assert reasons(outcome) == [Refusal.LESS_DIVERGENT]
    (outcome,) = built(Planned([far, also_far]))
    assert len(outcome.kept) == 2  # rather than one alone


def test_what_is_nearly_the_original_is_kept_where_nothing_else_is() -> None:
    """However near, it comes behind what a later round finds."""
    near, far = "(n : ℕ) (h : n % 8 = 3) : n % 2 = 1", "(n : ℕ) (h : n % 8 = 3) : (n + 2) % 2 ≠ 0 ∧ n ≠ 5"
    drafter = Planned([near], [far], operators={far: "another"})
    (outcome,) = built(drafter)
    assert [one.draft.statement.text for one in outcome.kept] == said([far, near])
    assert outcome.kept[1].distance < NEAR
    made = [line(outcome, outcome.parent.record)]
    assert summary(made)["near"] == 1


def test_another_round_is_drafted_where_one_left_too_few() -> None:
    (outcome,) = built(Planned(texts(1), ["(wrong : ℕ) : wrong + 0 = wrong"], texts(3)))
    assert len(outcome.kept) == 2
    counts = Counter(reasons(outcome))
    assert counts == {Refusal.NOT_ACCEPTED: 1, Refusal.REPEATED: 1, Refusal.LESS_DIVERGENT: 1}


def test_truth_that_nobody_promises_is_tried_by_the_prover() -> None:
    drafter = Planned(texts(5), promise=Promise.UNKNOWN)
    (outcome,) = built(drafter)
    assert [one.truth for one in outcome.kept] == [Truth.UNKNOWN] * 2
    (outcome,) = built(drafter, plan=Plan(known_true=True))
    assert (outcome.kept, set(reasons(outcome))) == ((), {Refusal.TRUTH_UNKNOWN})
    prover = Scripted(lambda request: "by wrong")
    (outcome,) = built(drafter, plan=Plan(known_true=True, attempts=2), prover=prover)
    assert (outcome.kept, len(prover.asked)) == ((), 10)
    assert len({request.seed for request in prover.asked}) == 10
    other = Scripted(lambda request: "by wrong")
    built(drafter, plan=Plan(known_true=True, attempts=2, seed=1), prover=other)
    assert not {request.seed for request in prover.asked} & {request.seed for request in other.asked}


def test_names_are_all_different_and_problems_keep_their_order() -> None:
    parents = [problem("a"), problem("b"), *(problem("a") for _ in range(8))]
    outcomes = built(Planned(texts(3)), *parents)
    assert [outcome.parent for outcome in outcomes] == parents
    names = [one.name for outcome in outcomes for one in outcome.kept]
    assert len(set(names)) == len(names) == 2 * len(parents)


def test_one_question_for_all_one_line_tactics() -> None:
    asked: list[str] = []

    def counting(check: Check) -> Answer | Exception:
        asked.append(check.code)
        return lean(check)

    statements = [problem("a").statement, problem("e", "theorem t (easy : ℕ) : easy = easy").statement]
    assert one_line_proofs(statements, FakeChecker(counting)) == ["", "omega"]
    assert len(asked) == 2


# --- files -----------------------------------------------------------------------------------------


ABOUT = About("made/test", "0" * 64, "4.28.0", "core", "planned", {}, "rules", "fake", "", Plan(), CANARY)


def test_the_file_is_a_benchmark_and_its_counts_add_up(tmp_path: Path) -> None:
    parents = [problem("a"), problem("b"), problem("w", "theorem t : wrong")]
    outcomes = built(Planned([*texts(4), "(n : ℕ) (h : n % 4 = 3) : n % 2 = 0"]), *parents)
    made = [line(outcome, outcome.parent.record, CANARY) for outcome in outcomes]
    rows, refused, page = write_benchmark(tmp_path / "corebench-alf.jsonl", made, ABOUT)
    found = open_benchmark(str(rows))
    assert (found.info.name, found.info.mutation, found.info.items) == ("corebench-alf/test", True, 4)
    assert [goal.provenance.parent for goal in found.goals] == ["a", "a", "b", "b"]
    assert {goal.provenance.maker for goal in found.goals} == {"planned_operator"}
    kept = [one.text for outcome in outcomes for one in outcome.kept]
    assert [goal.text for goal in found.goals] == kept
    assert {(goal.header, goal.context) for goal in with_header(found.goals, "core")} == {("core", "")}
    assert found.goals[0].docstring.startswith("Let n be a natural number.")
    written = [json.loads(one) for one in rows.read_text().splitlines()]
    assert all(is_marked_row(one) for one in written)
    assert {tuple(one["perturbed"]) for one in written} == {("names",)}
    counts = summary(made)
    assert counts["drafted"] == counts["kept"] + sum(counts["refused"].values()) == 10
    assert counts["problems"] == sum(counts["by_variants"].values()) + counts["refused_by_lean"] == 3
    assert [json.loads(line)["reason"] for line in refused.read_text().splitlines()].count(
        "refuted by small numbers"
    ) == 2
    text = page.read_text()
    assert "4 Lean 4 statements" in text
    assert CANARY in text
    assert f"| {Refusal.REFUTED.value} | 2 |" in text
    assert "fewer than" not in text
    assert datasheet("corebench-alf", made, ABOUT) == text


def test_the_datasheet_says_why_a_problem_has_too_few() -> None:
    outcomes = built(Planned([*texts(1), "(n : ℕ) (h : n % 4 = 3) : n % 2 = 0"]), problem("a"))
    page = datasheet("x", [line(outcome, outcome.parent.record) for outcome in outcomes], ABOUT)
    assert "| a | 1 | 1 refuted by small numbers |" in page
    assert "was tried by: nobody." in page
    tried = replace(ABOUT, prover="search", prover_settings={"checks": 8})
    assert 'was tried by: search, 1 attempt a statement, `{"checks": 8}`.' in datasheet("x", [], tried)


def test_what_was_made_from_marked_rows_is_marked_whatever_they_are_called(tmp_path: Path) -> None:
    (outcome,) = built(Planned(texts(2)), problem("a"))
    path = tmp_path / "minif2f-mine.jsonl"
    for canary in (CANARY, ""):
        rows = [row(one, replace(outcome.parent.record, source="made"), canary) for one in outcome.kept]
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        assert canary_of(open_benchmark(str(path)).goals) == canary
    assert canary_of(open_benchmark("corebench/valid").goals) == CANARY


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    parents = [problem(name) for name in "abc"]
    whole = [line(outcome, outcome.parent.record) for outcome in built(Planned(texts(3)), *parents)]
    path = tmp_path / "x.jsonl"
    with Journal(path, ABOUT) as journal:
        journal.add(whole[0])
        with pytest.raises(InputError, match="another process"), Journal(path, ABOUT):
            pass
    for cut in (b'{"problem": "b", "ro', '{"problem": "∑'.encode()[:-1]):  # the kill, also inside of a sign
        with journal.path.open("ab") as file:
            file.write(cut)
        with Journal(path, ABOUT) as resumed:
            assert resumed.lines == whole[:1]
    crew = Crew(Planned(texts(3)), RulesJudge(), FakeEmbedder(), FakeChecker(lean))
    with Journal(path, ABOUT) as resumed:
        for outcome in build(parents, crew, done={one["problem"] for one in resumed.lines}):
            resumed.add(line(outcome, outcome.parent.record))
    with Journal(path, ABOUT) as again:
        assert resumed.lines == again.lines == whole
    for other in (replace(ABOUT, judge="somebody"), replace(ABOUT, part="first 2")):
        with pytest.raises(InputError, match="other settings"), Journal(path, other):
            pass
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x.partial.jsonl"]


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    made = tmp_path / "x.jsonl"
    demand_place(tmp_path / "new" / "x.jsonl", "corebench", overwrite=False)
    (tmp_path / "x.md").write_text("mine")
    with pytest.raises(InputError, match=r"x\.md is there already"):
        demand_place(made, "corebench", overwrite=False)
    demand_place(made, "corebench", overwrite=True)
    made.write_text("")
    with pytest.raises(InputError, match="made from"):
        demand_place(made, str(made), overwrite=True)
    with pytest.raises(InputError, match=r"ends with \.jsonl"):
        demand_place(tmp_path / "x.json", "corebench", overwrite=False)


def test_a_head_without_its_break_and_a_damaged_journal(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with Journal(path, ABOUT) as journal:
        pass
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-1])
    with Journal(path, ABOUT) as again:
        assert again.lines == []
    assert journal.path.read_bytes() == whole
    for damage in (b"{nothing\n", b"\xff\n"):
        journal.path.write_bytes(whole + damage)
        with pytest.raises(InputError, match="damaged"), Journal(path, ABOUT):
            pass


def test_rows_that_fail_their_check_replace_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("there before")

    def refuse(rows: Path) -> None:
        assert rows.exists()
        raise InputError("Lean refuses one")

    with pytest.raises(InputError, match="refuses"):
        write_benchmark(path, [], ABOUT, refuse)
    assert path.read_text() == "there before"
    assert [one.name for one in tmp_path.iterdir()] == ["x.jsonl"]


def test_a_judge_that_cannot_be_asked_says_nothing_about_the_variant() -> None:
    class Down:
        name = "down"

        def faults(self, pairs: Sequence[Any]) -> list[Unjudged]:
            return [Unjudged("HTTP 500")] * len(pairs)

    crew = Crew(Planned(texts(2)), Down(), FakeEmbedder(), FakeChecker(lean))
    (outcome,) = build([problem()], crew, PLAN)
    assert set(reasons(outcome)) == {Refusal.NO_VERDICT}


# --- drafts, names, rules --------------------------------------------------------------------------


def test_symbolic_drafts_have_other_numbers_first_and_other_names_always() -> None:
    parent = problem("q", "theorem t (a b : ℤ) (h₁ : a + b = 12) (h₂ : a - b = 4) : a = 8 ∧ b = 4")
    drafter = SymbolicDrafter(OPERATORS, seed=1)
    first, later = ([one for one in drafter.draft([parent], number)[0] if isinstance(one, Draft)] for number in (0, 1))
    assert CANDIDATES - 2 <= len(first) <= CANDIDATES
    assert all("numbers" in one.perturbed and one.variant.promise is Promise.UNKNOWN for one in first)
    assert all("numbers" not in one.perturbed for one in later)
    assert all("names" in one.perturbed for one in (*first, *later))
    assert SymbolicDrafter(OPERATORS, seed=1).draft([parent], 0)[0][0] == first[0]


def test_drafts_about_real_numbers_stay_about_them_and_have_a_meaning() -> None:
    parent = problem("q", "theorem t (a b : ℝ) (h₁ : a + b = 12) (h₂ : a - b = 4) : a = 8 ∧ b = 4")
    drafter = SymbolicDrafter({"turned_relation": OPERATORS["turned_relation"]})
    drafts = [one for number in (0, 1) for one in drafter.draft([parent], number)[0] if isinstance(one, Draft)]
    assert {one.perturbed for one in drafts} == {("numbers", "names"), ("names",)}
    for one in drafts:
        assert " : ℝ)" in one.statement.text
        assert one.variant.claim is not None  # so small numbers can refute it
        said = row(Kept("u", one, 0.1, "", Truth.UNKNOWN), parent.record)["informal_prefix"]
        assert "be real numbers." in said


@pytest.mark.parametrize("item", load("test")[::4], ids=lambda item: item.name)
def test_other_names_say_the_same(item: Any) -> None:
    text = renamed(item.statement, Random(item.name))
    assert alpha_key(text) == alpha_key(item.statement.text)
    old = {name for binder in item.statement.binders for name in binder.names}
    new = {name for binder in parse_statement(f"{text} := sorry").binders for name in binder.names}
    assert not old & new
    assert len(old) == len(new)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("theorem u (n : ℕ) (h : n % 8 = 3) : n % 2 = 1", ""),
        ("theorem u (n m : ℕ) (h : n % 8 = 3) : n % 2 = 1", "a variable that nothing is said about: m"),
        (
            "theorem u (n : ℕ) (h : n % 8 = 3) (g : n%8 = 3) : n % 2 = 1",
            "a hypothesis that stands there twice: n % 8 = 3",
        ),
        ("theorem u (n : ℕ) (h : n % 2 = 1) : n % 2 = 1", "a conclusion that is supposed: n % 2 = 1"),
        ("theorem u (n : ℕ) (h : n % 2 = 1) : n % 2 = n % 2", "a conclusion that says nothing: n % 2 = n % 2"),
        ("theorem u (n : ℕ) (h : n % 2 = 1) (g : n % 4 = 2) : n = 7", "hypotheses that no values were found for"),
        ("theorem u (n : ℕ) (e : Nat.Prime n) (h : n % 8 = 3) : n % 2 = 1", ""),
        ("theorem u (n : ℕ) (h : n % 4 = 3) (g : n % 2 = 0) : False", ""),
        ("theorem u (n : ℕ) (h : n % 8 = 3) (g : 0 ≤ n) : n % 2 = 1", "a hypothesis that says nothing: about n"),
        ("theorem u (n : ℕ) (h : 4 ≤ n) (g : 0 < n) : n ≠ 1", "a hypothesis that another one implies: about n"),
        ("theorem u (n : ℕ) (h : n % 8 = 3) (g : n < 10 ^ 3) : n % 2 = 1", ""),
        ("theorem u (n : ℕ) (h : 1 ≤ n) (g : 16 ^ n % 10 = 6) : 16 ^ (n + 1) % 10 = 6", ""),  # an induction's step
        ("theorem u (n : ℕ) (h : 7 = n) : n % 2 = 1", "a single case: n % 2 = 1"),
        ("theorem u : 7 % 2 = 1", "a single case: 7 % 2 = 1"),
        ("theorem u (n : ℕ)", "the theorem u has no type"),
    ],
)
def test_rules_know_what_is_no_problem(text: str, expected: str) -> None:
    try:
        claim = read_lean(text)
    except NotRead:
        claim = None
    found = fault(problem(), Variant(text, Category.REFORMULATION, "o", Promise.TRUE, claim))
    assert found.startswith(expected)
    assert bool(found) is bool(expected)


def test_what_nobody_promises_must_be_about_something() -> None:
    """Whatever satisfies the original: with other numbers in it, a variant may be about nothing at all."""
    original = problem("o", "theorem t (n : ℕ) (h : n = 10 ^ 5 + 1) (g : 2 < n) : n % 2 = 1")
    text = "theorem u (n : ℕ) (h : n + 2 = 1) (g : 2 < n) : n % 2 = 1"
    judged = [
        fault(original, Variant(text, Category.SIMPLIFICATION, "o", promise, read_lean(text))) for promise in Promise
    ]
    assert dict(zip(Promise, judged, strict=True))[Promise.UNKNOWN] == "hypotheses that no values were found for"


def test_what_the_original_does_is_no_fault() -> None:
    odd = problem("o", "theorem t (n m : ℕ) (h : n % 4 = 3) : n % 2 = 1")
    assert (
        fault(odd, Variant("theorem u (n m : ℕ) (h : n % 8 = 3) : n % 2 = 1", Category.LEMMA, "o", Promise.TRUE)) == ""
    )
