"""Runs with real Lean: verdicts as the verifier gives them, kills, conversations about real errors, holes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from pythagoras.corpus.judgements import LONGEST, MOST_ERRORS
from pythagoras.corpus.records import Formalisation, statement_of
from pythagoras.evaluate.benchmarks import Benchmark, open_benchmark
from pythagoras.evaluate.results import load
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.protocols import Part, Protocol
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.running.session import Summary
from pythagoras.evaluate.runs import BenchmarkInfo, read_manifest
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Ability, Request, Sampler
from pythagoras.lean.backends import open_checker
from pythagoras.lean.native.checker import NativeChecker
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.server.app import ServerSettings, serving
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.version import lean_version
from pythagoras.lean.wire import Limits
from tests.scripted import CORRECTION, RESTART, Scripted, attempts_in, judgements_in, outcome_table

TACTICS = ("omega", "rfl", "grind", "simp", "decide")
HERE = Path(__file__).parents[2]


def made(*texts: str) -> Benchmark:
    goals = tuple(Formalisation(name=text.split()[1], text=text, source="made") for text in texts)
    return Benchmark(BenchmarkInfo(name="made", items=len(goals)), goals)


def measure(
    folder: Path,
    pool: LeanPool,
    benchmark: Benchmark,
    sampler: Sampler,
    protocol: Protocol = RESTART,
    *,
    n: int = 1,
    stop_when_solved: bool = False,
) -> Summary:
    judge = Judge(pool, header="core", limits=Limits(timeout_s=20))
    return run(folder, benchmark, [sampler], protocol, judge, n=n, stop_when_solved=stop_when_solved)


def test_the_portfolio_on_corebench_is_judged_as_the_verifier_judges(tmp_path: Path, pool: LeanPool) -> None:
    benchmark = open_benchmark("corebench/valid", levels=(1,), limit=10)
    measure(tmp_path, pool, benchmark, Portfolio(TACTICS), n=3)
    results = load(tmp_path)
    assert results.manifest.lean.version == pool.version != ""
    counts = results.counts()
    assert (counts.drawn, counts.missing, counts.unjudged, counts.unfit) == (30, 0, 0, 0)
    assert 0 < counts.proved < 30
    texts = {attempt.submission: attempt for attempt in attempts_in(tmp_path)}
    goals = {attempt.formalisation: goal for goal, attempt in zip(benchmark.goals, attempts_in(tmp_path), strict=False)}
    kept = judgements_in(tmp_path)
    submissions = [
        Submission(statement_of(goals[texts[one.submission].formalisation]), texts[one.submission].completion)
        for one in kept
    ]
    verifier = CheckedVerifier(pool, limits=Limits(timeout_s=20))
    for ours, judged in zip(kept, verifier.verify(submissions), strict=True):
        assert judged.verdict is not None
        assert (ours.outcome, ours.reason) == (judged.verdict.outcome.value, judged.verdict.reason.name.lower())
        assert (ours.paper_rule, ours.axioms) == (judged.verdict.paper_rule, judged.verdict.axioms)
        assert ours.lean_version == pool.version
        assert bool(ours.error) == (ours.reason == "lean_error")
        errors = [message for message in judged.verdict.messages if message.severity == "error"]
        assert [remark.text for remark in ours.remarks if remark.severity == "error"] == [e.data for e in errors]


def test_a_raised_n_and_stopping_at_the_first_proof(tmp_path: Path, pool: LeanPool) -> None:
    benchmark = open_benchmark("corebench/valid", levels=(1,), limit=6)
    measure(tmp_path / "grown", pool, benchmark, Portfolio(TACTICS), n=2)
    before = outcome_table(tmp_path / "grown")
    grown = measure(tmp_path / "grown", pool, benchmark, Portfolio(TACTICS), n=5)
    assert (grown.drawn, grown.reused) == (18, 12)
    assert before.items() <= outcome_table(tmp_path / "grown").items()
    saving = measure(tmp_path / "some", pool, benchmark, Portfolio(TACTICS), n=5, stop_when_solved=True)
    assert saving.drawn + saving.left_out == 30
    assert load(tmp_path / "some").counts().solved == load(tmp_path / "grown").counts().solved
    assert outcome_table(tmp_path / "some").items() <= outcome_table(tmp_path / "grown").items()


def test_what_is_said_around_a_proof_costs_lean_nothing(tmp_path: Path, pool: LeanPool) -> None:
    statement = "theorem comm (a b : ℕ) : a + b = b + a"
    words = Scripted(lambda r: f"Thought {r.seed}.\n```lean4\n{statement} := by omega\n```")
    asked = pool.stats.answered + pool.stats.repeated
    summary = measure(tmp_path, pool, made(statement), words, n=20)
    assert (summary.drawn, summary.judged, summary.reused_verdicts) == (20, 1, 19)
    assert pool.stats.answered + pool.stats.repeated - asked == 3  # the statement twice, and the proof
    assert load(tmp_path).counts().proved == 20


# --- repair --------------------------------------------------------------------------------------


def test_self_correction_shows_leans_own_error_at_its_place(tmp_path: Path, pool: LeanPool) -> None:
    """The sampler mends its proof only where it is told what Lean really says about it."""
    statement = "theorem comm (a b : ℕ) : a * b = b * a"

    def write(request: Request) -> str:
        told = request.turns[-1].reply if request.turns else ""
        knows = "<error>omega</error>" in told and "omega could not prove the goal" in told
        return f"```lean4\n{statement} := by\n  {'exact Nat.mul_comm a b' if knows else 'omega'}\n```"

    sampler = Scripted(write, abilities={Ability.TURNS})
    measure(tmp_path, pool, made(statement), sampler, CORRECTION, n=2)
    assert [(request.number, request.round) for request in sampler.asked] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    outcomes = {place[1:]: outcome for place, (_, outcome) in outcome_table(tmp_path).items()}
    assert outcomes == {(0, 0): "rejected", (0, 1): "proved", (1, 0): "rejected", (1, 1): "proved"}
    assert len(judgements_in(tmp_path)) == 2
    assert load(tmp_path).counts().proved == 2


def test_infilling_writes_only_what_lean_did_not_take(tmp_path: Path, pool: LeanPool) -> None:
    statement = "theorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b ∧ a * b = b * a"

    def write(request: Request) -> str:
        if request.hole is None:
            return "by\n  constructor\n  · omega\n  · omega"
        assert request.hole.before.endswith("· omega\n  · ")
        return "exact Nat.mul_comm a b"

    infill = Protocol(name="infill", parts=(Part(rounds=2, repair="infill"),))
    measure(tmp_path, pool, made(statement), Scripted(write, abilities={Ability.INFILL}), infill)
    first, second = sorted(attempts_in(tmp_path), key=lambda attempt: attempt.round)
    assert load(tmp_path).solved.tolist() == [[True]]
    assert second.completion.endswith("constructor\n  · omega\n  · exact Nat.mul_comm a b")
    assert second.generated_tokens == 4 < len(first.completion.split())


# --- killed --------------------------------------------------------------------------------------

_RUN = """
import sys
from pathlib import Path
from pythagoras.evaluate.benchmarks import open_benchmark
from pythagoras.lean.pool import LeanPool
from tests.lean.test_eval_run import TACTICS, Portfolio, measure
with LeanPool(1, spare=False) as pool:
    measure(Path(sys.argv[1]), pool, open_benchmark("corebench/valid", levels=(1,), limit=40), Portfolio(TACTICS), n=5)
