"""What workers open to do their work: a Lean, whoever plays a role, a prover. A recipe says which.

Tools travel to workers pickled, so they hold settings; what they open lives in the worker, one of each.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pythagoras.generate.endpoint import ChatSampler, EndpointSettings
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Sampler
from pythagoras.generate.search import TacticSearch
from pythagoras.lean.backends import open_checker
from pythagoras.lean.pool import Check, Checked, Checker
from pythagoras.lean.wire import Limits
from pythagoras.llm.sampling import Sampling
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.roles.players import open_model, open_player
from pythagoras.pipeline.roles.role import Player, RoleName


class Tools(Protocol):
    """Where a job gets its Lean and its players from."""

    def lean(self) -> AbstractContextManager[Checker]: ...

    def limits(self) -> Limits:
        """What Lean may spend on a statement, or on judging a proof."""
        ...

    def players(self, *parts: str) -> AbstractContextManager[tuple[Player, ...]]:
        """Whoever plays these parts: roles by their names, or `distil_large` and `distil_small`."""
        ...

    def prover(self, checker: Checker) -> AbstractContextManager[Sampler]: ...


@dataclass(frozen=True, slots=True)
class RecipeTools:
    """What a recipe names."""

    recipe: Recipe
    cache: Path | None
    """Where answers of models are kept, so that none is paid for twice; None: nowhere."""

    def lean(self) -> AbstractContextManager[Checker]:
        """One Lean for one worker, which can start another when it loses it."""
        wanted = self.recipe.lean
        return open_checker(wanted.backend, jobs=1, header=wanted.header, spare=False)

    def limits(self) -> Limits:
        """Heartbeats first, which are the same on every machine; the clock stands far behind them."""
        prover = self.recipe.prover
        bounded = prover.backend in ("search", "portfolio")  # a model's proofs get what Lean allows by itself
        return Limits(heartbeats=prover.heartbeats if bounded else None, timeout_s=self.recipe.lean.timeout_s)

    @contextmanager
    def players(self, *parts: str) -> Iterator[tuple[Player, ...]]:
        roles = self.recipe.roles
        with ExitStack() as stack:
            yield tuple(
                stack.enter_context(open_player(RoleName(part.partition("_")[0]), getattr(roles, part), self.cache))
                for part in parts
            )

    @contextmanager
    def prover(self, checker: Checker) -> Iterator[Sampler]:
        prover = self.recipe.prover
        match prover.backend:
            case "search":
                yield TacticSearch(checker, checks=prover.checks, heartbeats=prover.heartbeats, prompt=prover.prompt)
            case "portfolio":
                yield Portfolio()
            case "endpoint" | "replay":
                sampling = Sampling(prover.temperature, prover.top_p, prover.max_tokens)
                with open_model("proves", prover, self.cache) as backend:
                    yield ChatSampler(backend, EndpointSettings(prover.model, prover.prompt, sampling))


class Metered:
    """A checker that counts: how often Lean was asked, and how long one waited for it. Known answers cost no time."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._costs: dict[str, float] = defaultdict(float)

    def taken(self) -> dict[str, float]:
        """What it took since this was asked the last time."""
        costs, self._costs = dict(self._costs), defaultdict(float)
        return costs

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        answers = iter(self._checker.check(checks))
        while True:
            began = time.monotonic()
            checked = next(answers, None)
            if checked is None:
                return
            self._costs["lean_s"] += time.monotonic() - began
            self._costs["lean_checks"] += 1
            yield checked
