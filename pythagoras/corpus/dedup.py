"""Deduplication: of rows that say the same, one stays.

Rows with the same text, and rows whose Lean statements differ in names only, are found first, without a model. What is
left is embedded, and pairs of at least tau are dropped by a linkage (`linkage`); pairs are searched for in the whole
corpus, or in the paper's chunks (`neighbours`). Who stays: the harder tier (so what is in easy or medium and in hard
stays hard), then the source that is named first, then the row that comes first. Every dropped row is told with its
survivor and their similarity.

    duplicates = find_duplicates(read, CachedEmbedder(embedder("minilm")))
    store = run_stage(duplicates.decided(read()), ...)

`read` opens the stream anew: it is read once for hashes, once for texts to be embedded, and once to drop rows. Ids,
hashes and vectors are held in between, texts are not: with MiniLM 1.6 KB a row, half of it for more than 700,000 rows.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pythagoras.corpus.embedding.role import Embedder, text_of
from pythagoras.corpus.linkage import LINKAGES, Links, cluster
from pythagoras.corpus.neighbours import Pairs, Rows, Vectors, chunk_pairs, exact_pairs, whole_pairs
from pythagoras.corpus.normal import alpha_key, informal_key
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, Record, Tier, formal_text, informal_text, record_id
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.errors import InputError
from pythagoras.lean.headers import MATHLIB
from pythagoras.lean.scopes import own_context
from pythagoras.lookup import choose

_EMBED_ROWS = 4_096
"""Texts handed to an embedder at once: it sorts them by length."""
_FULL_PRECISION_BYTES = 1 << 30
"""Vectors that need more are held in float16, which is three times slower to gather."""
_NO_KEY = 0
_ID_BYTES = 16
_ROUNDING = 1e-3
"""How far two ways of computing a similarity from float16 may be apart."""


@dataclass(frozen=True, slots=True)
class DedupSettings:
    """What counts as a duplicate, and who stays."""

    tau: float = 0.75
    """Rows of at least this cosine are near duplicates."""
    method: str = "whole"
    """One of `METHODS`."""
    linkage: str = "cluster"
    """One of `linkage.LINKAGES`."""
    recall: float = 0.999
    """Share of pairs that `whole` shall find, as measured on a sample of each corpus."""
    k: int = 10
    """Neighbours of a row that `chunks` looks at."""
    chunk_rows: int = 5_000
    chunk_overlap: int = 100
    text: str = "informal"
    """Which text stands for a record: one of `embedding.role.TEXTS`."""
    tiers: tuple[Tier, ...] = (Tier.HARD, Tier.MEDIUM, Tier.EASY, Tier.ALF)
    """Whose rows stay, first to last."""
    sources: tuple[str, ...] = ()
    """Within a tier, the same for sources; those not named come behind them, all alike."""
    seed: int = 0

    def __post_init__(self) -> None:
        choose("method of deduplication", self.method, METHODS)
        choose("linkage", self.linkage, LINKAGES)
        if not 0 < self.tau <= 1:
            raise InputError(f"tau is {self.tau}: it is a cosine, choose one above 0 and at most 1")
        if not 0 <= self.chunk_overlap < self.chunk_rows:
            raise InputError(f"chunks of {self.chunk_rows} rows can't overlap by {self.chunk_overlap}: choose fewer")


Search: TypeAlias = Callable[[Vectors, DedupSettings], Iterator[Pairs]]

METHODS: dict[str, Search] = {
    "whole": lambda vectors, settings: whole_pairs(vectors, settings.tau, recall=settings.recall, seed=settings.seed),
    "chunks": lambda vectors, settings: chunk_pairs(
        vectors, settings.tau, k=settings.k, rows=settings.chunk_rows, overlap=settings.chunk_overlap
    ),
    "exact": lambda vectors, settings: exact_pairs(vectors, settings.tau),
}
"""How pairs are searched for."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What is to be dropped from a stream, by place in it. A kept row is its own survivor."""

    ids: bytes
    reason: npt.NDArray[np.uint8]
    """A place in `_REASONS`; 0 for a row that stays."""
    survivor: Rows
    twin: Rows
    """The row that it equals, or the one that it is near to; the survivor where possible."""
    score: npt.NDArray[np.float32]
    """Similarity to the survivor; where that one is below tau, to the twin."""
    to_survivor: npt.NDArray[np.float32]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are dropped for each reason."""
        found = Counter(self.reason[self.reason > 0].tolist())
        return {_REASONS[number].value: count for number, count in sorted(found.items())}

    def far_from_survivor(self, tau: float) -> int:
        """How many near duplicates are linked to their survivor only by others."""
        near = self.reason == _NUMBER_OF[Reason.NEAR_DUPLICATE]
        return int((near & (self.to_survivor < tau - _ROUNDING)).sum())

    def decided(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same stream once more, with duplicates as `Dropped`."""
        for place, item in enumerate(items):
            if place >= len(self.reason) or (_id_bytes(item) != self._id(place)):
                raise InputError(f"row {place + 1} is not what it was when duplicates were searched: start again")
            yield self._dropped(place, item) if self.reason[place] else item

    def _dropped(self, place: int, item: Item) -> Dropped:
        assert not isinstance(item, Dropped | Fault)
        survivor, twin = int(self.survivor[place]), int(self.twin[place])
        reason = _REASONS[self.reason[place]]
        detail = ""
        if twin != survivor and reason is Reason.NEAR_DUPLICATE:
            detail = f"{self.score[place]:.3f} to {self._id(twin).hex()}, which leads to the survivor"
        elif twin != survivor:
            detail = f"{reason.value} as {self._id(twin).hex()}, which is a near duplicate itself"
        return Dropped(item, reason, self._id(survivor).hex(), round(float(self.to_survivor[place]), 4), detail)

    def _id(self, place: int) -> bytes:
        return self.ids[place * _ID_BYTES : (place + 1) * _ID_BYTES]


