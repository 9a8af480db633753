"""Embedders by name, what they are given to read, and what is said when one can't be had. No model is loaded here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pythagoras.corpus.embedding.embedders import EMBEDDERS, embedder
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.embedding.role import text_of, unit_rows
from pythagoras.corpus.embedding.transformer import GTE_QWEN2, SentenceTransformerEmbedder, spoken
from pythagoras.corpus.records import Attempt, Formalisation, Instance, Problem, Tier
from pythagoras.errors import InputError


def test_names_lead_to_embedders() -> None:
    assert set(EMBEDDERS) == {"static", "minilm", "gte-qwen2"}
    assert embedder("minilm").name == "minilm"
    assert embedder("gte-qwen2").name == GTE_QWEN2
    assert embedder("intfloat/e5-small").name == "intfloat/e5-small"
    with pytest.raises(InputError, match=r"no embedder is called 'minlm': did you mean 'minilm'\?"):
        embedder("minlm")


def test_a_folder_is_named_after_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    first = embedder(str(folder)).name
    assert first.startswith("mine-")
    assert embedder(str(folder)).name == first
    (folder / "config.json").write_text('{"hidden_size": 3}')
    assert embedder(str(folder)).name != first


def test_words_come_before_lean() -> None:
    told = Formalisation("t", "theorem t : 1 = 1", "s", docstring="One is one.")
    assert text_of(told) == "One is one."
    assert text_of(told, "formal") == "theorem t : 1 = 1"
    assert text_of(Instance("t", "theorem t : 1 = 1", "rfl", "s", Tier.EASY, True)) == "theorem t : 1 = 1"
    assert text_of(Problem("Find x.", "s"), "formal") == "Find x."
    assert text_of(Attempt("f", "rfl")) == ""


def test_statements_are_spoken_without_name_and_proof() -> None:
    said = spoken("theorem aime_1983_p9 (n : ℕ) (h : ∃ k : ℤ, n ∣ k) : n ≠ 0 := by sorry").split()
    assert "aime_1983_p9" not in said
    assert "sorry" not in said
    assert {"natural", "integer", "divides", "there", "is"} <= set(said)
    assert spoken("Find the theorem that Gauss proved.") == "Find the theorem that Gauss proved."


def test_unit_rows() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert rows.dtype == np.float32
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]


def test_the_fake_knows_shared_words() -> None:
    one, two, three = FakeEmbedder().embed(
        ["the sum of odd numbers", "the sum of even numbers", "a farmer has chickens"]
    )
    assert one @ two > 0.6 > one @ three


def test_nothing_is_loaded_by_naming_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("torch", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it raises from here on
    model = SentenceTransformerEmbedder("somebody/something")
    with pytest.raises(InputError, match="needs pip install sentence-transformers"):
        model.embed(["text"])
