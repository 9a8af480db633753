"""One stage of training: steps of examples through TRL's SFTTrainer, logged, checkpointed, resumed exactly.

TRL's trainer brings optimiser, schedule, clipping, devices and checkpoints. Ours are the steps: each item of its
dataset is a whole step, already in its order, so that a step may have as many rows as its examples need. Its loss is
the mean over all completion tokens of the step, whatever parts it goes through the model in; and the model's head,
which is the largest of its matrices, computes only the places that are learned. (On a CPU TRL's own computes all.)

A checkpoint counts when its mark is there, so a kill at any moment leaves the one before it.
"""

from __future__ import annotations

import functools
import math
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pythagoras.errors import InputError
from pythagoras.train.examples import Example
from pythagoras.train.model import finite
from pythagoras.train.packing import laid_out, tensors
from pythagoras.train.run_folder import OnStep, TrainingRun, digest

if TYPE_CHECKING:
    from torch import Tensor

SAVE_EVERY = 25
"""Steps; what a kill can cost at the most."""
_CHECKPOINT = "checkpoint-"
"""How the trainer's own folders begin, before the step."""
_WHOLE = "whole"
"""The mark of a checkpoint that was written to its end."""


LayOut: TypeAlias = Callable[[int, Sequence[Example]], "list[dict[str, Tensor]]"]
"""Makes the tensors of a step, which has a number, in parts: what the model takes, `places` whose hidden states predict
`targets`, and maybe the targets' `weights` and a number of tokens, `learned`, in the place of one a target."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a stage is trained."""

    stage: str
    learning_rate: float
    """Its peak: a share `warmup` of the steps leads up to it, and a cosine down to 0."""
    warmup: float
    seed: int
    packed: bool = True
    weight_decay: float = 0.0
    save_every: int = SAVE_EVERY


def fit(
    model: Any,
    tokenizer: Any,
    steps: Sequence[Sequence[Example]],
    how: Fit,
    run: TrainingRun,
    on_step: OnStep,
    lay_out: LayOut | None = None,
) -> None:
    """Train the model, in place, on these steps; go on from the last checkpoint if the run has one of this stage.

    `lay_out` makes the tensors of a step, in the place of those that predict the next token. Each step is logged in the
    run and told to `on_step`. The model is a transformers model or PEFT's around one. Raises InputError where loss or
    gradient are no numbers, before the weights change.
    """
    import torch
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl.trainer.sft_config import SFTConfig

    folder = run.work / how.stage
    checkpoint = _last_checkpoint(folder)
    run.rewind(how.stage, _step_of(checkpoint) if checkpoint is not None else 0)
    on_gpu = torch.cuda.is_available()
    causal = _causal(model)
    causal.set_attn_implementation("sdpa")  # another would not see the mask that keeps examples apart
    config = SFTConfig(
        output_dir=str(folder),
        num_train_epochs=1,  # epochs are among the steps: each has its own order
        per_device_train_batch_size=1,  # a step
        learning_rate=how.learning_rate,
        weight_decay=how.weight_decay,
        seed=how.seed,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),  # by autocast: the weights stay float32
        gradient_checkpointing=on_gpu,
        train_sampling_strategy="sequential",
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        dataloader_pin_memory=False,
        save_steps=how.save_every,
        save_total_limit=2,
        logging_steps=1,
        disable_tqdm=True,
        report_to=[],
    )
    if config.n_gpu > 1:  # a step would be dealt out to them, example by example
        raise InputError(
            f"{config.n_gpu} GPUs are visible, and a step here is for one: set CUDA_VISIBLE_DEVICES=0, or let others' "
            "trainers use all of them (pythagoras run --emit)"
        )
    trainer = _trainer_class()(
        model=model,
        args=config,
        train_dataset=Dataset.from_dict({"step": range(len(steps))}),
        data_collator=_Collator(steps, lay_out or _next_tokens(how.packed, padding_of(tokenizer))),
        processing_class=tokenizer,
    )
    trainer.remove_callback(PrinterCallback)

    def tell(step: int, logs: Mapping[str, float], done: Mapping[str, Any]) -> None:
        line = {
            "stage": how.stage,
            "step": step,
            "steps": len(steps),
            "loss": logs["loss"],
            "learning_rate": logs["learning_rate"],
            "gradient": logs["grad_norm"],
            **{name: done[name] for name in ("examples", "tokens", "learned")},
            "seconds": round(time.perf_counter() - done["began"], 3),
        }
        run.log(line)
        on_step(line)

    trainer.on_step, trainer.warmup = tell, how.warmup
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint is not None else None)
    finally:
        causal.__dict__.pop("forward", None)  # TRL puts its own in front of the model's, once a trainer


def digest_of(steps: Iterable[Iterable[Example]]) -> str:
    """What is trained on, in its order, for a run to insist on."""
    return digest((example.prompt, example.tokens) for step in steps for example in step)


