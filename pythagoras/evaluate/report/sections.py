"""The sections of the page between summary and problems: pictures, and tables that say the same in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.compare import Comparison, compare
from pythagoras.evaluate.analysis.cost import CostCurve, cost_report
from pythagoras.evaluate.analysis.cost_curves import MEASURES, Models, cost_curves, matched
from pythagoras.evaluate.analysis.failures import Shares, corpus_funnel, error_shares, make_up
from pythagoras.evaluate.analysis.mutation import compare_mutation, pair_runs
from pythagoras.evaluate.analysis.passn import Curve, curve, disagreements, no_estimate
from pythagoras.evaluate.analysis.published import PAPER, published
from pythagoras.evaluate.analysis.published import scaling as scaling_beside
from pythagoras.evaluate.report.markup import Section, heading, note, paragraph, picture, plural, row_of, table, warning
from pythagoras.evaluate.results import Results
from pythagoras.evaluate.shown import pictures, result_tables
from pythagoras.evaluate.shown.tables import Table
from pythagoras.llm.architectures import Architecture

MOST_DISAGREEMENTS = 200
_MEASURES = ("etc", "tokens", "lean-seconds", "wall-seconds")
"""Costs that every run may have recorded, as curves; those of an architecture come in front when one is given."""

Benchmarks = dict[str, list[Results]]


def by_benchmark(results: Sequence[Results], named: Sequence[Results]) -> Benchmarks:
    """Runs that can stand in one picture, under their own labels, or where these are not enough, the longer ones."""
    found: dict[str, list[tuple[Results, Results]]] = {}
    for run, longer in zip(results, named, strict=True):
        found.setdefault(run.manifest.benchmark.name, []).append((run, longer))
    told: Benchmarks = {}
    for name, runs in found.items():
        alike = len({run.label for run, _ in runs}) < len(runs)
        told[name] = [pair[alike] for pair in runs]
    return told


def comparisons(benchmarks: Benchmarks, seed: int) -> tuple[list[Comparison], list[str]]:
    """Runs on the same benchmark against each other, and why some can't be compared."""
    found, refused = [], []
    for runs in benchmarks.values():
        if len(runs) > 1:
            try:
                found.append(compare(runs, allow_mixed=True, seed=seed))
            except InputError as error:
                refused.append(str(error))
    return found, refused


# --- how much is solved ---------------------------------------------------------------------------


def scaling(benchmarks: Benchmarks, seed: int) -> Section:
    """pass@N over N."""
    body = []
    for name, runs in benchmarks.items():
        curves = [curve(run, seed=seed) for run in runs if run.draws]
        if not curves:
            body.append(note(f"No attempts at {name} yet."))
            continue
        figure = pictures.svg(pictures.curves(curves), f"pass@N on {name}\n{_said(curves)}")
        body.append(heading(name, len(benchmarks) > 1))
        body.append(row_of([picture(figure, _how_told(runs)), table(result_tables.scaling(curves))]))
        drawn = [run for run in runs if run.draws]
        rows = result_tables.pass_rows(drawn, seed=seed)
        body.append(table(rows))
        if not all(run.fit.all() for run in drawn):
            rows = result_tables.pass_rows(drawn, over="fit", seed=seed)
            body.append(table(rows, fold="The same on the statements that Lean takes"))
    return Section("scaling", "Solved by number of attempts", "\n".join(body), "Scaling")


def _how_told(runs: Sequence[Results]) -> str:
    """What a curve of pass@N shows: an estimate, but of runs that stop at a solution the share itself."""
    stopped = [run.label for run in runs if run.draws and no_estimate(run)]
    told = "Share of problems that N attempts solve, with 95% intervals over problems"
    if not stopped:
        return f"{told}; estimated from all attempts."
    if len(stopped) == sum(run.draws > 0 for run in runs):
        return f"{told}; of the first N attempts, since none was made after a solution."
    return (
        f"{told}; estimated from all attempts, but of the first N for {', '.join(stopped)}, which stopped at solutions."
    )


def _said(curves: Sequence[Curve | CostCurve]) -> str:
    """Curves in words: where each begins and ends."""
    told = []
    for one in curves:
        values = one.solved if isinstance(one, CostCurve) else one.value
        told.append(
            f"{one.label}: {100 * values[0]:.1f}% at {one.n[0]:,} attempts, {100 * values[-1]:.1f}% at {one.n[-1]:,}."
        )
    return " ".join(told)


# --- runs against each other ----------------------------------------------------------------------


