"""Rewards on a fake Lean: what is asked and how often, what no verdict becomes, and how settings are found."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

from pythagoras.corpus import prompts
from pythagoras.corpus.records import Instance, Tier
from pythagoras.errors import HostDied, InputError
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checked
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verifier import Submission
from pythagoras.lean.wire import Answer
from pythagoras.train import rewards
from pythagoras.train.rewards import Judge, RewardError, RewardSettings, settings_from

ONE = "theorem one : 1 = 1 := sorry"
TWO = "theorem two : 2 = 2 := sorry"
RIGHT = {"score": 1.0, "acc": 1.0, "outcome": "proved", "reason": "holds"}


def lean(check: Check) -> Answer | Exception:
    """A proof's text says what happens to it."""
    if "dies" in check.code:
        return HostDied("the host died")
    if "raises" in check.code:
        raise InputError("the checker is broken")
    key = "other" if "changed" in check.code else "k"
    declared = {"name": check.names[0], "kind": "theorem", "type": "T", "typeKey": key, "axioms": []}
    return Answer.model_validate({"declarations": [declared]})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Check]]:
    """The functions' own Lean is a fake one; what it is asked."""
    fake = FakeChecker(lean)
    monkeypatch.setattr(rewards, "open_checker", lambda *_, **__: nullcontext(fake))
    monkeypatch.setattr(rewards, "_OPENED", {})
    yield fake.asked
    for judge in rewards._OPENED.values():
        judge.__exit__(None, None, None)


# --- the judge -----------------------------------------------------------------------------------


def test_what_was_asked_once_is_not_asked_again() -> None:
    fake = FakeChecker(lean)
    one, two = parse_statement(ONE), parse_statement(TWO)
    with Judge(fake) as judge:
        waiting = [judge.submit(Submission(each, text)) for each in (one, two) for text in ("rfl", "decide") * 8]
        assert all(each.result().verdict for each in waiting)
    codes = [check.code for check in fake.asked]
    assert len(codes) == len(set(codes)) == 2 + 4  # two statements, two proofs of each


@pytest.mark.parametrize("failures", [1, 2])
def test_a_lean_that_breaks_down_is_asked_again_and_its_failure_is_not_remembered(failures: int) -> None:
    answers: list[Answer | Exception] = []

    def flaky(check: Check) -> Answer | Exception:
        answers.append(HostDied("gone") if 1 <= len(answers) <= failures else lean(check))
        return answers[-1]

    with Judge(FakeChecker(flaky)) as judge:
        submission = Submission(parse_statement(ONE), "rfl")
        first, second = judge.submit(submission).result(), judge.submit(submission).result()
    assert first.failure == ("" if failures == 1 else "gone")
    assert (first.verdict is None) == (failures == 2)
    assert second.verdict is not None
    assert second.verdict.proved


def test_one_that_hangs_keeps_nobody_else_waiting() -> None:
    release = threading.Event()

    class Slow:
        def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
            for check in checks:
                if "hangs" in check.code:
                    assert release.wait(30)
                yield from FakeChecker(lean).check([check])

    with Judge(Slow()) as judge:
        hanging = judge.submit(Submission(parse_statement(ONE), "exact hangs"))
        others = [judge.submit(Submission(parse_statement(ONE), f"rfl -- {n}")) for n in range(20)]
        assert all(each.result(20).verdict for each in others)
        assert not hanging.done()
        release.set()
        assert hanging.result(20).verdict is not None


# --- verl ----------------------------------------------------------------------------------------


def test_scores_for_verl_one_by_one_and_awaited(asked: list[Check]) -> None:
    extra = {"name": "one", "header": "mathlib", "split": "train", "num_turns": 2, "rollout_reward_scores": {}}
    assert rewards.compute_score("pythagoras", "rfl", ONE, extra) == RIGHT
    wrong = rewards.compute_score(
        data_source="pythagoras", solution_str="exact changed", ground_truth=ONE, extra_info=extra
    )
    assert wrong == {"score": 0.0, "acc": 0.0, "outcome": "rejected", "reason": "statement_changed"}
    assert asyncio.run(rewards.compute_score_async("pythagoras", "rfl", ONE, extra, reward_router_address="x")) == RIGHT
    assert rewards.compute_score("pythagoras", "rfl", TWO) == RIGHT
    assert {check.header for check in asked} == {"mathlib", "core"}


