"""A tokenizer that knows Lean: bytes, merged into words, names and signs, about two thousand of them in all.

A text is first cut where no token may reach across: a word with the blank before it, a part of a dotted name, a digit,
a run of signs, a new line with its indent. Inside these pieces, pairs are merged by how often they occur (byte-level
BPE), so every text has tokens and comes back from them exactly. Lean's signs, indents and digits are one token each,
whatever the texts are; digits never merge.

The same texts give the same tokenizer, in whatever order they come. Nothing is normalised and nothing added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pythagoras.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

END, PAD, TURN, TURN_END, MASK = "<|endoftext|>", "<|pad|>", "<|im_start|>", "<|im_end|>", "<|mask|>"
SPECIAL = (END, PAD, TURN, TURN_END, MASK)
"""The mask is for provers that fill in what is hidden; nothing else uses it."""
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""ChatML, which is what Qwen3's models read."""
_PIECES = (
    r"\n *",  # a new line with its indent
    r" ?\p{Nd}",  # a digit by itself
    r"[ .]?[\p{L}_][\p{L}\p{M}\p{No}_']*[!?]?",  # a word; subscripts are part of a name
    r" ?[^\s\p{L}\p{Nd}_.]+",  # signs
    r" +",
)
_SIGNS = [
    "∀",
    "∃",
    "∈",
    "∉",
    "∣",
    "≤",
    "≥",
    "≠",
    "≡",
    "→",
    "←",
    "↔",
    "∧",
    "∨",
    "¬",
    "∑",
    "∏",
    "ℕ",
    "ℤ",
    "ℚ",
    "ℝ",
    "⟨",
    "⟩",
    "∘",
    "∩",
    "∪",
    "∅",
    "⊆",
    "⊢",
    "·",
    "×",
    "⁻",
    "α",
    "β",
    "γ",
    "▸",
    "₀",
    "₁",
    "₂",
    "₃",
    "₄",
    "₅",
    "⌊",
    "⌋",
]
_INDENT = 8
_FIXED = (
    *_SIGNS,
    *(f" {sign}" for sign in _SIGNS),
    *(f" {digit}" for digit in range(10)),
    *("\n" + " " * width for width in range(1, _INDENT + 1)),
)
"""One token each. What a later one begins with is a token before it."""


def train_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """A tokenizer of `size` entries (fewer where the texts have no more pairs to merge). Raises InputError."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    fixed = _fixed_merges()
    if size < (least := len(SPECIAL) + len(alphabet) + len(fixed)):
        raise InputError(
            f"a tokenizer of {size:,} entries has no room for bytes and Lean's signs: take {least:,} or more"
        )
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = _cutting()
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=alphabet, special_tokens=[])
    learner.train_from_iterator(texts, trainer)
    learned = [(first, second) for first, second in json.loads(learner.to_str())["model"]["merges"]]
    merges = _as_many(list(dict.fromkeys([*fixed, *learned])), size - len(SPECIAL) - len(alphabet))
    tokens = list(dict.fromkeys([*SPECIAL, *alphabet, *(first + second for first, second in merges)]))
    made = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, merges))
    made.pre_tokenizer = _cutting()
    made.decoder = _decoder()
    fast: Any = PreTrainedTokenizerFast  # it comes without types
    wrapped: PreTrainedTokenizerFast = fast(
        tokenizer_object=made,
        eos_token=END,
        pad_token=PAD,
        mask_token=MASK,
        additional_special_tokens=[TURN, TURN_END],
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )
    return wrapped


def _cutting() -> Any:
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex("|".join(_PIECES)), behavior="isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _decoder() -> Any:
    from tokenizers import decoders

    return decoders.ByteLevel()


def _fixed_merges() -> list[tuple[str, str]]:
    """Merges that make one token of each fixed text, from its left end on."""
    from tokenizers import pre_tokenizers

    letters: Any = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    merges: dict[tuple[str, str], None] = {}
    known: set[str] = set()
    for text in _FIXED:
        ((written, _),) = letters.pre_tokenize_str(text)
        head, *rest = [written[0], written[1:]] if written[1:] in known else written
        for letter in rest:
            merges[head, letter] = None
            head += letter
        known.add(head)
    return list(merges)


def _as_many(merges: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """The first merges, so many that they make `count` different tokens."""
    made: set[str] = set()
    for at, (first, second) in enumerate(merges):
        made.add(first + second)
        if len(made) > count:
            return merges[:at]
    return merges
