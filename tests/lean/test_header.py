"""The `core` header: its lemmas work, false things stay false, and benchmark statements elaborate word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.minif2f import DATA, statements
from pythagoras.lean.headers import core
from pythagoras.lean.pool import Check, LeanPool, Status
from pythagoras.lean.theorems import report
from pythagoras.lean.wire import Limits
from tests.lean.conftest import SharedHost

HERE = Path(__file__).parent


def items(name: str) -> list[str]:
    """The file's theorems: pieces between blank lines, without those that are only comment."""
    pieces = (HERE / name).read_text(encoding="utf-8").split("\n\n")
    return [piece for piece in pieces if "theorem" in piece or "example" in piece]


def test_examples_check(pool: LeanPool) -> None:
    codes = items("core_header_examples.lean")
    assert len(codes) >= 80
    for result in pool.check(Check(code) for code in codes):
        assert result.answer is not None
        assert report(result.answer).proved, (result.check.code, [m.data for m in result.answer.messages])


def test_false_statements_do_not_check(pool: LeanPool) -> None:
    codes = items("core_header_false.lean")
    assert len(codes) >= 15
    for result in pool.check(Check(code, limits=Limits(timeout_s=30)) for code in codes):
        assert result.answer is not None
        assert not report(result.answer).proved, result.check.code


def test_the_compiled_header_means_what_the_text_means(shared: SharedHost) -> None:
    """Hosts import the header as a module; elaborating its text in place must give the same statements."""
    statements = [
        "theorem t (n : ℕ) (h : Even n) : ∑ i ∈ Finset.range n, (i : ℤ) ≤ n ^ 2 := sorry",
        "theorem t : 10! % 7 = 0 ∧ IsLeast {x : ℕ | 0 < x ∧ 3 ∣ x} 3 := sorry",
        "theorem t (a b : ℤ) : |a * b| = |a| * |b| ∧ a ≡ b [ZMOD 5] := sorry",
        "theorem t : (Finset.filter (fun x => Nat.Prime x) (Finset.Icc 1 10)).card = 4 := sorry",
    ]
    host = shared.living()
    text = host.request({"cmd": core().text}, 120)
    assert not [m for m in text.get("messages", []) if m["severity"] == "error"]
    for statement in statements:
        raw = host.request({"cmd": statement, "env": text["env"], "declarations": True, "keep": False}, 60)
        compiled = shared.check(statement, core())
        assert {d["typeKey"] for d in raw["declarations"]} == {d.type_key for d in compiled.declarations}, statement
    host.request({"drop": [text["env"]]}, 30)


def test_unknown_types_are_errors_not_variables(shared: SharedHost) -> None:
    for name in ("ℝ", "ℂ", "NNReal", "Foo"):
        assert shared.check(f"theorem t (x : {name}) : x = x := rfl", core()).errors, name


@pytest.mark.skipif(not DATA.exists(), reason="needs minif2f_valid.jsonl in ../shared/data")
def test_benchmark_statements_elaborate_word_for_word(pool: LeanPool) -> None:
    rows = statements(DATA)
    results = pool.check(Check(statement) for _, statement in rows)
    fails = {
        name
        for (name, _), result in zip(rows, results, strict=True)
        if result.status is not Status.ANSWERED or result.answer is None or result.answer.errors
    }
    assert len(rows) == 103
    assert not fails