def test_without_a_verdict_there_is_no_score(asked: list[Check]) -> None:
    with pytest.raises(RewardError, match="no verdict about one: the host died"):
        rewards.compute_score("pythagoras", "exact dies", ONE)
    with pytest.raises(RewardError, match="no verdict about one: the host died"):
        asyncio.run(rewards.compute_score_async("pythagoras", "exact dies", ONE))
    with pytest.raises(RewardError, match="could not be asked: the checker is broken"):
        rewards.compute_score("pythagoras", "exact raises", ONE)
    with pytest.raises(RewardError, match="could not be asked: the checker is broken"):
        asyncio.run(rewards.compute_score_async("pythagoras", "exact raises", ONE))
    with pytest.raises(RewardError, match="nothing to judge by: there is no theorem"):
        rewards.compute_score("pythagoras", "rfl", "1 = 1")


def test_impatience_is_no_failed_proof(monkeypatch: pytest.MonkeyPatch, asked: list[Check]) -> None:
    """verl's first manager takes a TimeoutError for a wrong proof."""
    release = threading.Event()

    class Slow:
        def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
            release.wait(30)
            return FakeChecker(lean).check(checks)

    monkeypatch.setattr(rewards, "open_checker", lambda *_, **__: nullcontext(Slow()))
    try:
        with pytest.raises(RewardError, match=r"no verdict within 0\.05 seconds"):
            rewards.compute_score("pythagoras", "rfl", ONE, patience_s=0.05)
        with pytest.raises(RewardError, match=r"no verdict within 0\.05 seconds"):
            asyncio.run(rewards.compute_score_async("pythagoras", "rfl", ONE, patience_s=0.05))
    finally:
        release.set()


# --- TRL -----------------------------------------------------------------------------------------

CHAT = [{"role": "assistant", "content": "It is plain.\n```lean4\ntheorem one : 1 = 1 := by rfl\n```"}]


def both(**called: Any) -> list[float | None]:
    """The reward as TRL asks for it; awaited or not, it is the same."""
    found = rewards.lean_reward(**called)
    assert asyncio.run(rewards.lean_reward_async(**called)) == found
    return found


def test_rewards_for_trl(asked: list[Check]) -> None:
    metrics: list[tuple[str, float]] = []
    found = both(
        prompts=["p"] * 6,
        completions=["rfl", CHAT, "exact changed", "exact dies", "exact raises", "rfl"],
        completion_ids=[[1]] * 6,
        statement=[*[ONE] * 5, "no theorem"],
        header=["core", None, "core", "core", "core", "core"],
        topic=["algebra"] * 6,
        trainer_state=None,
        log_extra=None,
        log_metric=lambda name, value: metrics.append((name, value)),
    )
    assert found == [1.0, 1.0, 0.0, None, None, None]
    assert metrics == [("lean/no_verdict", 0.5)] * 2


def test_settings_by_name_as_trl_is_given_them(monkeypatch: pytest.MonkeyPatch, asked: list[Check]) -> None:
    seen: list[RewardSettings] = []
    open_judge = rewards.opened

    def opened(settings: RewardSettings) -> Judge:
        seen.append(settings)
        return open_judge(settings)

    monkeypatch.setattr(rewards, "opened", opened)
    reward = partial(rewards.lean_reward, timeout_s=3.0, jobs=2)
    assert reward(prompts=["p"], completions=["rfl"], statement=[ONE], topic=["algebra"]) == [1.0]
    assert seen == [RewardSettings(timeout_s=3.0, jobs=2)]


