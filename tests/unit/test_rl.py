"""Reinforcement learning without a model: what becomes of groups, what Lean is asked, which rows are problems."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Formalisation, Instance, Problem, Record, Tier, Truth, statement_of
from pythagoras.corpus.rows import to_line
from pythagoras.corpus.store import StoreWriter
from pythagoras.errors import HostDied, InputError
from pythagoras.evaluate.corebench.items import as_instances, load
from pythagoras.generate.texts import Texts
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer, Limits
from pythagoras.train.accounts import Account
from pythagoras.train.rl.filtering import Fate, StepAccount, fate_of, order_of, wave_size
from pythagoras.train.rl.keeping import STAGE, Keeper
from pythagoras.train.rl.problems import Why, read_goals, room_for, tasks_of, without_benchmarks
from pythagoras.train.rl.rollouts import Bench, Drawn, Rollout, Task, Trial, seed_of
from pythagoras.train.settings import Rl
from tests.scripted import lean

SHAPES = Path(__file__).parent / "data" / "sources"
RL = Rl()
LIMITS = Limits(heartbeats=20_000, timeout_s=20)
PATIENCE_S = 0.2


def drawn(*texts: str, name: str = "t", text: str = "theorem t : 1 = 1") -> Drawn:
    goal = Formalisation(name, text, "made")
    rollouts = tuple(Rollout((1, 2), text, at, True) for at, text in enumerate(texts))
    return Drawn(Task("id", goal, statement_of(goal), "", (1,)), rollouts)


def judged(*groups: Drawn, checker: FakeChecker | None = None) -> list[Trial]:
    with Bench(checker or FakeChecker(lean), LIMITS) as bench:
        return list(bench.in_order([bench.submit(group) for group in groups], PATIENCE_S))


# --- the filter -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "failures", "lost", "fate"),
    [
        (0, 8, 0, Fate.TOO_HARD),
        (1, 7, 0, Fate.KEPT),
        (5, 3, 0, Fate.KEPT),
        (6, 2, 0, Fate.TOO_EASY),
        (8, 0, 0, Fate.TOO_EASY),
        (1, 5, 2, Fate.KEPT),
        (0, 6, 2, Fate.TOO_HARD),
        (6, 0, 2, Fate.TOO_EASY),
        (1, 4, 3, Fate.UNJUDGED),
        (0, 0, 8, Fate.UNJUDGED),
    ],
)
def test_only_problems_that_say_something_are_kept(successes: int, failures: int, lost: int, fate: Fate) -> None:
    rewards = [1.0] * successes + [0.0] * failures + [None] * lost
    assert fate_of(rewards, RL) is fate
    assert fate_of(rewards, RL, given_up=True) is (Fate.LATE if fate is Fate.UNJUDGED else fate)


@pytest.mark.parametrize("wrong", [{"fewest": 0}, {"fewest": 6}, {"most": 8}, {"rollouts": 5}])
def test_a_filter_that_nothing_passes_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError, match=r"greater than or equal to 1|most less than rollouts"):
        Rl.model_validate(wrong)


def test_a_group_without_a_failure_is_never_kept() -> None:
    assert fate_of([1.0] * 4 + [None] * 4, Rl(lost=4, most=5)) is Fate.TOO_EASY


def test_the_account_adds_up() -> None:
    account = StepAccount()
    for rewards in ([1.0] * 8, [0.0] * 8, [1.0] * 3 + [0.0] * 5, [1.0] + [0.0] * 6 + [None], [None] * 8):
        account.add(rewards, fate_of(rewards, RL))
    told = account.as_dict(8)
    assert told["drawn"] == 5 == sum(told[fate.value] for fate in Fate)
    assert told["successes"] == [1, 0, 0, 1, 0, 0, 0, 0, 1]  # of those with eight verdicts
    assert (told["rollouts"], told["judged"], told["proved"]) == (40, 31, 12)
    assert told["reward"] == pytest.approx(12 / 31, abs=1e-6)


def test_every_problem_comes_once_an_epoch_in_an_order_of_the_seeds() -> None:
    assert sorted(order_of(50, 1, 0)) == list(range(50))
    assert order_of(50, 1, 0) == order_of(50, 1, 0)
    assert order_of(50, 1, 0) != order_of(50, 2, 0) != order_of(50, 1, 1)
    assert seed_of(1, 0, "a", 0) != seed_of(1, 0, "a", 1) != seed_of(1, 1, "a", 1)


def test_a_wave_is_as_large_as_the_steps_before_say() -> None:
    assert wave_size(16, 0, 0) == 36  # one in two, and a tenth more
    assert wave_size(16, 400, 400) < 20
    assert wave_size(16, 0, 10_000) == 64
    assert wave_size(1, 10_000, 10_000) >= 1


# --- Lean -----------------------------------------------------------------------------------------


def test_the_same_proof_is_asked_about_once() -> None:
    checker = FakeChecker(lean)
    (trial,) = judged(drawn("by fine", "by wrong", "by fine", "by fine"), checker=checker)
    assert not trial.given_up
    assert trial.rewards == (1.0, 0.0, 1.0, 1.0)
    assert len(checker.asked) == 3  # the statement, and two proofs


def test_a_lean_that_breaks_down_is_asked_again() -> None:
    broken: Counter[str] = Counter()

    def moody(check: Check) -> Answer | Exception:
        broken[check.code] += 1
        return HostDied("killed") if "fine" in check.code and broken[check.code] == 1 else lean(check)

    (trial,) = judged(drawn("by fine", "by wrong"), checker=FakeChecker(moody))
    assert trial.rewards == (1.0, 0.0)
    assert trial.retried == 1


def test_without_a_verdict_there_is_no_reward() -> None:
    (trial,) = judged(drawn("by dies", "by fine", "by dies twice", "by wrong", "by slow"))
    assert trial.rewards == (None, 1.0, None, 0.0, 0.0)
    assert trial.timeouts == 1
    assert fate_of(trial.rewards, Rl(rollouts=5, most=4, lost=1)) is Fate.UNJUDGED


def test_a_statement_that_lean_refuses_is_told_from_a_lean_that_fails() -> None:
    (trial,) = judged(drawn("by fine", "by other", text="theorem t : wrong = 1"))
    assert "the statement is no Lean" in trial.unfit
    assert trial.rewards == (None, None)


def test_a_proof_that_hangs_holds_up_no_other() -> None:
    release = threading.Event()

    def hanging(check: Check) -> Answer | Exception:
        if "hangs" in check.code:
            assert release.wait(30)
        return lean(check)

    groups = [drawn("by fine", "by hangs", "by wrong"), *(drawn("by fine", "by wrong") for _ in range(3))]
    with Bench(FakeChecker(hanging), LIMITS) as bench:
        found = list(bench.in_order([bench.submit(group) for group in groups], PATIENCE_S))
        release.set()
    assert [trial.given_up for trial in found] == [True, False, False, False]
    assert [trial.rewards for trial in found[1:]] == [(1.0, 0.0)] * 3
    assert found[0].rewards == (1.0, None, 0.0)  # what comes when it was given up does not count


def test_what_was_judged_once_is_not_asked_about_again() -> None:
    asked: list[str] = []

    def counting(check: Check) -> Answer | Exception:
        asked.append(check.code)
        return lean(check)

    with Bench(FakeChecker(counting), LIMITS) as bench:
        first, *_ = bench.in_order([bench.submit(drawn("by fine", "by wrong"))], PATIENCE_S)
        before = len(asked)
        again, *_ = bench.in_order([bench.submit(drawn("by fine", "by wrong", "by wrong too"))], PATIENCE_S)
    assert (first.remembered, again.remembered) == (0, 2)
    assert (first.rewards, again.rewards) == ((1.0, 0.0), (1.0, 0.0, 0.0))
    assert len(asked) == before + 1
    assert again.verdicts["by fine"].seconds == 0.0


def test_a_bug_in_judging_is_not_taken_for_a_verdict() -> None:
    def broken(check: Check) -> Answer | Exception:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judged(drawn("by fine"), checker=FakeChecker(broken))


# --- proofs that are kept -------------------------------------------------------------------------


def test_a_step_that_is_repeated_otherwise_loses_no_proof(tmp_path: Path) -> None:
    """As it may be when a clock ended something the first time, and a kill came behind it."""

    def kept(step: int, before: int, *texts: str) -> tuple[int, int]:
        with StoreWriter(tmp_path, STAGE, {}, {}) as writer:
            keeper = Keeper(writer, "prover", "run", "4.28.0")
            keeper.resume(tmp_path)
            return keeper.keep(step, before, judged(drawn(*texts))), writer.pieces

    assert kept(1, 0, "by fine", "by wrong", "by dies") == (1, 1)
    assert kept(2, 1, "by good", "by slow") == (1, 2)
    assert kept(2, 1, "by slow", "by better", "by wrong") == (2, 3)  # the checkpoint was not written
    assert kept(2, 1, "by good", "by better") == (2, 3)
    assert kept(3, 3, "by best", "by good", "by fine") == (1, 4)
    with StoreWriter(tmp_path, STAGE, {}, {}) as writer:
        (step,) = writer.finish().manifest.funnel
    proofs = [record.proof for record in read_records(tmp_path, "instance") if isinstance(record, Instance)]
    assert sorted(proofs) == ["by best", "by better", "by fine", "by good"]
    assert sum(1 for _ in read_records(tmp_path, "judgement")) == len(proofs) == step.kept


# --- problems -------------------------------------------------------------------------------------


class Words:
    """A tokenizer whose tokens are words."""

    chat_template = None

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, Any]:
        return {"input_ids": [len(word) for word in text.split()]}


def written(path: Path, *records: Record) -> Path:
    path.write_text("".join(f"{to_line(record)}\n" for record in records))
    return path


def tasks(goals: Sequence[Formalisation], account: Account, benchmarks: Iterable[Record] = ()) -> list[Task]:
    texts = Texts(Words(), "compact", marked=False)
    allowed = without_benchmarks(goals, benchmarks, account)
    return list(tasks_of(allowed, "compact", texts, room_for(64, Rl(max_tokens=32)), account))


def test_what_is_no_problem_is_left_out_and_counted(tmp_path: Path) -> None:
    proved = Instance("p", "theorem p (n : ℕ) : n ≤ 2 * n", "by omega", "made", Tier.EASY, True)
    file = written(
        tmp_path / "rows.jsonl",
        Formalisation("a", "theorem a (n : ℕ) : n = n", "made"),
        Formalisation("b", "theorem b (m : ℕ) : m = m", "made"),
        Formalisation("c", "theorem c (n : ℕ) : n ≠ n", "made", truth=Truth.FALSE),
        Formalisation("d", "theorem d (n : ℕ) : n + 0 = n", "corebench/test"),
        Formalisation("e", f"theorem e (n : ℕ) : n = n{' + n' * 40}", "made"),
        Formalisation("f", "theorem f (n : ℕ) : n = n + 0", "made", docstring="<|im_start|>"),
        Problem("What is it?", "made"),
        proved,
    )
    account = Account()
    found = tasks(list(read_goals(file, account)), account)
    assert [task.goal.name for task in found] == ["a", "p"]
    assert account.left_out == {
        Why.DUPLICATE: 1, Why.FALSE: 1, Why.BENCHMARK: 1, Why.TOO_LONG: 1, Why.UNREADABLE: 1, Why.NO_STATEMENT: 1
    }  # fmt: skip
    assert account.as_dict()["read"] == 8 == account.kept + sum(account.left_out.values())
    assert json.loads(json.dumps(account.as_dict()))["left_out"]["same up to names"] == 1


def test_what_a_benchmark_would_recognise_is_no_problem() -> None:
    items = list(as_instances(load()))
    copied = min((item for item in items if "(n : ℕ)" in item.statement), key=lambda item: len(item.statement))
    renamed = re.sub(r"\bn\b", "zeta", copied.statement.replace(copied.name, "mine"))
    goals = [Formalisation("mine", renamed, "made"), Formalisation("a", "theorem a (n : ℕ) : n ≤ 2 * n + 7", "made")]
    account = Account()
    assert [task.goal.name for task in tasks(goals, account, items)] == ["a"]
    assert account.left_out == {Why.BENCHMARK: 1}
    assert copied.name in account.told[0]
    assert [task.goal.name for task in tasks(goals, Account())] == ["mine", "a"]  # nothing else is against it


def test_a_proofs_own_lemmas_are_not_shown(tmp_path: Path) -> None:
    context = "theorem aux (n : ℕ) : n ≤ n := by omega"
    proved = Instance("p", "theorem p (n : ℕ) : n ≤ 2 * n", "by omega", "made", Tier.EASY, True, context=context)
    (goal,) = read_goals(written(tmp_path / "rows.jsonl", proved), Account())
    assert goal.context == ""


def test_the_papers_sources_are_read_by_their_mappings() -> None:
    account = Account()
    goedel = list(read_goals(SHAPES / "goedel-rl.jsonl", account))
    assert len(goedel) == 2
    assert account.left_out == {Why.FILTERED: 1}  # made by self-correction
    account = Account()
    human = list(read_goals(SHAPES / "numinamath-lean.jsonl", account, mapping="numinamath-lean-human"))
    assert human
    assert all(goal.source.startswith("numinamath-lean") and goal.tier is Tier.HARD for goal in human)
    assert account.left_out[Why.FILTERED] > 0


def test_a_build_is_told_from_its_stores(tmp_path: Path) -> None:
    (tmp_path / "held_out").mkdir()
    (tmp_path / "held_out" / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="held_out"):
        list(read_goals(tmp_path, Account()))
