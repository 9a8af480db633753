"""One HTML file about runs: numbers, pictures, and every problem with its attempts. It needs no network and no server.

The page's own script is the only one that can run: its hash stands in the page's Content-Security-Policy.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.alignment import labels_of, mixed
from pythagoras.evaluate.analysis.architectures import Architecture
from pythagoras.evaluate.domains import domain_of
from pythagoras.evaluate.report import sections
from pythagoras.evaluate.report.data import EMBED_BYTES, LONGEST_TEXT, Browser, collect
from pythagoras.evaluate.report.embed import escaped, packed
from pythagoras.evaluate.report.markup import Section
from pythagoras.evaluate.report.summary import summary
from pythagoras.evaluate.results import Results

_SCRIPTS = ("lean.js", "dom.js", "attempts.js", "browse.js")


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

    `corpus` is the folder of one whose funnel is shown; `models` are architectures, for FLOPs: one for
    all runs, or one for each. Attempts whose texts do not
    fit into `embed_bytes` are counted in the page, but not shown; texts are cut after `longest_text` characters.
    """
    if not results:
        raise InputError("no run to report on: give the folders of one or more")
    runs = _named(results)
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


def _named(results: Sequence[Results]) -> list[Results]:
    """The runs under labels that differ: where two have the same, the benchmark tells them apart, or the folder."""
    count = Counter(run.label for run in results)
    full = [f"{run.label}, {run.manifest.benchmark.name}" if count[run.label] > 1 else run.label for run in results]
    labels = full if len(set(full)) == len(full) else labels_of(results)
    return [
        replace(run, manifest=run.manifest.model_copy(update={"label": label}))
        for run, label in zip(results, labels, strict=True)
    ]


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
    attempts = sum(len(found.last_rounds) for found in results)
    return f"{', '.join(benchmarks)}: {attempts:,} attempts, each judged by Lean."


def _page(title: str, lead: str, parts: Sequence[Section], browser: Browser) -> str:
    script = "".join(_file(name) for name in _SCRIPTS)
    chunks = (
        f'<script type="text/plain" id="chunk-{at}">{chunk}</script>\n' for at, chunk in enumerate(browser.chunks)
    )
    filled = {
        "policy": _policy(script),
        "title": escaped(title),
        "style": _file("page.css"),
        "lead": escaped(lead),
        "links": "".join(part.link() for part in parts) + '<li><a href="#problems">Problems</a></li>\n',
        "sections": "\n".join(part.html() for part in parts),
        "embedded": escaped(_embedded(browser)),
        "made": "Made by pythagoras. This page loads nothing and keeps nothing.",
        "index": packed(browser.index),
        "chunks": "".join(chunks),
        "script": script,
    }
    places = _file("page.html").split("{")  # in one pass: what is filled in may have braces of its own
    return places[0] + "".join(filled[name] + rest for place in places[1:] for name, _, rest in [place.partition("}")])


def _policy(script: str) -> str:
    """Nothing is loaded; styles may stand in the page, of scripts only ours."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _embedded(browser: Browser) -> str:
    """How much of the attempts is in the page, so that nobody takes a part for the whole."""
    told = f"{browser.attempts:,} attempts, {browser.different:,} of them different; identical ones are shown once."
    if browser.shown < browser.attempts:
        left = browser.attempts - browser.shown
        told += f" Texts of {browser.shown:,} of {browser.attempts:,} attempts are in this page, {left:,} are not."
    else:
        told += " All of them are in this page."
    if browser.cut:
        told += f" Of {browser.cut:,} very long texts the page has the beginning."
    return told


def _file(name: str) -> str:
    return (importlib.resources.files(__package__) / name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    staging = path.with_name(f".{path.name}.staging")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staging.write_text(text, encoding="utf-8")
        os.replace(staging, path)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror or error}") from None