@pytest.mark.parametrize("family", prompts.names(chat=False))
def test_raw_text_goes_on_where_its_prompt_ends(asked: list[Check], family: str) -> None:
    """One family's prompts end inside of a block of code, which the completion closes."""
    instance = Instance("one", "theorem one : 1 = 1", "by\n  rfl", "handmade", Tier.EASY, True, informal="Equal.")
    rendered = prompts.render(instance, family)
    assert both(prompts=[rendered.prompt], completions=[rendered.completion], statement=[ONE]) == [1.0]
    assert asked[-1].code.endswith("rfl") or asked[-1].code.endswith("rfl\n")


def test_those_that_wait_too_long_cost_the_others_nothing(monkeypatch: pytest.MonkeyPatch, asked: list[Check]) -> None:
    """One deadline for the batch: three that hang are not waited for one after the other."""
    release = threading.Event()

    class Slow:
        def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
            for check in checks:
                if "hangs" in check.code:
                    release.wait(30)
                yield from FakeChecker(lean).check([check])

    monkeypatch.setattr(rewards, "open_checker", lambda *_, **__: nullcontext(Slow()))
    waits: list[float] = []

    def waited(futures: list[Future[Any]], patience_s: float) -> None:
        waits.append(patience_s)
        wait(futures, patience_s)

    monkeypatch.setattr(rewards, "wait", waited)
    try:
        settings = RewardSettings(patience_s=1.0)
        texts = ["rfl", *(f"exact hangs {n}" for n in range(3)), "decide"]
        found = rewards.lean_reward(["p"] * 5, texts, statement=[ONE] * 5, settings=settings)
    finally:
        release.set()
    assert found == [1.0, None, None, None, 1.0]
    assert waits == [1.0]


def test_a_batch_without_any_verdict_stops_the_training(asked: list[Check]) -> None:
    with pytest.raises(RewardError, match="about any of 2 rollouts: the host died"):
        rewards.lean_reward(["p"] * 2, ["exact dies"] * 2, None, statement=[ONE] * 2)


# --- processes -----------------------------------------------------------------------------------

FORKS = """
import contextlib, os, sys, threading
from pythagoras.lean.fake import FakeChecker
from pythagoras.train import rewards

@contextlib.contextmanager
def lean(*_, **__):
    print("opened by", os.getpid() == parent, flush=True)
    yield FakeChecker({})
    print("closed by", os.getpid() == parent, flush=True)

parent = os.getpid()
rewards.open_checker = lean
rewards.opened(rewards.RewardSettings())
rewards._OPENING.acquire()  # as by a thread that is opening another one
if not os.fork():
    rewards.opened(rewards.RewardSettings())
    sys.exit()
os.wait()
print("the child is gone", flush=True)
"""


def test_a_forked_process_leaves_its_parents_lean_alone() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60, check=True)
    told = done.stdout.splitlines()
    assert told == ["opened by True", "opened by False", "closed by False", "the child is gone", "closed by True"]


# --- settings ------------------------------------------------------------------------------------


def test_settings_come_from_arguments_then_from_the_environment() -> None:
    assert settings_from({}) == RewardSettings()
    said = {"PYTHAGORAS_LEAN": "http://lean:8000", "PYTHAGORAS_LEAN_JOBS": "4", "PYTHAGORAS_LEAN_TIMEOUT": "7.5"}
    assert settings_from(said) == RewardSettings("http://lean:8000", 4, 7.5)
    given = {"lean": "embedded", "heartbeats": 1000, "reward_model_tokenizer": None}
    assert settings_from(said, given) == RewardSettings("embedded", 4, 7.5, 1000)


@pytest.mark.parametrize("wrong", ["many", "0", "-1"])
def test_wrong_settings_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match=r"PYTHAGORAS_LEAN_JOBS is .* above 0"):
        settings_from({"PYTHAGORAS_LEAN_JOBS": wrong})
    with pytest.raises(InputError, match="did you mean 'timeout_s'"):
        settings_from({}, {"timeouts": 3})
