"""Models to hand on, and the one that ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.generate.local import Trained, model_folder, shipped_models, trained_with
from pythagoras.llm.weights import load_model
from pythagoras.train.model import pack, parameters
from tests.train.learners import make_learner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

LARGEST = 15_000_000
"""Bytes of weights that ship."""


def test_a_packed_model_is_half_as_large_and_says_the_same(tmp_path: Path) -> None:
    learner = make_learner(tmp_path / "learner")
    Trained("compact").write(learner)
    pack(learner, tmp_path / "packed")
    sizes = [(folder / "model.safetensors").stat().st_size for folder in (learner, tmp_path / "packed")]
    assert sizes[1] < 0.6 * sizes[0]
    assert trained_with(tmp_path / "packed") == Trained("compact")
    (whole, tokenizer), (half, packed_tokenizer) = load_model(learner), load_model(tmp_path / "packed")
    text = "theorem goal (n : ℕ) : n + 0 = n :=\n"
    assert tokenizer(text)["input_ids"] == packed_tokenizer(text)["input_ids"]
    tokens = torch.tensor([tokenizer(text)["input_ids"]])
    with torch.no_grad():
        torch.testing.assert_close(half(tokens).logits, whole(tokens).logits, rtol=1e-2, atol=1e-2)
    with pytest.raises(InputError, match="is there already"):
        pack(learner, tmp_path / "packed")


def test_a_folder_goes_before_a_model_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert model_folder(Path("embedded")).is_absolute()
    Path("embedded").mkdir()
    assert model_folder(Path("embedded")) == Path("embedded")


@pytest.mark.parametrize("name", shipped_models())
def test_models_that_ship_are_small_and_load(name: str) -> None:
    folder = model_folder(Path(name))
    assert (folder / "model.safetensors").stat().st_size <= LARGEST
    assert (folder / "README.md").is_file()
    model, _ = load_model(folder)
    assert 5e6 < parameters(model) < 7e6
    assert trained_with(folder) == Trained("compact")
