"""A run of reinforcement learning with a Lean that goes by words, which ends itself at a chosen moment.

    python -m tests.train.rl_driver MODEL RUN MOMENT THREADS

MOMENT is `check:N`, in the N-th question to Lean, or `kept:N`, when the N-th step's proofs are written and nothing else
is; `never` runs to the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pythagoras.errors import HostDied
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer
from pythagoras.train import threads
from pythagoras.train.rl.keeping import Keeper
from pythagoras.train.rl.loop import train_rl
from pythagoras.train.run_folder import opened
from pythagoras.train.settings import Rl, Training
from tests.scripted import lean
from tests.train.toy import linear

SETTINGS = Training(
    seed=3, rl=Rl(problems=4, learning_rate=1e-3, warmup=1, max_tokens=12, batch=16, updates=2, rollouts=6, most=4)
)
GOALS = linear(30, seed=1)


def by_words(check: Check) -> Answer | Exception:
    """Takes omega, breaks down over `trivial`, and refuses all other tactics."""
    if "sorry" in check.code or "versionString" in check.code or "omega" in check.code:
        return lean(check)
    if "trivial" in check.code:
        return HostDied("the host died")
    return Answer.model_validate(
        {"messages": [{"severity": "error", "pos": {"line": 1, "column": 0}, "data": "unsolved goals"}]}
    )


def train(
    model: Path,
    folder: Path,
    answers: Callable[[Check], Answer | Exception] = by_words,
    *,
    torch_threads: int = 1,
    **more: Any,
) -> None:
    """One run, from wherever it is to its end."""
    threads.prepare(torch_threads)
    settings = SETTINGS.model_copy(update={"rl": SETTINGS.rl.model_copy(update=more)})
    with opened(folder, "rl", settings, {}, seed=settings.seed) as run:
        train_rl(settings, GOALS, model, FakeChecker(answers), run)


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _ending(moment: str) -> Callable[[Check], Answer | Exception]:
    kind, _, number = moment.partition(":")
    asked = 0

    def answer(check: Check) -> Answer | Exception:
        nonlocal asked
        asked += 1
        if kind == "check" and asked == int(number):
            _end()
        return by_words(check)

    if kind == "kept":
        keep = Keeper.keep

        def keep_and_end(self: Keeper, step: int, *rest: Any) -> int:
            found = keep(self, step, *rest)
            if step == int(number):
                _end()
            return found

        Keeper.keep = keep_and_end  # type: ignore[method-assign, assignment]
    return answer


if __name__ == "__main__":
    train(Path(sys.argv[1]), Path(sys.argv[2]), _ending(sys.argv[3]), torch_threads=int(sys.argv[4]))
