"""What is done to the corpus as a whole: nothing in two tiers, nothing twice, nothing of a benchmark, two sides.

Decisions only; `building` runs them as stages.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pythagoras.corpus.decontamination.sweep import STAGES, DecontaminationSettings, Sweep, benchmark_fingerprints
from pythagoras.corpus.dedup import DedupSettings, find_duplicates
from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.embedders import NO_EMBEDDER, embedder_or_none
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.normal import informal_key
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Problem, Record, Tier, record_id, settings_of
from pythagoras.corpus.stages import Decide, Dropped, Item, keep_all
from pythagoras.lean.pool import Checker
from pythagoras.pipeline.case import root_of
from pythagoras.pipeline.recipe import Finish

ROWS_TO_SPLIT = 20
"""A corpus of so many rows has some for validation, if any are wanted."""
_SECOND = {"static": "minilm"}
"""Who has the last word on what an embedder finds near a benchmark."""


def open_embedder(name: str) -> Embedder | None:
    """The embedder of that name, with what it has said before; None for none."""
    found = embedder_or_none(name)
    return found if found is None or name == "static" else CachedEmbedder(found)  # the static one is as fast as a cache


def new_problems(
    problems: Sequence[Problem], known: Iterable[Problem], held: Callable[[Iterable[Item]], Iterator[Item]],
    model: Embedder | None, tau: float,
) -> Iterator[Item]:  # fmt: skip
    """Problems that somebody made, without those that are known, held out, or nearly another one of them.

    `held` drops what is held out. With the model, of two that are near by tau one stays.
    """
    texts = {informal_key(problem.text): record_id(problem) for problem in known}
    settings = DedupSettings(tau=tau, linkage="direct")
    for item in held(find_duplicates(lambda: problems, model, settings).decided(problems)):
        if isinstance(item, Problem) and (other := texts.get(informal_key(item.text))) is not None:
            item = Dropped(item, Reason.SAME_TEXT, other, detail="a problem of the source")
        yield item


def one_of_each_type(instances: Iterable[Instance]) -> Iterator[Item]:
    """Of instances whose statements have the same kernel type, the first: hand in the harder tiers first."""
    seen: dict[str, tuple[str, Tier]] = {}
    for instance in instances:
        kernel_type = settings_of(instance).get("type")
        if kernel_type in seen:
            first, tier = seen[kernel_type]
            reason = Reason.SAME_UP_TO_NAMES if tier is instance.tier else Reason.HARDER_TIER
            yield Dropped(instance, reason, first, detail="the same kernel type")
            continue
        if kernel_type:
            seen[kernel_type] = record_id(instance), instance.tier
        yield instance


def deduplicated(
    read: Callable[[], Iterable[Instance]], model: Embedder | None, tau: float, linkage: str
) -> Iterator[Item]:
    """The instances, with duplicates as dropped; what lost against a harder tier is told so."""
    tiers = {record_id(instance): instance.tier for instance in read()}
    for item in find_duplicates(read, model, DedupSettings(tau=tau, linkage=linkage)).decided(read()):
        if isinstance(item, Dropped) and isinstance(item.record, Instance):
            survivor = tiers[item.other]
            if survivor is not item.record.tier:
                why = f"{item.reason.value}, {survivor.value}" + (f"; {item.detail}" if item.detail else "")
                item = replace(item, reason=Reason.HARDER_TIER, detail=why)
        yield item


@dataclass(frozen=True, slots=True)
class Sweeping:
    """A stage that drops what benchmarks would recognise: its settings, its decisions, and what it counts."""

    settings: dict[str, Any]
    decide: Decide
    tally: Counter[str]


@contextmanager
def sweeping(
    benchmarks: Sequence[Record],
    finish: Finish,
    lean: Callable[[], AbstractContextManager[Checker]],
    corpus: Callable[[], Iterable[Record]],
) -> Iterator[Sweeping]:
    """The five stages of decontamination; without the one by embeddings where the recipe has no embedder.

    What is common in the corpus tells nothing. Lean is started when there is something to do. Without benchmarks all is
    kept.
    """
    tally = Counter[str]()
    with ExitStack() as stack:

        @functools.cache
        def sweep() -> Sweep:
            model = open_embedder(finish.embedder)
            second = open_embedder(_SECOND.get(finish.embedder, NO_EMBEDDER))
            stages = tuple(stage for stage in STAGES if model is not None or stage != "embedding")
            settings, checker = DecontaminationSettings(stages), stack.enter_context(lean())
            found = Sweep(benchmarks, settings, embedder=model, second_embedder=second, checker=checker)
            found.learn(corpus())
            return found

        def decide(batch: Sequence[Record]) -> list[Record | Dropped]:
            before = Counter(sweep().tally)
            decisions = sweep().decide(batch)
            tally.update({name: count - before[name] for name, count in sweep().tally.items()})
            return decisions

        against = {"embedder": finish.embedder, "against": benchmark_fingerprints(benchmarks)}
        yield Sweeping(against, decide, tally) if benchmarks else Sweeping({}, keep_all, tally)


def validation_roots(instances: Iterable[Instance], share: float, seed: int) -> frozenset[str]:
    """Whose instances are for validation: the source's problems that a hash puts below the share.

    So a problem, what was distilled from its failure, and all variants of one problem are on the same side. Where there
    are `ROWS_TO_SPLIT` or more and the hash puts nobody there, the nearest to it goes, unless nothing else would stay.
    """
    rows = Counter(map(root_of, instances))
    places = {root: _place(root, seed) for root in rows}
    chosen = frozenset(root for root, place in places.items() if place < share * 2**64)
    if chosen or not share or rows.total() < ROWS_TO_SPLIT or len(rows) < 2:
        return chosen
    return frozenset([min(places, key=places.__getitem__)])


def _place(root: str, seed: int) -> int:
    """Somewhere below 2**64."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {root}".encode(), digest_size=8).digest())
