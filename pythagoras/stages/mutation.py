"""Who mutates statements, and the Lean that is asked about them, by their settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from pythagoras.alf.chat import ChatMutator, open_chat
from pythagoras.alf.judging import NamedLean
from pythagoras.alf.mutating import Mutator, learned_mutator
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.variants import Parent
from pythagoras.lean.backends import check_place
from pythagoras.lean.pool import Checker
from pythagoras.lean.wire import Limits

SYMBOLIC = "symbolic"
MakeMutator = Callable[[Iterable[Parent]], Mutator]
"""Takes all parents, to learn from."""


@contextmanager
def open_mutator(
    name: str, *, refute: bool, seed: int, model: str = "", concurrency: int = 8, api_key_env: str = ""
) -> Iterator[tuple[MakeMutator, dict[str, Any]]]:
    """Whoever makes variants, with all that they depend on."""
    if name == SYMBOLIC:
        settings = {"operators": sorted(OPERATORS), "refute": refute}
        yield lambda parents: learned_mutator(OPERATORS, parents, seed, refute=refute), settings
        return
    asked: dict[str, Any] = {"temperature": 1.0, "concurrency": concurrency}
    if api_key_env:
        asked["api_key_env"] = api_key_env
    with open_chat("mutates", name, model, beside=SYMBOLIC, **asked) as backend:
        chat = ChatMutator(backend, seed=seed, refute=refute)
        yield lambda parents: chat, dict(chat.settings)


def named_lean(backend: str, jobs: int | None, timeout_s: float) -> NamedLean:
    """Raises InputError for a Lean that there is not, before anything begins."""
    check_place(backend)
    return NamedLean(backend, jobs, Limits(timeout_s=timeout_s))


@dataclass(frozen=True, slots=True)
class OpenLean:
    """A Lean that is open already, for several stages."""

    checker: Checker
    limits: Limits

    def open(self) -> AbstractContextManager[Checker]:
        return nullcontext(self.checker)
