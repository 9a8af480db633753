"""The sweep: five stages against a set of benchmarks; a row that any of them finds is dropped.

    sweep = Sweep(benchmark_records, settings, embedder=..., checker=...)
    sweep.learn(records)               # optional first pass: what is common in these rows says nothing
    decisions = sweep.decide(batch)    # a stage for `pythagoras.corpus.stages.run_stage`

A decision about a row depends on the benchmarks, the settings and what was learned, never on other rows of the batch.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pythagoras.corpus.decontamination import ngrams, templates
from pythagoras.corpus.decontamination.ngrams import NgramStage
from pythagoras.corpus.decontamination.similarity import NEAR, SimilarityStage, Taus, usual_taus
from pythagoras.corpus.decontamination.structure import StructureStage
from pythagoras.corpus.decontamination.surface import SurfaceStage
from pythagoras.corpus.decontamination.templates import TemplateStage
from pythagoras.corpus.decontamination.views import Hit, Stage, View, items_of, view_of
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Record, group_of, record_id
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.lean.pool import Checker
from pythagoras.lookup import choose

STAGES: dict[str, Reason] = {
    "surface": Reason.SURFACE_HASH,
    "ngram": Reason.NGRAM,
    "embedding": Reason.EMBEDDING,
    "structure": Reason.STRUCTURE,
    "template": Reason.PROOF_TEMPLATE,
}
"""The paper's stages in its order."""
CHEAP = ("surface", "ngram", "structure")
"""Those that can do without Lean and without a model."""
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class DecontaminationSettings:
    """Which stages, and when each counts something as found."""

    stages: tuple[str, ...] = tuple(STAGES)
    all_hits: bool = False
    """Whether a row goes through every stage, also behind a hit: for a report on the stages themselves."""
    ngram_informal: int = 10
    ngram_formal: int = 5
    discount: bool = True
    """Whether n-grams that are common say nothing; without, any shared n-gram is a hit, as in the paper."""
    learn_share: float = 0.1
    """Which share of the rows `learn` looks at, chosen by content."""
    tau: float | None = None
    """Cosine of informal texts from which on a row is dropped; None for what suits the embedder (`similarity.TAUS`)."""
    tau_formal: float | None = None
    """The same for statements."""
    near: float = NEAR.informal
    """With two embedders: cosine of the first from which on the second is asked."""
    near_formal: float = NEAR.formal
    template_similarity: float = 0.9


@dataclass(frozen=True, slots=True)
class Report:
    """What a sweep found so far in this process."""

    rows: int
    dropped: int
    ngram_rows: int
    """Rows that came to the n-gram stage."""
    ngram_plain: int
    """Those that share any n-gram with an item: the paper's rule."""
    ngram_discounted: int
    notes: tuple[str, ...]
    """What a stage could compare, and what it could not."""


