"""`pythagoras corpus consistency|filter|export`: from a clean corpus to what a trainer reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json
from pythagoras.cli.corpus_run import Corpora, Kind, Out, Overwrite, carry_out, complain_of, plan_over, records_of

Prompt = Annotated[
    str,
    typer.Option(help="How statements are shown to the model: pythagoras, deepseek, goedel, noncot, kimina, compact."),
]


def consistency(corpora: Corpora, folder: Out, overwrite: Overwrite = False, json: Json = False) -> None:
    """Drop instances whose reasoning contradicts the proof that it comes with: another witness, method or answer."""
    from pythagoras.corpus.consistency import ConsistencyFilter
    from pythagoras.corpus.files import read_items

    stage = ConsistencyFilter()
    plan = plan_over("consistency", corpora, folder, {}, overwrite=overwrite)
    carry_out(plan, read_items(corpora), stage.decide, stage.tally, json=json)


def filter_(
    corpora: Corpora,
    folder: Out,
    tokenizer: Annotated[
        str,
        typer.Option(
            help="The model's own: hf:NAME (a folder or a model's name); or bytes, or lean, which are no model's."
        ),
    ],
    budget: Annotated[int, typer.Option(min=1, help="Tokens that fit; 4096 for diffusion.")] = 8192,
    mode: Annotated[str, typer.Option(help="dynamic, or for an ablation truncate or drop.")] = "dynamic",
    prompt: Prompt = "pythagoras",
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Make instances fit the model's context: with reasoning where that fits, else the proof alone, else not at all."""
    from pythagoras.corpus.files import read_items
    from pythagoras.corpus.length import LengthFilter, read_tally
    from pythagoras.corpus.tokenizers import open_tokenizer

    stage = LengthFilter(open_tokenizer(tokenizer), budget, mode, prompt)
    plan = plan_over("filter", corpora, folder, stage.settings, overwrite=overwrite)
    store = carry_out(plan, read_items(corpora), stage.decide, stage.tally, json=json, show_tally=False)
    if json:
        return
    report = read_tally(store.manifest.funnel[-1].tally)
    table = Table("tier", box=None, pad_edge=False, header_style="bold")
    for case in next(iter(report.cases.values()), {}):
        table.add_column(case.value, justify="right")
    for tier, cases in report.cases.items():
        table.add_row(tier.value, *(f"{count:,}" for count in cases.values()))
    out.print(table)


def export(
    corpora: Corpora,
    folder: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    to: Annotated[
        str, typer.Option(help="llamafactory, verl, trl, jsonl, paper (the paper's columns), parquet or datasets.")
    ],
    prompt: Prompt = "pythagoras",
    stages: Annotated[
        str, typer.Option(help="Tiers in the order of training; others are left out.")
    ] = "easy,medium,hard,alf",
    shuffle: Annotated[
        int | None, typer.Option(help="Shuffle inside each stage, with this seed. Default: as they come.")
    ] = None,
    held_out: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share of the statements kept apart for evaluation.")
    ] = 0.0,
    budget: Annotated[int, typer.Option(min=2, help="Tokens at which the trainer cuts.")] = 8192,
    model: Annotated[str, typer.Option(help="The model that the configuration names.")] = "Qwen/Qwen3-4B",
    verified: Annotated[bool, typer.Option("--verified", help="Only what Lean has judged proved.")] = False,
    kind: Kind = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a corpus for a trainer: one file a stage of the curriculum, in order, with the configuration for it."""
    from pythagoras.corpus.exports.export import export as write
    from pythagoras.corpus.exports.recipe import ExportSettings
    from pythagoras.corpus.files import fingerprint
    from pythagoras.corpus.records import Tier
    from pythagoras.corpus.rows import Fault
    from pythagoras.lookup import choose

    tiers = {tier.value: tier for tier in Tier}
    chosen = tuple(choose("tier", name.strip(), tiers) for name in stages.split(","))
    settings = ExportSettings(prompt, chosen, shuffle, held_out, budget, model, verified)
    inputs = {str(path): fingerprint(path) for path in corpora}
    faults: list[Fault] = []
    records = records_of("export", corpora, kind, faults)
    done = write(records, folder, to, settings, inputs=inputs, overwrite=overwrite)
    files = [str(path) for path in done.files]
    if json:
        rows = {tier.value: count for tier, count in done.rows.items()}
        print_json(
            {
                "folder": str(folder),
                "to": to,
                "files": files,
                "rows": rows,
                "held_out": done.held_out,
                "unfit": done.unfit,
                "left_out": done.left_out,
            }
        )
    else:
        for file in files:
            out.print(file, markup=False)
        counts = ", ".join(f"{tier.value} {count:,}" for tier, count in done.rows.items())
        left = f"; {done.left_out:,} rows of other tiers left out" if done.left_out else ""
        unfit = f"; {done.unfit:,} unfit" if done.unfit else ""
        out.print(f"{counts}; {done.held_out:,} held out{left}{unfit}", markup=False)
    for line in done.detail:
        err.print(line, markup=False)
    complain_of(faults, len(faults), f"; what could be is in {folder}")