def head_to_head(found: Sequence[Comparison], refused: Sequence[str]) -> Section | None:
    """Who solved what the others did not, and whether that is chance."""
    if not found and not refused:
        return None
    body = [warning(text) for text in refused]
    for comparison in found:
        body.append(heading(comparison.benchmark, len(found) > 1))
        body.extend(warning(text) for text in comparison.warnings)
        body.append(table(result_tables.significance(comparison.differences)))
        body.append(
            "<ul class='hints'>"
            + "".join(f"<li>{note(f'{one.a} and {one.b}: {one.hint}.')}</li>" for one in comparison.differences)
            + "</ul>"
        )
        body.append(table(result_tables.head_to_head(comparison.head_to_head)))
        body.append(table(result_tables.scores(comparison)))
        body.append(table(result_tables.problem_sets(comparison)))
    return Section("compared", "Head to head", "\n".join(body))


def mutation(runs: Sequence[Results], seed: int) -> Section | None:
    """What became of problems whose statement was changed."""
    if not any(run.manifest.benchmark.mutation for run in runs):
        return None
    try:
        provers, alone = pair_runs(runs)
        if not provers:
            return None
        found = compare_mutation(provers, allow_mixed=True, seed=seed)
    except InputError as error:
        return Section("mutation", "Under mutation", warning(str(error)))
    body = [warning(text) for text in found.warnings]
    body += [note(f"{run.label} on {run.manifest.benchmark.name} has no counterpart.") for run in alone]
    body.append(table(result_tables.transitions(found.tallies)))
    body.append(table(result_tables.transitions(found.by_operator), fold="By operator"))
    body.append(table(result_tables.significance(found.drops)))
    grid = found.grid()
    told = " ".join(
        f"{one.label}: {one.both_solved:,} both solved, {one.lost:,} lost, {one.gained:,} gained, "
        f"{one.both_failed:,} both failed, {one.not_told:,} not told."
        for one in found.tallies
    )
    about = "A row a pair of original and mutation, a column a prover. Lost: only the original is solved."
    body.append(picture(pictures.svg(pictures.grid(grid), f"{grid.label}\n{told}"), about))
    return Section("mutation", "Under mutation", "\n".join(body), "Mutation")


# --- what is not solved ---------------------------------------------------------------------------


def domains(benchmarks: Benchmarks, found: Sequence[Comparison]) -> Section:
    """What the benchmark is made of, and what of it stays unsolved."""
    compared = {comparison.benchmark: comparison for comparison in found}
    body = []
    for name, runs in benchmarks.items():
        left_out = len(compared[name].left_out) if name in compared else 0
        if name in compared:
            parts = [_of_compared(one) if left_out else one for one in compared[name].make_ups()]
        else:
            parts = [part for run in runs for part in _made_up(run, len(runs) > 1)]
        body.append(heading(name, len(benchmarks) > 1))
        if left_out:
            which = plural(left_out, "problem")
            body.append(note(f"Without {which} that not all of the runs have, or not with the same statement."))
        body.append(_donuts(parts))
        body.append(table(result_tables.shares("Problems by domain", parts), fold="In numbers"))
    return Section("domains", "What the problems are about", "\n".join(body), "Domains")


def _of_compared(one: Shares) -> Shares:
    return replace(one, title=one.title.replace("all problems", "all problems that are compared"))


def _made_up(run: Results, named: bool) -> list[Shares]:
    """All problems of a run, its unsolved ones, and those that nobody could solve because Lean refuses them."""
    whose = f"{run.label}: " if named else ""
    unsolved = [at for at, attempts in enumerate(run.solved) if run.fit[at] and not attempts.any()]
    unfit = [at for at, fit in enumerate(run.fit) if not fit]
    found = [make_up(run.goals, f"{whose}all problems")]
    found.append(make_up([run.goals[at] for at in unsolved], f"{whose}unsolved problems"))
    if unfit:
        found.append(make_up([run.goals[at] for at in unfit], f"{whose}unfit problems, which Lean refuses"))
    return found


def errors(runs: Sequence[Results]) -> Section:
    """What failed attempts died of."""
    found = [error_shares(run) for run in runs]
    body = _donuts(found) + table(result_tables.shares("Failed attempts by what went wrong", found), fold="In numbers")
    about = paragraph(
        "Of each failed attempt, the class of the error that Lean's others follow from, in its last round."
    )
    return Section("failures", "What failed attempts died of", about + body, "Failures")


def _donuts(several: Sequence[Shares]) -> str:
    shown = [one for one in several if one.total]
    if not shown:
        return note("There are none.")
    order = list(dict.fromkeys(name for one in shown for name, _ in one.parts))
    return row_of([picture(pictures.svg(pictures.donut(one, order), _parts(one)), "") for one in shown], "pictures")


def _parts(one: Shares) -> str:
    return f"{one.title}\n{one.total:,} in all: " + ", ".join(f"{name} {count:,}" for name, count in one.parts)


