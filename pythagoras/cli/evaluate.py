"""`pythagoras eval`: measure provers, and look at the benchmark that comes with it."""

from __future__ import annotations

import json as json_module
import sys
from collections import Counter
from typing import Annotated

import typer
from rich.table import Table

from pythagoras.cli import eval_compare, eval_cost, eval_ladder, eval_report, eval_run
from pythagoras.cli.console import out, print_json

app = typer.Typer(
    help="Measure provers: run, cost, compare, ladder, report; and the benchmark that comes with it.",
    no_args_is_help=True,
)
app.command("run")(eval_run.run)
app.command("cost")(eval_cost.cost)
app.command("compare")(eval_compare.compare)
app.command("ladder")(eval_ladder.ladder)
app.command("report")(eval_report.report)
app.command("published")(eval_compare.published)


@app.command()
def corebench(
    split: Annotated[str | None, typer.Option(help="valid or test. Default: both.")] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Print the items as JSON lines in MiniF2F's shape, without proofs.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """CoreBench: competition-style statements over ℕ, ℤ and ℚ that any machine can check. What is in it.

    The valid half is for development, the test half for results. CoreBench-ALF, made from the test half by mutation,
    tells what is understood from what is remembered: `eval run corebench-alf`. No row of either is for training.
    """
    from pythagoras.evaluate.corebench import mutated
    from pythagoras.evaluate.corebench.items import SPLITS, as_rows, load, version
    from pythagoras.lookup import choose

    items = load(choose("split", split, SPLITS) if split else None)
    if rows:
        sys.stdout.writelines(json_module.dumps(row, ensure_ascii=False) + "\n" for row in as_rows(items))
        return
    topics = Counter((item.topic, item.level) for item in items)
    variants = 0 if split == "valid" else len(mutated.load())
    if json:
        counts = [{"topic": topic, "level": level, "items": count} for (topic, level), count in sorted(topics.items())]
        print_json({"version": version(), "items": len(items), "split": split, "topics": counts, "variants": variants})
        return
    table = Table("topic", box=None, pad_edge=False, header_style="bold")
    for name in ("level 1", "level 2", "level 3", "items"):
        table.add_column(name, justify="right")
    for topic in sorted({item.topic for item in items}):
        levels = [topics[topic, level] for level in (1, 2, 3)]
        table.add_row(topic.replace("_", " "), *map(str, levels), str(sum(levels)))
    out.print(f"CoreBench {version()}: {len(items)} statements\n", markup=False)
    out.print(table)
    if variants:
        out.print(f"\nCoreBench-ALF: {variants} variants of those in the test half", markup=False)
