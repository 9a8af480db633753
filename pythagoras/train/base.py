"""A base model from scratch: tokenizer and weights, on generic Lean (`text.py` says of what).

Texts are packed into rows so that none sees another, by the trainer that fine-tuning has as well. They come in the
order in which they are made; when there are too few, they come again. A kill costs a few steps: tokenizer and texts
are made anew, the same ones, and training goes on from its last checkpoint.

folder/examples.json     how many texts of each kind there were, and how many tokens are trained on
"""

from __future__ import annotations

import shutil
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from pythagoras.corpus.records import Record
from pythagoras.corpus.store import write_json
from pythagoras.generate.local import Trained
from pythagoras.train import threads
from pythagoras.train.examples import Example
from pythagoras.train.model import new_model, parameters, save_model
from pythagoras.train.packing import steps_of
from pythagoras.train.run_folder import EXAMPLES, OnStep, TrainingRun
from pythagoras.train.settings import Base, Training
from pythagoras.train.text import core_texts
from pythagoras.train.tokenizer import train_tokenizer
from pythagoras.train.trainer import Fit, digest_of, fit

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

STAGE = "base"
PROMPT = "compact"
"""How a theorem is put to it: half of the texts with proofs look like that."""
_TOKENIZER_TEXTS = 10_000
"""So many say what is frequent."""
_WEIGHT_DECAY = 0.1
SAVE_EVERY = 100
"""Steps between checkpoints: about a minute and a half on two cores, which is what a kill can cost."""


def train_base(
    settings: Training,
    run: TrainingRun,
    on_step: OnStep,
    *,
    benchmarks: Iterable[Record] = (),
    apart: Container[str] = (),
    save_every: int = SAVE_EVERY,
) -> None:
    """Train a model and leave it in the run. What `benchmarks` would recognise is not trained on, nor what `apart` has.

    A finished run is left as it is.
    """
    if run.finished:
        return
    threads.prepare()
    base = settings.base
    tally = Counter[str]()
    texts = list(core_texts(base.statements, settings.seed, benchmarks, tally, apart=apart))
    tokenizer = train_tokenizer(texts[:_TOKENIZER_TEXTS], base.vocabulary)
    model = new_model(base.shape, tokenizer, base.context, settings.seed)
    steps = base_steps(texts, tokenizer, base)
    told = {"texts": tally, "tokens": _tokens(steps), "steps": len(steps), "parameters": parameters(model)}
    run.pin("examples", {STAGE: digest_of(steps)})
    write_json(run.folder / EXAMPLES, told)
    how = Fit(
        STAGE,
        base.learning_rate,
        base.warmup,
        settings.seed,
        weight_decay=_WEIGHT_DECAY,
        save_every=save_every,
    )
    fit(model, tokenizer, steps, how, run, on_step)
    made = run.work / "made"
    shutil.rmtree(made, ignore_errors=True)
    save_model(model, tokenizer, made)
    Trained(PROMPT).write(made)
    run.finish(made)


def base_steps(texts: Sequence[str], tokenizer: PreTrainedTokenizerFast, base: Base) -> list[list[Example]]:
    """As many steps as the wanted tokens make."""
    wanted = _until(base.tokens, cycle(examples_of(texts, tokenizer, base.context)))
    return list(steps_of(wanted, base.batch_tokens))


def examples_of(texts: Iterable[str], tokenizer: PreTrainedTokenizerFast, context: int) -> list[Example]:
    """Each text with its end; one that is longer than the context in several parts."""
    found: list[Example] = []
    for text in texts:
        tokens = [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]
        parts = (tokens[begin : begin + context] for begin in range(0, len(tokens), context))
        found += [Example(array("i", part)) for part in parts if len(part) > 1]
    return found


def _tokens(steps: Iterable[Sequence[Example]]) -> int:
    return sum(len(example.tokens) for step in steps for example in step)


def _until(tokens: int, examples: Iterable[Example]) -> Iterator[Example]:
    for example in examples:
        if tokens <= 0:
            return
        tokens -= len(example.tokens)
        yield example