_REASONS = {1: Reason.SAME_TEXT, 2: Reason.SAME_UP_TO_NAMES, 3: Reason.NEAR_DUPLICATE}
_NUMBER_OF = {reason: number for number, reason in _REASONS.items()}


def find_duplicates(
    read: Callable[[], Iterable[Item]],
    embedder: Embedder | None,
    settings: DedupSettings | None = None,
    on_progress: Callable[[str, int], None] = lambda phase, rows: None,
) -> Duplicates:
    """Which rows of a stream are duplicates; without an embedder, only those that need none.

    `on_progress` takes what is being done (`hashing`, `embedding`, `searching`) and how many more rows it is done for.
    """
    settings = settings or DedupSettings()
    seen = _hashed(read(), settings, on_progress)
    rows = len(seen.order)
    survivor = seen.same.survivor.copy()
    twin = survivor.copy()
    dropped = survivor != np.arange(rows)
    same_text = (seen.text_keys == seen.text_keys[survivor]) & (seen.text_keys != _NO_KEY)
    reason = np.where(
        dropped, np.where(same_text, _NUMBER_OF[Reason.SAME_TEXT], _NUMBER_OF[Reason.SAME_UP_TO_NAMES]), 0
    ).astype(np.uint8)
    score = np.where(dropped, 1, 0).astype(np.float32)
    to_survivor = score.copy()
    if embedder is not None:
        alive = np.flatnonzero(~dropped & seen.has_text).astype(np.int32)
        vectors = _embedded(read(), alive, embedder, settings, on_progress)
        on_progress("searching", 0)
        links = _linked(vectors, seen.order, alive, settings)
        on_progress("searching", len(alive))
        gone = np.flatnonzero(links.survivor != np.arange(len(alive)))
        near = _similarities(vectors, gone, links.survivor[gone])
        met = near >= settings.tau - _ROUNDING
        through = np.where(met, links.survivor[gone], links.near[gone])
        places = alive[gone]
        survivor[places] = alive[links.survivor[gone]]
        twin[places] = alive[through]
        reason[places] = _NUMBER_OF[Reason.NEAR_DUPLICATE]
        score[places] = np.where(met, near, _similarities(vectors, gone, through))
        to_survivor[places] = near
        moved = np.flatnonzero(dropped & (survivor[twin] != twin))  # equal to a row that is itself near another
        score[moved], to_survivor[moved] = score[twin[moved]], to_survivor[twin[moved]]
        survivor[moved] = survivor[twin[moved]]
    return Duplicates(seen.ids, reason, survivor, twin, score, to_survivor)


# --- without a model ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is held of a stream that was read once."""

    ids: bytes
    text_keys: npt.NDArray[np.uint64]
    has_text: npt.NDArray[np.bool_]
    order: Rows
    """Places by priority, the first to stay first."""
    same: Links
    """Rows with equal hashes, by place."""


def _hashed(items: Iterable[Item], settings: DedupSettings, on_progress: Callable[[str, int], None]) -> _Seen:
    tiers = {tier.value: number for number, tier in enumerate(settings.tiers)}
    sources = {source: number for number, source in enumerate(settings.sources)}
    ids, has_text = bytearray(), bytearray()
    text_keys, alpha_keys, priority = array("Q"), array("Q"), array("q")
    for item in items:
        ids += _id_bytes(item)
        text = "" if isinstance(item, Dropped | Fault) else text_of(item, settings.text)
        has_text.append(bool(text.strip()))
        alpha = _alpha_key(item) if isinstance(item, Formalisation | Instance) else _NO_KEY
        text_keys.append(_NO_KEY if isinstance(item, Dropped | Fault) else _text_key(item, text, alpha))
        alpha_keys.append(alpha)
        tier = tiers.get(str(getattr(item, "tier", "")), len(tiers))
        priority.append(tier * (len(sources) + 1) + sources.get(getattr(item, "source", ""), len(sources)))
        on_progress("hashing", 1)
    order = np.argsort(np.frombuffer(priority, np.int64), kind="stable").astype(np.int32)
    keys = [np.frombuffer(column, np.uint64) for column in (text_keys, alpha_keys)]
    same = _by_place(lambda pairs: cluster(pairs, len(order)), (_equal(column) for column in keys), order)
    return _Seen(bytes(ids), keys[0], np.frombuffer(has_text, np.bool_), order, same)


