"""`pythagoras prove` with the real Lean, the real search and the model that ships."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pythagoras.generate.endpoint import EndpointSettings
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Sampler
from pythagoras.generate.samplers import open_sampler
from pythagoras.lean.pool import Check, Checker, LeanPool
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.theorems import report
from pythagoras.prove.later import Later, opened
from pythagoras.prove.proving import Attempt, Effort, Ended, Prover, StatementRefused
from tests.lean.test_commands import run, write
from tests.unit.model_server import answers, chat, model_server

EASY = "theorem t (a b : ℕ) (h : a ≤ b) : a < b + 1"
GAUSS = "theorem gauss (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1)"
FALSE = "theorem f (a b : ℕ) (h : a < b) : a + 2 ≤ b"
HARD = "theorem hard (a b c n : ℕ) (h : 2 < n) (ha : 0 < a) (hb : 0 < b) : a ^ n + b ^ n ≠ c ^ n"
PATIENT = Effort(timeout_s=240.0)
"""For a machine that has other things to do."""


def lent(pool: LeanPool) -> Later[Checker]:
    checker: Checker = pool
    return opened(checker)


@pytest.fixture(scope="module")
def prover(pool: LeanPool) -> Prover:
    """Without a model."""
    return Prover(lent(pool), judges=pool.hosts)


@pytest.fixture(scope="module")
def embedded(pool: LeanPool) -> Iterator[Prover]:
    """With the model that ships, and nothing else than it and the one-liners."""
    with open_sampler("local:embedded") as sampler:
        model: Later[Sampler] = opened(sampler)
        yield Prover(lent(pool), model=model, model_name="embedded", search=False, judges=pool.hosts)


def holds(pool: LeanPool, text: str) -> bool:
    """Whether Lean takes a text as a file, proofs and all."""
    [checked] = pool.check([Check(text)])
    return checked.answer is not None and report(checked.answer).proved


# --- proofs ------------------------------------------------------------------------------------------


def test_an_easy_theorem_falls_to_a_tactic(prover: Prover, pool: LeanPool) -> None:
    outcome = prover.prove(parse_statement(EASY), PATIENT)
    assert outcome.proved is not None
    assert (outcome.ended, outcome.proved.by, outcome.counterexample) == (Ended.PROVED, "portfolio", None)
    assert outcome.proved.theorem == f"{EASY} := {outcome.proved.proof}"
    assert holds(pool, outcome.proved.theorem)
    assert outcome.lean_seconds > 0
    assert set(outcome.tried) == {"portfolio"}


def test_what_no_tactic_proves_the_search_does(prover: Prover, pool: LeanPool) -> None:
    attempts: list[Attempt] = []
    outcome = prover.prove(parse_statement(GAUSS), PATIENT, attempts.append)
    assert outcome.proved is not None
    assert outcome.proved.by == "search"
    assert "induction n" in outcome.proved.proof
    assert holds(pool, outcome.proved.theorem)
    assert [attempt.holds for attempt in attempts].count(True) == 1
    assert attempts[-1] == outcome.proved


def test_with_all_the_shortest_proof_is_kept(prover: Prover) -> None:
    attempts: list[Attempt] = []
    statement = parse_statement("theorem t (p q : Prop) (hp : p) (hq : q) : q ∧ p")
    outcome = prover.prove(statement, Effort(timeout_s=240.0, all=True), attempts.append)
    found = [attempt for attempt in attempts if attempt.holds]
    assert len(found) > 1
    assert outcome.proved is not None
    assert len(outcome.proved.proof) == min(len(attempt.proof) for attempt in found)


def test_definitions_of_the_text_are_told_to_tactics(prover: Prover, pool: LeanPool) -> None:
    context = "def double (n : ℕ) : ℕ := 2 * n\n\n"
    outcome = prover.prove(parse_statement(f"{context}theorem t (n : ℕ) : double n % 2 = 0"), PATIENT)
    assert outcome.proved is not None
    assert holds(pool, context + outcome.proved.theorem)


# --- no proofs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (FALSE, {"a", "b"}),
        ("theorem f : 2 + 2 = 5", set()),
        ("theorem f (p q : Prop) (x : ℚ) (h : p → q) (hx : 0 < x) : q → p ∨ x < 1", {"p", "q", "x"}),
        ("theorem f (a b : ℤ) (h : a < b) :\n    let s := a + b\n    s < 2 * a", {"a", "b"}),
        ("theorem f : ∀ n : ℕ, n ^ 2 + n + 41 ≠ 1681", {"n"}),
        ("theorem f (n : ℕ) (h : 1 < n) : Nat.Prime (n ^ 2 + n + 41)", {"n"}),
    ],
)
def test_a_false_theorem_is_refuted_and_lean_confirms_it(
    prover: Prover, pool: LeanPool, text: str, names: set[str]
) -> None:
    outcome = prover.prove(parse_statement(text), PATIENT)
    assert (outcome.ended, outcome.proved) == (Ended.REFUTED, None)
    assert set(outcome.counterexample or ()) == names
    assert outcome.disproof.startswith("theorem f_is_false : ¬ (")
    assert holds(pool, outcome.disproof)


def test_a_counterexample_that_lean_can_not_be_told_is_by_calculation(prover: Prover) -> None:
    text = "theorem f (f : ℕ → ℕ) (h : ∀ n, f (n + 1) = f n + 3) (h0 : f 0 = 2) : f 5 = 18"
    outcome = prover.prove(parse_statement(text), PATIENT)
    assert (outcome.ended, outcome.disproof) == (Ended.EXHAUSTED, "")
    assert outcome.counterexample == {"f": "0 ↦ 2, 1 ↦ 5, 2 ↦ 8, 3 ↦ 11, …"}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("theorem t (a : ℕ : a = a", 1, 17),
        ("\n\ntheorem t (a : ℕ) :\n    a + = a", 4, 8),
        ("theorem t (a : ℕ) : Foo a", 1, 20),
        ("thereom t : 1 = 1", 1, 0),
        ("import Mathlib\n\ndef f : ℕ := true ++ 1\n\ntheorem t : f = 1 := sorry", 3, 13),
        ("theorem t : 1 = 1 := sorry\n\ntheorem u : 2 = := by", 3, 16),
    ],
)
def test_what_is_no_lean_is_told_with_its_place(prover: Prover, text: str, line: int, column: int) -> None:
    with pytest.raises(StatementRefused) as caught:
        prover.read(text)
    assert (caught.value.line, caught.value.column) == (line, column), caught.value.message


def test_a_statement_by_itself_is_refused_as_well(prover: Prover) -> None:
    with pytest.raises(StatementRefused, match="Unknown identifier `Foo`"):
        prover.prove(parse_statement("theorem t (a : ℕ) : Foo a"))


def test_the_clock_ends_it(prover: Prover) -> None:
    outcome = prover.prove(parse_statement(HARD), Effort(timeout_s=3.0))
    assert (outcome.ended, outcome.proved) == (Ended.OUT_OF_TIME, None)
    assert 3.0 <= outcome.seconds < 4.0


def test_it_is_cancelled_at_once_and_the_next_does_not_wait(prover: Prover) -> None:
    stop = threading.Event()
    threading.Timer(1.5, stop.set).start()
    began = time.monotonic()
    outcome = prover.prove(parse_statement(HARD), Effort(check_s=120.0), stop=stop)
    assert outcome.ended is Ended.CANCELLED
    assert time.monotonic() - began < 2.5
    assert prover.prove(parse_statement(EASY.replace(" t ", " s ")), Effort(timeout_s=100.0)).ended is Ended.PROVED


# --- models ----------------------------------------------------------------------------------------------


def test_what_an_endpoint_writes_is_judged_and_handed_out_whole(pool: LeanPool) -> None:
    claim = "theorem t (n : ℕ) (f : ℕ → ℕ) : f n ≤ f n + 1"
    lemma = "lemma aux (n : ℕ) : n ≤ n + 1 := by omega"
    hostile = f"```lean4\naxiom no : False\n\n{claim} := no.elim\n```"
    other = "```lean4\ntheorem t (n : ℕ) : n = n := by\n  rfl\n```"
    good = f"Plan.\n```lean4\nimport Mathlib\n\n{lemma}\n\n{claim} := by\n  apply aux\n```"
    plays = [answers(chat(text)) for text in (hostile, other, "by sorry", good)]
    settings = EndpointSettings(model="tiny-prover", concurrency=1)
    attempts: list[Attempt] = []
    with model_server(*plays) as server, open_sampler(f"endpoint:{server.url}", endpoint=settings) as sampler:
        model: Later[Sampler] = opened(sampler)
        idle = Portfolio(["exact nothing_of_the_kind"])
        alone = Prover(lent(pool), portfolio=idle, model=model, search=False, judges=pool.hosts, brief=False)
        outcome = alone.prove(parse_statement(claim), PATIENT, attempts.append)
    assert outcome.proved is not None
    assert (outcome.proved.by, outcome.proved.proof) == ("tiny-prover", "by apply aux")
    assert outcome.proved.theorem == f"{lemma}\n\n{claim} := by apply aux"
    assert holds(pool, outcome.proved.theorem)
    assert sum(attempt.by == "tiny-prover" for attempt in attempts) >= 4


def test_the_model_that_ships_draws_and_is_judged(embedded: Prover) -> None:
    outcome = embedded.prove(parse_statement(HARD), Effort(n=8, check_s=10.0, timeout_s=240.0))
    assert outcome.ended is Ended.EXHAUSTED
    assert outcome.tried["embedded"] == 8
    assert outcome.generated_tokens > 8


# --- the command -------------------------------------------------------------------------------------------


def test_the_command_proves(tmp_path: Path) -> None:
    done = run("prove", EASY)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() in {f"{EASY} := by {tactic}\n" for tactic in ("omega", "grind")}
    [cost] = [line for line in done.stderr.decode().splitlines() if "proved by" in line]
    assert "t: proved by portfolio in " in cost
    assert cost.endswith(" s of Lean")


def test_the_command_refutes() -> None:
    done = run("prove", FALSE, "--model", "none")
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "-- no proof found for f: it is false"
    assert lines[1].startswith("-- false for a = ")
    assert lines[1].endswith(", as Lean confirms")
    assert lines[2] == "theorem f_is_false : ¬ (∀ (a b : ℕ) (h : a < b), a + 2 ≤ b) := by"


def test_the_command_says_where_it_is_no_lean() -> None:
    done = run("prove", "theorem t (a : ℕ) : a + = a")
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode().splitlines()[-1]
    assert said == "pythagoras: not Lean, in line 1, column 25: unexpected token '='; expected term: correct it there"


FILE = """import Mathlib