class Sweep:
    """The stages, built from the items of benchmarks."""

    def __init__(
        self,
        benchmarks: Iterable[Record],
        settings: DecontaminationSettings | None = None,
        *,
        embedder: Embedder | None = None,
        second_embedder: Embedder | None = None,
        checker: Checker | None = None,
    ) -> None:
        self.settings = settings = settings or DecontaminationSettings()
        self.items = items_of(benchmarks)
        if not any(item.view.informal or item.view.formal for item in self.items):
            raise InputError("the benchmarks have no statements: name a file with formal or informal problems")
        wanted = [choose("decontamination stage", name, STAGES) for name in settings.stages]
        if Reason.EMBEDDING in wanted and embedder is None:
            raise InputError("the embedding stage needs an embedder: name one, or leave the stage out")
        self._stages = [(reason, self._build(reason, embedder, second_embedder, checker)) for reason in wanted]
        self.tally = Counter(dict.fromkeys(("rows", "found", *(reason.value for reason in wanted)), 0))
        """Counts by name, for `run_stage`; zeros are told too."""
        if Reason.NGRAM in wanted:
            self.tally.update(dict.fromkeys(("n-gram rows", "n-gram plain", "n-gram discounted"), 0))

    def learn(self, records: Iterable[Record]) -> None:
        """Count what is common in the rows, on a share of them chosen by content: no order changes the result."""
        learning = [stage for _, stage in self._stages if isinstance(stage, NgramStage | TemplateStage)]
        if not learning:
            return
        chosen = (record for record in records if _in_share(record, self.settings.learn_share))
        while batch := [view_of(record) for record in islice(chosen, _BATCH)]:
            for stage in learning:
                stage.learn(batch)

    def decide(self, batch: Sequence[Record]) -> list[Record | Dropped]:
        """One decision a record, in order."""
        decisions: list[Record | Dropped] = []
        for record, hits in zip(batch, self.hits(batch), strict=True):
            if hits:
                first, *others = hits
                also = f"; also {', '.join(hit.reason.value for hit in others)}" if others else ""
                decisions.append(Dropped(record, first.reason, first.item, first.score, first.detail + also))
            else:
                decisions.append(record)
        return decisions

    def hits(self, batch: Sequence[Record]) -> list[list[Hit]]:
        """What the stages find: the first hit of each row, or one a stage with `all_hits`."""
        views = [view_of(record) for record in batch]
        hits: list[list[Hit]] = [[] for _ in batch]
        for reason, stage in self._stages:
            numbers = [number for number in range(len(batch)) if self.settings.all_hits or not hits[number]]
            for number, hit in zip(numbers, self._find(stage, [views[number] for number in numbers]), strict=True):
                if hit is not None:
                    hits[number].append(hit)
                    self.tally[reason.value] += 1
        self.tally["rows"] += len(batch)
        self.tally["found"] += sum(1 for found in hits if found)
        return hits

    def report(self) -> Report:
        return Report(
            rows=self.tally["rows"],
            dropped=self.tally["found"],
            ngram_rows=self.tally["n-gram rows"],
            ngram_plain=self.tally["n-gram plain"],
            ngram_discounted=self.tally["n-gram discounted"],
            notes=tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        for _, stage in self._stages:
            if isinstance(stage, TemplateStage) and not stage.proofs:
                yield "proof template: no item of the benchmarks has a proof, so there was nothing to compare with"
            elif isinstance(stage, TemplateStage):
                yield f"proof template: {stage.telling} of {stage.proofs} proofs are long and rare enough to tell"
            elif isinstance(stage, StructureStage):
                yield from stage.notes()

    def _find(self, stage: Stage, rows: Sequence[View]) -> list[Hit | None]:
        if not isinstance(stage, NgramStage):
            return stage.find(rows)
        before = stage.plain, stage.discounted
        found = stage.find(rows)
        self.tally["n-gram rows"] += len(rows)
        self.tally["n-gram plain"] += stage.plain - before[0]
        self.tally["n-gram discounted"] += stage.discounted - before[1]
        return found

    def _build(
        self, reason: Reason, embedder: Embedder | None, second: Embedder | None, checker: Checker | None
    ) -> Stage:
        settings, items = self.settings, self.items
        match reason:
            case Reason.NGRAM:
                informal = replace(ngrams.INFORMAL, n=settings.ngram_informal)
                formal = replace(ngrams.FORMAL, n=settings.ngram_formal)
                return NgramStage(items, informal=informal, formal=formal, discount=settings.discount)
            case Reason.EMBEDDING:
                assert embedder is not None
                usual = usual_taus(second or embedder)
                taus = Taus(
                    usual.informal if settings.tau is None else settings.tau,
                    usual.formal if settings.tau_formal is None else settings.tau_formal,
                )
                near = Taus(settings.near, settings.near_formal)
                return SimilarityStage(items, embedder, second, taus=taus, near=near)
            case Reason.STRUCTURE:
                return StructureStage(items, checker)
            case Reason.PROOF_TEMPLATE:
                return TemplateStage(items, replace(templates.DEFAULT, similarity=settings.template_similarity))
        return SurfaceStage(items)


def _in_share(record: Record, share: float) -> bool:
    return share >= 1 or int(record_id(record)[:8], 16) < share * 16**8


def benchmark_fingerprints(items: Iterable[Record]) -> dict[str, str]:
    """Each benchmark's name, with a hash of what its items say."""
    ids: dict[str, list[str]] = {}
    for record in items:
        ids.setdefault(group_of(record, "source"), []).append(record_id(record))
    return {name: hashlib.sha256("".join(each).encode()).hexdigest()[:16] for name, each in ids.items()}
