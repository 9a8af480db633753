"""What is done to the corpus as a whole: nothing in two tiers, nothing twice, nothing of a benchmark, two sides.

Decisions only; `building` runs them as stages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pythagoras.corpus.decontamination.sweep import STAGES, DecontaminationSettings, Sweep
from pythagoras.corpus.dedup import DedupSettings, find_duplicates
from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.embedders import embedder
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.normal import informal_key
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Problem, Record, Tier, record_id
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.lean.pool import Checker
from pythagoras.pipeline.case import root_of, settings_of
from pythagoras.pipeline.recipe import Finish

NO_EMBEDDER = "none"
"""In a recipe: duplicates are found without a model."""
_SECOND = {"static": "minilm"}
"""Who has the last word on what an embedder finds near a benchmark."""


def open_embedder(name: str) -> Embedder | None:
    """The embedder of that name, with what it has said before; None for none."""
    if name == NO_EMBEDDER:
        return None
    found = embedder(name)
    return found if name == "static" else CachedEmbedder(found)  # the static one is as fast as a cache


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


def sweep_against(benchmarks: Sequence[Record], finish: Finish, checker: Checker) -> Sweep:
    """The five stages of decontamination; without the one by embeddings where the recipe has no embedder."""
    model = open_embedder(finish.embedder)
    second = open_embedder(_SECOND.get(finish.embedder, NO_EMBEDDER))
    stages = tuple(stage for stage in STAGES if model is not None or stage != "embedding")
    return Sweep(benchmarks, DecontaminationSettings(stages), embedder=model, second_embedder=second, checker=checker)


def is_validation(instance: Instance, share: float, seed: int) -> bool:
    """Which side an instance is on: by a hash of the source's problem that it goes back to.

    So a problem, what was distilled from its failure, and all variants of one problem are on the same side.
    """
    digest = hashlib.blake2b(f"{seed} {root_of(instance)}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) < share * 2**64
