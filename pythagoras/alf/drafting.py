"""Candidates for a benchmark made by mutation: variants whose numbers and names are others, too.

GSM-Symbolic's principle on formal statements: a statement of the same structure with other numbers and names tells what
is understood from what is remembered. Symbolic drafts change the numbers of the original first, where they can tell
that it stays true (`language.changes`), mutate that, and rename what is bound; a chat model is told to do all three.
Rounds after the first leave the numbers as they are: so there are candidates that are as true as the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from pythagoras.alf.chat import ChatMutator
from pythagoras.alf.mutating import Missing, SymbolicMutator, parent_of
from pythagoras.alf.reading import in_place_of
from pythagoras.alf.reals import is_real, real
from pythagoras.alf.renaming import renamed
from pythagoras.alf.variants import Operator, Parent, Promise, Variant
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation, record_id
from pythagoras.errors import InputError
from pythagoras.language.changes.vary import variants
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.reading import NotRead
from pythagoras.lean.statements import Statement

CANDIDATES = 5
"""A round makes so many of one problem: the paper's number."""
_DRAWS = 6
"""Turns of the mutator, of one problem and round, until there are as many."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate."""

    variant: Variant
    statement: Statement
    perturbed: tuple[str, ...]
    """What else is not the original's: `numbers`, `names`."""


class Drafter(Protocol):
    """Whoever makes candidates."""

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that its candidates depend on, JSON-ready."""
        ...

    def draft(self, parents: Sequence[Parent], number: int) -> list[list[Draft | Missing]]:
        """For each parent the candidates of that round, and why some are missing."""
        ...


class SymbolicDrafter:
    """By operators."""

    name = "symbolic"

    def __init__(self, operators: Mapping[str, Operator], seed: int = 0) -> None:
        self._mutator = SymbolicMutator(operators, refute=True)
        self._seed = seed

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"operators": sorted(self._mutator.operators), "seed": self._seed}

    def draft(self, parents: Sequence[Parent], number: int) -> list[list[Draft | Missing]]:
        return [self._drafts(parent, number) for parent in parents]

    def _drafts(self, parent: Parent, number: int) -> list[Draft | Missing]:
        rng = Random(f"{self._seed} {number} {record_id(parent.record)}")
        found: list[Draft | Missing] = []
        texts: set[str] = set()
        for origin, perturbed in self._origins(parent, rng, number):
            for made in self._mutator.variants_of(origin, rng):
                if isinstance(made, Missing):
                    found.append(made)
                    continue
                text = alpha_key(made.text)
                if text not in texts:  # a statement with few variants has the same ones again
                    texts.add(text)
                    found.append(_renamed(parent, made, perturbed, rng))
                if len(texts) == CANDIDATES:
                    return found
        return found

    def _origins(self, parent: Parent, rng: Random, number: int) -> Iterator[tuple[Parent, tuple[str, ...]]]:
        """What is mutated in a round: the original with other numbers, in the first, or itself."""
        others = _renumbered(parent, rng) if number == 0 else iter(())
        for _ in range(_DRAWS):
            other = next(others, None)
            yield (parent, ()) if other is None else (other, ("numbers",))


class ChatDrafter:
    """By a chat model that is told to change numbers and names as well."""

    def __init__(self, mutator: ChatMutator) -> None:
        self._mutator = mutator

    @property
    def name(self) -> str:
        return self._mutator.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._mutator.settings

    def draft(self, parents: Sequence[Parent], number: int) -> list[list[Draft | Missing]]:
        mutated = self._mutator.mutate(parents, number)
        asked_for = ("numbers", "names")
        return [
            [_draft(parent, one, asked_for) if isinstance(one, Variant) else one for one in made]
            for parent, made in zip(parents, mutated, strict=True)
        ]


# --- perturbation ----------------------------------------------------------------------------------


def _renumbered(parent: Parent, rng: Random) -> Iterator[Parent]:
    """The original with other numbers, in several ways; nothing for what has no meaning here, or no other numbers."""
    if parent.claim is None:
        return
    name = parent.statement.name.rpartition(".")[2]
    for claim, _ in variants(parent.claim, rng):
        try:
            text = write_lean(claim, name)
            if is_real(parent.statement.text):
                text = real(text)
            yield parent_of(Formalisation(name, text, parent.record.source, header=parent.record.header))
        except (NotRead, InputError):
            continue


def _renamed(parent: Parent, made: Variant, perturbed: tuple[str, ...], rng: Random) -> Draft:
    """The variant under other names. What rests on other numbers is promised by nobody."""
    promise = Promise.UNKNOWN if "numbers" in perturbed else made.promise
    draft = _draft(parent, replace(made, promise=promise), perturbed)
    text = renamed(draft.statement, rng)
    if text == made.text:
        return draft
    return _draft(parent, replace(draft.variant, text=text), (*perturbed, "names"))


def _draft(parent: Parent, variant: Variant, perturbed: tuple[str, ...]) -> Draft:
    """What it means is read again: it may have been written under other names."""
    read = in_place_of(parent, variant.text)
    return Draft(replace(variant, claim=read.claim), read.statement, perturbed)
