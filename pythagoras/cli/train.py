"""`pythagoras train base|sft|rl|diffusion|curves`: provers from nothing, from a corpus, and from Lean's own word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json, training_progress
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.lean import Backend, Jobs
from pythagoras.cli.recipes import Changes, RecipeOption, read

if TYPE_CHECKING:
    from pythagoras.train.run_folder import OnStep, TrainingRun
    from pythagoras.train.settings import Training

app = typer.Typer(
    help="Train provers: a base model, curriculum SFT, reinforcement learning, diffusion.", no_args_is_help=True
)

Out = Annotated[
    Path, typer.Option("--out", "-o", help="The run's folder; the model is in FOLDER/model. Again: it goes on.")
]
Seed = Annotated[int | None, typer.Option(help="Default: the recipe's.")]
Model = Annotated[
    Path,
    typer.Option(
        "--model", "-m", help="What to begin with: a training run, a model's folder, or `embedded`, which ships."
    ),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads of torch. Default: OMP_NUM_THREADS, else one a core.")
]
Against = Annotated[
    list[str] | None,
    typer.Option(help="A benchmark to train on nothing of, beside CoreBench: a file or a known set. May be repeated."),
]


@app.command()
def base(
    folder: Out,
    against: Against = None,
    apart: Annotated[
        list[Path] | None,
        typer.Option(
            help="A corpus whose statements are not among the texts, or a build: what it holds out and validates on. "
            "May be repeated."
        ),
    ] = None,
    recipe: RecipeOption = "embedded",
    changes: Changes = None,
    seed: Seed = None,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """A tokenizer and a small model from scratch on generic Lean: what stands in for a pretrained model here."""
    from pythagoras.stages import training
    from pythagoras.stages.machine import Machine

    training.base(
        _settings(recipe, changes, seed),
        folder,
        _watched,
        against=against or (),
        apart=apart or (),
        machine=Machine(threads),
        overwrite=overwrite,
    )
    _report(folder, json=json)


@app.command()
def sft(
    corpora: Annotated[
        list[Path], typer.Argument(help="What to learn from: a build of `corpus build`, or corpora with proofs.")
    ],
    model: Model,
    folder: Out,
    validation: Annotated[
        list[Path] | None,
        typer.Option(help="Corpora whose loss is told after each stage. Default: a build's own validation."),
    ] = None,
    keep_stages: Annotated[
        bool, typer.Option("--keep-stages", help="Keep the model after each stage, in FOLDER/stages.")
    ] = False,
    recipe: RecipeOption = "embedded",
    changes: Changes = None,
    seed: Seed = None,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Fine-tune on a corpus with tiers: easy, then medium, then hard, each with its own learning rate.

    Settings are the recipe's section [sft]: LoRA or all parameters, the order, the length filter, packing. A run that
    was killed goes on with the same command, to the same weights.
    """
    from pythagoras.stages import training
    from pythagoras.stages.machine import Machine

    training.sft(
        _settings(recipe, changes, seed),
        corpora,
        model,
        folder,
        _watched,
        validation=validation,
        keep_stages=keep_stages,
        machine=Machine(threads),
        overwrite=overwrite,
    )
    _report(folder, json=json)


