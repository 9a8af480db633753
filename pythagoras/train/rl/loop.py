"""`train rl`: draw, judge, keep what is neither too easy nor too hard, learn from it; a step after the other.

The loop is our own and not TRL's GRPOTrainer, for two reasons. TRL (1.16) has no dynamic sampling: to draw further
problems in the place of those that say little, one must override its private `_generate_and_score_completions`. And its
reward functions, though they may run concurrently, overlap neither generation nor backward: they are called when all of
a batch is generated, and nothing is learned until the last has answered. Here Lean works all the time. The loss is
TRL's `dapo` (`grpo`).

A step: a wave of problems is drawn, and Lean judges groups as they are complete. Then they are gone through in their
order: a group that is kept adds its gradient while Lean judges those behind it. Where too few are kept, another wave
follows. The weights change once all of them are there, so everything is learned from by the very weights that drew it.
What is learned does not depend on how fast Lean is (but see `rollouts`): the order is that of the draw, and the size of
a wave goes by the counts of the steps before.

A checkpoint a step has the weights, the optimizer's state, how many problems are behind it and the counts. There is no
state of random numbers: every rollout's seed is a function of the run's seed, its problem and its number.
"""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Formalisation, Record
from pythagoras.corpus.store import StoreWriter, write_json
from pythagoras.errors import InputError
from pythagoras.generate.local import Trained, trained_with
from pythagoras.generate.texts import Texts
from pythagoras.lean.pool import Checker
from pythagoras.lean.version import lean_version
from pythagoras.lean.wire import Limits
from pythagoras.llm.decoding.decoder import BatchDecoder
from pythagoras.llm.decoding.tokens import Decoder
from pythagoras.llm.sampling import Sampling
from pythagoras.llm.weights import end_tokens
from pythagoras.train import threads
from pythagoras.train.accounts import Account
from pythagoras.train.model import load_for_training, save_model
from pythagoras.train.rl import grpo
from pythagoras.train.rl.filtering import Fate, StepAccount, fate_of, order_of, wave_size
from pythagoras.train.rl.grpo import Clip, Group
from pythagoras.train.rl.keeping import STAGE, Keeper
from pythagoras.train.rl.problems import room_for, tasks_of, without_benchmarks
from pythagoras.train.rl.rollouts import PATIENCE_S, Bench, Task, Trial, draw
from pythagoras.train.run_folder import MODEL, PROBLEMS, PROOFS, OnStep, TrainingRun, digest
from pythagoras.train.settings import Rl, Training

CLIP_NORM = 1.0
_CHECKPOINT = "checkpoint.pt"


@dataclass(slots=True)
class Progress:
    """How far a run is. All that a step depends on beside the weights and the optimizer."""

    step: int = 0
    taken: int = 0
    """Problems that were drawn, over all epochs."""
    kept: int = 0
    pieces: int = 0
    """Of the store of proofs."""


def train_rl(
    settings: Training,
    goals: Iterable[Formalisation],
    model_folder: Path,
    checker: Checker,
    run: TrainingRun,
    on_step: OnStep = lambda line: None,
    *,
    account: Account | None = None,
    benchmarks: Iterable[Record] = (),
) -> None:
    """Train the model in a folder on goals, with the verdicts of a running checker; goes on where it was killed.

    `on_step` is told where it begins, and each line of the log. `account` is what reading the goals left out;
    `problems.json` in the run's folder says what became of all of them. What `benchmarks` would recognise is not
    trained on.
    """
    if run.finished:
        return
    rl = settings.rl
    trained = as_trained(model_folder, rl)
    threads.prepare()
    model, tokenizer = load_for_training(model_folder)
    account = account or Account()
    texts = Texts(tokenizer, trained.prompt, marked=trained.marked)
    room = room_for(model.config.max_position_embeddings, rl)
    tasks = list(tasks_of(without_benchmarks(goals, benchmarks, account), trained.prompt, texts, room, account))
    if not tasks:
        raise InputError(_nothing(account))
    run.pin("problems", digest((task.id, task.prompt) for task in tasks))
    write_json(run.folder / PROBLEMS, account.as_dict())
    version = lean_version(checker)
    run.pin("lean", version)
    with Bench(checker, Limits(heartbeats=rl.heartbeats, timeout_s=rl.timeout_s)) as bench:
        learner = _Learner(settings, model, decoder_for(model, tokenizer, texts, rl), texts, bench)
        progress = learner.resume(run.work / _CHECKPOINT)
        run.rewind(STAGE, progress.step)
        folder = run.folder / PROOFS
        about = {"seed": settings.seed, **rl.model_dump(mode="json")}
        with StoreWriter(folder, STAGE, about, {}) as writer:
            keeper = Keeper(writer, _name_of(model_folder), run.folder.name, version)
            keeper.resume(folder)
            on_step({"stage": STAGE, "step": progress.step, **learner.steps})  # a step may take minutes
            while (rl.steps is None or progress.step < rl.steps) and progress.taken < len(tasks) * rl.epochs:
                line = learner.step(progress, tasks, keeper)
                run.log(line)  # what is logged behind a checkpoint is forgotten when the run goes on
                learner.save(run.work / _CHECKPOINT, progress)
                on_step(line)
            if not writer.complete:
                writer.finish()
    made = run.work / "made"
    shutil.rmtree(made, ignore_errors=True)  # what a kill left of it
    save_model(model, tokenizer, made)
    trained.write(made)
    run.finish(made)