/-- Twice a number. -/
def double (n : ℕ) : ℕ := 2 * n

theorem double_even (n : ℕ) : double n % 2 = 0 := by
  sorry -- easy

namespace Sums

/-- Gauss. -/
theorem gauss (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1) := sorry

end Sums
"""


def test_a_file_gets_its_proofs(tmp_path: Path, pool: LeanPool) -> None:
    file = Path(write(tmp_path, "two.lean", FILE))
    done = run("prove", str(file), "--write", "--model", "none", "--timeout", "240")
    assert done.returncode == 0, done.stderr.decode()
    written = file.read_text(encoding="utf-8")
    assert "sorry" not in written
    assert written.startswith("import Mathlib\n\n/-- Twice a number. -/\ndef double")
    assert "/-- Gauss. -/\ntheorem gauss" in written
    assert holds(pool, written.replace("import Mathlib", ""))
    assert f"written: {file}, 2 of 2 proved" in done.stderr.decode()


def test_what_is_not_proved_stays_and_the_rest_is_written(tmp_path: Path) -> None:
    text = f"{FALSE} := by sorry\n\n{EASY} := by sorry\n"
    out = tmp_path / "out.lean"
    done = run("prove", "-", "-o", str(out), "--json", "--model", "none", stdin=text)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["proved"], told["faults"]) == (False, [])
    first, second = told["theorems"]
    assert (first["name"], first["line"], first["proved"], first["ended"]) == ("f", 1, False, "refuted")
    assert set(first["counterexample"]) == {"a", "b"}
    assert first["disproof"].startswith("theorem f_is_false")
    assert (second["name"], second["line"], second["proved"], second["by"]) == ("t", 3, True, "portfolio")
    assert second["verdict"]["outcome"] == "proved"
    assert {"attempts", "distinct", "generated_tokens", "lean_seconds", "seconds"} <= set(second)
    assert out.read_text(encoding="utf-8") == f"{FALSE} := by sorry\n\n{second['theorem']}\n"


def test_the_model_comes_in_where_tactics_fail_and_the_clock_ends_it() -> None:
    done = run("prove", HARD, "--no-search", "--n", "4", "--check-timeout", "5", "--timeout", "200", "--json")
    assert done.returncode == 1, done.stderr.decode()
    [told] = json.loads(done.stdout)["theorems"]
    assert told["tried"]["embedded"] == 4
    assert told["closest"]["outcome"] in ("rejected", "timeout")
