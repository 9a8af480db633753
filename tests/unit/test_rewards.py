"""Rewards on a fake Lean: what is asked and how often, what no verdict becomes, and how settings are found."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from pythagoras.corpus.exports.reward import RewardError
from pythagoras.errors import HostDied, InputError
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checked
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.verifier import Submission
from pythagoras.lean.wire import Answer
from pythagoras.train import rewards
from pythagoras.train.rewards import Judge, RewardSettings, settings_from

ONE = "theorem one : 1 = 1 := sorry"
TWO = "theorem two : 2 = 2 := sorry"
RIGHT = {"score": 1.0, "acc": 1.0, "outcome": "proved", "reason": "holds"}


def lean(check: Check) -> Answer | Exception:
    """A proof's text says what happens to it."""
    if "dies" in check.code:
        return HostDied("the host died")
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


def test_a_failure_of_lean_is_not_remembered() -> None:
    answers: list[Answer | Exception] = []

    def flaky(check: Check) -> Answer | Exception:
        answers.append(HostDied("gone") if len(answers) == 1 else lean(check))
        return answers[-1]

    with Judge(FakeChecker(flaky)) as judge:
        submission = Submission(parse_statement(ONE), "rfl")
        first, second = judge.submit(submission).result(), judge.submit(submission).result()
    assert (first.verdict, first.failure) == (None, "gone")
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


def test_scores_for_verl_one_by_one_awaited_and_in_a_batch(asked: list[Check]) -> None:
    extra = {"name": "one", "header": "mathlib", "split": "train", "num_turns": 2, "rollout_reward_scores": {}}
    assert rewards.compute_score("pythagoras", "rfl", ONE, extra) == RIGHT
    wrong = rewards.compute_score(
        data_source="pythagoras", solution_str="exact changed", ground_truth=ONE, extra_info=extra
    )
    assert wrong == {"score": 0.0, "acc": 0.0, "outcome": "rejected", "reason": "statement_changed"}
    assert asyncio.run(rewards.compute_score_async("pythagoras", "rfl", ONE, extra, reward_router_address="x")) == RIGHT
    assert rewards.compute_score_batch(["p"] * 2, ["rfl", "sorry"], [TWO] * 2, [None, {}])[0] == RIGHT
    assert {check.header for check in asked} == {"mathlib", "core"}


def test_without_a_verdict_there_is_no_score(asked: list[Check]) -> None:
    with pytest.raises(RewardError, match="no verdict about one: the host died"):
        rewards.compute_score("pythagoras", "exact dies", ONE)
    with pytest.raises(RewardError, match="no verdict about one: the host died"):
        asyncio.run(rewards.compute_score_async("pythagoras", "exact dies", ONE))
    with pytest.raises(RewardError, match="the host died"):
        rewards.compute_score_batch(["p"] * 2, ["rfl", "exact dies"], [ONE] * 2, [{}, {}])
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
        prompts=["p"] * 5,
        completions=["rfl", CHAT, "exact changed", "exact dies", "rfl"],
        completion_ids=[[1]] * 5,
        statement=[*[ONE] * 4, "no theorem"],
        header=["core", None, "core", "core", "core"],
        topic=["algebra"] * 5,
        trainer_state=None,
        log_extra=None,
        log_metric=lambda name, value: metrics.append((name, value)),
    )
    assert found == [1.0, 1.0, 0.0, None, None]
    assert metrics == [("lean/no_verdict", 0.4)] * 2


def test_a_batch_without_any_verdict_stops_the_training(asked: list[Check]) -> None:
    with pytest.raises(RewardError, match="about any of 2 rollouts: the host died"):
        rewards.lean_reward(["p"] * 2, ["exact dies"] * 2, None, statement=[ONE] * 2)


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