def _nothing(account: Account) -> str:
    if not account.read:
        return "there is no problem to train on: the source is empty. Name one with Lean statements"
    return f"none of {account.read:,} rows is a problem to train on ({'; '.join(account.told)}): choose another source"


def as_trained(model_folder: Path, rl: Rl) -> Trained:
    """The prompts that a model knows. Raises InputError where nobody says which, or settings say others."""
    told = trained_with(model_folder)
    if told is None:
        if rl.prompt is None:
            raise InputError(f"{model_folder} does not say which prompt it was trained with: set rl.prompt")
        return Trained(rl.prompt, marked=True)
    if rl.prompt not in (None, told.prompt):
        raise InputError(
            f"the model in {model_folder} was trained with the prompt {told.prompt!r}, and rl.prompt is {rl.prompt!r}: "
            "leave rl.prompt out, or fine-tune with that one first"
        )
    return told


def _name_of(model_folder: Path) -> str:
    """What a model is called: a run's by the run."""
    folder = model_folder.resolve()
    return folder.parent.name if folder.name == MODEL else folder.name


def decoder_for(model: Any, tokenizer: Any, texts: Texts, rl: Rl) -> Decoder:
    """What draws rollouts: as the sampler of evaluation does, with all that ends a proof there."""
    sampling = Sampling(temperature=rl.temperature, top_p=1.0, max_tokens=rl.max_tokens)
    watch = None if texts.is_chat else texts.watch
    return BatchDecoder(model, end_tokens(model, tokenizer), sampling, batch=rl.batch, watch=watch)


