"""A recipe of lab size as files that others' trainers run: LLaMA-Factory and verl, as the paper has it, or TRL alone.

folder/sft-llamafactory/           SFT by the curriculum, and the merge of its adapters
folder/rl-verl/                    GRPO on the held-out statements, beginning with that model
folder/distillation-llamafactory/  continued SFT on rows of the tier `alf`, beginning with the model behind RL
folder/sft-trl/, rl-trl/           the first two with TRL and accelerate
folder/README.md                   what to run, in order

Instances go through the length filter first, with the model's own tokenizer. Nothing is trained here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pythagoras.config import Part
from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import unfit
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.export import Exported, export
from pythagoras.corpus.exports.recipe import MERGED, ExportSettings, Machines, RlPlan, SftPlan, made_model
from pythagoras.corpus.length import LengthFilter, Mode
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record, Tier
from pythagoras.corpus.rows import from_line, to_line
from pythagoras.corpus.stages import Dropped
from pythagoras.corpus.tokenizers import open_tokenizer
from pythagoras.errors import InputError
from pythagoras.train.settings import Sft, Training

SFT, RL, DISTILLATION, SFT_TRL, RL_TRL = (
    *("sft-llamafactory", "rl-verl", "distillation-llamafactory", "sft-trl", "rl-trl"),
)
_SFT_EXPORTS = {SFT: "llamafactory", SFT_TRL: "trl"}
_CURRICULUM = (Tier.EASY, Tier.MEDIUM, Tier.HARD)
_BATCH = 1_000
_RL_NOTES = """
The reward needs this package beside the trainer: `pip install --no-deps` it there, and httpx, pydantic, psutil,
filelock and platformdirs where they are missing; nothing else of the trainer's environment changes.

What reinforcement learning there can't take from the recipe:

* `rl.lost` ({lost}): verl replaces every problem with a rollout that has no verdict; TRL goes on with the others of it.
* `rl.fewest` and `rl.most`: TRL has no filter. Problems that all or none of the rollouts solve change nothing, but are
  not replaced, and those with more than {most} successes do train.
* The order: statements are shuffled by the seed inside their tier, tiers come one after the other, and every epoch is
  the same.
* `rl.batch`: vLLM decides how many rollouts are drawn at a time.
* Verdicts are waited for an hour, and nothing is left behind as late.
"""

P = TypeVar("P", SftPlan, RlPlan, Machines)

Records = Callable[[], Iterable[Record]]
"""Records that can be read again."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]
    sft: dict[Tier, int]
    """Instances by stage, in the order of training; those of self-distillation last."""
    rl: dict[Tier, int]
    """Problems by tier."""
    left_out: Counter[str]
    """Of the corpus's records, those that are in no file, by reason."""
    no_problems: int
    """Of the held-out records, those that are nothing to prove."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "folder": str(self.folder),
            "files": [str(file) for file in self.files],
            "sft": {tier.value: rows for tier, rows in self.sft.items()},
            "rl": {tier.value: rows for tier, rows in self.rl.items()},
            "left_out": dict(self.left_out),
            "no_problems": self.no_problems,
        }


def emit(
    name: str,
    training: Training,
    corpus: Iterable[Record],
    held_out: Records | None,
    folder: Path,
    *,
    inputs: dict[str, str] | None = None,
    overwrite: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Emitted:
    """Write all that a recipe of that name needs for training on GPUs into a new folder.

    `corpus` has the instances of SFT, `held_out` the statements of reinforcement learning; without those only SFT is
    written. `inputs` names where they come from, with fingerprints. `on_progress` is told how many records were read so
    far, and how many of them left out. The folder is there when all is written, or not at all. Raises InputError.
    """
    _check_prompts(training, with_rl=held_out is not None)
    with Draft(folder, overwrite=overwrite) as draft:
        kept = _Kept(draft.spool / "kept.jsonl", training)
        kept.fill(corpus, on_progress or (lambda read, dropped: None))
        if not any(kept.rows[tier] for tier in _CURRICULUM):
            told = f"; the first: {kept.first}" if kept.first else ""
            raise InputError(f"no instance of the tiers easy, medium or hard is left to train on{told}")
        done = _exports(kept, held_out, training, draft.folder)
        draft.write_text("README.md", _readme(name, training, done))
        sft = done[SFT].rows | (done[DISTILLATION].rows if DISTILLATION in done else {})
        rl, no_problems = (done[RL].rows, done[RL].unfit) if RL in done else ({}, 0)
        files = draft.finish(
            {
                "to": "lab",
                "recipe": name,
                "settings": training.model_dump(mode="json"),
                "inputs": inputs or {},
                "sft": {tier.value: rows for tier, rows in sft.items()},
                "rl": {tier.value: rows for tier, rows in rl.items()},
                "left_out": dict(kept.left_out),
                "no_problems": no_problems,
            }
        )
    return Emitted(folder, files, sft, rl, kept.left_out, no_problems)


def _check_prompts(training: Training, *, with_rl: bool) -> None:
    """LLaMA-Factory and verl take chats only; and a model is asked as it was trained, as `train rl` insists, too."""
    asked, wanted = training.sft.prompt, training.rl.prompt
    if not prompts.prompt(asked).is_chat:
        first, *others = prompts.names(chat=True)
        raise InputError(
            f"sft.prompt is {asked!r}, which is raw text, and LLaMA-Factory and verl take chats only: "
            f"set sft.prompt={first}, or {', '.join(others)}"
        )
    if with_rl and wanted not in (None, asked):
        raise InputError(
            f"SFT makes a model that is asked with the prompt {asked!r}, and rl.prompt is {wanted!r}: "
            f"leave rl.prompt out, or set sft.prompt={wanted}"
        )


def settings_for(training: Training) -> ExportSettings:
    """A recipe as exports take it, for SFT."""
    sft, lab = training.sft, training.lab
    return ExportSettings(
        prompt=sft.prompt,
        stages=_CURRICULUM[::-1] if sft.order == "reversed" else _CURRICULUM,
        seed=training.seed,
        shuffled=_is_shuffled(sft),
        budget=sft.context,
        model=lab.model,
        sft=_plan(SftPlan, sft),
        rl=_plan(RlPlan, training.rl, trained_share=lab.trained_share, begins_with=""),
        machines=_plan(Machines, lab),
    )


def _is_shuffled(sft: Sft) -> bool:
    return sft.shuffle or sft.order == "shuffled"


def _plan(kind: type[P], section: Part, **others: Any) -> P:
    """A plan with the values of a section's fields that have the same names, and others."""
    names = (field.name for field in fields(kind) if field.name not in others)
    return kind(**{name: getattr(section, name) for name in names}, **others)


