"""Runs on a fake Lean: what is drawn and judged, what is not done twice, and what is said when something fails."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.corpus.records import record_id
from pythagoras.errors import HostDied, InputError
from pythagoras.evaluate.results import load
from pythagoras.evaluate.running.casting import seed_of
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.opening import opened
from pythagoras.evaluate.running.protocols import Part, Protocol
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.running.session import Doing, Progress
from pythagoras.evaluate.runs import read_manifest
from pythagoras.generate.sampler import Ability, Request, Sample
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.verdict import Policy
from pythagoras.lean.wire import Answer, Limits
from tests.scripted import (
    CORRECTION,
    RESTART,
    Scripted,
    attempts_in,
    judgements_in,
    lean,
    outcome_table,
    run_fake,
    slow_writer,
    statements,
)


def by_number(*texts: str) -> Scripted:
    """Attempt k is the k-th of these, and the first again behind the last."""
    return Scripted(lambda request: texts[request.number % len(texts)])


# --- what is drawn and judged --------------------------------------------------------------------


def test_every_attempt_is_drawn_number_by_number_judged_and_counted(tmp_path: Path) -> None:
    sampler = by_number("wrong", "by rfl", "slow")
    summary = run_fake(tmp_path / "r", statements(3), sampler, n=3)
    assert [(request.number, request.goal.name) for request in sampler.asked] == [
        (number, f"goal{at}") for number in range(3) for at in range(3)
    ]
    counts = load(tmp_path / "r").counts()
    assert (counts.wanted, counts.drawn, counts.missing, counts.unjudged) == (9, 9, 0, 0)
    assert (counts.proved, counts.rejected, counts.timeout, counts.solved) == (3, 3, 3, 3)
    assert (summary.drawn, summary.reused, summary.judged, summary.solved) == (9, 0, 9, 3)
    attempt = attempts_in(tmp_path / "r")[4]
    assert (attempt.prompt_tokens, attempt.generated_tokens, attempt.milliseconds) == (10, 2, 1.0)
    assert (attempt.finish, attempt.provenance.maker, attempt.provenance.settings) == ("stop", "scripted", "")
    assert {judged.lean_version for judged in judgements_in(tmp_path / "r")} == {"4.28.0"}


def test_seeds_differ_and_depend_on_nothing_else() -> None:
    seeds = [
        seed_of(run_, goal, number, round_)
        for run_ in (0, 1)
        for goal in "ab"
        for number in (0, 1)
        for round_ in (0, 1)
    ]
    assert len(set(seeds)) == 16
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seed_of(7, "a", 3, 1) == seed_of(7, "a", 3, 1)


def test_the_same_proof_is_judged_once_whatever_is_said_around_it(tmp_path: Path) -> None:
    same = ["```lean4\nby rfl\n```", "I think:\n```lean4\nby rfl\n```\nThere.", "by rfl\n"]
    fake = FakeChecker(lean)
    summary = run_fake(tmp_path / "r", statements(2), by_number(*same), checker=fake, n=30)
    assert (summary.drawn, summary.judged, summary.reused_verdicts) == (60, 2, 58)
    assert sum("rfl" in check.code for check in fake.asked) == 2
    assert len(judgements_in(tmp_path / "r")) == 2
    assert load(tmp_path / "r").counts().proved == 60


def test_what_passes_the_papers_rule_is_not_the_same_as_what_does_not(tmp_path: Path) -> None:
    texts = ["theorem goal0 : 0  =  0 := by rfl", "theorem goal0 : 0 + 0 = 0 := by rfl"]
    blocks = [f"```lean4\n{texts[1]}\n```", f"-- {texts[0]}\n```lean4\n{texts[1]}\n```"]
    run_fake(tmp_path / "r", statements(1), by_number(*blocks), n=2)
    judged = judgements_in(tmp_path / "r")
    assert [one.paper_rule for one in judged] == [False, True]
    assert [one.outcome for one in judged] == ["proved", "proved"]  # ours was put in the place of theirs


def test_solved_statements_get_no_more_attempts_only_when_asked(tmp_path: Path) -> None:
    def write(request: Request) -> str:
        return "by rfl" if request.goal.name == "goal0" or request.number == 19 else "wrong"

    full = run_fake(tmp_path / "all", statements(40), Scripted(write), n=20)
    assert (full.drawn, full.left_out) == (800, 0)
    saving = run_fake(tmp_path / "some", statements(40), Scripted(write), n=20, stop_when_solved=True)
    assert saving.drawn + saving.left_out == 800
    assert 0 < saving.left_out <= 19
    assert read_manifest(tmp_path / "some").stop_when_solved
    assert load(tmp_path / "some").counts().solved == 40
    # without it, what was left out is drawn after all
    rest = run_fake(tmp_path / "some", statements(40), Scripted(write), n=20)
    assert (rest.drawn, rest.reused) == (saving.left_out, saving.drawn)
    assert not read_manifest(tmp_path / "some").stop_when_solved
    assert outcome_table(tmp_path / "some") == outcome_table(tmp_path / "all")


def test_statements_that_lean_refuses_get_no_attempts(tmp_path: Path) -> None:
    benchmark = statements(3)
    bad = replace(benchmark.goals[1], text="theorem goal1 : wrong")
    benchmark = replace(benchmark, goals=(benchmark.goals[0], bad, benchmark.goals[2]))
    summary = run_fake(tmp_path / "r", benchmark, by_number("by rfl"), n=2)
    assert (summary.unfit, summary.problems, summary.drawn) == (1, 2, 4)
    counts = load(tmp_path / "r").counts()
    assert (counts.problems, counts.unfit, counts.wanted, counts.drawn) == (3, 1, 4, 4)


# --- several rounds, several samplers ------------------------------------------------------------


def test_a_conversation_goes_on_until_it_is_proved_or_over(tmp_path: Path) -> None:
    def write(request: Request) -> str:
        mends = {"goal0": 0, "goal1": 2, "goal2": 9}[request.goal.name]
        return f"exact fine{request.round}" if request.round >= mends else f"exact wrong{request.round}"

    sampler = Scripted(write, abilities={Ability.TURNS})
    run_fake(tmp_path / "r", statements(3), sampler, protocol=CORRECTION, n=2)
    rounds = [(int(request.goal.name[-1]), request.number, request.round) for request in sampler.asked]
    expected = [(0, k, 0) for k in range(2)] + [(goal, k, r) for goal in (1, 2) for k in range(2) for r in range(3)]
    assert sorted(rounds) == sorted(expected)
    assert [request.round for request in sampler.asked] == sorted(request.round for request in sampler.asked)
    last = next(request for request in sampler.asked if request.round == 2)
    assert [turn.completion for turn in last.turns] == ["exact wrong0", "exact wrong1"]
    assert all("unsolved goals" in turn.reply for turn in last.turns)
    assert len({request.seed for request in sampler.asked}) == len(sampler.asked)
    counts = load(tmp_path / "r").counts()
    assert (counts.drawn, counts.proved, counts.rejected) == (6, 4, 2)


def test_rounds_of_many_attempts_are_made_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pythagoras.evaluate.running.session.BLOCK", 4)
    sampler = slow_writer(0.0)
    run_fake(tmp_path / "blocks", statements(2), sampler, protocol=CORRECTION, n=6)
    waves = [(request.number // 2, request.round) for request in sampler.asked]
    assert waves == sorted(waves)
    monkeypatch.undo()
    run_fake(tmp_path / "whole", statements(2), slow_writer(0.0), protocol=CORRECTION, n=6)
    assert outcome_table(tmp_path / "blocks") == outcome_table(tmp_path / "whole")


def test_an_attempt_without_a_verdict_is_not_repaired_but_judged_again(tmp_path: Path) -> None:
    dead = {"is": True}

    def sometimes(check: Check) -> Answer | Exception:
        return HostDied("gone") if "wrong" in check.code and dead["is"] else lean(check)

    sampler = Scripted(lambda r: "exact fine" if r.round else "exact wrong", abilities={Ability.TURNS})
    first = run_fake(tmp_path / "r", statements(2), sampler, protocol=CORRECTION, checker=FakeChecker(sometimes))
    assert (first.drawn, first.judged, first.no_verdict) == (2, 2, 2)
    assert load(tmp_path / "r").counts().unjudged == 2
    dead["is"] = False
    second = run_fake(tmp_path / "r", statements(2), sampler, protocol=CORRECTION, checker=FakeChecker(sometimes))
    assert (second.drawn, second.reused, second.judged, second.no_verdict) == (2, 2, 4, 0)
    assert load(tmp_path / "r").counts().proved == 2


def test_parts_of_a_mixture_have_their_own_samplers_and_numbers(tmp_path: Path) -> None:
    one = Scripted(lambda r: f"exact one{r.number}", name="one", most=2)
    two = Scripted(lambda r: f"exact two{r.number}", name="two")
    mixture = Protocol(name="both", parts=(Part(sampler="one"), Part(sampler="two")))
    run_fake(tmp_path / "r", statements(1), one, two, protocol=mixture, n=6)
    written = {attempt.number: attempt.completion for attempt in attempts_in(tmp_path / "r")}
    assert written == dict(enumerate(f"exact {text}" for text in ("one0", "two0", "one1", "two1", "two2", "two3")))


def test_a_sampler_that_has_no_more_says_so(tmp_path: Path) -> None:
    summary = run_fake(tmp_path / "r", statements(2), Scripted(lambda r: "by rfl", most=3), n=5)
    assert (summary.drawn, summary.impossible) == (6, 4)
    assert load(tmp_path / "r").counts().missing == 4


def test_a_protocol_that_the_sampler_cannot_do_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="conversation"):
        run_fake(tmp_path / "r", statements(1), by_number("by rfl"), protocol=CORRECTION)
    with pytest.raises(InputError, match="same name"):
        run_fake(tmp_path / "r", statements(1), by_number("a"), by_number("b"))
    assert not (tmp_path / "r").exists()


# --- going on ------------------------------------------------------------------------------------


def test_a_finished_run_has_nothing_to_do(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(3), by_number("by rfl", "wrong"), n=4)
    before = outcome_table(tmp_path / "r")
    sampler, fake = by_number("by rfl", "wrong"), FakeChecker(lean)
    summary = run_fake(tmp_path / "r", statements(3), sampler, checker=fake, n=4)
    assert (summary.drawn, summary.reused, summary.judged) == (0, 12, 0)
    assert sampler.asked == []
    assert [check.code for check in fake.asked] == ["#eval Lean.versionString"]
    assert outcome_table(tmp_path / "r") == before


def test_a_raised_n_adds_attempts_only(tmp_path: Path) -> None:
    run_fake(tmp_path / "grown", statements(3), slow_writer(0.0), protocol=CORRECTION, n=2)
    before = outcome_table(tmp_path / "grown")
    sampler = slow_writer(0.0)
    run_fake(tmp_path / "grown", statements(3), sampler, protocol=CORRECTION, n=7)
    assert {request.number for request in sampler.asked} == {2, 3, 4, 5, 6}
    run_fake(tmp_path / "at once", statements(3), slow_writer(0.0), protocol=CORRECTION, n=7)
    grown = outcome_table(tmp_path / "grown")
    assert before.items() <= grown.items()
    assert grown == outcome_table(tmp_path / "at once")


def test_a_lowered_n_is_refused_once_more_was_drawn(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(2), by_number("by rfl"), n=4)
    with pytest.raises(InputError, match="has 4 attempts at a statement already, more than 3"):
        run_fake(tmp_path / "r", statements(2), by_number("by rfl"), n=3)
    assert read_manifest(tmp_path / "r").n == 4


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "seed was 0, is now 1"),
        ({"protocol": CORRECTION}, "protocol.name was restart, is now self-correction"),
        ({"judge": Judge(FakeChecker(lean), limits=Limits(timeout_s=5))}, "lean.timeout_s was 60.0, is now 5.0"),
        (
            {"judge": Judge(FakeChecker(lean), policy=Policy(replay=True))},
            "lean.policy.replay was nothing, is now True",
        ),
        ({"benchmark": statements(3)}, "benchmark.items was 2, is now 3"),
        ({"samplers": [slow_writer(0.5)]}, "samplers.0.settings.pause_s was 0.0, is now 0.5"),
    ],
)
def test_another_run_in_the_same_folder_is_refused_by_name(
    tmp_path: Path, change: dict[str, object], named: str
) -> None:
    same: dict[str, object] = {"benchmark": statements(2), "samplers": [slow_writer(0.0)], "protocol": RESTART}
    same |= {"judge": Judge(FakeChecker(lean)), "n": 1}
    run(tmp_path / "r", **same)  # type: ignore[arg-type]
    before = outcome_table(tmp_path / "r")
    with pytest.raises(InputError) as refused:
        run(tmp_path / "r", **same | change)  # type: ignore[arg-type]
    assert named in str(refused.value)
    assert "choose another folder, or begin anew with --overwrite" in str(refused.value)
    assert outcome_table(tmp_path / "r") == before
    run(tmp_path / "r", **same | change, overwrite=True)  # type: ignore[arg-type]
    assert load(tmp_path / "r").counts().drawn == len(change.get("benchmark", statements(2)).goals)  # type: ignore[attr-defined]


def test_other_statements_of_the_same_number_are_another_run(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(2), by_number("by rfl"))
    changed = statements(2)
    goals = (changed.goals[0], replace(changed.goals[1], name="other"))
    with pytest.raises(InputError, match="on other statements \\(goal1, now other\\)"):
        run_fake(tmp_path / "r", replace(changed, goals=goals), by_number("by rfl"))


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"is no run, and not empty \(thesis.tex\)"):
            run_fake(tmp_path, statements(1), by_number("by rfl"), overwrite=overwrite)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "thesis.tex"]


def test_two_cannot_write_at_once(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(1), by_number("by rfl"))
    with (
        opened(tmp_path / "r", read_manifest(tmp_path / "r"), statements(1).goals),
        pytest.raises(InputError, match="being written by another process"),
    ):
        run_fake(tmp_path / "r", statements(1), by_number("by rfl"))


def test_the_same_statement_twice_is_refused(tmp_path: Path) -> None:
    twice = replace(statements(1), goals=statements(1).goals * 2)
    with pytest.raises(InputError, match="has the statement goal0 2 times"):
        run_fake(tmp_path / "r", twice, by_number("by rfl"))


def test_wall_clock_adds_up_over_sessions_and_the_start_stays(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(1), slow_writer(0.05), n=2)
    first = read_manifest(tmp_path / "r")
    run_fake(tmp_path / "r", statements(1), slow_writer(0.05), n=4)
    second = read_manifest(tmp_path / "r")
    assert second.wall_seconds >= first.wall_seconds + 0.1 >= 0.2
    assert second.started == first.started
    assert (first.label, second.label) == ("slow", "slow")


# --- failures ------------------------------------------------------------------------------------


def test_samples_that_fail_are_counted_and_drawn_again(tmp_path: Path) -> None:
    broken = {"is": True}

    def write(request: Request) -> str | Exception:
        return OSError(f"no route {request.number}") if broken["is"] and request.number else "by rfl"

    first = run_fake(tmp_path / "r", statements(3), Scripted(write), n=3)
    assert (first.drawn, first.failed) == (3, 6)
    assert dict(first.failures) == {"no route 1": 3, "no route 2": 3}
    counts = load(tmp_path / "r").counts()
    assert (counts.drawn, counts.missing) == (3, 6)
    broken["is"] = False
    second = run_fake(tmp_path / "r", statements(3), Scripted(write), n=3)
    assert (second.drawn, second.reused, second.failed) == (6, 3, 0)


def test_a_sampler_that_raises_leaves_what_it_drew_judged(tmp_path: Path) -> None:
    def write(request: Request) -> str:
        if request.number == 2:
            raise InputError("the model's server is gone")
        return "by rfl"

    with pytest.raises(InputError, match="server is gone"):
        run_fake(tmp_path / "r", statements(3), Scripted(write), n=4)
    counts = load(tmp_path / "r").counts()
    assert (counts.drawn, counts.proved, counts.unjudged) == (6, 6, 0)
    summary = run_fake(tmp_path / "r", statements(3), by_number("by rfl"), n=4)
    assert (summary.drawn, summary.reused, summary.judged) == (6, 6, 0)


class _Forgetful(Scripted):
    def sample(self, requests):  # type: ignore[no-untyped-def]
        return (sample for sample in super().sample(requests) if sample.request.number != 1)


class _Twice(Scripted):
    def sample(self, requests):  # type: ignore[no-untyped-def]
        return (sample for sample in super().sample(requests) for _ in range(2))


def test_a_sampler_that_forgets_requests_has_failed_at_them(tmp_path: Path) -> None:
    summary = run_fake(tmp_path / "r", statements(2), _Forgetful(lambda r: "by rfl"), n=3)
    assert (summary.drawn, summary.failures) == (4, (("the sampler gave no sample", 2),))


def test_a_sampler_that_answers_twice_is_found_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="answers what it was not asked"):
        run_fake(tmp_path / "r", statements(2), _Twice(lambda r: "by rfl"), n=3)
    assert len(outcome_table(tmp_path / "r")) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_proof"),
        ("   \n\t", "no_proof"),
        ("I can't do this.\n```lean4\n```", "no_proof"),
        ("```lean4\ntheorem goal0 : 0 = 0 := by\n  sorry\n```", "sorry"),
        ("```lean4\ntheorem another : 1 = 1 := by rfl\n```", "no_proof"),
        ("by rfl -- \ud800 half \udfff", "holds"),
        ("by rfl -- \x00 nothing", "holds"),
        ("by rfl -- \u2028\x85\r lines", "holds"),
    ],
)
def test_strange_completions_are_judged_and_survive_the_disk(tmp_path: Path, text: str, reason: str) -> None:
    run_fake(tmp_path / "r", statements(1), by_number(text))
    (judged,) = judgements_in(tmp_path / "r")
    assert judged.reason == reason
    (attempt,) = attempts_in(tmp_path / "r")
    assert attempt.completion == text.encode(errors="replace").decode()
    assert load(tmp_path / "r").counts().unjudged == 0


def test_ctrl_c_stops_cleanly_and_the_same_call_goes_on(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == 7 and progress.doing is Doing.ATTEMPTS:
            signal.raise_signal(signal.SIGINT)

    stopped = run_fake(tmp_path / "r", statements(4), slow_writer(0.002), n=20, on_progress=interrupt)
    assert stopped.interrupted
    assert 7 <= stopped.drawn < 80
    assert not [thread for thread in threading.enumerate() if thread.name == "sampler"]
    rest = run_fake(tmp_path / "r", statements(4), slow_writer(0.002), n=20)
    assert (rest.interrupted, rest.reused, rest.reused + rest.drawn) == (False, stopped.drawn, 80)
    run_fake(tmp_path / "at once", statements(4), slow_writer(0.002), n=20)
    assert outcome_table(tmp_path / "r") == outcome_table(tmp_path / "at once")


class _Slow(Scripted):
    """Has one sample ready, and waits for another for ever, until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(lambda request: "by rfl")
        self.told, self.waits = threading.Event(), threading.Event()

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        first, second, *_ = requests
        yield Sample(first, "by rfl")
        self.waits.set()
        assert self.told.wait(30)
        yield Sample(second, "by rfl")

    def stop(self) -> None:
        self.told.set()