def rules(runs: Sequence[Results]) -> Section:
    """Where the shared verdict and the paper's rule disagree."""
    about = paragraph(
        "A proof counts under the shared verdict. The paper's rule (the statement stands in it verbatim, no sorry, no "
        "error) is reported beside it; here is every round about which the two differ."
    )
    body = [about]
    for run in runs:
        found = result_tables.disagreements(run, disagreements(run))
        left = len(found.rows) - MOST_DISAGREEMENTS
        more = f"; shown here are the first {MOST_DISAGREEMENTS:,}, without {left:,} more" if left > 0 else ""
        rows = found.rows[:MOST_DISAGREEMENTS]
        if rows:
            body.append(table(Table(found.title, found.columns, rows, found.note + more + ".")))
        else:
            body.append(note(f"{run.label}: none. {found.note.capitalize()}."))
    return Section("rules", "Verdict against the paper's rule", "\n".join(body), "Rules")


def reported(benchmarks: Benchmarks, seed: int) -> Section | None:
    """What the paper prints about the same benchmarks, apart from what was measured here."""
    body = []
    for name, runs in benchmarks.items():
        theirs = published(name)
        if not theirs:
            continue
        curves = [curve(run, seed=seed) for run in runs if run.draws]
        beside = scaling_beside(name)
        about = f"Results that {PAPER} prints, without its ablations, as hollow markers; full ones were measured here."
        figure = pictures.svg(
            pictures.curves(curves, beside), f"pass@N on {name}, ours and reported\n{about} {_said(curves)}"
        )
        body.append(heading(name, len(benchmarks) > 1))
        body.append(picture(figure, about))
        body.append(table(result_tables.published_rows(theirs), fold=f"All {len(theirs):,} results, as reported"))
    if not body:
        return None
    mark = paragraph(
        f"Nothing in the tables of this section was measured here: the numbers stand in {PAPER}, for other statements, "
        "Lean versions and judges than those of the runs above."
    )
    return Section("reported", "Reported by others", f'<div class="theirs">{mark}{"".join(body)}</div>', "Others")


# --- what it cost ---------------------------------------------------------------------------------


def cost(benchmarks: Benchmarks, models: Mapping[Path, Architecture], seed: int) -> Section:
    """What runs cost, and what they solved for it. `models` has architectures by the folders of runs."""
    body = []
    for name, every in benchmarks.items():
        runs = [run for run in every if run.draws]
        body.append(heading(name, len(benchmarks) > 1))
        if not runs:
            body.append(note("No attempts yet."))
            continue
        reports = [cost_report(run, models.get(run.folder)) for run in runs]
        body.append(table(result_tables.cost_rows(reports)))
        body.append(table(result_tables.round_costs(reports)))
        known = [models[run.folder] for run in runs if run.folder in models]
        body.extend(_against_cost(runs, name, known if len(known) == len(runs) else None, seed))
    about = paragraph(
        "ETC is the paper's effective token complexity. Beside it stands what it leaves out: what Lean, the sampler "
        "and the clock took, and where an architecture is given, FLOPs."
    )
    return Section("cost", "Cost", about + "\n".join(body))


def _against_cost(runs: Sequence[Results], name: str, models: Models, seed: int) -> Iterator[str]:
    stops = any(run.manifest.stop_when_solved for run in runs)
    drawn = []
    tables = []
    for measure in (("flops", "flops-cached") if models is not None else ()) + _MEASURES:
        try:
            curves = cost_curves(runs, measure, models, stop_at_first=stops, seed=seed)
            figure = pictures.svg(pictures.cost(curves), f"Solved against {measure} on {name}\n{_said(curves)}")
            drawn.append(picture(figure, f"Solved against {measure}: {MEASURES[measure].about}; mean of a problem."))
            if len(runs) > 1:
                tables.append(
                    table(result_tables.matched_cost(matched(runs, measure, models, stop_at_first=stops, seed=seed)))
                )
        except InputError as error:
            yield note(f"No curve: {error}.")
    yield row_of(drawn, "pictures")
    yield from tables


def funnel(corpus: Path) -> Section:
    """What became of a corpus on its way to training."""
    steps = corpus_funnel(corpus)
    if not steps:
        return Section("corpus", "Corpus", note("Nothing is known of how it was made."))
    figure = pictures.svg(pictures.funnel(steps), f"Corpus funnel\n{' '.join(map(_parts, steps))}")
    about = f"Rows of {corpus.name}, stage by stage: what each read, kept (plain) and dropped (hatched)."
    body = [picture(figure, about), *(table(result_tables.shares(step.title, [step])) for step in steps)]
    return Section("corpus", "Corpus", "\n".join(body))
