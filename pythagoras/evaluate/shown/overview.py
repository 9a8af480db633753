"""All that is told about runs, as tables and as JSON: what `run`, `compare` and `report` print and write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pythagoras.evaluate.analysis.alignment import with_benchmark
from pythagoras.evaluate.analysis.compare import Comparison
from pythagoras.evaluate.analysis.failures import corpus_funnel, error_shares, seed_errors
from pythagoras.evaluate.analysis.mutation import MutationComparison
from pythagoras.evaluate.analysis.passn import disagreements, no_estimate, pass_table
from pythagoras.evaluate.analysis.published import PublishedResult, published
from pythagoras.evaluate.results import Results
from pythagoras.evaluate.shown import result_tables
from pythagoras.evaluate.shown.tables import Table
from pythagoras.evaluate.variants import note


def headline(run: Results) -> str:
    """Who was measured on what, in a line or two."""
    manifest = run.manifest
    who = " + ".join(sampler.name for sampler in manifest.samplers)
    lean = manifest.lean.version.split(",")[0]
    told = note(manifest.benchmark, run.goals)
    return f"{run.label}: {who}, {manifest.protocol.name}, judged by Lean {lean} ({manifest.lean.backend})\n{told}"


def run_tables(run: Results) -> Iterator[Table]:
    """One run by itself: counts, pass@N, how attempts failed, and where the two rules disagree."""
    yield result_tables.counts([run])
    yield result_tables.pass_rows([run])
    if not run.fit.all():
        yield result_tables.pass_rows([run], over="fit")
    shares = error_shares(run)
    if shares.total:
        yield result_tables.shares("How attempts failed", [shares])
    found = disagreements(run)
    if found.listed:
        yield result_tables.disagreements(run, found)


def comparison_tables(
    runs: Sequence[Results],
    comparisons: Sequence[Comparison],
    mutation: MutationComparison | None,
    corpus: Path | None = None,
    seed: int = 0,
) -> Iterator[Table]:
    """Several runs beside each other, and at the end, apart from them, what is published."""
    runs = with_benchmark(runs)
    yield result_tables.run_facts(runs)
    yield result_tables.counts(runs)
    yield result_tables.pass_rows(runs, seed=seed)
    if not all(run.fit.all() for run in runs):
        yield result_tables.pass_rows(runs, over="fit", seed=seed)
    for one in comparisons:
        yield result_tables.scores(one)
        yield result_tables.problem_sets(one)
        yield result_tables.shares(f"Make-up by domain, {one.benchmark}", one.make_ups())
        if one.head_to_head:
            where = f"{one.benchmark} at pass@{one.n}"
            yield result_tables.head_to_head(one.head_to_head, where)
            yield result_tables.significance(one.differences, where)
        if reported := result_tables.published_analysis(one.benchmark):
            yield reported
    if mutation is not None:
        yield result_tables.transitions((*mutation.tallies, *mutation.by_operator))
        yield result_tables.significance(mutation.drops, f"under mutation at pass@{mutation.n}")
    failed = [shares for shares in map(error_shares, runs) if shares.total]
    if failed:
        yield result_tables.shares("How attempts failed", failed)
        yield result_tables.published_shares(seed_errors())
    for run in runs:
        found = disagreements(run)
        if found.listed:
            yield result_tables.disagreements(run, found)
    if corpus is not None:
        yield result_tables.shares("The corpus's funnel", corpus_funnel(corpus))
    if beside := published_beside(runs):
        yield result_tables.published_rows(beside)


def published_beside(runs: Sequence[Results]) -> tuple[PublishedResult, ...]:
    """What is published about the benchmarks of some runs."""
    names = dict.fromkeys(run.manifest.benchmark.name for run in runs)
    return tuple(row for name in names for row in published(name))


def run_dict(run: Results, seed: int = 0) -> dict[str, Any]:
    """One run, ready for JSON."""
    benchmark = run.manifest.benchmark
    return {
        "label": run.label,
        "folder": str(run.folder),
        "manifest": run.manifest.model_dump(mode="json"),
        "variant_note": note(benchmark, run.goals),
        "counts": asdict(run.counts()),
        "unfit": run.unfit,
        "no_estimate": no_estimate(run),
        "pass": [asdict(row) for row in pass_table(run, seed=seed)],
        "errors": error_shares(run).as_dict(),
        "rules": asdict(disagreements(run)),
        "solved": [goal.name for goal, row in zip(run.goals, run.solved, strict=True) if row.any()],
    }


def comparison_dict(
    runs: Sequence[Results],
    comparisons: Sequence[Comparison],
    mutation: MutationComparison | None,
    corpus: Path | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Several runs, ready for JSON."""
    return {
        "runs": [run_dict(run, seed) for run in runs],
        "comparisons": [one.as_dict() for one in comparisons],
        "mutation": mutation.as_dict() if mutation else None,
        "funnel": [step.as_dict() for step in corpus_funnel(corpus)] if corpus else None,
        "published": [row.as_dict() for row in published_beside(runs)],
    }
