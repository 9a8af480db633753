"""`pythagoras eval cost`: what attempts cost, of runs or of given token counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pythagoras.cli.console import Json, err, out, print_json
from pythagoras.cli.eval_tables import (
    AllowMixed,
    Architectures,
    Latex,
    Markdown,
    Seed,
    architectures,
    load_runs,
    print_tables,
    write_tables,
)
from pythagoras.errors import InputError

_MEASURE = "etc"


def cost(
    runs: Annotated[list[Path] | None, typer.Argument(help="Folders of runs; without any, give --round.")] = None,
    n: Annotated[int | None, typer.Option("--n", "-n", min=1, help="With --round: attempts at each problem.")] = None,
    given: Annotated[
        list[str] | None, typer.Option("--round", help="Tokens of a round, prompt and generated: 284.88,18741.80")
    ] = None,
    architecture: Architectures = None,
    measure: Annotated[
        str, typer.Option(help="For curves: etc, flops, flops-cached, tokens, lean-seconds, wall-seconds.")
    ] = _MEASURE,
    budget: Annotated[
        float | None, typer.Option(help="Compare runs at this mean cost of a problem. Default: the largest all have.")
    ] = None,
    stop_at_first: Annotated[
        bool, typer.Option("--stop-at-first", help="As if attempts at a problem ended with its first proof.")
    ] = False,
    allow_mixed: AllowMixed = False,
    accuracy: Annotated[
        float | None, typer.Option(help="With --tps: the score S = accuracy x tokens per second.")
    ] = None,
    tps: Annotated[float | None, typer.Option(help="Generated tokens per second.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw solved against cost into this .png, .svg or .pdf.")] = None,
    markdown: Markdown = None,
    latex: Latex = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Effective token complexity, FLOPs, Lean's seconds; of several runs, what each solves at the same cost.

    ETC(m, a) = m a + a (a + 1) / 2, summed over rounds, times N. It is no FLOP count: name an architecture for that.
    """
    of_runs = {
        "--measure": measure != _MEASURE,
        "--budget": budget is not None,
        "--stop-at-first": stop_at_first,
        "--picture": picture is not None,
    }
    if (accuracy is None) != (tps is None):
        raise InputError("the score needs both: give --accuracy and --tps")
    if accuracy is not None and tps is not None:
        if runs or given:
            raise InputError("runs have an accuracy and a speed of their own: give --accuracy and --tps alone")
        tables = {"--markdown": markdown is not None, "--latex": latex is not None}
        _refuse({**of_runs, **tables, "--n": n is not None, "--architecture": bool(architecture)}, "the score")
        _score(accuracy, tps, json=json)
    elif given:
        if runs:
            raise InputError("runs have their own token counts: give either folders or --round")
        _refuse(of_runs, "--round")
        _of_rounds(given, n, architecture, markdown, latex, json=json)
    elif runs:
        if n is not None:
            raise InputError("--n belongs to --round: a run knows how many attempts it has")
        options = {"budget": budget, "stop_at_first": stop_at_first, "allow_mixed": allow_mixed, "seed": seed}
        _of_runs(runs, architecture, measure, options, picture, markdown, latex, json=json)
    else:
        raise InputError("there is nothing to count: give folders of runs, or --n and --round m,a")


def _refuse(given: dict[str, bool], beside: str) -> None:
    """Options that would do nothing are wrong use."""
    for option, is_given in given.items():
        if is_given:
            raise InputError(f"{option} means nothing beside {beside}: leave it out, or give folders of runs")


def _score(accuracy: float, tps: float, *, json: bool) -> None:
    from pythagoras.evaluate.analysis.cost import throughput_score

    score = throughput_score(accuracy, tps)
    if json:
        print_json({"accuracy": accuracy, "tokens_per_second": tps, "score": score})
    else:
        out.print(f"S = {accuracy:g} x {tps:g} tokens/s = {score:.2f}", markup=False)


def _of_rounds(
    given: list[str],
    n: int | None,
    names: list[str] | None,
    markdown: Path | None,
    latex: Path | None,
    *,
    json: bool,
) -> None:
    from pythagoras.evaluate.analysis.cost import given_cost, parse_round
    from pythagoras.evaluate.shown import result_tables

    models = architectures(names, 1)
    report = given_cost([parse_round(text) for text in given], n or 1, models[0] if models else None)
    tables = [result_tables.cost_rows([report]), result_tables.round_costs([report])]
    write_tables(tables, markdown, latex)
    if json:
        print_json(report.as_dict())
    else:
        print_tables(tables)


def _of_runs(
    folders: list[Path],
    names: list[str] | None,
    measure: str,
    options: dict[str, Any],
    picture: Path | None,
    markdown: Path | None,
    latex: Path | None,
    *,
    json: bool,
) -> None:
    from dataclasses import asdict

    from pythagoras.evaluate.analysis.alignment import mixed, named_apart, refuse, with_benchmark
    from pythagoras.evaluate.analysis.cost import cost_report
    from pythagoras.evaluate.analysis.cost_curves import cost_curves, matched
    from pythagoras.evaluate.shown import pictures, result_tables

    runs = with_benchmark(named_apart(load_runs(folders)))
    differing = mixed(runs, [run.label for run in runs])
    refuse(differing, options.pop("allow_mixed"))
    for word in differing:
        err.print(word, markup=False)
    models = architectures(names, len(runs))
    reports = [cost_report(run, models[at] if models else None) for at, run in enumerate(runs)]
    curves = cost_curves(runs, measure, models, stop_at_first=options["stop_at_first"], seed=options["seed"])
    same = matched(runs, measure, models, **options)
    tables = [result_tables.cost_rows(reports), result_tables.round_costs(reports), result_tables.matched_cost(same)]
    if picture is not None:
        pictures.save(pictures.cost(curves), picture)
        err.print(f"drawn: {picture}", markup=False)
    write_tables(tables, markdown, latex)
    if json:
        print_json(
            {
                "runs": [report.as_dict() for report in reports],
                "curves": [asdict(curve) for curve in curves],
                "matched": [asdict(one) for one in same],
            }
        )
    else:
        print_tables(tables)
