"""`pythagoras corpus`: make, clean, look at and export what provers learn from."""

from __future__ import annotations

import typer

from pythagoras.cli import corpus_build, corpus_clean, corpus_make, corpus_stats, corpus_train

app = typer.Typer(
    help="What provers learn from: make it, clean it, look at it, export it. Every step can be killed and goes on.",
    no_args_is_help=True,
)
app.command("build")(corpus_build.build)
app.command("funnel")(corpus_build.funnel)
app.command("recipe")(corpus_build.recipe)
app.command("generate")(corpus_make.generate)
app.command("families")(corpus_make.families)
app.command("import")(corpus_make.import_)
app.command("sources")(corpus_make.sources)
app.command("stats")(corpus_stats.stats)
app.command("dedup")(corpus_clean.dedup)
app.command("decontaminate")(corpus_clean.decontaminate)
app.command("consistency")(corpus_train.consistency)
app.command("filter")(corpus_train.filter_)
app.command("export")(corpus_train.export)
