"""`pythagoras run --emit`: a recipe of lab size as files that others' trainers run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import Json, batch_progress, err, out, print_json
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.recipes import Changes, RecipeName, read
from pythagoras.cli.train import Against

HeldOut = Annotated[
    list[Path] | None,
    typer.Option(help="Statements for reinforcement learning. Default: what a build holds out, else none."),
]


def run(
    recipe: RecipeName,
    emit: Annotated[Path, typer.Option(help="The folder to write: configurations, data, and a README with commands.")],
    corpus: Annotated[
        list[Path], typer.Option(help="What SFT learns from: a build of `corpus build`, or corpora with proofs.")
    ],
    held_out: HeldOut = None,
    against: Against = None,
    changes: Changes = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a recipe's training as ready configurations: LLaMA-Factory and verl as in the paper, and TRL alone.

    The recipe's sections [sft], [rl] and [lab] say how. Nothing is trained here.
    """
    from pythagoras.stages.emitting import emit as write

    _, training = read(recipe, changes)
    with ExitStack() as stack:
        advance: Callable[[int, str], None] | None = None
        before = 0

        def begin(total: int | None) -> None:
            nonlocal advance
            advance = stack.enter_context(batch_progress("emit", total))

        def tell(read: int, dropped: int) -> None:
            nonlocal before
            assert advance is not None
            advance(read - before, f"{dropped:,} left out" if dropped else "")
            before = read

        made = write(
            recipe,
            training,
            corpus,
            emit,
            held_out=held_out,
            against=against or (),
            overwrite=overwrite,
            on_begin=begin,
            on_progress=tell,
        )
    if json:
        print_json({**made.emitted.as_dict(), "not_for_rl": dict(made.account.left_out)})
        return
    for what, rows in (("SFT", made.emitted.sft), ("RL", made.emitted.rl)):
        told = ", ".join(f"{count:,} {tier.value}" for tier, count in rows.items())
        out.print(f"{what}: {told or 'nothing'}", markup=False)
    if not made.statements:
        err.print("No statements were given for RL, so only SFT is written: name some with --held-out", markup=False)
    for why, count in made.emitted.left_out.items():
        err.print(f"{count:,} instances are left out: {why}", markup=False)
    for why, count in made.account.left_out.items():
        err.print(f"{count:,} held-out records are left out: {why.value}", markup=False)
    out.print(f"What to run, in order: {emit / 'README.md'}", markup=False)
