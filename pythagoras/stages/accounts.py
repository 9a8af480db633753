"""What a finished stage did, read from the files that it left: its size, its seconds, and what it handed on."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pythagoras.alf.run_folder import VARIANTS
from pythagoras.corpus.files import row_count
from pythagoras.evaluate.results import load
from pythagoras.evaluate.runs import is_run
from pythagoras.pipeline.planning import spent
from pythagoras.pipeline.report.reading import read_figures
from pythagoras.pipeline.stage_runner import read_costs
from pythagoras.stages.alf import AUDIT, DISTILLED, MUTATED, pairs_of, parents_of
from pythagoras.stages.corpora import split_build
from pythagoras.stages.folder import place_of, rung_place
from pythagoras.stages.overview import Work
from pythagoras.stages.recipe import Experiment
from pythagoras.stages.settings import StageName
from pythagoras.train.run_folder import EXAMPLES, PROBLEMS, read_log


def work_of(stage: StageName, experiment: Experiment, folder: Path) -> Work:
    """What a stage of the run in a folder did."""
    place = place_of(folder, stage)
    match stage:
        case "corpus":
            return _corpus(experiment, place)
        case "base" | "sft" | "continued" | "diffusion":
            return _training(place)
        case "rl":
            return _rl(place)
        case "alf":
            return _alf(experiment, folder, place)
        case "evaluation":
            return _evaluation(experiment, folder)
        case "report" | "emit":
            return Work("files", 1, 0.0)


def bytes_below(place: Path) -> int:
    """What a file or a folder takes on the disk."""
    if place.is_file():
        return place.stat().st_size
    return sum(found.stat().st_size for found in place.rglob("*") if found.is_file() and not found.is_symlink())


def _corpus(experiment: Experiment, place: Path) -> Work:
    figures = read_figures(place)
    costs = [step.costs for step in figures.steps]
    read = {step.stage: step.read for step in figures.steps}
    made = {step.stage: step.made for step in figures.steps}
    told = spent(figures.steps, experiment.corpus)
    return Work(
        "problems",
        read.get("source", 0) + read.get("hard-source", 0),
        _sum(costs, "wall_s"),
        tokens=told.generated_tokens,
        lean_s=_sum(costs, "lean_s"),
        made={
            "problems": read.get("source", 0),
            "hard": read.get("hard-source", 0),
            "train": made.get("train", 0),
            "held_out": made.get("held-out", 0),
            "worker_s": _sum(costs, "worker_s"),
            "alone_s": _sum(costs, "alone_s"),
        },
    )


def _training(place: Path) -> Work:
    lines = read_log(place)
    told = json.loads((place / EXAMPLES).read_text(encoding="utf-8"))
    epoch = sum(stage["tokens"] for stage in told["stages"]) if "stages" in told else told["tokens"]
    tokens = _sum(lines, "tokens")
    steps = sum("loss" in line for line in lines)
    return Work(
        "tokens", tokens, _sum(lines, "seconds"), tokens=tokens, made={"steps": steps, "epoch_tokens": float(epoch)}
    )


def _rl(place: Path) -> Work:
    lines = read_log(place)
    problems = json.loads((place / PROBLEMS).read_text(encoding="utf-8"))["kept"]
    return Work(
        "rollouts",
        _sum(lines, "rollouts"),
        _sum(lines, "seconds"),
        tokens=_sum(lines, "tokens"),
        lean_s=_sum(lines, "lean_seconds"),
        made={
            "problems": problems,
            "steps": len(lines),
            **{name: _sum(lines, name) for name in ("drawn", "kept", "proofs")},
        },
    )


def _alf(experiment: Experiment, folder: Path, place: Path) -> Work:
    costs = [cost for part in (MUTATED, DISTILLED, AUDIT) for cost in read_costs(place / part).values()]
    parents = parents_of(experiment, split_build([_corpus_of(experiment, folder)])[0])
    return Work(
        "statements",
        parents,
        _sum(costs, "wall_s"),
        tokens=_sum(costs, "prover_generated_tokens"),
        lean_s=_sum(costs, "lean_s"),
        made={
            "variants": row_count([place / MUTATED / VARIANTS], None) or 0,
            "pairs": row_count([pairs_of(place)], None) or 0,
        },
    )


def _evaluation(experiment: Experiment, folder: Path) -> Work:
    rounds = tokens = 0
    seconds = lean_ms = 0.0
    made: dict[str, float] = defaultdict(float)
    for rung in experiment.rungs:
        for benchmark in experiment.evaluation.benchmarks:
            place = rung_place(folder, rung, benchmark)
            if not is_run(place):
                continue
            found = load(place)
            wall = found.manifest.wall_seconds
            made[f"{rung} attempts"] += len(found.rounds)
            made[f"{rung} seconds"] += wall
            if rung == experiment.rungs[0]:
                made["problems"] += len(found.goals)
            rounds, seconds = rounds + len(found.rounds), seconds + wall
            tokens += int(found.rounds.generated_tokens.sum())
            lean_ms += sum(judged.milliseconds for judged in found.judgements)
    return Work("attempts", rounds, seconds, tokens=tokens, lean_s=lean_ms / 1000, made=dict(made))


def _corpus_of(experiment: Experiment, folder: Path) -> Path:
    return place_of(folder, "corpus") if "corpus" in experiment.stages else experiment.start.corpus or folder


def _sum(lines: Iterable[Mapping[str, Any]], name: str) -> float:
    return float(sum(line.get(name) or 0 for line in lines))