def test_ctrl_c_writes_down_what_is_ready(tmp_path: Path) -> None:
    sampler = _Slow()

    def interrupt(progress: Progress) -> None:
        if progress.done == 1 and progress.doing is Doing.ATTEMPTS:
            sampler.waits.wait(30)
            signal.raise_signal(signal.SIGINT)

    stopped = run_fake(tmp_path / "r", statements(4), sampler, on_progress=interrupt)
    assert (stopped.interrupted, stopped.drawn) == (True, 2)
    assert len(attempts_in(tmp_path / "r")) == 2


def test_progress_counts_up_to_the_total_of_each_wave(tmp_path: Path) -> None:
    seen: list[Progress] = []
    run_fake(tmp_path / "r", statements(5), slow_writer(0.0), protocol=CORRECTION, n=4, on_progress=seen.append)
    waves: dict[tuple[Doing, int], list[Progress]] = {}
    for progress in seen:
        waves.setdefault((progress.doing, progress.round), []).append(progress)
    assert [(doing, round_) for doing, round_ in waves] == [
        (Doing.STATEMENTS, 0),
        *((Doing.ATTEMPTS, round_) for round_ in range(3)),
    ]
    for wave in waves.values():
        assert [progress.done for progress in wave] == list(range(wave[-1].total + 1))
    assert seen[-1].solved == load(tmp_path / "r").counts().solved
    assert seen[-1].tokens == sum(attempt.generated_tokens for attempt in attempts_in(tmp_path / "r"))