class Fitting:
    """Which instances a recipe trains on, and as what: those that its context has room for."""

    def __init__(self, training: Training) -> None:
        sft, lab = training.sft, training.lab
        self._reasoning = sft.reasoning
        self.counter = open_tokenizer(lab.tokenizer or f"hf:{lab.model}")
        self._filter = LengthFilter(self.counter, sft.context, sft.length, sft.prompt)
        self.left_out: Counter[str] = Counter()
        self.first = ""
        """Why the first one was left out."""

    def of(self, records: Iterable[Record]) -> Iterator[Instance]:
        """In order; what is left out is counted."""
        stream = iter(records)
        while batch := list(islice(stream, _BATCH)):
            yield from self._decided(batch)

    def _decided(self, batch: list[Record]) -> Iterator[Instance]:
        fit = []
        for record in batch:
            if fault := unfit(record):
                self._leave_out(Reason.UNREADABLE, fault)
            else:
                assert isinstance(record, Instance)  # others are unfit
                fit.append(record if self._reasoning else replace(record, reasoning=""))
        for decided in self._filter.decide(fit):
            if isinstance(decided, Dropped):
                self._leave_out(decided.reason, decided.detail)
            else:
                assert isinstance(decided, Instance)
                yield decided

    def _leave_out(self, reason: Reason, why: str) -> None:
        self.left_out[reason.value] += 1
        self.first = self.first or why


class _Kept:
    """The instances that fit, in a file: they are read several times, and tokenising them once takes long enough."""

    def __init__(self, path: Path, training: Training) -> None:
        self._path = path
        self._mixed = training.sft.order == "shuffled"
        self._fitting = Fitting(training)
        self.rows: Counter[Tier] = Counter()

    @property
    def left_out(self) -> Counter[str]:
        return self._fitting.left_out

    @property
    def first(self) -> str:
        """Why the first one was left out."""
        return self._fitting.first

    def fill(self, records: Iterable[Record], on_progress: Callable[[int, int], None]) -> None:
        stream = iter(records)
        with self._path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            while batch := list(islice(stream, _BATCH)):
                for kept in self._fitting.of(batch):
                    file.write(to_line(kept) + "\n")
                    self.rows[kept.tier] += 1
                on_progress(self.rows.total() + self.left_out.total(), self.left_out.total())

    def instances(self) -> Iterator[Instance]:
        """All of them, in order; of a recipe that mixes the tiers, all in the first one's stage."""
        first = next(tier for tier in _CURRICULUM if self.rows[tier])
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                instance = from_line(line)
                assert isinstance(instance, Instance)
                mixed = self._mixed and instance.tier in _CURRICULUM
                yield replace(instance, tier=first) if mixed else instance