def _id_bytes(item: Item) -> bytes:
    return bytes(_ID_BYTES) if isinstance(item, Dropped | Fault) else bytes.fromhex(record_id(item))


def _text_key(record: Record, text: str, alpha: int) -> int:
    """Of the text that stands for the record: in words without its dress, in Lean without its spacing.

    Words alone do not make two Lean statements the same: "Prove the claim." may stand before any of them.
    """
    if not text.strip():
        return _NO_KEY
    in_words = text == informal_text(record) and informal_key(text)
    key = in_words or hashlib.md5(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()
    return _key(hashlib.md5(f"{key} {alpha}".encode()).hexdigest() if alpha else key)


def _alpha_key(record: Formalisation | Instance) -> int:
    # Which header the usual names were opened by, the statement's own or a known one, makes no difference.
    return _key(alpha_key(formal_text(record), own_context(record.context, MATHLIB.id)))


def _key(digest: str) -> int:
    """64 bits of it: two among ten million rows collide once in 400,000 corpora."""
    return int(digest[:16], 16) if digest else _NO_KEY


def _equal(keys: npt.NDArray[np.uint64]) -> Pairs:
    """Each row of a key with the first row of that key."""
    _, firsts, group = np.unique(keys, return_index=True, return_inverse=True)
    rows = np.flatnonzero((keys != _NO_KEY) & (firsts[group] != np.arange(len(keys)))).astype(np.int32)
    return Pairs(firsts[group[rows]].astype(np.int32), rows, np.ones(len(rows), np.float32))


def _by_place(link: Callable[[Iterable[Pairs]], Links], pairs: Iterable[Pairs], order: Rows) -> Links:
    """A linkage of rows by place, where it numbers them by priority: `order` says which place has which priority."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    links = link(Pairs(rank[batch.first], rank[batch.second], batch.similarity) for batch in pairs)
    return Links(order[links.survivor[rank]], order[links.near[rank]])


# --- with a model ---------------------------------------------------------------------------------


def _embedded(
    items: Iterable[Item],
    alive: Rows,
    embedder: Embedder,
    settings: DedupSettings,
    on_progress: Callable[[str, int], None],
) -> Vectors:
    """One row a living record."""
    wanted = np.zeros(int(alive[-1]) + 1 if len(alive) else 0, np.bool_)
    wanted[alive] = True
    chosen = (item for item, want in zip(items, wanted, strict=False) if want)
    texts = (text_of(item, settings.text) for item in chosen if not isinstance(item, Dropped | Fault))
    vectors: npt.NDArray[Any] = np.empty((0, 0), np.float32)
    filled = 0
    while batch := list(islice(texts, _EMBED_ROWS)):
        found = embedder.embed(batch)
        if not filled:
            full = len(alive) * found.shape[1] * 4 <= _FULL_PRECISION_BYTES
            vectors = np.empty((len(alive), found.shape[1]), np.float32 if full else np.float16)
        vectors[filled : filled + len(batch)] = found
        filled += len(batch)
        on_progress("embedding", len(batch))
    if filled != len(alive):
        raise InputError(f"the input had {len(alive)} rows to embed and now has {filled}: it changed; start again")
    return vectors


def _linked(vectors: Vectors, order: Rows, alive: Rows, settings: DedupSettings) -> Links:
    """Who stays among the living, numbered as in `alive`."""
    number = np.full(len(order), -1, np.int32)
    number[alive] = np.arange(len(alive), dtype=np.int32)
    living_order = number[order]
    living_order = living_order[living_order >= 0]
    pairs = METHODS[settings.method](vectors, settings) if len(alive) else iter(())
    return _by_place(lambda found: LINKAGES[settings.linkage](found, len(alive)), pairs, living_order)


def _similarities(vectors: Vectors, rows: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    parts = [np.empty(0, np.float32)]
    for start in range(0, len(rows), _EMBED_ROWS):
        left = vectors[rows[start : start + _EMBED_ROWS]].astype(np.float32)
        right = vectors[others[start : start + _EMBED_ROWS]].astype(np.float32)
        parts.append(np.einsum("ij,ij->i", left, right))
    return np.concatenate(parts)
