"""The embedders with their real models: the bundled MiniLM, any sentence-transformers folder, the fitted table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pythagoras.corpus.dedup import DedupSettings, find_duplicates
from pythagoras.corpus.embedding import static
from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.embedders import embedder
from pythagoras.corpus.embedding.role import Floats
from pythagoras.corpus.embedding.static import StaticEmbedder, training_texts
from pythagoras.corpus.embedding.transformer import MiniLM, SentenceTransformerEmbedder, minilm_folder
from pythagoras.corpus.records import Problem
from pythagoras.errors import InputError

TAU = 0.75
PAIRS = [
    (
        "Find the remainder when 7^2024 is divided by 5.",
        "What remainder does 7^2024 leave when it is divided by 5?",
    ),
    (
        "A farmer has chickens and rabbits, 20 heads and 56 legs in total. How many rabbits are there?",
        "On a farm there are rabbits and chickens. Together they have 20 heads and 56 legs. How many are rabbits?",
    ),
    (
        "theorem t (a b : ℕ) (h : a < b) : a + 1 ≤ b",
        "theorem u (a b : ℕ) (hab : b > a) : b ≥ a + 1 := by sorry",
    ),
]
UNRELATED = [
    "Show that the sum of two odd integers is even.",
    "How many subsets of a set with ten elements have exactly three elements?",
    "theorem p (f : ℤ → ℤ) (h : ∀ x y, f (x + y) = f x + f y) : f 0 = 0",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_paraphrases_are_near_and_other_problems_are_not(minilm: MiniLM) -> None:
    texts = [text for pair in PAIRS for text in pair] + UNRELATED
    vectors = minilm.embed(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (9, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    products = vectors @ vectors.T
    near = {(one, two) for one in range(9) for two in range(one) if products[one, two] >= TAU}
    assert near == {(1, 0), (3, 2), (5, 4)}


def test_a_vector_does_not_depend_on_the_batch(minilm: MiniLM) -> None:
    """Texts are sorted by length and padded inside; neither may show."""
    texts = [*UNRELATED, "short", UNRELATED[0] * 9]
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-4
    assert minilm.embed([]).shape == (0, 384)


def test_a_folder_is_any_sentence_transformers_model(minilm: MiniLM) -> None:
    plain = embedder(str(minilm_folder()))
    assert isinstance(plain, SentenceTransformerEmbedder)
    assert np.abs(plain.embed(UNRELATED[:2]) - minilm.embed(UNRELATED[:2])).max() < 1e-5


def test_a_folder_without_a_model_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be loaded") as caught:
        embedder(str(tmp_path)).embed(["text"])
    assert "\n" not in str(caught.value)


def test_a_model_that_can_not_be_fetched_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"'gte/none' can't be loaded: .* or `minilm` or `static`") as caught:
        embedder("gte/none").embed(["text"])
    assert "\n" not in str(caught.value)


def test_deduplication_with_the_bundled_model(minilm: MiniLM, tmp_path: Path) -> None:
    texts = [pair[0] for pair in PAIRS] + UNRELATED + [pair[1] for pair in PAIRS]
    records = [Problem(text, "s") for text in texts]
    cached = CachedEmbedder(minilm, tmp_path)
    found = find_duplicates(lambda: records, cached, DedupSettings())
    assert found.survivor.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2]
    assert cached.misses == 9
    again = CachedEmbedder(minilm, tmp_path)
    assert np.array_equal(find_duplicates(lambda: records, again, DedupSettings()).survivor, found.survivor)
    assert (again.hits, again.misses) == (9, 0)


def test_the_table_is_fitted_once_and_says_what_its_teacher_says(
    tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fitted on a few hundred texts here; with all of them it takes a minute."""
    monkeypatch.setattr(static, "_PROBLEMS", 360)
    monkeypatch.setattr(static, "_STATEMENTS", 60)
    monkeypatch.setattr(static, "_SENTENCES", 60)
    told: list[tuple[int, int]] = []
    table = StaticEmbedder(tmp_path, minilm, on_fit=lambda done, total: told.append((done, total)))
    texts = training_texts()
    fitted = table.embed(texts[:200])
    assert told[-1] == (480, 480)
    assert np.allclose(np.linalg.norm(fitted, axis=1), 1, atol=1e-5)

    class Nobody:
        name = "nobody"

        def embed(self, _: object) -> Floats:
            raise AssertionError("the table is there")

    later = StaticEmbedder(tmp_path, Nobody())
    assert np.array_equal(later.embed(texts[:200]), fitted)
    assert later.name == table.name != "static"
    teacher = minilm.embed(texts[:200])
    above = np.triu_indices(200, 1)
    ours, theirs = (fitted @ fitted.T)[above], (teacher @ teacher.T)[above]
    assert np.corrcoef(ours, theirs)[0, 1] > 0.8
    fresh = later.embed([*PAIRS[2], "", *UNRELATED])
    assert fresh[0] @ fresh[1] > fresh[0] @ fresh[3]
    assert later.embed([]).shape == (0, fitted.shape[1])
