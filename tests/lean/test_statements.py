"""Statements as Lean itself reads them: its parser against ours, and its keys against canonical texts."""

from __future__ import annotations

import json
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pythagoras.lean.canonical import canonical_key, canonical_keys, canonical_text
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.statements import Statement, parse_statement, parse_with_lean, statement_from_row

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PARSED_BY_LEAN = {"minif2f_valid.jsonl": 230, "putnambench_lean4.jsonl": 300}
"""How many statements Lean must at least be able to parse on the core header; a few less than it can today."""


def rows(file: str) -> list[dict[str, Any]]:
    if not (SHARED / file).is_file():
        pytest.skip(f"{file} is not beside the project: it holds the benchmark to compare on")
    return [json.loads(line) for line in (SHARED / file).read_text(encoding="utf-8").splitlines()]


def flat(statement: Statement) -> tuple[object, ...]:
    """What must agree, with blanks made alike."""
    binders = tuple((b.kind, b.names, " ".join(b.type.split())) for b in statement.binders)
    parts = (statement.name, statement.docstring, statement.goal, statement.text, statement.context)
    return *(" ".join(part.split()) for part in parts), binders, statement.answers


@pytest.mark.parametrize("file", PARSED_BY_LEAN)
def test_lean_reads_benchmarks_as_we_do(pool: LeanPool, file: str) -> None:
    sources = [row.get("header", "") + row.get("formal_statement", row.get("source", "")) for row in rows(file)]
    with ThreadPoolExecutor(pool.hosts) as threads:
        by_lean = list(threads.map(lambda source: parse_with_lean(source, pool), sources))
    for source, found in zip(sources, by_lean, strict=True):
        assert found is None or flat(found) == flat(parse_statement(source))
    assert len(by_lean) - by_lean.count(None) >= PARSED_BY_LEAN[file]


SOURCES = [
    "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b := by omega",
    "theorem t (x : ℕ := 3) (h : x = 3 := by decide) {y} [Inhabited ℕ] ⦃z : ℕ⦄ w : x = w := by",
    "theorem t {{z : ℕ}} : z = z :=",
    "theorem t.{u} {α : Type u} (a : α) : a = a -- said\n",
    "/-- It is /- so -/. -/\n@[simp] protected theorem A.t : 1 = 1 := rfl",
    "open Nat in\n/-- It is so. -/\n@[simp]\nlemma t : 1 = 1 := rfl",
    "set_option maxRecDepth 900 in open Nat in theorem t : 1 = 1 := rfl",
    "theorem t : ∀ n : ℕ, let x := n; let y : ℕ := x\n  y = n := by sorry",
    "theorem t : have h := 1; h = 1 := rfl",
    "theorem t : (if h : 1 = 1 then 2 else 3) = 2 := by simp",
    "theorem t (s : Set ℕ) : {x | x ∈ s} = {x : ℕ | x ∈ s ∧ x = x} := sorry",
    'theorem t : "theorem u : 1 := 2" = "a" ++ toString ":=" ∧ \'"\' = \'"\' := sorry',
    "theorem t /- theorem u : := -/ : 1 -- := )\n = 1 := rfl",
    "theorem t (n : ℕ) : match n with\n  | 0 => True\n  | _ + 1 => True := sorry",
    "theorem t : ({ fst := 1, snd := 2 } : ℕ × ℕ) = (1, 2) ∧ Nat.add (n := 1) 2 = 3 := sorry",
    "theorem t : show Prop from True := trivial",
    "theorem «odd := name» («a : b» : ℕ) : «a : b» = «a : b» := rfl",
    "theorem A.«b c».φ₁' (ε : ℕ) (h₀' : ε = 1) (_ : 1 = 1) : ε = 1 := h₀'",
    "theorem t : (⟨1, by let y := 2; decide⟩ : Fin 3) = ⟨1, by decide⟩ := rfl",
    "theorem t (a : ℤ) : |a| ≤ |a| ∧ |a - 1| = |1 - a| := sorry",
    "theorem t : ∑ x ∈ Finset.range 3, x = 3 ∧ ∃ f : ℕ → ℕ, f = fun x ↦ x := sorry",
    "namespace A\nsection\nvariable (n : ℕ)\ntheorem u : n = n := rfl\ntheorem t : n = n := u n\nend\nend A",
    "def f : ℕ → ℕ\n  | 0 => 1\n  | n => n\n\nabbrev answer : ℕ := sorry\n-- 3\ntheorem t : f 1 = answer :=\nsorry",
    'local notation "♯" n => n + 1\ntheorem t : (♯ 1) = 2 := rfl',
]


