"""Augmented Lean Formalisation as one stage: mutate, leave out what benchmarks would recognise, distil, audit.

place/mutated     new statements of the corpus's
place/clean       those that no benchmark would recognise
place/distilled   with a proof each by the prover itself: what continued training learns from
place/audit       what the pairs are worth, by a sample that Lean checks
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pythagoras.alf.auditing import audit
from pythagoras.alf.corpus import Verification, distil
from pythagoras.alf.making import mutate
from pythagoras.alf.run_folder import CORPUS, VARIANTS
from pythagoras.corpus.decontamination.sweep import STAGES, DecontaminationSettings
from pythagoras.corpus.embedding.embedders import NO_EMBEDDER
from pythagoras.corpus.files import fingerprint, funnel_of, read_items, read_records, row_count
from pythagoras.corpus.stages import run_stage
from pythagoras.corpus.store import is_finished, is_store
from pythagoras.generate.local import LocalSettings
from pythagoras.generate.samplers import open_sampler
from pythagoras.llm.sampling import Sampling
from pythagoras.stages.cleaning import Cleaning
from pythagoras.stages.embedders import ready_embedder_or_none
from pythagoras.stages.machine import Machine
from pythagoras.stages.mutation import SYMBOLIC, OpenLean, named_lean, open_mutator
from pythagoras.stages.recipe import Experiment
from pythagoras.stages.telling import Teller, fits, stage_lines
from pythagoras.train.threads import prepare

MUTATED, CLEAN, DISTILLED, AUDIT = "mutated", "clean", "distilled", "audit"


def augment(
    experiment: Experiment,
    corpora: Sequence[Path],
    model: Path,
    proofs: Path | None,
    place: Path,
    machine: Machine,
    tell: Teller,
) -> None:
    """Do all of it, or go on. `proofs` are those that reinforcement learning found with the model."""
    alf = experiment.alf
    named = named_lean(machine.backend, machine.jobs, alf.timeout_s)
    with named.open() as checker:
        lean = OpenLean(checker, named.limits)
        _mutate(experiment, corpora, place / MUTATED, lean, tell)
        _clean(experiment, place / MUTATED / VARIANTS, place / CLEAN, lean, tell)
        prepare(machine.threads)
        if not _distil(experiment, model, proofs, place, lean, tell):
            tell.say("alf: the prover wrote no proof that is about its statement, so there is nothing to audit")
            return
        on_stage, on_progress = stage_lines(tell)
        audit(
            [pairs_of(place)],
            place / AUDIT,
            lean,
            count=alf.sample,
            seed=experiment.training.seed,
            on_stage=on_stage,
            on_progress=on_progress,
        )


def _mutate(experiment: Experiment, corpora: Sequence[Path], folder: Path, lean: OpenLean, tell: Teller) -> None:
    alf, seed = experiment.alf, experiment.training.seed
    on_stage, on_progress = stage_lines(tell)
    with open_mutator(alf.mutator, refute=alf.refute, seed=seed, model=alf.model) as (make, settings):
        mutate(
            corpora,
            folder,
            make,
            settings=settings,
            seed=seed,
            limit=alf.limit,
            tracing=lean if alf.traces and alf.mutator == SYMBOLIC else None,
            elaborating=lean if alf.elaborate else None,
            embedder=ready_embedder_or_none(alf.embedder, on_fit=fits(tell)),
            on_stage=on_stage,
            on_progress=on_progress,
        )


def _distil(experiment: Experiment, model: Path, proofs: Path | None, place: Path, lean: OpenLean, tell: Teller) -> int:
    """How many pairs came of it, without the proofs that joined them."""
    alf = experiment.alf
    on_stage, on_progress = stage_lines(tell)
    how = LocalSettings("", Sampling(alf.temperature, alf.top_p, alf.max_tokens), alf.batch)
    with open_sampler(f"local:{model}", local=how) as prover:
        made = distil(
            [place / CLEAN],
            place / DISTILLED,
            prover,
            seed=experiment.training.seed,
            proofs=[proofs] if proofs is not None and _has_proofs(proofs) else [],
            verification=None if alf.budget is None else Verification(lean, alf.budget, alf.target, alf.sample),
            on_stage=on_stage,
            on_progress=on_progress,
        )
    return made.funnel[0].kept


def pairs_of(place: Path) -> Path:
    """What continued training learns from."""
    return place / DISTILLED / CORPUS


def parents_of(experiment: Experiment, corpora: Sequence[Path]) -> int:
    """How many statements are mutated."""
    there = row_count(corpora)
    count = sum(1 for path in corpora for _ in read_records(path)) if there is None else there
    return min(count, experiment.alf.limit or count)


def _clean(experiment: Experiment, variants: Path, folder: Path, lean: OpenLean, tell: Teller) -> None:
    """What of the variants no benchmark would recognise, with all stages that need no embedder where there is none."""
    embedder = experiment.alf.embedder
    stages = tuple(stage for stage in STAGES if stage != "embedding" or embedder != NO_EMBEDDER)
    cleaning = Cleaning(experiment.against, DecontaminationSettings(stages=stages), embedder)
    settings, inputs = cleaning.chosen, {str(variants): fingerprint(variants)}
    if is_finished(folder, "decontaminate", settings, inputs):
        return
    total, done = row_count([variants]), 0

    def on_progress(read: int, dropped: int) -> None:
        nonlocal done
        done += read
        tell.part("decontaminate", done, total)

    with cleaning.opened(fits(tell), lean.checker) as sweep:
        sweep.learn(read_records(variants))
        run_stage(
            read_items([variants]),
            folder,
            stage="decontaminate",
            settings=settings,
            inputs=inputs,
            decide=sweep.decide,
            funnel=funnel_of(variants),
            tally=sweep.tally,
            on_progress=on_progress,
        )


def _has_proofs(folder: Path) -> bool:
    return is_store(folder) and bool(row_count([folder], "instance"))
