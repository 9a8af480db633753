"""`pythagoras run --emit`: a recipe of lab size as files that others' trainers run."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import Json, batch_progress, err, out, print_json
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.recipes import Changes, RecipeName, read
from pythagoras.cli.train import Against, held_out_of, known_benchmarks, records, split_build

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
    from pythagoras.corpus.files import fingerprint, row_count
    from pythagoras.train.accounts import Account
    from pythagoras.train.emit import emit as write
    from pythagoras.train.rl.problems import read_goals, without_benchmarks

    _, training = read(recipe, changes)
    learned, _ = split_build(corpus)
    statements = statements_of(corpus, held_out)
    items, benchmarks = known_benchmarks(against)
    account = Account()
    goals = list(
        without_benchmarks(chain.from_iterable(read_goals(path, account) for path in statements), items, account)
    )
    inputs = {str(path): fingerprint(path) for path in (*learned, *statements)} | benchmarks
    with batch_progress("emit", row_count(learned, "instance")) as advance:
        before = 0

        def tell(read: int, dropped: int) -> None:
            nonlocal before
            advance(read - before, f"{dropped:,} left out" if dropped else "")
            before = read

        made = write(
            recipe,
            training,
            records(learned),
            (lambda: iter(goals)) if statements else None,
            emit,
            inputs=inputs,
            overwrite=overwrite,
            on_progress=tell,
        )
    if json:
        print_json({**made.as_dict(), "not_for_rl": dict(account.left_out)})
        return
    for what, rows in (("SFT", made.sft), ("RL", made.rl)):
        told = ", ".join(f"{count:,} {tier.value}" for tier, count in rows.items())
        out.print(f"{what}: {told or 'nothing'}", markup=False)
    if not statements:
        err.print("No statements were given for RL, so only SFT is written: name some with --held-out", markup=False)
    for why, count in made.left_out.items():
        err.print(f"{count:,} instances are left out: {why}", markup=False)
    for why, count in account.left_out.items():
        err.print(f"{count:,} held-out records are left out: {why.value}", markup=False)
    out.print(f"What to run, in order: {emit / 'README.md'}", markup=False)


def statements_of(corpora: list[Path], held_out: list[Path] | None) -> list[Path]:
    """Where the statements of reinforcement learning are: as somebody says, or what builds hold out."""
    if held_out is not None:
        return held_out
    return [place for path in corpora for place in held_out_of(path)]
