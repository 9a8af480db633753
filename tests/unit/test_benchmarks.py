"""Benchmarks to measure with: which statements, what they are called, and that nothing of a proof comes with them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.records import Formalisation, Instance, Problem, Provenance, Tier, record_id, statement_of
from pythagoras.corpus.rows import Fault, to_line
from pythagoras.corpus.stages import run_stage
from pythagoras.errors import InputError
from pythagoras.evaluate.benchmarks import Benchmark, open_benchmark, with_header
from pythagoras.evaluate.corebench import items as corebench
from pythagoras.evaluate.running import fitness
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Answer, Declaration, Limits, Message, Position

DATA = Path(__file__).parent / "data" / "sources"
SHARED = Path(__file__).parents[3] / "shared" / "data"
ROW = {"name": "a", "split": "test", "header": "import Mathlib\n", "formal_statement": "theorem a : 1 = 1 := by"}


def rows_file(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return str(path)


def theorem(name: str, **more: Any) -> dict[str, Any]:
    return ROW | {"name": name, "formal_statement": f"theorem {name} : 1 = 1 := by"} | more


# --- which statements ----------------------------------------------------------------------------


def test_corebench_is_its_test_split_unless_said() -> None:
    sizes = {}
    for spec, split, name in [
        ("corebench", None, "corebench/test"),
        ("corebench/test", "test", "corebench/test"),
        ("corebench/valid", None, "corebench/valid"),
        ("corebench", "validation", "corebench/valid"),
    ]:
        found = open_benchmark(spec, split=split)
        assert (found.info.name, found.info.variant) == (name, corebench.version())
        assert {goal.source for goal in found.goals} == {name}
        assert (found.info.items, found.info.of, found.info.filter) == (len(found.goals), None, "")
        sizes[name] = len(found.goals), found.info.sha256
    (tests, test_hash), (valids, valid_hash) = sizes["corebench/test"], sizes["corebench/valid"]
    assert tests + valids == len(corebench.load())
    assert test_hash != valid_hash
    with pytest.raises(InputError, match="no split of corebench is called 'tset': did you mean 'test'"):
        open_benchmark("corebench/tset")
    with pytest.raises(InputError, match="is not the split"):
        open_benchmark("corebench/valid", split="test")
    with pytest.raises(InputError, match="needs no mapping"):
        open_benchmark("corebench", mapping="lean")


FORMAL = {
    "minif2f-deepseek.jsonl": "minif2f",
    "minif2f-goedel.jsonl": "minif2f/test",
    "minif2f-kimina.jsonl": "minif2f/test",
    "minif2f-nemo-gym.jsonl": "minif2f/test",
    "minif2f-plain.jsonl": "minif2f/valid",
    "minif2f-lean4.jsonl": "minif2f/valid",
    "minif2f-stp.jsonl": "minif2f",
    "minif2f_lean": "minif2f",
    "mobench.jsonl": "mobench/test",
    "putnambench.jsonl": "putnambench",
    "putnambench-json.json": "putnambench",
    "putnambench-stp.jsonl": "putnambench",
    "putnam_lean": "putnambench",
}


@pytest.mark.parametrize("file", FORMAL)
def test_every_published_shape_can_be_measured_on(file: str) -> None:
    found = open_benchmark(str(DATA / file))
    said = found.info
    assert said.name == FORMAL[file]
    assert (said.file, said.items, said.mutation) == (file, len(found.goals), False)
    assert said.variant
    assert re.fullmatch("[0-9a-f]{64}", said.sha256)
    if (DATA / file).is_file():
        assert said.sha256 == hashlib.sha256((DATA / file).read_bytes()).hexdigest()
    for goal in found.goals:
        assert statement_of(goal).header.startswith("mathlib")


def test_all_rows_or_those_of_a_split() -> None:
    path = str(DATA / "minif2f-deepseek.jsonl")
    both, test = open_benchmark(path), open_benchmark(path, split="test")
    assert (both.info.name, test.info.name) == ("minif2f", "minif2f/test")
    assert [goal.source for goal in both.goals] == ["minif2f/valid", "minif2f/test"]
    assert test.goals == both.goals[1:]
    assert (test.info.sha256, test.info.items) == (both.info.sha256, 1)


def test_a_folder_is_known_by_the_names_and_bytes_of_its_files(tmp_path: Path) -> None:
    def sha256() -> str:
        return open_benchmark(str(tmp_path / "minif2f")).info.sha256

    folder = tmp_path / "minif2f" / "Test"
    folder.mkdir(parents=True)
    (folder / "a.lean").write_text("import Mathlib\ntheorem a : 1 = 1 := by sorry\n")
    first = sha256()
    (folder.parent / ".cache").mkdir()
    (folder.parent / ".cache" / "x").write_text("x")
    assert sha256() == first
    (folder / "a.lean").rename(folder / "b.lean")
    renamed = sha256()
    (folder / "b.lean").write_text("import Mathlib\ntheorem a : 1 = 2 := by sorry\n")
    assert len({first, renamed, sha256()}) == 3


def test_our_own_stores_are_benchmarks(tmp_path: Path) -> None:
    records = open_benchmark(str(DATA / "minif2f-deepseek.jsonl")).goals
    run_stage(records, tmp_path / "own", stage="import", settings={}, inputs={})
    found = open_benchmark(str(tmp_path / "own"))
    assert found.goals == records
    assert (found.info.name, found.info.variant, found.info.file) == ("minif2f", "minif2f-deepseek", "own")
    assert open_benchmark(str(tmp_path / "own"), split="test").goals == records[1:]


def test_mutations_are_told_from_their_originals(tmp_path: Path) -> None:
    path = rows_file(
        tmp_path / "minif2f_alf.jsonl",
        theorem("a_1", parent="a", operator="generalisation"),
        theorem("a_2", parent="a", operator="reformulation"),
    )
    found = open_benchmark(path)
    assert (found.info.name, found.info.variant, found.info.mutation) == ("minif2f-alf/test", "minif2f-plain", True)
    assert [(goal.provenance.parent, goal.provenance.maker) for goal in found.goals] == [
        ("a", "generalisation"),
        ("a", "reformulation"),
    ]
    rows = [row | {"parent": row["name"], "operator": "o"} for row in corebench.as_rows(corebench.load("test")[:3])]
    ours = open_benchmark(rows_file(tmp_path / "corebench-alf.jsonl", *rows))
    assert (ours.info.name, ours.info.mutation) == ("corebench-alf/test", True)
    assert [goal.topic for goal in ours.goals] == [goal.topic for goal in open_benchmark("corebench").goals[:3]]
    assert [goal.tier for goal in ours.goals] == [goal.tier for goal in open_benchmark("corebench").goals[:3]]


# --- names ---------------------------------------------------------------------------------------


def test_statements_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = rows_file(tmp_path / "minif2f.jsonl", theorem("a", split="valid"), theorem("b"), theorem("a"))
    goals = open_benchmark(path).goals
    assert [goal.name for goal in goals] == ["a", "b", "a#2"]
    assert len({record_id(goal) for goal in goals}) == 3
    assert [statement_of(goal).name for goal in goals] == ["a", "b", "a"]
    assert [goal.name for goal in open_benchmark(path, split="test").goals] == ["b", "a"]


def test_the_same_statement_twice_is_a_fault(tmp_path: Path) -> None:
    path = rows_file(tmp_path / "minif2f.jsonl", theorem("a"), theorem("b"), theorem("a"))
    with pytest.raises(InputError, match=r"minif2f\.jsonl, row 3: a is there already \(minif2f\.jsonl, row 1\)"):
        open_benchmark(path)
    faults: list[Fault] = []
    found = open_benchmark(path, on_fault=faults.append)
    assert ([goal.name for goal in found.goals], len(faults)) == (["a", "b"], 1)


# --- a part of a benchmark -----------------------------------------------------------------------


def part(**options: Any) -> tuple[int, str, int | None]:
    found = open_benchmark("corebench", **options)
    assert found.info.items == len(found.goals)
    return found.info.items, found.info.filter, found.info.of


def test_a_part_is_never_taken_for_the_whole() -> None:
    whole = open_benchmark("corebench")
    all_of = len(whole.goals)
    assert part(limit=5) == (5, "first 5", all_of)
    assert part(limit=all_of) == part(names=["*"]) == (all_of, "", None)
    easy = sum(goal.tier is Tier.EASY for goal in whole.goals)
    assert part(levels=[1]) == (easy, "level 1", all_of)
    assert part(levels=[3, 1], limit=2) == (2, "level 1, 3; first 2", all_of)
    name = whole.goals[3].name
    assert part(names=[name]) == (1, f"name {name}", all_of)
    algebra = sum(goal.name.startswith("algebra_") for goal in whole.goals)
    assert part(names=["algebra_*", name])[0] == algebra + (not name.startswith("algebra_"))
    assert open_benchmark("corebench", limit=5).goals == whole.goals[:5]
    assert open_benchmark("corebench", limit=5).info != whole.info


def test_a_choice_that_leaves_nothing_is_told() -> None:
    with pytest.raises(InputError, match="no statement of corebench/test is called 'zzz': its names are like"):
        open_benchmark("corebench", names=["zzz"])
    name = open_benchmark("corebench").goals[0].name
    with pytest.raises(InputError, match=f"did you mean {name!r}"):
        open_benchmark("corebench", names=[f"{name}s"])
    with pytest.raises(InputError, match="no level is called '4'"):
        open_benchmark("corebench", levels=[4])
    with pytest.raises(InputError, match="a limit of 0 leaves nothing"):
        open_benchmark("corebench", limit=0)
    with pytest.raises(InputError, match=r"putnambench has no statement with level 1: ask for less"):
        open_benchmark(str(DATA / "putnambench.jsonl"), levels=[1])


# --- what can't be measured on -------------------------------------------------------------------


def test_rows_that_cant_be_read_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    bad = [theorem(f"b{at}", formal_statement="no theorem") for at in range(5)]
    path = rows_file(tmp_path / "minif2f.jsonl", theorem("a"), *bad)
    with pytest.raises(InputError) as told:
        open_benchmark(path)
    said = str(told.value)
    assert said.startswith(f"5 rows of {path} can't be measured on: ")
    assert said.count("there is no theorem in the text") == 3
    assert "row 2, field formal_statement" in said
    assert "; and 2 more: correct them, or go on without them" in said
    assert "\n" not in said
    faults: list[Fault] = []
    found = open_benchmark(path, on_fault=faults.append)
    assert ([goal.name for goal in found.goals], len(faults)) == (["a"], 5)
    with pytest.raises(InputError, match="there is no theorem"):  # nothing is left
        open_benchmark(rows_file(tmp_path / "minif2f2.jsonl", *bad[:1]), on_fault=faults.append)


def test_what_is_no_formal_benchmark_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has problems in words and no Lean statements"):
        open_benchmark(str(DATA / "putnambench-informal.json"))
    problems = tmp_path / "own.jsonl"
    problems.write_text(to_line(Problem("How much is 1 + 1?", "own")) + "\n")
    with pytest.raises(InputError, match="has problems in words"):
        open_benchmark(str(problems))
    with pytest.raises(InputError, match=r"no known set has its columns \(x, y\): name a mapping, or write one"):
        open_benchmark(rows_file(tmp_path / "x.jsonl", {"x": 1, "y": 2}), on_fault=lambda fault: None)
    with pytest.raises(InputError, match="does not exist"):
        open_benchmark(str(tmp_path / "nothing.jsonl"))
    with pytest.raises(InputError, match="there are no rows of split train"):
        open_benchmark(str(DATA / "minif2f-deepseek.jsonl"), split="train")
    with pytest.raises(InputError, match="no mapping is called 'minif2f-deepsek'"):
        open_benchmark(str(DATA / "minif2f-deepseek.jsonl"), mapping="minif2f-deepsek")


# --- nothing of a proof --------------------------------------------------------------------------

SECRET = "secret_of_the_proof"


def everything(found: Benchmark) -> str:
    return "\n".join(map(to_line, found.goals)) + found.info.model_dump_json()


def test_nothing_of_a_reference_proof_leaves(tmp_path: Path) -> None:
    proof = f"theorem {SECRET} : 1 = 1 := rfl\n\n@[simp] lemma {SECRET}2 : 2 = 2 := rfl\n\ndef two : ℕ := 2\n\n"
    lean = f"import Mathlib\n\n{proof}/-- Words. -/\ntheorem a : two = 2 := by\n  exact {SECRET}\n"
    folder = tmp_path / "minif2f" / "Test"
    folder.mkdir(parents=True)
    (folder / "a.lean").write_text(lean)
    instance = Instance(
        "a",
        "theorem a : two = 2",
        f"by exact {SECRET}",
        "minif2f/test",
        Tier.HARD,
        verified=True,
        reasoning=f"By {SECRET}.",
        context=proof.strip(),
        provenance=Provenance(maker="x"),
    )
    own = tmp_path / "own.jsonl"
    own.write_text(to_line(instance) + "\n")
    row = {
        "Question": "Words.",
        "Source": "x",
        "Formal Statement": "import Mathlib\n\ntheorem a : 2 = 2 := by sorry",
        "Formal Proof": f"import Mathlib\n\ndef {SECRET} : 1 = 1 := rfl\n\ntheorem a : 2 = 2 := by exact {SECRET}",
        "Problem Type": "algebra",
        "Reasoning Chain": f"By {SECRET}.",
        "Difficulty": "easy",
    }
    published = rows_file(tmp_path / "x.jsonl", row)
    with_lemma = {"name": "a", "formal_statement": f"import Mathlib\n\n{proof}theorem a : two = 2 := by sorry"}
    rows = rows_file(tmp_path / "y.jsonl", with_lemma)
    for spec, context in [(str(own), "def two : ℕ := 2"), (published, ""), (rows, "def two : ℕ := 2")]:
        found = open_benchmark(spec)
        assert [(goal.name, goal.context) for goal in found.goals] == [("a", context)]
        assert SECRET not in everything(found)
    *lemmas, goal = open_benchmark(str(tmp_path / "minif2f")).goals
    assert [lemma.name for lemma in lemmas] == [SECRET, f"{SECRET}2"]  # every theorem of a file is an item
    assert (goal.name, goal.context) == ("a", "def two : ℕ := 2")
    assert SECRET not in to_line(goal)


def test_a_lemma_that_a_definition_is_made_with_stays(tmp_path: Path) -> None:
    context = "lemma pos : 0 < 2 := by decide\n\nlemma idle : 0 < 3 := by decide\n\ndef two : Fin 2 := ⟨0, pos⟩"
    row = {"name": "a", "formal_statement": f"import Mathlib\n\n{context}\n\ntheorem a : two = 0 := by sorry"}
    (goal,) = open_benchmark(rows_file(tmp_path / "x.jsonl", row)).goals
    assert goal.context == "lemma pos : 0 < 2 := by decide\n\ndef two : Fin 2 := ⟨0, pos⟩"


def test_corebenchs_proofs_stay_where_they_are() -> None:
    for split in corebench.SPLITS:
        found = open_benchmark(f"corebench/{split}")
        chosen = corebench.load(corebench.SPLITS[split])
        assert len(found.goals) == len(chosen)
        for goal, item in zip(found.goals, chosen, strict=True):
            assert (goal.name, goal.text, goal.context) == (item.name, item.statement.text, item.statement.context)
            if len(item.proof) > 12:  # shorter ones may well stand in a statement
                assert item.proof not in to_line(goal)


@pytest.mark.parametrize("file", ["putnambench.jsonl", "putnam_lean"])
def test_answers_that_are_to_be_found_stay_behind(file: str) -> None:
    found = open_benchmark(str(DATA / file))
    assert "putnam_1900_a1_solution : ℕ := sorry" in found.goals[0].context
    assert '\\"answers\\"' not in everything(found)
    assert (
        "12"
        not in found.goals[0].context
        + found.goals[0].docstring
        + found.goals[0].provenance.settings.partition("sha256")[0]
    )


# --- headers -------------------------------------------------------------------------------------


def test_core_stands_for_mathlib_only() -> None:
    usual = "set_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat\n\ndef two : ℕ := 2"
    goals = [
        Formalisation("a", "theorem a : 1 = 1", "x", header="mathlib-bare", context=usual),
        Formalisation("b", "theorem b : 1 = 1", "x", header="mathlib-unlimited"),
        Formalisation("c", "theorem c : 1 = 1", "x", header="mathlib-bare", context="open MeasureTheory Nat"),
        Formalisation("d", "theorem d : 1 = 1", "x", header="none", context="set_option maxHeartbeats 9"),
        Formalisation("e", "theorem e : 1 = 1", "x", header="core", context="open Nat"),
    ]
    moved = with_header(goals, "core")
    assert [(goal.header, goal.context) for goal in moved] == [
        ("core", "def two : ℕ := 2"),
        ("core", ""),
        ("core", "open MeasureTheory Nat"),
        ("none", "set_option maxHeartbeats 9"),
        ("core", "open Nat"),
    ]
    with pytest.raises(InputError, match="no header is called 'cor'"):
        with_header([], "cor")


# --- fitness -------------------------------------------------------------------------------------


def sound(check: Check) -> Answer:
    (name,) = check.names
    return Answer(declarations=(Declaration(name=name, kind="theorem", type="", type_key="k", axioms=()),))


def test_unfit_statements_are_those_that_lean_refuses() -> None:
    goals = [Formalisation(name, f"theorem {name} : 1 = 1", "x") for name in ("good", "bad", "broken", "late", "lucky")]
    goals.insert(2, Formalisation("unread", "no theorem", "x"))
    tries = dict.fromkeys(("broken", "late", "lucky"), 0)

    def answer(check: Check) -> Answer | Exception:
        (name,) = check.names
        if name in tries:
            tries[name] += 1
        if name == "broken" or (name == "lucky" and tries[name] == 1):
            return RuntimeError("it died")
        if name == "late":
            return Answer(interrupted=True)  # without the theorem: it did not come that far
        if name in ("bad", "lucky"):
            wrong = Message(severity="error", pos=Position(line=1, column=0), data="Unknown identifier `ℝ`\nand more")
            return Answer(messages=(wrong,))
        return sound(check)

    told: list[tuple[int, int]] = []
    found = fitness.unfit_statements(
        goals, FakeChecker(answer), Limits(), lambda done, total: told.append((done, total))
    )
    names = {record_id(goal): goal.name for goal in goals}
    assert [names[rejected.record] for rejected in found] == ["bad", "unread", "lucky"]
    assert {rejected.reason for rejected in found} == {"refused by Lean"}
    assert all(rejected.detail and "\n" not in rejected.detail for rejected in found)
    assert "Unknown identifier `ℝ`" in found[0].detail
    assert tries == {"broken": 2, "late": 2, "lucky": 2}
    assert told[-1] == (6, 6)


def test_a_verifier_asks_about_statements_in_the_same_words() -> None:
    goal = Formalisation("a", "theorem a : f = 1", "x", context="abbrev f : ℕ := sorry")
    checker, limits = FakeChecker(sound), Limits(timeout_s=7)
    fitness.unfit_statements([goal], checker, limits)
    list(CheckedVerifier(checker, limits=limits).verify([Submission(statement_of(goal), "by rfl")]))
    goal = Formalisation("b", "theorem b : 1 = 1", "x")
    fitness.unfit_statements([goal], checker, limits)
    list(CheckedVerifier(checker, limits=limits).verify([Submission(statement_of(goal), "by rfl")]))
    asked = [check for check in checker.asked if check.names == ("b",)]
    assert len(asked) == 3
    assert asked[0] == asked[1]


# --- the real ones -------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "count"), [("minif2f_valid.jsonl", 244), ("putnambench_lean4.jsonl", 672)])
def test_real_benchmarks(file: str, count: int) -> None:
    if not (SHARED / file).exists():
        pytest.skip(f"needs {file} in ../shared/data")
    found = open_benchmark(str(SHARED / file))
    assert len(found.goals) == len({goal.name for goal in found.goals}) == count
    assert {goal.header for goal in found.goals} == {"mathlib-bare"}
    assert {goal.header for goal in with_header(found.goals, "core")} == {"core"}