# --- killed --------------------------------------------------------------------------------------


def _size(folder: Path) -> int:
    path = folder / "attempts" / "part-00000.jsonl"
    try:
        return path.stat().st_size
    except FileNotFoundError:  # not there yet, or sealed just now
        return 0


def test_killed_at_any_moment_and_resumed_it_is_as_if_nothing_happened(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "tests.scripted", str(folder), "6", "12", "0.004"]
    project = Path(__file__).parents[2]
    dice = random.Random(5)
    kills = 0
    while True:
        before = _size(folder)
        process = subprocess.Popen(command, cwd=project, env={**os.environ, "PYTHONPATH": str(project)})
        while process.poll() is None and _size(folder) == before:  # every session comes a little further
            time.sleep(0.002)
        time.sleep(dice.uniform(0.0, 0.4))
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        kills += 1
    assert process.wait() == 0
    assert kills >= 2
    run_fake(tmp_path / "at once", statements(6), slow_writer(0.004), protocol=CORRECTION, n=12)
    assert outcome_table(folder) == outcome_table(tmp_path / "at once")
    judged = [one.submission for one in judgements_in(folder)]
    assert len(judged) == len(set(judged))
    assert load(folder).counts() == load(tmp_path / "at once").counts()
    assert {record_id(goal) for goal in load(folder).goals} == {record_id(goal) for goal in statements(6).goals}
