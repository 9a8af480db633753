"""Fine-tuning measured against TRL's defaults, which pad: `python -m benchmarks.sft [CORPUS...]`.

Both train the same adapters of rank 64 on the same model of 6 million parameters, with the same examples in each step
and the same learning rates, in turns. Counted are tokens of the examples, without padding. TRL's trainer has its own
defaults but for what a CPU needs (no bfloat16, no gradient checkpointing) and the order of the rows; it takes a step
either as eight rows at a time, which is its default, or as one batch. Without a corpus, the proofs are those that
`pythagoras lean bench` checks.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Tier
from pythagoras.lean.bench import bench_proofs
from pythagoras.train import adapters, threads
from pythagoras.train.examples import Example, Instances, Reader
from pythagoras.train.model import load_for_training, new_model, save_model
from pythagoras.train.order import Stage, ordered
from pythagoras.train.run_folder import opened
from pythagoras.train.settings import Base, Sft
from pythagoras.train.tokenizer import train_tokenizer
from pythagoras.train.trainer import Fit, fit

STEP_EXAMPLES = 64
STEPS = 4
"""The first is not counted: memory is taken in it."""
ROUNDS = 3
RATE = 3e-4
TRL_ROWS = 8
"""TRL's default for a batch."""


@dataclass(slots=True)
class Side:
    """What one way of training did in one round: when each step was over, on the wall and on the processor."""

    losses: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def step(self, loss: float) -> None:
        self.losses.append(loss)
        self.wall.append(time.perf_counter())
        self.processor.append(time.process_time())

    @property
    def seconds(self) -> float:
        return self.wall[-1] - self.wall[0]

    @property
    def processor_seconds(self) -> float:
        return self.processor[-1] - self.processor[0]


def instances(corpora: Sequence[Path]) -> list[Instance]:
    """The corpora's, or proofs that come along."""
    if corpora:
        records = (record for path in corpora for record in read_records(path, "instance", partial=True))
        return [record for record in records if isinstance(record, Instance)]
    found = []
    for proof in bench_proofs():
        statement, there, body = proof.code.partition(" := by")
        if there and proof.proved and statement.startswith("theorem"):
            found.append(Instance(proof.name, statement, f"by{body.rstrip()}", "bench", Tier.MEDIUM, True))
    return found


def ours(folder: Path, steps: Sequence[Sequence[Example]], work: Path) -> Side:
    side = Side()
    model, tokenizer = load_for_training(folder)
    with opened(work, "sft", Sft(), {}, overwrite=True) as run:
        how = Fit("measured", RATE, 0.0, 0, save_every=len(steps))
        fit(_adapted(model), tokenizer, steps, how, run, lambda line: side.step(line["loss"]))
    return side


def trl(folder: Path, steps: Sequence[Sequence[Example]], work: Path, rows: int) -> Side:
    """TRL's trainer with its defaults, `rows` at a time."""
    from datasets import Dataset, disable_progress_bars
    from transformers import PrinterCallback, TrainerCallback
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    disable_progress_bars()
    side = Side()

    class Clock(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            if "loss" in logs:
                side.step(logs["loss"])

    model, tokenizer = load_for_training(folder)
    examples = [example for step in steps for example in step]
    trainer: Any = SFTTrainer(
        model=_adapted(model),
        args=SFTConfig(
            output_dir=str(work),
            per_device_train_batch_size=rows,
            gradient_accumulation_steps=len(steps[0]) // rows,
            num_train_epochs=1,
            learning_rate=RATE,
            lr_scheduler_type="cosine",
            train_sampling_strategy="sequential",
            bf16=False,
            gradient_checkpointing=False,
            logging_steps=1,
            save_strategy="no",
            disable_tqdm=True,
            report_to=[],
        ),
        train_dataset=Dataset.from_dict(
            {
                "input_ids": [list(example.tokens) for example in examples],
                "labels": [[-100] * example.prompt + list(example.tokens[example.prompt :]) for example in examples],
            }
        ),
        processing_class=tokenizer,
        callbacks=[Clock()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return side


def report(corpora: Sequence[Path] = ()) -> None:
    """What is trained on, and a line for each way of training: tokens a second, and how far the losses differ."""
    threads.prepare()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "model"
        found = instances(corpora)
        steps = _prepared(found, folder)
        ways: dict[str, Callable[[], Side]] = {
            "ours, packed": lambda: ours(folder, steps, Path(temporary) / "ours"),
            f"TRL, padded, {TRL_ROWS} rows at a time": lambda: trl(folder, steps, Path(temporary) / "trl", TRL_ROWS),
            "TRL, padded, a step at a time": lambda: trl(folder, steps, Path(temporary) / "trl", STEP_EXAMPLES),
        }
        rounds = [{way: run() for way, run in ways.items()} for _ in range(ROUNDS)]
    counted = sum(len(example.tokens) for step in steps[1:] for example in step)
    lengths = sorted(len(example.tokens) for step in steps for example in step)
    print(
        f"{'fine-tuning, LoRA of rank 64':<34}{len(steps)} steps of {STEP_EXAMPLES} examples of {len(found):,}, "
        f"tokens: median {lengths[len(lengths) // 2]}, longest {lengths[-1]}"
    )
    (name, own), *others = ((way, [measured[way] for measured in rounds]) for way in ways)
    print(f"{name:<34}{counted / median(side.seconds for side in own):,.0f} tokens/s, loss {own[0].losses[-1]:.2f}")
    for name, sides in others:
        pairs = list(zip(own, sides, strict=True))
        wall = median(side.seconds / mine.seconds for mine, side in pairs)
        processor = median(side.processor_seconds / mine.processor_seconds for mine, side in pairs)
        apart = max(abs(a - b) for mine, side in pairs for a, b in zip(mine.losses, side.losses, strict=True))
        print(
            f"{name:<34}{counted / median(side.seconds for side in sides):,.0f} tokens/s; ours is {wall:.2f} times as "
            f"fast, {processor:.2f} times in processor time; losses differ by at most {apart:.0e}"
        )


def _prepared(found: Sequence[Instance], folder: Path) -> list[list[Example]]:
    """A model for these instances, in the folder, and a few steps of them."""
    base = Base()
    texts = ("".join(prompts.sequence(prompts.render(instance, "compact"))) for instance in found)
    tokenizer = train_tokenizer(texts, base.vocabulary)
    save_model(new_model(base.shape, tokenizer, base.context, 0), tokenizer, folder)
    sft = Sft(context=base.context, epochs=STEPS * STEP_EXAMPLES // len(found) + 1)
    examples = Reader(sft, folder, tokenizer).read(found, Instances())
    stream = ordered(Stage("measured", RATE, examples), sft, 0)
    return [list(islice(stream, STEP_EXAMPLES)) for _ in range(STEPS)]


def _adapted(model: Any) -> Any:
    sft = Sft()
    return adapters.attach(model, sft.rank, sft.alpha, 0)


if __name__ == "__main__":
    report([Path(name) for name in sys.argv[1:]])
