"""One HTML file about runs: numbers, pictures, and every problem with its attempts. It needs no network and no server.

The page's own script is the only one that can run: its hash stands in the page's Content-Security-Policy.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.alignment import mixed, with_benchmark
from pythagoras.evaluate.domains import domain_of
from pythagoras.evaluate.report import sections
from pythagoras.evaluate.report.data import Browser, collect
from pythagoras.evaluate.report.embed import escaped, packed
from pythagoras.evaluate.report.limits import EMBED_BYTES, LONGEST_TEXT
from pythagoras.evaluate.report.markup import Section, plural
from pythagoras.evaluate.report.summary import summary
from pythagoras.evaluate.results import Results
from pythagoras.llm.architectures import Architecture

_SCRIPTS = ("lean.js", "dom.js", "blocks.js", "theme.js", "attempts.js", "browse.js")


def write_page(
    results: Sequence[Results],
    path: Path,
    *,
    title: str | None = None,
    corpus: Path | None = None,
    models: Architecture | Sequence[Architecture] | None = None,
    seed: int = 0,
    embed_bytes: int = EMBED_BYTES,
    longest_text: int = LONGEST_TEXT,
) -> None:
    """Write the report about one or several runs. All or nothing.

    `corpus` is the folder of one whose funnel is shown; `models` are architectures, for FLOPs: one for all runs, or
    one for each. Attempts whose texts do not fit into `embed_bytes` are counted in the page, but not shown; of what was
    written for one, the page has `longest_text` characters.
    """
    if not results:
        raise InputError("no run to report on: give the folders of one or more")
    runs = with_benchmark(results)
    labels = [run.label for run in runs]
    browser = collect(runs, domain_of, embed_bytes=embed_bytes, longest_text=longest_text)
    benchmarks = sections.by_benchmark(results, runs)
    found, refused = sections.comparisons(benchmarks, seed)
    parts = [
        summary(runs, mixed(runs, labels)),
        sections.scaling(benchmarks, seed),
        sections.head_to_head(found, refused),
        sections.mutation(results, seed),
        sections.domains(benchmarks, found),
        sections.errors(runs),
        sections.cost(benchmarks, _models(models, results), seed),
        sections.rules(runs),
        sections.reported(benchmarks, seed),
        sections.funnel(corpus) if corpus is not None else None,
    ]
    _write(path, _page(title or _title(labels), _lead(runs), [part for part in parts if part is not None], browser))


def _models(models: Architecture | Sequence[Architecture] | None, runs: Sequence[Results]) -> dict[Path, Architecture]:
    """The architecture of each run, by its folder."""
    if models is None:
        return {}
    each = [models] * len(runs) if isinstance(models, Architecture) else models
    if len(each) != len(runs):
        raise InputError(f"{len(each)} architectures for {len(runs)} runs: give one for all, or one for each")
    return {run.folder: model for run, model in zip(runs, each, strict=True)}


def _title(labels: Sequence[str]) -> str:
    return f"Evaluation of {labels[0]}" if len(labels) == 1 else f"Evaluation of {len(labels)} runs"


def _lead(results: Sequence[Results]) -> str:
    benchmarks = list(dict.fromkeys(found.manifest.benchmark.name for found in results))
    counts = [found.counts() for found in results]
    attempts, without = sum(one.drawn for one in counts), sum(one.unjudged for one in counts)
    judged = "each judged by Lean" if not without else f"of which {without:,} have no verdict"
    return f"{', '.join(benchmarks)}: {plural(attempts, 'attempt')}{f', {judged}' if attempts else ''}."


def _page(title: str, lead: str, parts: Sequence[Section], browser: Browser) -> Iterator[str]:
    """Piece by piece: it may be large."""
    script = "".join(_file(name) for name in _SCRIPTS)
    chunks = (
        f'<script type="text/plain" id="chunk-{at}">{chunk}</script>\n' for at, chunk in enumerate(browser.chunks)
    )
    filled: dict[str, str | Iterator[str]] = {
        "policy": _policy(script),
        "title": escaped(title),
        "style": _file("page.css"),
        "lead": escaped(lead),
        "links": "".join(part.link() for part in parts) + '<li><a href="#problems">Problems</a></li>\n',
        "sections": "\n".join(part.html() for part in parts),
        "embedded": escaped(_embedded(browser)),
        "made": "Made by pythagoras. This page loads nothing and keeps nothing.",
        "index": packed(browser.index),
        "chunks": chunks,
        "script": script,
    }
    first, *places = _file("page.html").split("{")  # in one pass: what is filled in may have braces of its own
    yield first
    for place in places:
        name, _, rest = place.partition("}")
        piece = filled[name]
        yield from [piece] if isinstance(piece, str) else piece
        yield rest


def _policy(script: str) -> str:
    """Nothing is loaded; styles may stand in the page, of scripts only ours."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _embedded(browser: Browser) -> str:
    """How much of the attempts is in the page, so that nobody takes a part for the whole."""
    if not browser.attempts:
        return "No attempts yet."
    which = "all" if browser.texts == browser.attempts else f"{browser.texts:,} of"
    told = f"Texts of {which} {plural(browser.attempts, 'attempt')} are in this page."
    if browser.same:
        told += f" {_have(browser.same)} the same Lean as one of these at the same problem, whose text stands for all."
    if browser.left:
        told += f" Of {browser.left:,} more there is only how they ended; their texts are in the runs' folders."
    if browser.cut:
        told += f" {plural(browser.cut, 'very long text')} of those in the page can be read in part only."
    return told


def _have(attempts: int) -> str:
    return "1 attempt has" if attempts == 1 else f"{attempts:,} attempts have"


def _file(name: str) -> str:
    return (importlib.resources.files(__package__) / name).read_text(encoding="utf-8")


def _write(path: Path, pieces: Iterable[str]) -> None:
    staging = path.with_name(f".{path.name}.staging")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with staging.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
        os.replace(staging, path)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}") from None
