"""Problems by the thousand, the same ones for the same seed.

Each index has a random source of its own, and takes its family and level by turns; so what stands at an index does not
depend on how many are asked for. It depends on the ones before it in one way: a statement that already occurred (up to
the names in it) is drawn again. So a run that starts in the middle draws the ones before it too, without writing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import NamedTuple

from pythagoras.corpus.generator.families import FAMILIES, TOPICS
from pythagoras.corpus.generator.family import LEVELS, Draft, Family, key_digest, statement_key, write_statement
from pythagoras.corpus.records import Formalisation, Problem, Provenance, Tier, Truth, record_id, settings_text
from pythagoras.errors import InputError
from pythagoras.lookup import choose

SOURCE = "generator"
TIERS = {1: Tier.EASY, 2: Tier.MEDIUM, 3: Tier.HARD}
_REDRAWS = 40
"""So many repetitions in a row, and a family counts as exhausted at that level."""


class Drawn(NamedTuple):
    """A problem in words and its statement in Lean."""

    problem: Problem
    formalisation: Formalisation


class Exhausted(NamedTuple):
    """A family has (nearly) no statement left that did not occur yet; others take its turns."""

    family: str
    level: int
    false: bool


def generate(
    count: int,
    seed: int,
    *,
    start: int = 0,
    families: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    levels: Sequence[int] = LEVELS,
    false_share: float = 0.0,
    distinct: bool = True,
    on_exhausted: Callable[[Exhausted], None] | None = None,
) -> Iterator[Drawn]:
    """`count` problems from index `start` on, of the named families and topics (all, when none are named).

    With `distinct`, no two statements of the indices from 0 on are the same up to names. Raises InputError for unknown
    names, and when all families together have no new statement left.
    """
    chosen = _chosen(families, topics)
    unknown = [level for level in levels if level not in TIERS]
    if unknown or not levels:
        said = ", ".join(map(str, unknown)) or "none at all"
        raise InputError(f"no family has the level {said}: choose from 1, 2 and 3")
    if not 0 <= false_share <= 1:
        raise InputError(f"a share of {false_share} false statements can't be had: choose a number from 0 to 1")
    if count < 0 or start < 0:
        raise InputError(f"{count} problems from index {start} can't be made: choose numbers from 0 on")
    run = _Run(seed, [(family, level) for level in dict.fromkeys(levels) for family in chosen], false_share, distinct)
    run.on_exhausted = on_exhausted
    return run.items(start, count)


def _chosen(families: Sequence[str] | None, topics: Sequence[str] | None) -> list[Family]:
    if families is None and topics is None:
        return list(FAMILIES.values())
    named = [choose("family", name, FAMILIES) for name in families or ()]
    named += [family for topic in topics or () for family in choose("topic", topic, TOPICS)]
    if not named:
        raise InputError("no family is left to draw from: name one, or leave out both families and topics")
    return list({family.name: family for family in named}.values())


@dataclass(slots=True)
class _Run:
    """What one stream of problems remembers."""

    seed: int
    slots: list[tuple[Family, int]]
    false_share: float
    distinct: bool
    on_exhausted: Callable[[Exhausted], None] | None = None
    seen: set[str] = field(default_factory=set)
    exhausted: set[Exhausted] = field(default_factory=set)

    def items(self, start: int, count: int) -> Iterator[Drawn]:
        Random(self.seed).shuffle(self.slots)
        for index in range(0 if self.distinct else start, start + count):
            rng = Random(self.seed << 48 | index)
            family, level, draft, digest = self.draw(index, rng)
            if index >= start:
                yield _records(family, level, draft, digest, rng, self.seed, index)

    def draw(self, index: int, rng: Random) -> tuple[Family, int, Draft, str]:
        """The draft at an index, from the family whose turn it is or, when that has no new one, from another."""
        false = rng.random() < self.false_share
        size = len(self.slots)
        elsewhere = int(rng.random() * size)
        for turn in chain((index,), range(elsewhere, elsewhere + size)):
            family, level = self.slots[turn % size]
            found = self.fresh(family, level, false, rng)
            if found is not None:
                return family, level, *found
        raise InputError(
            f"no new {'false' if false else 'true'} statement is left at index {index} in the {size} chosen families "
            "and levels: ask for fewer statements, or for more families or levels"
        )

    def fresh(self, family: Family, level: int, false: bool, rng: Random) -> tuple[Draft, str] | None:
        """A draft with the digest of its key that did not occur yet; None when there seems to be none."""
        state = Exhausted(family.name, level, false)
        if state in self.exhausted:
            return None
        for _ in range(_REDRAWS):
            draft = family.draw(rng, level, false)
            digest = f"{family.name}_{key_digest(statement_key(draft))}"
            if not self.distinct:
                return draft, digest
            if digest not in self.seen:
                self.seen.add(digest)
                return draft, digest
        self.exhausted.add(state)
        if self.on_exhausted is not None:
            self.on_exhausted(state)
        return None


def _records(family: Family, level: int, draft: Draft, name: str, rng: Random, seed: int, index: int) -> Drawn:
    settings = settings_text({"false": not draft.true, "index": index, "level": level, "seed": seed})
    provenance = Provenance(maker=family.name, settings=settings)
    tier = TIERS[level]
    problem = Problem(draft.text, SOURCE, family.topic, draft.answer, tier, provenance)
    parent = record_id(problem)
    formalisation = Formalisation(
        name=name,
        text=write_statement(draft, name, rng),
        source=SOURCE,
        docstring=draft.text,
        problem=parent,
        topic=family.topic,
        tier=tier,
        truth=Truth.TRUE if draft.true else Truth.FALSE,
        provenance=Provenance(parent, family.name, settings),
    )
    return Drawn(problem, formalisation)
