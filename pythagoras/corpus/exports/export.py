"""Write a corpus for a trainer, one file a curriculum stage, with the configuration that goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pythagoras.corpus import prompts
from pythagoras.corpus.exports import llamafactory, plain, trl, verl
from pythagoras.corpus.exports.curriculum import Curriculum, spool
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import ExportSettings
from pythagoras.corpus.goals import as_problem, without_lemmas
from pythagoras.corpus.records import Formalisation, Instance, Record, Tier, Truth
from pythagoras.errors import InputError
from pythagoras.lookup import choose

_FORMAT = 1

EXPORTS: dict[str, Callable[[Draft, Curriculum, ExportSettings], None]] = {
    "llamafactory": llamafactory.write,
    "verl": verl.write,
    "trl": trl.write,
    "trl-grpo": trl.write_grpo,
    "jsonl": plain.write_jsonl,
    "paper": plain.write_paper,
    "parquet": plain.write_parquet,
    "datasets": plain.write_datasets,
}
"""Every form of export by its name."""
ANY_KIND = frozenset({"jsonl", "parquet", "datasets"})
"""Those that take problems and formalisations, too."""
GOALS = frozenset({"verl", "trl-grpo"})
"""Those that have statements to be proved: they take formalisations as such."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote."""

    folder: Path
    files: tuple[Path, ...]
    rows: dict[Tier, int]
    """By stage, in order: rows that were read. Files for reinforcement learning have each statement once."""
    held_out: int
    left_out: int
    """Rows of tiers that were not asked for."""
    unfit: int
    """Rows that are no training data: another kind of record, no such header, special tokens, our own benchmark."""
    detail: tuple[str, ...]
    """Why: a line each for the first few of the unfit."""


def export(
    records: Iterable[Record],
    folder: Path,
    to: str,
    settings: ExportSettings,
    *,
    inputs: dict[str, str] | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write the records into a new folder, and `export.json` with counts, hashes and settings.

    `inputs` names what the records come from, with fingerprints. The folder is there when all is written, or not at
    all; an export that was killed is made anew. Rows that are unfit are left out; an InputError says when no row is
    left to train on.
    """
    write = choose("export", to, EXPORTS)
    prompts.prompt(settings.prompt)
    _check(settings)
    source = map(_problem, records) if to in GOALS else records
    with Draft(folder, overwrite=overwrite) as draft:
        curriculum = spool(
            source,
            draft.spool,
            stages=settings.stages,
            seed=settings.seed,
            shuffled=settings.shuffled,
            held_out=settings.held_out,
            any_kind=to in ANY_KIND,
            verified=settings.verified,
        )
        if not curriculum.stages:
            raise InputError(_nothing(curriculum))
        write(draft, curriculum, settings)
        rows = {stage: curriculum.rows[stage.value] for stage in curriculum.stages}
        files = draft.finish(
            {
                "format": _FORMAT,
                "to": to,
                "settings": asdict(settings),
                "inputs": inputs or {},
                "stages": rows,
                "held_out": curriculum.held_out,
                "left_out": curriculum.left_out,
                "unfit": curriculum.unfit,
                "detail": curriculum.detail,
            }
        )
    return Exported(folder, files, rows, curriculum.held_out, curriculum.left_out, curriculum.unfit, curriculum.detail)


def _problem(record: Record) -> Record:
    """A record as a problem of reinforcement learning, whose prompt tells nothing of a proof; else as it is."""
    match record:
        case Formalisation() if record.truth is not Truth.FALSE:
            return as_problem(record)
        case Instance():
            return replace(record, context=without_lemmas(record.context, record.statement))
        case _:
            return record


def _nothing(curriculum: Curriculum) -> str:
    counts = {"of other tiers": curriculum.left_out, "held out": curriculum.held_out, "unfit": curriculum.unfit}
    found = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "none at all"
    first = f"; the first: {curriculum.detail[0]}" if curriculum.detail else ""
    return f"there is nothing to export: no row is left to train on ({found}{first}); name a corpus with proofs"


def _check(settings: ExportSettings) -> None:
    if not 0 <= settings.held_out < 1:
        raise InputError(f"{settings.held_out} is no share to hold out: give one from 0 to less than 1")
    if settings.budget < 2:
        raise InputError(f"a budget of {settings.budget} tokens leaves no room for anything: give more")
    if not settings.stages or len(set(settings.stages)) < len(settings.stages):
        named = ", ".join(settings.stages) or "none"
        raise InputError(f"the stages ({named}) must be one or more, each once")