@pytest.mark.parametrize("source", SOURCES)
def test_lean_reads_odd_shapes_as_we_do(pool: LeanPool, source: str) -> None:
    by_lean = parse_with_lean(source, pool)
    assert by_lean is not None
    assert by_lean == parse_statement(source)


@pytest.mark.parametrize(
    "source", ["theorem t : ‖x‖ = 1 := sorry", "theorem t : ∫ x, f x = 1 := sorry", "theorem t (α : Type*) : 1 = 1"]
)
def test_what_lean_can_not_parse_is_none_of_its_business(pool: LeanPool, source: str) -> None:
    assert parse_with_lean(source, pool) is None


def test_signatures_are_told_only_when_asked(pool: LeanPool) -> None:
    code = "/-- é -/ theorem t (ε : ℕ) : ε = ε := rfl\ndef d := 1\ntheorem broken : 1 ="
    plain, asked = pool.check([Check(code), Check(code, signatures=True)])
    assert plain.answer is not None
    assert asked.answer is not None
    assert [command.signature for command in plain.answer.commands] == [None] * 3
    found, *others = (command.signature for command in asked.answer.commands)
    assert others == [None, None]
    assert found is not None
    assert found.doc is not None
    places = [found.doc, found.name, *found.binders, found.type]
    assert [code[place.start : place.end] for place in places] == ["/-- é -/", "t", "(ε : ℕ)", "ε = ε"]
    assert (found.start, code[found.value :].split("\n")[0]) == (0, ":= rfl")


def test_keys_of_the_kernel_see_through_notation(pool: LeanPool) -> None:
    ways = ["theorem t (a b : ℕ) (h : a < b) : a ≤ b", "theorem u (x : ℕ) (y : Nat) (_ : LT.lt x y) : LE.le x y"]
    keys = {canonical_key(parse_statement(way), pool) for way in ways}
    assert len(keys) == 1
    assert keys.pop().startswith("kernel:")
    assert canonical_key(parse_statement("theorem t (x : ℝ) : x = x"), pool).startswith("text:")


def test_an_open_answer_does_not_count_in_the_key(pool: LeanPool) -> None:
    template = "abbrev t_solution : ℕ := {}\ntheorem t : 1 + 1 = t_solution"
    left_open, other = (parse_statement(template.format(answer)) for answer in ("sorry", "3"))
    assert left_open.answers == ("t_solution",)
    assert canonical_key(left_open, pool) == canonical_key(parse_statement(template.format("by sorry")), pool)
    assert canonical_key(left_open, pool) != canonical_key(other, pool)


def test_equal_texts_have_equal_kernel_keys(pool: LeanPool) -> None:
    """Over a benchmark and its copies with other names, spaces and groups."""
    texts: dict[str, set[str]] = defaultdict(set)
    statements = [statement_from_row(row) for row in rows("minif2f_valid.jsonl")]
    copies = [parse_statement(disguise(statement)) for statement in statements]
    kernel = 0
    for statement, key in canonical_keys([*statements, *copies], pool):
        if key.startswith("kernel:"):
            texts[canonical_text(statement)].add(key)
            kernel += 1
    assert kernel >= 100
    assert all(len(keys) == 1 for keys in texts.values())
    assert kernel == 2 * len(texts)


def disguise(statement: Statement) -> str:
    """The same statement: every binder on its own, and other names for the hypotheses."""
    binders = " ".join(
        f"({'other_' if binder in statement.hypotheses else ''}{name} : {binder.type})"
        for binder in statement.binders
        for name in binder.names
    )
    return f"{statement.context}\ntheorem disguised {binders} /- so -/ :\n    {statement.goal}"
