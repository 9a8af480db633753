"""`pythagoras corpus dedup|decontaminate`: what must not be in a corpus twice, or at all."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pythagoras.cli.console import Json, batch_progress, err, fitting_progress, out
from pythagoras.cli.corpus_run import Corpora, Kind, Out, Overwrite, carry_out, plan_over, records_of

if TYPE_CHECKING:
    from pythagoras.corpus.stages import Item
    from pythagoras.corpus.store import Store

Cache = Annotated[Path | None, typer.Option(help="Where embeddings are kept. Default: in the cache folder.")]


def dedup(
    corpora: Corpora,
    folder: Out,
    tau: Annotated[float, typer.Option(help="Cosine from which on two rows are near duplicates.")] = 0.75,
    embedder: Annotated[
        str,
        typer.Option(help="static (fast), minilm, gte-qwen2 (the paper's), a sentence-transformers model, or none."),
    ] = "minilm",
    method: Annotated[str, typer.Option(help="whole: all rows; chunks: the paper's; exact: all with all.")] = "whole",
    linkage: Annotated[
        str | None,
        typer.Option(
            help="cluster: one survivor a cluster, the default; direct: only rows near a kept one go; "
            "pair: the paper's, the default with chunks."
        ),
    ] = None,
    neighbours: Annotated[int, typer.Option(min=1, help="With chunks: how many neighbours of a row (top-k).")] = 10,
    text: Annotated[
        str, typer.Option(help="Which text stands for a row: informal or formal; the other if it is empty.")
    ] = "informal",
    source: Annotated[
        list[str] | None, typer.Option(help="Sources whose rows stay first, within a tier; may be repeated, in order.")
    ] = None,
    kind: Kind = None,
    cache: Cache = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Keep one of rows that say the same. A row that is dropped is told with its survivor and their similarity.

    Same texts, and Lean statements that differ in names only, are found without a model; near duplicates by embeddings,
    which are computed once. The harder tier stays; then the source named first; then the earlier row.
    """
    from pythagoras.corpus.dedup import DedupSettings, find_duplicates
    from pythagoras.corpus.files import read_items
    from pythagoras.stages.embedders import ready_embedder_or_none

    settings = DedupSettings(
        tau=tau,
        method=method,
        linkage=linkage or ("pair" if method == "chunks" else "cluster"),
        k=neighbours,
        text=text,
        sources=tuple(source or ()),
    )
    chosen = {**asdict(settings), "embedder": embedder}
    plan = plan_over("dedup", corpora, folder, chosen, kind=kind, overwrite=overwrite, twice=True)
    items: Iterable[Item] = ()
    if not plan.finished:
        with fitting_progress() as on_fit:
            model = ready_embedder_or_none(embedder, cache, on_fit)
        with batch_progress("searching", None) as advance:
            duplicates = find_duplicates(
                lambda: read_items(corpora, kind), model, settings, lambda phase, rows: advance(rows, phase)
            )
        items = duplicates.decided(read_items(corpora, kind))
        if far := duplicates.far_from_survivor(tau):
            err.print(
                f"{far:,} rows go though they are not near their survivor: --linkage direct keeps them", markup=False
            )
    carry_out(plan, items, json=json)


def decontaminate(
    corpora: Corpora,
    folder: Out,
    against: Annotated[
        list[str],
        typer.Option(help="A benchmark: corebench, a file, a folder or a known set; or a corpus. May be repeated."),
    ],
    stages: Annotated[
        str, typer.Option(help="Which of the five to run. The paper runs the first three against mutated benchmarks.")
    ] = "surface,ngram,embedding,structure,template",
    discount: Annotated[
        bool, typer.Option("--discount/--plain-ngrams", help="Whether n-grams that are common in Lean say nothing.")
    ] = True,
    tau: Annotated[
        float | None, typer.Option(help="Cosine to an item's informal text that is too much. Default: by embedder.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="static, minilm, gte-qwen2, or a sentence-transformers model.")
    ] = "static",
    second: Annotated[
        str,
        typer.Option(help="Who has the last word where the first finds something near. auto: minilm after static."),
    ] = "auto",
    lean: Annotated[
        bool, typer.Option("--lean/--no-lean", help="Whether Lean compares statements by their types, too.")
    ] = True,
    all_hits: Annotated[
        bool, typer.Option("--all-hits", help="Ask every stage about every row, for a report on them.")
    ] = False,
    kind: Kind = None,
    cache: Cache = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Drop rows that benchmarks would recognise: by hash, n-grams, embedding, structure or proof template.

    Every row that goes is kept in the folder's `rejected`, with the stage, the benchmark's item and the evidence.
    """
    from pythagoras.corpus.decontamination.sweep import DecontaminationSettings
    from pythagoras.corpus.files import read_items
    from pythagoras.stages.cleaning import Cleaning

    names = tuple(name.strip() for name in stages.split(","))
    settings = DecontaminationSettings(stages=names, discount=discount, tau=tau, all_hits=all_hits)
    cleaning = Cleaning(tuple(against), settings, embedder, second, lean, cache)
    plan = plan_over("decontaminate", corpora, folder, cleaning.chosen, kind=kind, overwrite=overwrite, twice=True)
    if plan.finished:
        _show_ngrams(carry_out(plan, (), json=json, show_tally=all_hits), json)
        return
    with ExitStack() as stack:
        with fitting_progress() as on_fit:
            sweep = stack.enter_context(cleaning.opened(on_fit))
        sweep.learn(records_of("learning what is common", corpora, kind, []))
        rows = read_items(corpora, kind)
        store = carry_out(plan, rows, sweep.decide, sweep.tally, json=json, show_tally=all_hits)
    _show_ngrams(store, json)
    for note in sweep.report().notes:
        err.print(note, markup=False)


def _show_ngrams(store: Store, json: bool) -> None:
    """What the paper's rule about n-grams would drop, and what ours does."""
    tally = store.manifest.funnel[-1].tally
    rows = tally.get("n-gram rows", 0)
    if rows and not json:
        plain, ours = (tally.get(f"n-gram {rule}", 0) for rule in ("plain", "discounted"))
        shares = f"any shared n-gram {plain:,} ({plain / rows:.2%}), telling ones {ours:,} ({ours / rows:.2%})"
        out.print(f"n-grams, of {rows:,} rows that came to them: {shares}", markup=False)