class _Learner:
    """A model that learns from what it draws."""

    def __init__(self, settings: Training, model: Any, decoder: Decoder, texts: Texts, bench: Bench) -> None:
        import torch

        self._rl = settings.rl
        self._seed = settings.seed
        self._model = model.eval()  # without dropout: a token's probability is the one that it was drawn with
        self._decoder = decoder
        self._texts = texts
        self._bench = bench
        self._clip = Clip(self._rl.clip_low, self._rl.clip_high)
        self._optimizer = torch.optim.AdamW(model.parameters(), lr=self._rl.learning_rate, weight_decay=0.0)

    # --- steps ---------------------------------------------------------------------------------

    @property
    def steps(self) -> dict[str, int]:
        """How many there will be, where somebody said it: else the problems decide."""
        return {} if self._rl.steps is None else {"steps": self._rl.steps}

    def step(self, progress: Progress, tasks: Sequence[Task], keeper: Keeper) -> dict[str, Any]:
        """One step, which changes `progress`; returns its line for the log."""
        began, worked = time.monotonic(), time.process_time()
        clock = _Clock()
        account = StepAccount()
        trials: list[Trial] = []
        rate = self._rl.learning_rate * min(1.0, (progress.step + 1) / (self._rl.warmup + 1))
        kept = self._kept(progress, tasks, account, trials, clock)
        learned = self._learn(kept, rate, clock)
        found = keeper.keep(progress.step + 1, progress.pieces, trials)
        progress.step += 1
        progress.kept += account.kept
        progress.pieces = keeper.writer.pieces
        return {
            "stage": STAGE,
            "step": progress.step,
            **self.steps,
            **learned,
            "learning_rate": rate,
            **account.as_dict(self._rl.rollouts),
            "proofs": found,
            "problems_done": progress.taken,
            "seconds": round(time.monotonic() - began, 3),
            "processor_seconds": round(time.process_time() - worked, 3),
            **clock.as_dict(),
        }

    def _kept(
        self, progress: Progress, tasks: Sequence[Task], account: StepAccount, trials: list[Trial], clock: _Clock
    ) -> Iterator[Group]:
        """The groups that train in this step, in the order of the draw, as Lean's verdicts about them come."""
        rl = self._rl
        while account.kept < rl.problems and progress.taken < len(tasks) * rl.epochs:
            drawn_before, kept_before = progress.taken, progress.kept + account.kept
            wanted = wave_size(rl.problems - account.kept, kept_before, drawn_before)
            wave = list(itertools.islice(self._from(tasks, progress.taken), wanted))
            progress.taken += len(wave)
            with clock.measured("sampling"):
                new = self._draw(wave)
            trials += new
            judged = self._bench.in_order(new, rl.timeout_s + PATIENCE_S)
            while (trial := clock.waited(judged)) is not None:
                fate = Fate.UNFIT if trial.unfit else fate_of(trial.rewards, rl, given_up=trial.given_up)
                _count(account, trial, fate)
                if fate is Fate.KEPT:
                    yield _group(trial)

    def _from(self, tasks: Sequence[Task], taken: int) -> Iterator[tuple[Task, int]]:
        """Tasks behind those that were drawn, each with its epoch."""
        for epoch in range(taken // len(tasks), self._rl.epochs):
            order = order_of(len(tasks), self._seed, epoch)
            first = max(0, taken - epoch * len(tasks))
            yield from ((tasks[at], epoch) for at in order[first:])

    def _draw(self, wave: Sequence[tuple[Task, int]]) -> list[Trial]:
        """Rollouts at each task of a wave; Lean is at them from the moment that a group is complete."""
        trials: dict[int, Trial] = {}
        with grpo.half_on_a_gpu(self._model):
            for at, drawn in draw(self._decoder, self._texts, wave, self._rl.rollouts, self._seed):
                trials[at] = self._bench.submit(drawn)
        return [trials[at] for at in range(len(wave))]

    def _learn(self, groups: Iterator[Group], rate: float, clock: _Clock) -> dict[str, Any]:
        """Change the weights by what the groups say; with one update, each is gone through as it comes."""
        for setting in self._optimizer.param_groups:
            setting["lr"] = rate
        if self._rl.updates == 1:
            loss, tokens, norm = self._update(groups, None, clock)
        else:
            loss, tokens, norm = self._updates(list(groups), clock)
        self._decoder.refresh()
        return {"loss": loss, "grad_norm": norm, "trained_tokens": tokens}

    def _updates(self, groups: Sequence[Group], clock: _Clock) -> tuple[float, int, float]:
        """Several updates: behind the first, the weights are no longer those that drew."""
        with clock.measured("training"):
            before = [grpo.remembered(self._model, group, temperature=self._rl.temperature) for group in groups]
        size = -(-len(groups) // self._rl.updates)
        parts = [slice(first, first + size) for first in range(0, len(groups), size or 1)]
        done = [self._update(iter(groups[part]), before[part], clock) for part in parts]
        tokens = sum(tokens for _, tokens, _ in done)
        loss = sum(loss * tokens for loss, tokens, _ in done) / max(1, tokens)
        return loss, tokens, max((norm for _, _, norm in done), default=0.0)

    def _update(self, groups: Iterator[Group], before: Sequence[Any] | None, clock: _Clock) -> tuple[float, int, float]:
        """One update from some groups; returns the loss, its tokens, and the norm of the gradient."""
        loss, tokens = 0.0, 0
        for at, group in enumerate(groups):
            with clock.measured("training"):
                loss += grpo.backward(
                    self._model,
                    group,
                    self._clip,
                    temperature=self._rl.temperature,
                    before=before[at] if before is not None else None,
                )
                tokens += group.tokens
        if not tokens:
            return 0.0, 0, 0.0
        with clock.measured("training"):
            norm = grpo.update(self._model, self._optimizer, tokens, CLIP_NORM)
        return loss / tokens, tokens, norm

    # --- checkpoints ---------------------------------------------------------------------------

    def save(self, path: Path, progress: Progress) -> None:
        """Whole or not at all."""
        import torch

        state = {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "progress": asdict(progress),
        }
        part = path.with_suffix(".tmp")
        torch.save(state, part)
        os.replace(part, path)

    def resume(self, path: Path) -> Progress:
        """Go on where a checkpoint was written; from the beginning where there is none."""
        import torch

        if not path.exists():
            return Progress()
        state = torch.load(path, map_location=self._model.device, weights_only=True)
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._decoder.refresh()
        return Progress(**state["progress"])


@dataclass(slots=True)
class _Clock:
    """Where the seconds of a step went."""

    sampling: float = 0.0
    training: float = 0.0
    lean_wait: float = 0.0

    @contextmanager
    def measured(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            setattr(self, what, getattr(self, what) + time.monotonic() - began)

    def waited(self, trials: Iterator[Trial]) -> Trial | None:
        """The next one, when it is judged."""
        with self.measured("lean_wait"):
            return next(trials, None)

    def as_dict(self) -> dict[str, float]:
        return {f"{name}_seconds": round(seconds, 3) for name, seconds in asdict(self).items()}


def _group(trial: Trial) -> Group:
    """The rollouts that have a verdict."""
    rated = [
        (rollout.tokens, reward)
        for rollout, reward in zip(trial.drawn.rollouts, trial.rewards, strict=True)
        if reward is not None
    ]
    return Group(trial.drawn.task.prompt, tuple(tokens for tokens, _ in rated), tuple(reward for _, reward in rated))


def _count(account: StepAccount, trial: Trial, fate: Fate) -> None:
    rollouts = trial.drawn.rollouts
    account.add(trial.rewards, fate)
    account.truncated += sum(not rollout.ended for rollout in rollouts)
    account.tokens += sum(len(rollout.tokens) for rollout in rollouts)
    account.asked += len(trial.verdicts)
    account.remembered += trial.remembered
    account.timeouts += trial.timeouts
    account.given_up += trial.given_up
    account.retried += trial.retried
    account.lean_seconds += sum(judged.seconds for judged in trial.verdicts.values())