@app.command()
def rl(
    problems: Annotated[
        list[str],
        typer.Argument(
            help="Statements to prove: a build of `corpus build` (what it holds out), a corpus, or a published set."
        ),
    ],
    model: Model,
    folder: Out,
    mapping: Annotated[
        str | None,
        typer.Option("--as", help="How a published set is read: a name of `corpus sources`, or a TOML file."),
    ] = None,
    against: Against = None,
    backend: Backend = "embedded",
    jobs: Jobs = None,
    recipe: RecipeOption = "embedded",
    changes: Changes = None,
    seed: Seed = None,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Reinforcement learning: GRPO, rewarded by Lean's verdict, on problems that are neither too easy nor too hard.

    Settings are the recipe's section [rl]. Proofs that are found on the way are kept in FOLDER/proofs, with their
    verdicts. A run that was killed goes on with the same command.
    """
    from pythagoras.stages import training
    from pythagoras.stages.machine import Machine

    training.rl(
        _settings(recipe, changes, seed),
        problems,
        model,
        folder,
        _watched,
        mapping=mapping,
        against=against or (),
        machine=Machine(threads, backend, jobs),
        overwrite=overwrite,
    )
    _report(folder, json=json)


@app.command()
def diffusion(
    corpora: Annotated[
        list[Path], typer.Argument(help="What to learn from: a build of `corpus build`, or corpora with proofs.")
    ],
    model: Model,
    folder: Out,
    backend: Backend = "embedded",
    jobs: Jobs = None,
    recipe: RecipeOption = "embedded",
    changes: Changes = None,
    seed: Seed = None,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Block diffusion from an autoregressive model: proofs are masked by whole tactics, and filled in.

    Settings are the recipe's section [diffusion]. Lean's parser says where the tactics stand. A run that was killed
    goes on with the same command, to the same weights.
    """
    from pythagoras.stages import training
    from pythagoras.stages.machine import Machine

    training.diffusion(
        _settings(recipe, changes, seed),
        corpora,
        model,
        folder,
        _watched,
        machine=Machine(threads, backend, jobs),
        overwrite=overwrite,
    )
    _report(folder, json=json)


@app.command()
def pack(
    model: Annotated[Path, typer.Argument(help="A training run, or a model's folder.")],
    folder: Annotated[Path, typer.Option("--out", "-o", help="Where to write it.")],
) -> None:
    """A trained model in half precision, to hand on: half as large, and used like any other."""
    from pythagoras.generate.local import model_folder
    from pythagoras.train.model import pack as pack_model
    from pythagoras.train.threads import prepare

    prepare()
    pack_model(model_folder(model), folder)
    megabytes = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    err.print(f"written: {folder}, {megabytes:.1f} MB", markup=False)


@app.command()
def curves(
    folders: Annotated[list[Path], typer.Argument(help="Training runs, finished or not.")],
    picture: Annotated[Path, typer.Option(help="Draw them into this .png, .svg or .pdf.")],
    title: Annotated[str, typer.Option(help="Written over the picture.")] = "",
) -> None:
    """Loss and reward of training runs over their steps, as a picture."""
    from pythagoras.train.curves import draw_curves

    draw_curves(folders, picture, title=title)
    err.print(f"drawn: {picture}", markup=False)


def _settings(recipe: str, changes: list[str] | None, seed: int | None) -> Training:
    _, found = read(recipe, changes)
    return found if seed is None else found.model_copy(update={"seed": seed})


@contextmanager
def _watched(run: TrainingRun) -> Iterator[OnStep]:
    """Lines for a run whose folder is open."""
    with training_progress() as tell:
        _tell_if_it_goes_on(run)
        yield tell


def _tell_if_it_goes_on(run: TrainingRun) -> None:
    from pythagoras.train.run_folder import read_log

    if not run.finished and (lines := read_log(run.folder)):
        last = lines[-1]
        err.print(
            f"{run.folder} goes on behind its last checkpoint: it had come to {last['stage']}, step {last['step']:,}",
            markup=False,
        )


def _report(folder: Path, *, json: bool) -> None:
    """What the run came to, a line a stage."""
    from pythagoras.train.run_folder import read_log

    stages: dict[str, list[dict[str, Any]]] = {}
    for line in read_log(folder):
        stages.setdefault(line["stage"], []).append(line)
    rows = [_summary(stage, lines) for stage, lines in stages.items()]
    if json:
        print_json({"folder": str(folder), "model": str(folder / "model"), "stages": rows})
        return
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(*(name.replace("_", " ") for name in columns), box=None, pad_edge=False, header_style="bold")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*(_shown(row.get(name)) for name in columns))
    out.print(table)
    out.print(f"The model: {folder / 'model'}", markup=False)


def _summary(stage: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    steps = [line for line in lines if "loss" in line]
    shown = {"stage": stage, "steps": len(steps), "tokens": sum(line["tokens"] for line in steps)}
    seconds = sum(line["seconds"] for line in steps)
    speed = round(shown["tokens"] / seconds, 1) if seconds else None
    shown |= {"seconds": round(seconds, 1), "tokens_per_second": speed}
    for name in ("loss", "reward"):
        found = [line[name] for line in steps if line.get(name) is not None]
        if found:
            shown |= {f"first_{name}": round(found[0], 4), f"last_{name}": round(found[-1], 4)}
    checked = [line["validation_loss"] for line in lines if "validation_loss" in line]
    return shown | ({"validation_loss": round(checked[-1], 4)} if checked else {})


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
