"""The tables of an evaluation, made of what `passn`, `cost`, `compare`, `significance` and `failures` found.

Nothing is computed here but sums and percentages. What others published has a table of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.evaluate.analysis.alignment import labels_of
from pythagoras.evaluate.analysis.compare import Comparison, HeadToHead
from pythagoras.evaluate.analysis.cost import CostReport, Round, etc, etc_of_rounds
from pythagoras.evaluate.analysis.cost_curves import Matched
from pythagoras.evaluate.analysis.failures import PublishedShares, Shares
from pythagoras.evaluate.analysis.mutation import Tally
from pythagoras.evaluate.analysis.passn import Curve, Disagreements, Over, no_estimate, pass_table
from pythagoras.evaluate.analysis.published import PAPER, PublishedResult, published_figures, published_rounds
from pythagoras.evaluate.analysis.significance import ALPHA, Difference
from pythagoras.evaluate.results import Results
from pythagoras.evaluate.shown.facts import facts_of
from pythagoras.evaluate.shown.tables import AT_LEAST, Cell, Table, interval, percent, without_empty

# --- runs ----------------------------------------------------------------------------------------


def run_facts(runs: Sequence[Results]) -> Table:
    """What was measured, by whom and how; a column a run."""
    facts = [facts_of(run) for run in runs]
    names = list(dict.fromkeys(name for one in facts for name in one))
    return _turned("What was run", labels_of(runs), {name: [one.get(name) for one in facts] for name in names})


def counts(runs: Sequence[Results]) -> Table:
    """What became of all attempts that were asked for, and that the counts add up; a column a run."""
    found = [run.counts() for run in runs]
    rows: dict[str, list[Cell]] = {
        "problems": [one.problems for one in found],
        "… solved": [one.solved for one in found],
        "… refused by Lean": [one.unfit for one in found],
        "attempts wanted": [one.wanted for one in found],
        "… missing": [one.missing for one in found],
        "… drawn": [one.drawn for one in found],
        "drawn and proved": [one.proved for one in found],
        "drawn and rejected": [one.rejected for one in found],
        "drawn and timed out": [one.timeout for one in found],
        "drawn, no verdict": [one.unjudged for one in found],
        "adds up": ["yes" if one.adds_up else "NO" for one in found],
    }
    note = "wanted = missing + drawn; drawn = proved + rejected + timed out + no verdict"
    return _turned("Problems and attempts", labels_of(runs), rows, note)


def pass_rows(runs: Sequence[Results], *, over: Over = "all", seed: int = 0) -> Table:
    """pass@N of each run on the log grid: the paper's, estimated from all attempts, and under the paper's rule."""
    columns = ("run", "N", "solved", "pass@N %", "interval", "estimate %", "its interval", "paper's rule %")
    rows: list[tuple[Cell, ...]] = []
    variants = False
    for label, run in zip(labels_of(runs), runs, strict=True):
        for row in pass_table(run, over=over, seed=seed):
            at, guess, paper = row.verdict, row.verdict_estimate, row.paper
            variants = variants or at.variants
            solved = f"{f'{AT_LEAST} ' if at.short else ''}{at.solved:,}/{at.problems:,}"
            found = (solved, percent(at.share, at_least=at.short > 0), _between(at.low, at.high))
            estimated: tuple[Cell, Cell] = (None, None)
            if guess:
                estimated = (percent(guess.value, at_least=guess.short > 0), _between(guess.low, guess.high))
            rows.append((label, row.n, *found, *estimated, percent(paper.share, at_least=paper.short > 0)))
    notes = [
        f"pass@N: share solved by the first N attempts, with {_pass_interval(variants)}",
        "estimate: from all attempts, with a 95 % bootstrap interval over "
        + ("originals, variants of one together" if variants else "problems"),
        *(
            [f"{AT_LEAST}: a lower bound, since attempts that are missing or have no verdict count as failed"]
            if any(AT_LEAST in str(cell) for row in rows for cell in row[2:])
            else []
        ),
        *(f"{label}: {why}" for label, run in zip(labels_of(runs), runs, strict=True) if (why := no_estimate(run))),
    ]
    title = "pass@N" if over == "all" else "pass@N on the statements that Lean takes"
    return Table(title, columns, tuple(rows), "; ".join(notes))


def _pass_interval(variants: bool) -> str:
    wilson = "Wilson's 95 % interval"
    return f"a 95 % bootstrap interval over originals; where problems stand alone, {wilson}" if variants else wilson


def _between(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f}"


def scaling(curves: Sequence[Curve]) -> Table:
    """pass@N of several runs side by side, a row an N."""
    budgets = sorted({n for curve in curves for n in curve.n})
    points = [dict(zip(curve.n, _intervals(curve), strict=True)) for curve in curves]
    rows: list[tuple[Cell, ...]] = [(n, *(found.get(n) for found in points)) for n in budgets]
    columns = ("N", *(curve.label for curve in curves))
    bounds = any(any(curve.short) for curve in curves)
    note = "in percent, with 95 % intervals" + (
        f"; {AT_LEAST}: a lower bound, since attempts are missing or have no verdict" if bounds else ""
    )
    return Table("Share solved by N attempts", columns, tuple(rows), note)


def _intervals(curve: Curve) -> list[str]:
    short = curve.short or (0,) * len(curve.n)
    points = zip(curve.value, curve.low, curve.high, short, strict=True)
    return [interval(value, low, high, at_least=lacking > 0) for value, low, high, lacking in points]


def disagreements(run: Results, found: Disagreements) -> Table:
    """Rounds that the shared verdict and the paper's rule judge differently. Attempts and rounds count from 1 here."""
    rows: list[tuple[Cell, ...]] = [
        (one.goal, one.number + 1, one.round + 1, *_two_words(one.proved), one.reason, one.detail)
        for one in found.listed
    ]
    note = (
        f"of {found.rounds:,} rounds both accept {found.both_accept:,} and refuse {found.both_refuse:,}; the paper's "
        f"rule can't be told of {found.paper_not_told:,}; {found.unjudged:,} have no verdict; {len(rows):,} are listed"
    )
    columns = ("problem", "attempt", "round", "verdict", "paper's rule", "reason", "detail")
    return Table(f"{run.label}: where the verdict and the paper's rule disagree", columns, tuple(rows), note)


