"""How new new statements are: how far from their parents, how many different ones, how many nearly the parent again.

The distance from the parent is 1 less the cosine of the two statements' vectors, without the theorems' names. It is
measured once, when variants are gathered (`measured`), and stands in their provenance; tables are made from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, quantiles
from typing import Any, TypeVar

from pythagoras.alf.renaming import anonymous
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation, Instance, formal_text, record_id, settings_of, settings_text

NEAR = 0.01
"""A variant that is nearer to its parent is nearly identical."""
_DIGITS = 4
T = TypeVar("T", Formalisation, Instance)


@dataclass(frozen=True, slots=True)
class Diversity:
    """How new some statements are. Distances are None where nobody measured them."""

    name: str
    count: int
    distinct: int
    """Kernel types where Lean was asked, else statements up to names."""
    parents: int
    near: float | None
    """Share of those that are nearly identical with their parent."""
    mean: float | None
    low: float | None
    """A tenth is nearer than this, a tenth is farther than `high`."""
    median: float | None
    high: float | None


def measured(
    pairs: Sequence[tuple[Formalisation, Formalisation | Instance]], embedder: Embedder | None
) -> list[Formalisation]:
    """Variants with their distance from their parents in the provenance, as they were without an embedder."""
    if embedder is None or not pairs:
        return [variant for variant, _ in pairs]
    compared = [(variant, anonymous(variant.text), anonymous(formal_text(parent))) for variant, parent in pairs]
    texts = list(dict.fromkeys(text for _, *both in compared for text in both))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    found = []
    for variant, own, original in compared:
        cosine = float(vectors[own] @ vectors[original])
        found.append(with_settings(variant, distance=round(max(0.0, 1 - cosine), _DIGITS)))
    return found


def with_settings(record: T, **more: Any) -> T:
    """The record with more in the settings of its provenance."""
    settings = settings_text(settings_of(record) | more)
    return replace(record, provenance=replace(record.provenance, settings=settings))


def diversity(records: Iterable[Formalisation | Instance]) -> list[Diversity]:
    """Of all, and then by category."""
    groups: dict[str, list[_Seen]] = defaultdict(list)
    for record in records:
        settings = settings_of(record)
        key = str(settings.get("type") or alpha_key(formal_text(record), record.context))
        groups[str(settings.get("category", "none"))].append(
            _Seen(key, record.provenance.parent, settings.get("distance"))
        )
    everything = [seen for group in groups.values() for seen in group]
    return [_diversity("all", everything), *(_diversity(name, groups[name]) for name in sorted(groups))]


@dataclass(frozen=True, slots=True)
class _Seen:
    key: str
    parent: str
    distance: float | None


def _diversity(name: str, group: Sequence[_Seen]) -> Diversity:
    far = [seen.distance for seen in group if seen.distance is not None]
    tenths = quantiles(far, n=10, method="inclusive") if len(far) > 1 else far * 9
    return Diversity(
        name,
        len(group),
        len({seen.key for seen in group}),
        len({seen.parent for seen in group}),
        sum(distance < NEAR for distance in far) / len(far) if far else None,
        mean(far) if far else None,
        *((tenths[0], tenths[4], tenths[8]) if tenths else (None, None, None)),
    )


def beside_parents(
    variants: Iterable[Formalisation], parents: Iterable[Formalisation | Instance]
) -> Iterator[tuple[Formalisation, Formalisation | Instance]]:
    """Each variant with its parent. Variants come in the order of the parents, so that no parent must be kept."""
    waiting = iter(parents)
    parent: Formalisation | Instance | None = None
    own = ""
    for variant in variants:
        while own != variant.provenance.parent:
            parent = next(waiting)
            own = record_id(parent)
        assert parent is not None
        yield variant, parent
