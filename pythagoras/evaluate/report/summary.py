"""The first section: what came out of each run, how sure it is, and what exactly was run."""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.evaluate.analysis.passn import PassAt, pass_at
from pythagoras.evaluate.report.embed import escaped
from pythagoras.evaluate.report.markup import Section, facts, folded, percent, warning
from pythagoras.evaluate.results import Counts, Results
from pythagoras.evaluate.runs import Manifest
from pythagoras.evaluate.shown.facts import facts_of


def summary(runs: Sequence[Results], warnings: Sequence[str] = ()) -> Section:
    """A card a run: its headline number, counts that add up, and all that must be known to run it again."""
    alone = len(runs) == 1
    told = "".join(map(warning, warnings))
    cards = "".join(_card(run, alone) for run in runs)
    kind = "cards alone" if alone else "cards"
    return Section("summary", "Summary", f'{told}<div class="{kind}">{cards}</div>')


def sums(counts: Counts) -> tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]:
    """What must add up: a name, the whole, and its parts."""
    unsolved = counts.problems - counts.unfit - counts.solved
    return (
        ("problems", counts.problems, (("solved", counts.solved), ("unsolved", unsolved), ("unfit", counts.unfit))),
        ("attempts wanted", counts.wanted, (("drawn", counts.drawn), ("missing", counts.missing))),
        (
            "drawn",
            counts.drawn,
            (
                ("proved", counts.proved),
                ("rejected", counts.rejected),
                ("timeout", counts.timeout),
                ("no verdict", counts.unjudged),
            ),
        ),
    )


def _card(run: Results, alone: bool) -> str:
    manifest = run.manifest
    n = manifest.n
    headline = pass_at(run, max(n, 1))
    lower = " at least" if headline.short else ""
    told = facts([(name[0].upper() + name[1:], text) for name, text in facts_of(run).items()])
    return (
        f'<article class="card"><div><h3>{escaped(run.label)}</h3>'
        f'<p class="note">{escaped(_what(manifest))}</p>'
        f'<p class="headline"><b>{percent(headline.share)}</b><span>pass@{n:,}{lower}, {headline.solved:,} of '
        f"{headline.problems:,}</span></p>"
        f"{_gauge(headline)}"
        f'<p class="note">95% interval {percent(headline.low)} to {percent(headline.high)} (Wilson)</p>'
        f"{_sums(run.counts())}"
        f"</div>{told if alone else folded('What was run', told)}</article>\n"
    )


def _what(manifest: Manifest) -> str:
    mutation = ", mutated" if manifest.benchmark.mutation else ""
    lean = manifest.lean.version.split(",")[0]  # the commit stands among the facts
    return f"{manifest.benchmark.name}{mutation} · {manifest.protocol.name} · Lean {lean}"


def _gauge(found: PassAt) -> str:
    """The share as a bar, its interval as a line over it. Decoration: the numbers stand beside it."""
    low, high, value = (round(300 * share, 1) for share in (found.low, found.high, found.share))
    return (
        '<svg class="gauge" viewBox="0 0 300 14" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="track" x="0.5" y="3.5" width="299" height="7" rx="2"/>'
        f'<rect class="value" x="0" y="3" width="{value}" height="8" rx="2"/>'
        f'<path class="interval" d="M{low} 7H{high}M{low} 2V12M{high} 2V12" fill="none"/></svg>'
    )


def _sums(counts: Counts) -> str:
    lines = []
    for name, whole, parts in sums(counts):
        adds_up = whole == sum(count for _, count in parts)
        sides = " + ".join(f"{count:,} {escaped(part)}" for part, count in parts)
        sign = "=" if adds_up else '<span class="off">does not equal</span>'
        lines.append(f"<li><b>{whole:,}</b> {escaped(name)} {sign} {sides}</li>\n")
    return f'<ul class="sums" aria-label="Counts">{"".join(lines)}</ul>'