def rate_at(step: int, steps: int, warmup: float) -> float:
    """The share of the peak rate at a step, counted from 0: up in a line, then down along a cosine; never 0."""
    rising = math.ceil(warmup * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    return (1 + math.cos(math.pi * (step - rising) / max(steps - rising, 1))) / 2


def mean_loss(model: Any, tokenizer: Any, examples: Sequence[Example]) -> float:
    """The mean over all completion tokens of the examples, in nats."""
    import torch

    total, count = 0.0, 0
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        for part in laid_out(examples, packed=True):
            batch = {name: value.to(model.device) for name, value in tensors(part, padding_of(tokenizer)).items()}
            total += float(summed_loss(model, batch))
            count += learned_in(batch)
    model.train(was_training)
    return total / count


def summed_loss(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The sum of the losses of a part's targets, by their weights. Only places that are learned go through the head."""
    from torch.nn.functional import cross_entropy

    causal = _causal(model)
    hidden = causal.base_model(
        input_ids=batch["input_ids"],
        position_ids=batch["position_ids"],
        attention_mask=batch.get("attention_mask"),
        use_cache=False,
    ).last_hidden_state
    logits = causal.get_output_embeddings()(hidden.flatten(0, 1)[batch["places"]])
    if "weights" not in batch:
        return cross_entropy(logits.float(), batch["targets"], reduction="sum")
    return (cross_entropy(logits.float(), batch["targets"], reduction="none") * batch["weights"]).sum()


def learned_in(batch: Mapping[str, Any]) -> int:
    """How many tokens a part's loss is the mean over: what it says, or one a target."""
    return int(batch["learned"] if "learned" in batch else len(batch["targets"]))


def padding_of(tokenizer: Any) -> int:
    """The token that fills rows up; any would do, as nothing looks at it."""
    return int(tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id)


# --- inside -----------------------------------------------------------------------------------------


def _causal(model: Any) -> Any:
    """The transformers model, which may have adapters in it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _next_tokens(packed: bool, padding: int) -> LayOut:
    def lay_out(number: int, step: Sequence[Example]) -> list[dict[str, Tensor]]:
        return [tensors(part, padding) for part in laid_out(step, packed=packed)]

    return lay_out


class _Collator:
    """Makes the tensors of a step when it is due."""

    def __init__(self, steps: Sequence[Sequence[Example]], lay_out: LayOut) -> None:
        self._steps = steps
        self._lay_out = lay_out

    def __call__(self, items: Sequence[Mapping[str, int]]) -> dict[str, Any]:
        (item,) = items
        step = self._steps[item["step"]]
        return {
            "parts": self._lay_out(item["step"], step),
            "examples": len(step),
            "tokens": sum(len(example.tokens) for example in step),
        }


def _trainer_class() -> Any:
    from torch.optim.lr_scheduler import LambdaLR
    from trl.trainer.sft_trainer import SFTTrainer

    base: Any = SFTTrainer

    class StepTrainer(base):  # type: ignore[misc]
        """TRL's trainer over whole steps."""

        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Tensor:
            began = time.perf_counter()
            model.train()
            inputs = self._prepare_inputs(inputs)
            learned = sum(map(learned_in, inputs["parts"]))
            losses = []
            for part in inputs["parts"]:
                with self.accelerator.autocast():
                    loss = summed_loss(model, part) / learned
                self.accelerator.backward(loss)
                losses.append(loss.detach())
            total: Any = sum(losses)
            finite(float(total), "the loss")
            self.done = {"examples": inputs["examples"], "tokens": inputs["tokens"], "learned": learned, "began": began}
            return total  # type: ignore[no-any-return]

        def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> float:
            """Asked for when the gradient is there and the weights are still as they were."""
            return finite(float(super()._get_grad_norm(model, grad_norm=grad_norm)), "the gradient's norm")

        def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
            if "loss" in logs:  # else it sums the training up
                self.on_step(self.state.global_step, logs, self.done)

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            share = functools.partial(rate_at, steps=num_training_steps, warmup=self.warmup)
            self.lr_scheduler = LambdaLR(optimizer or self.optimizer, share)
            self._created_lr_scheduler = True
            return self.lr_scheduler

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """There is none for a checkpoint."""

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            super()._save_checkpoint(model, trial)
            (Path(self.args.output_dir) / f"{_CHECKPOINT}{self.state.global_step}" / _WHOLE).touch()

    return StepTrainer


def _last_checkpoint(folder: Path) -> Path | None:
    """The last one that is whole; others are removed."""
    found: list[Path] = []
    for path in folder.glob(f"{_CHECKPOINT}*"):
        if (path / _WHOLE).exists():
            found.append(path)
        else:
            shutil.rmtree(path)
    return max(found, key=_step_of, default=None)


def _step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix(_CHECKPOINT))
