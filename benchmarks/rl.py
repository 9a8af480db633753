"""What Lean adds to a step of reinforcement learning: real verdicts against the same ones known in advance.

    python -m benchmarks.rl [--model FOLDER --problems CORPUS] [--hosts N] [--rounds N] [--steps N]

Each round trains for some steps from the same weights and seed on both sides: with Lean, and with the verdicts that
Lean gave. What is drawn and learned is the same, and only Lean's work is missing. A first round, which is not counted,
finds out the verdicts and warms everything up; behind it the sides take turns in going first, each time with a pool of
its own. Lean's share is what a step takes longer, by the clock, of what it takes without. Model and problems are those
that ship, unless others are named, and the settings those of the recipe that made the model.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from pythagoras.corpus.records import Formalisation
from pythagoras.generate.local import model_folder
from pythagoras.lean.pool import Check, Checked, Checker, LeanPool
from pythagoras.train import threads
from pythagoras.train.accounts import Account
from pythagoras.train.rl.loop import train_rl
from pythagoras.train.rl.problems import read_goals
from pythagoras.train.run_folder import opened, read_log
from pythagoras.train.settings import Training, load_training

PROBLEMS = Path(__file__).parent.parent / "data" / "embedded" / "held_out"
PROVER = Path("embedded")


class Recorder:
    """A Lean whose answers are kept."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._lock = threading.Lock()
        self.answers: dict[Check, Checked] = {}

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for checked in self._checker.check(checks):
            with self._lock:
                self.answers[checked.check] = checked
            yield checked


class Replay:
    """The same answers, at once."""

    def __init__(self, answers: dict[Check, Checked]) -> None:
        self._answers = answers

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        return (self._answers[check] for check in checks)


def steps(settings: Training, goals: Sequence[Formalisation], model: Path, checker: Checker, folder: Path) -> list[Any]:
    """The log of a short run."""
    with opened(folder, "rl", settings, {}) as run:
        train_rl(settings, goals, model, checker, run)
    return read_log(folder)


def measure(model: Path, goals: Sequence[Formalisation], hosts: int | None, rounds: int, count: int) -> None:
    """Steps with Lean against the same ones without, and where their time went."""
    settings = load_training("embedded", ("rl.warmup=0", f"rl.steps={count}"))
    slow: list[Any] = []
    fast: list[Any] = []
    spent = 0.0
    with tempfile.TemporaryDirectory() as place:

        def trained(name: str, checker: Checker) -> list[Any]:
            return steps(settings, goals, model, checker, Path(place) / name)

        with LeanPool(hosts, spare=False) as pool:
            recorder = Recorder(pool)
            expected = trained("first", recorder)
        for number in range(rounds):
            if number % 2:
                fast += trained(f"known-{number}", Replay(recorder.answers))
            with LeanPool(hosts, spare=False) as pool:
                before = _lean_cpu()
                slow += trained(f"real-{number}", pool)
                spent += _lean_cpu() - before
            if not number % 2:
                fast += trained(f"known-{number}", Replay(recorder.answers))
    for line, same in zip([*slow, *fast], expected * 2 * rounds, strict=True):
        assert (line["loss"], line["reward"]) == (same["loss"], same["reward"]), "not the same step"
    _tell(slow, fast, spent, pool.hosts)


def _tell(with_lean: Sequence[Any], without: Sequence[Any], cpu_seconds: float, hosts: int) -> None:
    slow, fast = (_mean(lines, "seconds") for lines in (with_lean, without))
    added = f"Lean's share {slow / fast - 1:.0%} (with Lean / known - 1, by the clock; {len(with_lean)} steps)"
    print(f"{f'a step of RL, {hosts} hosts of Lean':<34}{slow:.1f} s, with verdicts known {fast:.1f} s: {added}")
    for name, lines in (("with Lean", with_lean), ("known", without)):
        parts = {part: _mean(lines, f"{part}_seconds") for part in ("sampling", "training", "lean_wait")}
        print(f"{f'... {name}':<34}{', '.join(f'{part} {seconds:.1f} s' for part, seconds in parts.items())}")
    drawn, kept, rollouts, asked, tokens = (
        _mean(with_lean, name) for name in ("drawn", "kept", "rollouts", "asked", "tokens")
    )
    written = f"{rollouts:.0f} rollouts of {tokens / rollouts:.0f} tokens"
    print(f"{'... each':<34}{drawn:.0f} problems drawn, {kept:.0f} kept; {written}")
    each = cpu_seconds / len(with_lean)
    own = _mean(without, "processor_seconds")
    work = f"{each:.1f} s of processor time a step, {1000 * each / asked:.0f} ms a proof; the step's own {own:.1f} s"
    print(f"{'... Lean':<34}{asked:.0f} different proofs: {work}")


def _mean(lines: Sequence[Any], name: str) -> float:
    return float(sum(line[name] for line in lines)) / len(lines)


def _lean_cpu() -> float:
    """Seconds of all child processes: those that run, and those that ended."""
    me = psutil.Process()
    times = [child.cpu_times() for child in me.children(recursive=True)]
    ended = me.cpu_times()
    return sum(one.user + one.system for one in times) + ended.children_user + ended.children_system


def report(
    model: Path = PROVER, problems: Path = PROBLEMS, hosts: int | None = None, rounds: int = 3, count: int = 1
) -> None:
    """All of it, for `make bench`."""
    threads.prepare()
    measure(model_folder(model), list(read_goals(problems, Account())), hosts, rounds, count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=PROVER)
    parser.add_argument("--problems", type=Path, default=PROBLEMS)
    parser.add_argument("--hosts", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1)
    wanted = parser.parse_args()
    report(wanted.model, wanted.problems, wanted.hosts, wanted.rounds, wanted.steps)