def published_rows(results: Sequence[PublishedResult]) -> Table:
    """What others report. It stands beside our tables, and nothing of it is in them."""
    rows: list[tuple[Cell, ...]] = []
    for one in results:
        counted = (round(one.value), one.total) if one.unit == "solved" else (None, None)
        whose = "copied there" if one.copied else "measured there"
        printed = f"{one.value:g}" if one.unit == "percent" else f"{100 * one.share:.1f}"
        what = (one.method, one.params or None, one.protocol, one.n or None, printed)
        rows.append((*what, *counted, one.table, whose, one.note))
    columns = ("prover", "size", "protocol", "N", "reported %", "solved", "of", "table", "by whom", "note")
    names = ", ".join(dict.fromkeys(one.benchmark for one in results))
    note = "Nothing in this table was measured here."
    return without_empty(Table(f"{names}: as reported in {PAPER}", columns, tuple(rows), note))


def published_analysis(benchmark: str) -> Table | None:
    """What the paper's analysis prints about a benchmark, of its own panel of provers. None where it has nothing."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.about,
            one.what,
            f"{one.value:.2f}" if one.unit == "percent" else f"{one.value:g}",
            one.unit,
            one.count,
            one.total,
            one.note,
        )
        for one in published_figures("sec:minif2f_analysis")
        if one.of == benchmark
    )
    if not rows:
        return None
    columns = ("about", "what", "reported", "unit", "count", "of", "note")
    note = "Nothing in this table was measured here; the panel is of four provers."
    return without_empty(Table(f"{benchmark}: the analysis in {PAPER}, as reported", columns, rows, note))


def published_round_costs() -> Table:
    """The mean lengths that the paper prints of rounds, and the ETC that its equation gives for them."""
    rows: list[tuple[Cell, ...]] = []
    for method in dict.fromkeys(one.method for one in published_rounds()):
        rounds = [one for one in published_rounds() if one.method == method]
        for one in rounds:
            cost = etc(one.prompt, one.generated)
            who = (method, one.protocol, one.n, one.round)
            rows.append((*who, one.prompt, one.generated, cost, one.n * cost, one.note))
        if len(rounds) > 1:
            lengths = [Round(one.prompt, one.generated) for one in rounds]
            sums = (etc_of_rounds(lengths), etc_of_rounds(lengths, rounds[0].n))
            rows.append((method, rounds[0].protocol, rounds[0].n, "all", None, None, *sums, ""))
    lengths_of = ("prompt tokens", "generated tokens")
    columns = ("prover", "protocol", "N", "round", *lengths_of, "ETC an attempt", "ETC of N attempts", "note")
    note = "lengths as printed; nothing in this table was measured here"
    return Table(f"Rounds on PutnamBench, as reported in {PAPER}", columns, tuple(rows), note)


# --- comparisons ---------------------------------------------------------------------------------


def scores(comparison: Comparison) -> Table:
    """How many of the compared problems each run solved."""
    rows: list[tuple[Cell, ...]] = []
    for one in comparison.scores:
        share = percent(one.solved / one.problems, at_least=one.not_told > 0)
        estimate = percent(one.estimate, at_least=one.most > one.estimate)
        rows.append((one.label, one.problems, one.solved, one.failed, one.not_told, share, estimate))
    columns = ("run", "problems", "solved", "failed", "not told", f"pass@{comparison.n} %", "estimate %")
    title = f"{comparison.benchmark} at pass@{comparison.n}"
    note = "problems = solved + failed + not told; what is not told counts as unsolved, and makes shares lower bounds"
    return Table(title, columns, tuple(rows), note)


def problem_sets(comparison: Comparison) -> Table:
    """How many problems all runs solved, some failed at, and all failed at."""
    total = len(comparison.problems)
    sets = {
        "solved by all": comparison.solved_by_all,
        "at least one wrong": comparison.at_least_one_wrong,
        "… of them all wrong": comparison.all_wrong,
        "undecided": comparison.undecided,
        "all": comparison.problems,
    }
    rows = tuple((name, len(found), 100 * len(found) / total if total else None) for name, found in sets.items())
    note = "all = solved by all + at least one wrong + undecided"
    return Table(f"{comparison.benchmark}: problems by who solved them", ("set", "problems", "share %"), rows, note)


def head_to_head(pairs: Sequence[HeadToHead], where: str = "") -> Table:
    """For every pair of runs, who solved what the other did not. `where` tells several such tables apart."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        parts = [len(found) for found in (pair.both, pair.a_only, pair.b_only, pair.neither, pair.not_told)]
        rows.append((pair.a, pair.b, *parts, pair.disagreements, sum(parts)))
    columns = ("A", "B", "both", "A alone", "B alone", "neither", "not told", "disagreements", "problems")
    note = "problems = both + A alone + B alone + neither + not told"
    return Table(f"Head to head, {where}" if where else "Head to head", columns, tuple(rows), note)