"""


def _judged(folder: Path) -> int:
    path = folder / "judgements" / "part-00000.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_killed_in_the_middle_and_resumed_equals_an_uninterrupted_run(tmp_path: Path, pool: LeanPool) -> None:
    folder = tmp_path / "killed"
    for wanted in (5, 20):
        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(folder)], cwd=HERE, env={**os.environ, "PYTHONPATH": str(HERE)}
        )
        while process.poll() is None and _judged(folder) < wanted:
            time.sleep(0.01)
        assert process.poll() is None, "it was done before it could be killed"
        process.kill()
        process.wait()
    there = len(attempts_in(folder))
    assert 20 <= there < 200
    benchmark = open_benchmark("corebench/valid", levels=(1,), limit=40)
    rest = measure(folder, pool, benchmark, Portfolio(TACTICS), n=5)
    assert (rest.reused, rest.drawn) == (there, 200 - there)
    measure(tmp_path / "at once", pool, benchmark, Portfolio(TACTICS), n=5)
    assert outcome_table(folder) == outcome_table(tmp_path / "at once")
    judged = [one.submission for one in judgements_in(folder)]
    assert len(judged) == len(set(judged))
    assert load(folder).counts() == load(tmp_path / "at once").counts()


# --- what Lean says, and who it is ---------------------------------------------------------------


def test_many_errors_and_long_messages_are_cut_and_that_is_said(tmp_path: Path, pool: LeanPool) -> None:
    steps = "\n".join(f"  have h{k} : a = {k} := by rfl" for k in range(MOST_ERRORS + 30))
    measure(tmp_path / "many", pool, made("theorem t (a b : ℕ) : a = b"), Scripted(lambda r: f"by\n{steps}\n  omega"))
    (judged,) = judgements_in(tmp_path / "many")
    errors = [remark for remark in judged.remarks if remark.severity == "error"]
    assert len(errors) == MOST_ERRORS
    assert judged.remarks[-1].text.endswith("more errors and warnings are not kept")
    assert judged.error
    many = " ".join(f"(h{k} : a + {k} < b + {k})" for k in range(300))
    measure(tmp_path / "long", pool, made(f"theorem t (a b : ℕ) {many} : a = b"), Scripted(lambda r: "by\n  skip"))
    (judged,) = judgements_in(tmp_path / "long")
    (remark,) = judged.remarks
    assert LONGEST < len(remark.text) < LONGEST + 40
    assert remark.text.endswith("more characters)")


def test_every_lean_tells_its_version(pool: LeanPool) -> None:
    version = lean_version(pool)
    assert version.startswith("4.")
    repl = (sys.executable, "-m", "pythagoras", "lean", "repl")
    with NativeChecker(HERE, 1, command=repl, header="none") as native:
        assert lean_version(native) == version
    with serving(pool, ServerSettings()) as url, open_checker(url) as kimina:
        assert lean_version(kimina) == version


def test_a_run_on_another_lean_says_which(tmp_path: Path, pool: LeanPool) -> None:
    with serving(pool, ServerSettings()) as url, open_checker(url) as kimina:
        judge = Judge(kimina, backend="kimina", limits=Limits(timeout_s=20))
        (goal,) = made("theorem t : 1 = 1").goals
        benchmark = replace(made(goal.text), goals=(replace(goal, header="mathlib"),))
        run(tmp_path, benchmark, [Scripted(lambda r: "rfl")], RESTART, judge, n=1)
    assert (read_manifest(tmp_path).lean.backend, read_manifest(tmp_path).lean.version) == ("kimina", pool.version)
    assert load(tmp_path).counts().proved == 1