def _exports(kept: _Kept, held_out: Records | None, training: Training, folder: Path) -> dict[str, Exported]:
    settings = settings_for(training)
    done = {name: export(kept.instances(), folder / name, to, settings) for name, to in _SFT_EXPORTS.items()}
    model = made_model(tuple(done[SFT].rows), settings.sft)
    begins = f"../{SFT}/{model}"
    if held_out is not None:
        asked = replace(settings, stages=tuple(Tier), shuffled=True)  # whatever SFT does
        for name, to, start in ((RL, "verl", begins), (RL_TRL, "trl-grpo", f"../{SFT_TRL}/{model}")):
            with_start = replace(asked, rl=replace(asked.rl, begins_with=start))
            done[name] = export(held_out(), folder / name, to, with_start)
        begins = f"../{RL}/{MERGED}"
    if kept.rows[Tier.ALF]:
        distilled = replace(settings, stages=(Tier.ALF,), model=begins)
        done[DISTILLATION] = export(kept.instances(), folder / DISTILLATION, "llamafactory", distilled)
    return done


def _readme(name: str, training: Training, done: dict[str, Exported]) -> str:
    lab = training.lab
    gpus = f"{lab.nodes} x {lab.gpus} GPUs" if lab.nodes > 1 else f"{lab.gpus} GPUs"
    counts = ", ".join(f"{tier.value} {rows:,}" for tier, rows in done[SFT].rows.items())
    steps = [f"sh {SFT}/run.sh           # {counts}; needs llamafactory 0.9.5 and accelerate"]
    if RL in done:
        problems = sum(done[RL].rows.values())
        steps.append("export PYTHAGORAS_LEAN=...           # the Lean that judges: rl-verl/run.sh says which will do")
        steps.append(
            f"sh {RL}/run.sh                    # {problems:,} statements; needs verl 0.9.1, vllm and pythagoras"
        )
    if DISTILLATION in done:
        rows = done[DISTILLATION].rows[Tier.ALF]
        steps.append(f"sh {DISTILLATION}/run.sh  # {rows:,} instances, on the model of the step before")
    notes = _sft_notes(training, distils=DISTILLATION in done)
    if RL in done:
        notes += _RL_NOTES.format(lost=training.rl.lost, most=training.rl.most)
    also = [f"`{each}/run.sh`" for each in (SFT_TRL, RL_TRL) if each in done]
    return f"""\
# {name}: {lab.model} on {gpus}

```
{chr(10).join(steps)}
```

{" and ".join(also)} do the same with TRL 1.16 and accelerate. `export.json` has the settings and the hash of every
file. What the paper does not say is marked in the configurations.
{notes}"""


def _sft_notes(training: Training, *, distils: bool) -> str:
    sft, machines = training.sft, _plan(Machines, training.lab)
    rows = machines.all_gpus * machines.rows * machines.accumulation(_plan(SftPlan, sft).rows(sft.context))
    notes = [
        f"`sft.batch_tokens` ({sft.batch_tokens:,}): an update is {rows:,} rows of up to {sft.context:,} tokens, "
        "however full they are."
    ]
    if _is_shuffled(sft):
        notes.append(f"`sft.shuffle`: the order by the seed ({training.seed}) is the same in every epoch, not anew.")
    if sft.tokens is not None:
        notes.append(f"`sft.tokens` ({sft.tokens:,}): the trainers count epochs, and make {sft.epochs} of them.")
    if sft.packed:
        notes.append("`sft.packed`: the trainers put examples together by length, and change the order with that.")
    if distils:
        notes.append(f"`sft.order` ({sft.order}): rows of the tier alf come last in any case, in a stage of their own.")
    if sft.length is Mode.TRUNCATE:
        notes.append("`sft.length` (truncate): what was cut ends there like a whole answer, as all turns of chats do.")
    told = "".join(f"* {note}\n" for note in notes)
    return f"\nWhat supervised fine-tuning there can't take from the recipe:\n\n{told}"