def significance(found: Sequence[Difference], where: str = "") -> Table:
    """Whether one of two runs is ahead, or chance may have made the difference. `where` as in `head_to_head`."""
    columns = ("A", "B", "problems", "A %", "B %", "A - B, points", "low", "high", "A more", "B more", "not told")
    tests = ("p", "p (Holm)", "p (McNemar)", "verdict")
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        ahead = map(_points, (one.points, one.low, one.high))
        scored: list[Cell] = [one.a, one.b, one.problems, one.a_score, one.b_score, *ahead]
        counted = (one.a_more, one.b_more, one.not_told)
        rows.append((*scored, *counted, one.p, one.p_adjusted, one.p_mcnemar, one.verdict))
    at = ", ".join(f"{n:,}" for n in sorted({one.n for one in found}))
    note = (
        "95 % intervals by paired bootstrap over problems, variants of one original together, with one made-up "
        "problem for each side, so that few disagreements are not taken for none; p of a sign-flip test, "
        f"and corrected for the number of pairs by Holm's method; a verdict is given where that is below {ALPHA}"
    )
    if any(one.not_told or one.p_worst != one.p_adjusted for one in found):
        note += (
            "; problems that are not told count as unsolved, and nobody is called ahead who would not be if those of "
            "the one behind were solved"
        )
    title = f"Differences, {where}" if where else f"Differences at pass@{at}"
    return Table(title, (*columns, *tests), tuple(rows), note)


def transitions(tallies: Sequence[Tally]) -> Table:
    """What became of problems under mutation, by prover and where it is told by operator."""
    by_operator = any(one.operator for one in tallies)
    operator = ("operator",) if by_operator else ()
    rows: list[tuple[Cell, ...]] = []
    for one in tallies:
        parts = (one.both_solved, one.lost, one.gained, one.both_failed, one.not_told)
        rows.append(
            (one.label, *((one.operator or "all",) if by_operator else ()), *parts, one.pairs, _points(one.drop))
        )
    columns = ("prover", *operator, "both solved", "lost", "gained", "both failed", "not told", "pairs", "drop, points")
    note = "pairs of original and mutation = the five counts before; lost: only the original is solved"
    refused = max((one.refused for one in tallies), default=0)
    if refused:
        note += f"; of those not told, Lean refuses a statement of up to {refused:,}, which no drop counts"
    return Table("Outcomes under mutation", columns, tuple(rows), note)


# --- shares --------------------------------------------------------------------------------------


def shares(title: str, several: Sequence[Shares]) -> Table:
    """Parts of one or more wholes, with counts and percentages; the last row is the sum."""
    names = list(dict.fromkeys(name for one in several for name, _ in one.parts))
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        row: list[Cell] = [name]
        for one in several:
            count = sum(count for part, count in one.parts if part == name)
            row += [count, 100 * count / one.total if one.total else None]
        rows.append(tuple(row))
    sums: list[Cell] = ["all"]
    for one in several:
        sums += [sum(count for _, count in one.parts), 100.0 if one.total else None]
    columns = tuple(name for one in several for name in (one.title, f"{one.title} %"))
    return Table(title, ("part", *columns), (*rows, tuple(sums)))


