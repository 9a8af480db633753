"""Deduplication measured: `python -m benchmarks.dedup search|agreement|linkage`, or all three without a word.

search     recall and time of the exact search, the paper's chunks, ours and PyPI's semhash on the same vectors
agreement  how far the static embedder says what MiniLM says, and how many texts a second either reads
linkage    what union-find drops on generated problems beyond a rule that looks at pairs only
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.minif2f import DATA, statements
from pythagoras.corpus.dedup import DedupSettings
from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.role import Embedder, Floats, unit_rows
from pythagoras.corpus.embedding.static import StaticEmbedder
from pythagoras.corpus.embedding.transformer import MiniLM
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.linkage import LINKAGES, cluster
from pythagoras.corpus.neighbours import Pairs, Vectors, chunk_pairs, exact_pairs, whole_pairs

SETTINGS = DedupSettings()
TAU = SETTINGS.tau
PLANTED = 0.05
"""Share of the rows that are copies of others."""

# --- rows -----------------------------------------------------------------------------------------


def reworded(text: str) -> str:
    """Letters renamed, and a few words replaced by others that mean the same."""
    for old, new in zip("xyzabcnmkpq", "uvwrstjidlh", strict=True):
        text = re.sub(rf"(?<![A-Za-z]){old}(?![A-Za-z])", new, text)
    for old, new in (
        *(("Prove that", "Show that"), ("Find", "Determine"), ("Suppose", "Assume"), ("such that", "so that")),
        *(("remainder", "residue"), ("divided by", "taken by"), ("What is", "Compute"), ("integers", "whole numbers")),
    ):
        text = text.replace(old, new, 1)
    return text


def text_rows(count: int) -> tuple[Vectors, list[tuple[int, int]]]:
    """Generated problems and copies in other words, under the static embedder: real text in crowded families."""
    random = np.random.default_rng(1)
    copies = int(PLANTED * count)
    texts = [item.problem.text for item in generate(count - copies, 7)]
    originals = random.choice(len(texts), copies, replace=False)
    order = random.permutation(count)
    texts = [*texts, *(reworded(texts[original]) for original in originals)]
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    vectors = StaticEmbedder().embed([texts[number] for number in order])
    return vectors, _planted(place, originals, count)


def mixture_rows(count: int) -> tuple[Vectors, list[tuple[int, int]]]:
    """Drawn vectors whose spectrum and similarities are those of MiniLM's on 79,000 English sentences.

    That is 384 dimensions of which 111 count, half of the variance in 47; cosines of rows at random with a median of
    0.07 and 99.9 % below 0.49; groups of unequal size. Copies are planted at cosines from 0.76 to 0.99.
    """
    random = np.random.default_rng(1)
    scale = (np.arange(1, 385) + 8.0) ** -0.5
    scale = (scale / np.linalg.norm(scale)).astype(np.float32)

    def drawn(rows: int) -> Floats:
        return random.standard_normal((rows, 384), dtype=np.float32) * scale

    copies = int(PLANTED * count)
    groups = 0.45 * drawn(64)[random.integers(64, size=count // 20)] + drawn(count // 20)
    sizes = random.pareto(1.5, len(groups)) + 0.2
    shared = random.uniform(0.1, 0.75, (count, 1)).astype(np.float32)
    vectors = np.sqrt(shared) * groups[random.choice(len(groups), count, p=sizes / sizes.sum())] / 1.1
    vectors = unit_rows(vectors + np.sqrt(1 - shared) * drawn(count) + 0.29 * unit_rows(drawn(1)))
    place = random.permutation(count)
    originals, targets = place[: count - copies][:copies], place[count - copies :]
    away = drawn(copies)
    away = unit_rows(away - (away * vectors[originals]).sum(axis=1, keepdims=True) * vectors[originals])
    cosine = random.uniform(0.76, 0.99, (copies, 1)).astype(np.float32)
    vectors[targets] = cosine * vectors[originals] + np.sqrt(1 - cosine**2) * away
    return vectors, list(zip(originals.tolist(), targets.tolist(), strict=True))


def _planted(place: npt.NDArray[Any], originals: npt.NDArray[Any], count: int) -> list[tuple[int, int]]:
    copies = place[count - len(originals) :]
    return list(zip(place[originals].tolist(), copies.tolist(), strict=True))


ROWS: dict[str, Callable[[int], tuple[Vectors, list[tuple[int, int]]]]] = {"mixture": mixture_rows, "text": text_rows}

# --- search ---------------------------------------------------------------------------------------


def semhash_pairs(vectors: Vectors) -> Iterable[Pairs]:
    """What semhash does to deduplicate, up to its choice of survivors: an index, and a query for each row."""
    from semhash import SemHash

    records = [str(row) for row in range(len(vectors))]
    index = SemHash.from_embeddings(vectors, records, model=_NoModel()).index
    for row, (found, scores) in enumerate(index.query_threshold(index.vectors, threshold=TAU)):
        others = found.astype(np.int32)
        kept = others != row
        yield Pairs(np.full(int(kept.sum()), row, np.int32), others[kept], scores[kept])


class _NoModel:
    """semhash wants a model; with vectors given it never asks it."""

    def encode(self, *_: Any, **__: Any) -> Floats:
        raise AssertionError("vectors were given")


SEARCHES: dict[str, Callable[[Vectors], Iterable[Pairs]]] = {
    "exact": lambda vectors: exact_pairs(vectors, TAU),
    "chunks": lambda vectors: chunk_pairs(
        vectors, TAU, k=SETTINGS.k, rows=SETTINGS.chunk_rows, overlap=SETTINGS.chunk_overlap
    ),
    "ours": lambda vectors: whole_pairs(vectors, TAU, recall=SETTINGS.recall),
    "semhash": semhash_pairs,
}


def search(sizes: list[int], kinds: list[str]) -> None:
    """Times, and how much is found of what the exact search finds.

    recall: of the pairs. dropped: of the rows that union-find over them drops. planted: of the copies that do not both
    stay, they and their originals.
    """
    for kind in kinds:
        print(f"search, {kind}: {(ROWS[kind].__doc__ or '').splitlines()[0]}")
        names = ("seconds", "x exact", "pairs", "recall", "dropped", "planted")
        print(f"{'rows':>9} {'search':<9}" + "".join(f"{name:>12}" for name in names))
        seconds: dict[tuple[str, int], float] = {}
        for size in sizes:
            vectors, planted = ROWS[kind](size)
            exact: _Found | None = None
            for name, run in SEARCHES.items():
                start = time.perf_counter()
                batches = list(run(vectors))
                seconds[name, size] = time.perf_counter() - start
                found = _found(batches, planted, size)
                exact = exact or found
                faster = seconds["exact", size] / seconds[name, size]
                print(
                    f"{size:>9,} {name:<9}{seconds[name, size]:>12.2f}{faster:>12.1f}"
                    f"{len(found.pairs):>12,}{_share(exact.pairs, found.pairs):>12.4f}"
                    f"{_share(exact.dropped, found.dropped):>12.4f}{_share(exact.planted, found.planted):>12.4f}",
                    flush=True,
                )
        for small, large in pairwise(sizes):
            ratios = ", ".join(f"{name} {seconds[name, large] / seconds[name, small]:.1f}" for name in SEARCHES)
            print(f"  {large / small:g} times the rows take so many times the seconds: {ratios}")


class _Found(NamedTuple):
    pairs: npt.NDArray[Any]
    """Each once, as a number."""
    dropped: npt.NDArray[Any]
    planted: npt.NDArray[Any]


def _found(batches: list[Pairs], planted: list[tuple[int, int]], rows: int) -> _Found:
    parts = [
        np.minimum(batch.first, batch.second).astype(np.int64) * rows + np.maximum(batch.first, batch.second)
        for batch in batches
    ]
    survivor = cluster(batches, rows).survivor
    originals, copies = np.array(planted).T
    return _Found(
        np.unique(np.concatenate([np.empty(0, np.int64), *parts])),
        np.flatnonzero(survivor != np.arange(rows)),
        np.sort(copies[(survivor[originals] != originals) | (survivor[copies] != copies)]),
    )


def _share(wanted: npt.NDArray[Any], found: npt.NDArray[Any]) -> float:
    return float(np.isin(wanted, found, assume_unique=True).mean()) if len(wanted) else 1.0


# --- agreement ------------------------------------------------------------------------------------


def agreement(count: int) -> None:
    """Of pairs that MiniLM puts above tau, how many the static embedder does, and the other way round."""
    drawn = list(generate(count, 2))
    sets = {
        "problems": [item.problem.text for item in drawn],
        "statements": [item.formalisation.text for item in drawn[: count // 2]],
        "reworded": [text for item in drawn[: count // 2] for text in (item.problem.text, reworded(item.problem.text))],
    }
    if DATA.exists():
        sets["MiniF2F"] = [statement for _, statement in statements(DATA)]
    static, minilm = StaticEmbedder(), CachedEmbedder(MiniLM())
    static.embed(["the table is loaded or fitted"])
    print(f"agreement of the static embedder with MiniLM at {TAU}")
    print(f"{'texts':<12}{'pairs':>9}{'precision':>11}{'recall':>9}{'rank corr.':>12}{'best F1':>9}{'at':>7}")
    for name, texts in sets.items():
        _agree(name, static.embed(texts), minilm.embed(texts))
    _agree("all", *(np.concatenate([model.embed(texts) for texts in sets.values()]) for model in (static, minilm)))
    many = [item.problem.text for item in generate(20_000, 3)]
    for name, model, texts in (("static", static, many), ("minilm", MiniLM(), many[:500])):
        print(f"{name:<12}{_speed(model, texts):>9,.0f} texts/s")


def _agree(name: str, one: Floats, other: Floats) -> None:
    above = np.triu_indices(len(one), 1)
    ours, theirs = (one @ one.T)[above], (other @ other.T)[above]
    wanted, found = theirs >= TAU, ours >= TAU
    both = int((wanted & found).sum())
    order = np.argsort(-ours)
    right = np.cumsum(wanted[order])
    scores = 2 * right / (np.arange(1, len(order) + 1) + wanted.sum())
    best = int(scores.argmax())
    print(
        f"{name:<12}{int(wanted.sum()):>9,}{both / max(1, found.sum()):>11.3f}{both / max(1, wanted.sum()):>9.3f}"
        f"{_rank_correlation(ours, theirs):>12.3f}{scores[best]:>9.3f}{ours[order[best]]:>7.2f}",
        flush=True,
    )


def _rank_correlation(one: Floats, other: Floats) -> float:
    chosen = np.random.default_rng(0).choice(len(one), min(len(one), 200_000), replace=False)
    one, other = (np.argsort(np.argsort(values[chosen])).astype(np.float32) for values in (one, other))
    return float(np.corrcoef(one, other)[0, 1])


def _speed(model: Embedder, texts: list[str]) -> float:
    model.embed(texts[:64])
    start = time.perf_counter()
    model.embed(texts)
    return len(texts) / (time.perf_counter() - start)


# --- linkage --------------------------------------------------------------------------------------


def linkage(count: int, embedder: Embedder) -> None:
    """How many generated problems stay by each rule. What `cluster` drops beyond `direct` went by chains alone."""
    vectors = embedder.embed([item.problem.text for item in generate(count, 5)])
    print(f"linkage: of {count:,} generated problems stay, by {embedder.name}")
    print(f"{'tau':>6}" + "".join(f"{name:>10}" for name in LINKAGES) + f"{'below tau':>12}")
    for tau in (0.75, 0.8, 0.85, 0.9, 0.95):
        links = {name: link(exact_pairs(vectors, tau), count) for name, link in LINKAGES.items()}
        kept = "".join(f"{int((found.survivor == np.arange(count)).sum()):>10,}" for found in links.values())
        survivor = links["cluster"].survivor
        gone = survivor != np.arange(count)
        far = np.einsum("ij,ij->i", vectors[gone], vectors[survivor[gone]]) < tau
        print(f"{tau:>6}{kept}{far.mean() if len(far) else 0:>12.1%}", flush=True)
    print("  below tau: share of rows dropped by `cluster` that are not near their survivor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["agreement", "linkage", "search"])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 50_000, 200_000])
    parser.add_argument("--data", nargs="+", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--texts", type=int, default=1_500, help="generated problems for agreement")
    chosen = parser.parse_args()
    if "agreement" in chosen.parts:
        agreement(chosen.texts)
    if "linkage" in chosen.parts:
        linkage(20_000, StaticEmbedder())
        linkage(chosen.texts, CachedEmbedder(MiniLM()))
    if "search" in chosen.parts:
        search(chosen.rows, chosen.data)


if __name__ == "__main__":
    main()
