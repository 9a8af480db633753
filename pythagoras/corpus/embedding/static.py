"""An embedder that is a table: vectors for tokens and for pairs of tokens, fitted to MiniLM.

A text is the sum of its tokens' vectors: hundreds of times cheaper than a transformer, and near to it where texts share
their wording; of word order it knows neighbours only. The table is fitted once on each machine, by ridge regression of
MiniLM's own vectors on the tokens of a few thousand texts: problems and statements of the generator, and sentences out
of the documentation of Python's library, so that English which no problem uses has a place too. Fitting needs torch and
takes a minute or two; using the table needs neither.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from pythagoras.corpus.embedding.cache import CachedEmbedder, cache_folder
from pythagoras.corpus.embedding.role import Embedder, Floats, unit_rows
from pythagoras.corpus.embedding.transformer import MiniLM, minilm_folder, spoken
from pythagoras.corpus.generator.generate import generate

_FILE = "static-1.npz"
_PROBLEMS, _STATEMENTS, _SENTENCES = 3_000, 1_500, 1_500
_SEED = 20_260
_MAP_RIDGE, _TABLE_RIDGE = 0.1, 0.1
_DIMENSIONS = 256
_COMMON_SHARE = 0.25
"""How much of the mean vector is taken away: regression makes texts too much alike, and this undoes it at 0.75."""
_RARE_BIGRAM = 2
_FIT_WAIT_S = 1_800
_BATCH = 2_048


@dataclass(frozen=True, slots=True)
class Table:
    """What is fitted."""

    tokens: int
    bigrams: npt.NDArray[np.int64]
    """Pairs of tokens that have a row, as `first * tokens + second`, in order. Their rows stand behind the tokens'."""
    rows: Floats
    constant: Floats
    """Added to every text."""

    @property
    def name(self) -> str:
        return f"static-{hashlib.md5(self.rows.tobytes(), usedforsecurity=False).hexdigest()[:8]}"