def published_shares(one: PublishedShares) -> Table:
    """Shares as somebody else reports them."""
    return Table(one.title, ("part", "%"), one.percent, f"as reported in {one.source}; of {one.total:,}")


# --- cost ----------------------------------------------------------------------------------------


def cost_rows(reports: Sequence[CostReport]) -> Table:
    """What runs cost by every measure that is known; a column a run."""
    facts = [_costs(report) for report in reports]
    names = list(dict.fromkeys(name for one in facts for name in one))
    known = [name for name in names if any(one.get(name) is not None for one in facts)]
    notes = dict.fromkeys(f"{report.label}: {note}" for report in reports for note in report.notes)
    about = "a problem: a mean of the problems that Lean takes; S: pass@N of all problems times tokens a second"
    labels = [report.label for report in reports]
    rows = {name: [one.get(name) for one in facts] for name in known}
    return _turned("Cost", labels, rows, "; ".join((about, *notes)))


def round_costs(reports: Sequence[CostReport]) -> Table:
    """Mean lengths and cost of each round, as the paper's table of them has it."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (report.label, one.round, 100 * one.share, one.prompt_tokens, one.generated_tokens, one.etc)
        for report in reports
        for one in report.rounds
    )
    columns = ("run", "round", "attempts in it %", "prompt tokens", "generated tokens", "ETC of the means")
    return Table("Rounds", columns, rows)


def matched_cost(found: Sequence[Matched]) -> Table:
    """What runs solve at the same budget."""
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        difference = [None if value is None else _points(100 * value) for value in _difference(one)]
        bound = "at least" if one.unjudged or not one.within else ""
        rows.append((one.label, one.n, *_percents(one.share, one.low, one.high), bound, *difference))
    columns = ("run", "attempts", "solved %", "low %", "high %", "", "ahead of the first, points", "from", "to")
    budget = f" of {found[0].budget:.3g} {found[0].unit} a problem" if found else ""
    note = (
        "shares and costs are of the problems that Lean takes; 95 % intervals by bootstrap over problems, variants of "
        "one original together; at least: the run has spent less than the budget, or lacks verdicts"
    )
    return Table(f"Solved at a matched cost{budget}", columns, tuple(rows), note)


# --- parts of the above --------------------------------------------------------------------------


def _turned(title: str, labels: Sequence[str], rows: dict[str, list[Cell]], note: str = "") -> Table:
    """A column a run, a row a fact."""
    return Table(title, ("", *labels), tuple((name, *cells) for name, cells in rows.items()), note)


def _costs(report: CostReport) -> dict[str, Cell]:
    pairs, compute = report.etc, report.compute
    found: dict[str, Cell] = {
        "problems": report.problems,
        "attempts": report.attempts,
        "attempts a problem": float(report.n),
        "prompt tokens": float(report.prompt_tokens),
        "generated tokens": float(report.generated_tokens),
        "cached tokens": report.cached_tokens,
        "ETC an attempt, of mean lengths": pairs.means_per_attempt,
        "ETC a problem, of mean lengths": pairs.means_per_problem,
        "ETC an attempt, as recorded": pairs.per_attempt,
        "ETC a problem, as recorded": pairs.per_problem,
        "ETC in all, as recorded": pairs.total,
        "Lean, s": report.lean_seconds,
        "Lean, s, each attempt's proof by itself": report.lean_seconds_without_sharing,
        "sampler, s": report.sampler_seconds,
        "wall clock, s": report.wall_seconds,
        "generated tokens a second": report.tokens_per_second,
        "S, pass@N x tokens a second": report.score,
    }
    if compute:
        found |= {
            "architecture": compute.architecture,
            "FLOPs a problem": compute.per_problem,
            f"FLOPs a problem, prefix cache {compute.caching}": compute.cached_per_problem,
            "FLOPs in all": compute.total,
            f"FLOPs in all, prefix cache {compute.caching}": compute.cached_total,
            "KV cache, bytes a token": compute.cache_bytes_per_token,
            "KV cache, bytes at the longest": compute.cache_peak_bytes,
        }
    return found


def _percents(*values: float) -> tuple[float, ...]:
    return tuple(100 * value for value in values)


def _points(value: float) -> str:
    """A difference in percentage points, with its sign."""
    return f"{value:+.1f}"


def _difference(one: Matched) -> tuple[float | None, float | None, float | None]:
    return one.difference, one.difference_low, one.difference_high


def _two_words(proved: bool) -> tuple[str, str]:
    """The verdict and the paper's rule, which say the opposite."""
    return ("proved", "refuses") if proved else ("not proved", "accepts")