class StaticEmbedder:
    """Loads the table at the first text, or fits it where there is none."""

    def __init__(
        self,
        folder: Path | None = None,
        teacher: Embedder | None = None,
        on_fit: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """`on_fit` is called while the table is fitted, with how many texts of how many MiniLM has read."""
        self._folder = folder
        self._teacher = teacher
        self._on_fit = on_fit
        self._table: Table | None = None
        self._tokenizer: Any = None

    @property
    def name(self) -> str:
        return self._loaded().name

    def prepare(self) -> None:
        """Load the table now, and fit it where there is none."""
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Floats:
        table = self._loaded()
        parts = [np.empty((0, table.rows.shape[1]), np.float32)]
        for start in range(0, len(texts), _BATCH):
            bags = _bags(_tokens(self._tokenizer, texts[start : start + _BATCH]), table.tokens, table.bigrams)
            parts.append(unit_rows(bags @ table.rows + table.constant))
        return np.concatenate(parts)

    def _loaded(self) -> Table:
        if self._table is None:
            folder = self._folder or cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
            self._tokenizer = _tokenizer()
            with FileLock(folder / f"{_FILE}.lock", timeout=_FIT_WAIT_S):
                if not (folder / _FILE).exists():
                    teacher = CachedEmbedder(self._teacher or MiniLM(), folder)
                    _save(fit(training_texts(), teacher, self._on_fit), folder / _FILE)
                self._table = _load(folder / _FILE)
        return self._table


# --- fitting --------------------------------------------------------------------------------------


def training_texts() -> list[str]:
    """What the table is fitted on: the same on every machine with the same Python."""
    drawn = list(generate(_PROBLEMS, _SEED, false_share=0.1))
    sentences = list(dict.fromkeys(_sentences()))
    chosen = Random(_SEED).sample(sentences, min(_SENTENCES, len(sentences)))
    return [item.problem.text for item in drawn] + [item.formalisation.text for item in drawn[:_STATEMENTS]] + chosen


def fit(
    texts: Sequence[str], teacher: Embedder, on_fit: Callable[[int, int], None] = lambda done, total: None
) -> Table:
    """Two regressions of the teacher's vectors: a linear map of MiniLM's own input vectors, which serves all tokens,
    and for what that leaves, a row for each token and each pair of tokens that these texts have more than once.
    """
    targets = []
    for start in range(0, len(texts), _BATCH // 8):
        targets.append(teacher.embed(texts[start : start + _BATCH // 8]))
        on_fit(min(start + _BATCH // 8, len(texts)), len(texts))
    target = np.concatenate(targets)
    tokens = _tokens(_tokenizer(), texts)
    inputs = _input_vectors()
    bigrams = _frequent_bigrams(tokens, len(inputs))
    bags = _bags(tokens, len(inputs), bigrams)

    documents = np.bincount(bags[:, : len(inputs)].nonzero()[1], minlength=len(inputs))
    weight = np.log((len(texts) + 1) / (documents + 1)) + 0.2
    inputs = ((inputs - inputs.mean(axis=0)) * weight[:, None]).astype(np.float32)
    inputs /= np.sqrt((inputs**2).sum(axis=1).mean())
    means = np.hstack([bags[:, : len(inputs)] @ inputs, np.ones((len(texts), 1), np.float32)])
    gram = means.T @ means + _MAP_RIDGE * np.eye(means.shape[1])
    linear = np.linalg.solve(gram, means.T @ target).astype(np.float32)

    kernel = (bags @ bags.T).toarray() + _TABLE_RIDGE * np.eye(len(texts), dtype=np.float32)
    rows = np.asarray(bags.T @ np.linalg.solve(kernel, target - means @ linear), dtype=np.float32)
    rows[: len(inputs)] += inputs @ linear[:-1]
    fitted = bags @ rows + linear[-1]
    directions = np.linalg.svd(fitted, full_matrices=False)[2][:_DIMENSIONS].T
    constant = (linear[-1] - _COMMON_SHARE * fitted.mean(axis=0)) @ directions
    return Table(len(inputs), bigrams, (rows @ directions).astype(np.float16).astype(np.float32), constant)


def _sentences() -> Iterator[str]:
    """First sentences of what the modules of Python's standard library say of themselves."""
    for path in sorted(Path(ast.__file__).parent.glob("*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
                if 30 <= len(text) <= 300:
                    yield text


def _input_vectors() -> Floats:
    from safetensors.numpy import load_file

    return load_file(minilm_folder() / "model.safetensors")["embeddings.word_embeddings.weight"]


def _frequent_bigrams(tokens: Sequence[Sequence[int]], count: int) -> npt.NDArray[np.int64]:
    codes = [np.array(text[:-1], np.int64) * count + np.array(text[1:], np.int64) for text in tokens if len(text) > 1]
    found, times = np.unique(np.concatenate([np.empty(0, np.int64), *codes]), return_counts=True)
    return found[times >= _RARE_BIGRAM]


# --- tokens ---------------------------------------------------------------------------------------


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _tokens(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    encoded = tokenizer.encode_batch_fast([spoken(text) for text in texts], add_special_tokens=False)
    return [text.ids for text in encoded]


def _bags(tokens: Sequence[Sequence[int]], count: int, bigrams: npt.NDArray[np.int64]) -> Any:
    """A sparse row a text, of length 1: square roots of how often each token and each known pair of tokens occurs."""
    from scipy import sparse  # type: ignore[import-untyped]

    lengths = np.array([len(text) for text in tokens], np.int64)
    flat = np.fromiter(chain.from_iterable(tokens), np.int64, int(lengths.sum()))
    rows = np.repeat(np.arange(len(tokens)), lengths)
    codes = flat[:-1] * count + flat[1:]
    place = np.searchsorted(bigrams, codes)
    known = (rows[:-1] == rows[1:]) & (place < len(bigrams))
    known[known] = bigrams[place[known]] == codes[known]
    columns = np.concatenate([flat, count + place[known]])
    shape = (len(tokens), count + len(bigrams))
    values = np.ones(len(columns), np.float32)
    bags = sparse.csr_matrix((values, (np.concatenate([rows, rows[:-1][known]]), columns)), shape=shape)
    norms = np.sqrt(np.maximum(np.asarray(bags.sum(axis=1)).ravel(), 1)).astype(np.float32)
    bags.data = np.sqrt(bags.data) / np.repeat(norms, np.diff(bags.indptr))  # roots squared sum to the counts
    return bags


# --- the file -------------------------------------------------------------------------------------


def _save(table: Table, path: Path) -> None:
    partial = path.with_name(f"{path.stem}.partial.npz")
    np.savez(
        partial,
        tokens=table.tokens,
        bigrams=table.bigrams,
        rows=table.rows.astype(np.float16),
        constant=table.constant,
    )
    partial.replace(path)


def _load(path: Path) -> Table:
    with np.load(path) as file:
        return Table(int(file["tokens"]), file["bigrams"], file["rows"].astype(np.float32), file["constant"])
