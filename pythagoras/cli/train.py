"""`pythagoras train base|sft|rl|diffusion|curves`: provers from nothing, from a corpus, and from Lean's own word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli.console import Json, err, out, print_json, training_progress
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.lean import Backend, Jobs
from pythagoras.cli.recipes import Changes, RecipeOption, read
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.corpus.records import Record
    from pythagoras.train.run_folder import TrainingRun
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
    from pythagoras.train.base import train_base
    from pythagoras.train.run_folder import opened
    from pythagoras.train.threads import prepare

    settings = _settings(recipe, changes, seed)
    items, benchmarks = known_benchmarks(against)
    held = [place for path in apart or () for place in _not_learned(path)]
    inputs = {
        "benchmarks": benchmarks,
        "apart": _fingerprints(held),
        "threads": prepare(threads),
    }
    with (
        opened(folder, "base", settings.base, inputs, seed=settings.seed, overwrite=overwrite) as run,
        training_progress() as tell,
    ):
        _tell_if_it_goes_on(run)
        train_base(settings, run, tell, benchmarks=items, apart=_keys(held))
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
    from pythagoras.generate.local import model_folder
    from pythagoras.llm.weights import fingerprint_of
    from pythagoras.train.run_folder import opened
    from pythagoras.train.sft import train_sft
    from pythagoras.train.threads import prepare

    settings = _settings(recipe, changes, seed)
    start = model_folder(model)
    learned, checked = split_build(corpora)
    checked = validation if validation is not None else checked
    inputs = {
        "model": fingerprint_of(start),
        "corpora": _fingerprints(learned),
        "validation": _fingerprints(checked),
        "threads": prepare(threads),
    }
    with (
        opened(folder, "sft", settings.sft, inputs, seed=settings.seed, overwrite=overwrite) as run,
        training_progress() as tell,
    ):
        _tell_if_it_goes_on(run)
        train_sft(settings, records(learned), start, run, tell, validation=records(checked), keep_stages=keep_stages)
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
    from pythagoras.generate.local import model_folder
    from pythagoras.lean.backends import default_header, kind_of, open_checker
    from pythagoras.llm.weights import fingerprint_of
    from pythagoras.train.accounts import Account
    from pythagoras.train.rl.loop import train_rl
    from pythagoras.train.rl.problems import read_goals
    from pythagoras.train.run_folder import opened
    from pythagoras.train.threads import prepare

    settings = _settings(recipe, changes, seed)
    start = model_folder(model)
    sources = [str(place) for source in problems for place in (held_out_of(Path(source)) or (source,))]
    items, benchmarks = known_benchmarks(against)
    inputs = {
        "model": fingerprint_of(start),
        "problems": _fingerprints(sources),
        "mapping": mapping,
        "benchmarks": benchmarks,
        "backend": kind_of(backend),
        "threads": prepare(threads),
    }
    account = Account()
    goals = (goal for source in sources for goal in read_goals(source, account, mapping=mapping))
    with opened(folder, "rl", settings.rl, inputs, seed=settings.seed, overwrite=overwrite) as run:
        if not run.finished:
            with (
                open_checker(backend, jobs=jobs, header=default_header(backend)) as checker,
                training_progress() as tell,
            ):
                _tell_if_it_goes_on(run)
                train_rl(settings, goals, start, checker, run, tell, account=account, benchmarks=items)
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
    from pythagoras.generate.local import model_folder
    from pythagoras.lean.backends import default_header, kind_of, open_checker
    from pythagoras.llm.weights import fingerprint_of
    from pythagoras.train.diffusion.training import train_diffusion
    from pythagoras.train.run_folder import opened
    from pythagoras.train.threads import prepare

    settings = _settings(recipe, changes, seed)
    start = model_folder(model)
    learned, _ = split_build(corpora)
    inputs = {
        "model": fingerprint_of(start),
        "corpora": _fingerprints(learned),
        "backend": kind_of(backend),
        "threads": prepare(threads),
    }
    with opened(folder, "diffusion", settings.diffusion, inputs, seed=settings.seed, overwrite=overwrite) as run:
        if not run.finished:
            header = default_header(backend)
            with open_checker(backend, jobs=jobs, header=header) as checker, training_progress() as tell:
                _tell_if_it_goes_on(run)
                train_diffusion(settings, records(learned), start, checker, run, tell, header=header)
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


def known_benchmarks(others: list[str] | None) -> tuple[list[Record], dict[str, str]]:
    """What must not be trained on, CoreBench first, and by what each benchmark is known to be the same."""
    from pythagoras.cli.corpus_clean import benchmark_items
    from pythagoras.corpus.decontamination.sweep import benchmark_fingerprints

    items = [record for name in ("corebench", *(others or ())) for record in benchmark_items(name)]
    return items, benchmark_fingerprints(items)


def split_build(corpora: list[Path]) -> tuple[list[Path], list[Path]]:
    """What to learn from and what to check on: a build has both."""
    from pythagoras.pipeline.stage_runner import COSTS

    learned, checked = [], []
    for path in corpora:
        inside = next((place for place in (path / "corpus", path) if (place / "train").is_dir()), None)
        if inside is None and (path / COSTS).is_dir():
            raise InputError(f"the build in {path} is not finished: run `corpus build` with it again")
        learned.append(inside / "train" if inside else path)
        if inside and (inside / "validation").is_dir():
            checked.append(inside / "validation")
    return learned, checked


def held_out_of(path: Path) -> list[Path]:
    """Where a build holds statements out for reinforcement learning; nothing for any other corpus."""
    held_out = path / "held_out"
    return [held_out] if held_out.is_dir() else []


def _not_learned(path: Path) -> list[Path]:
    """Of a build, what it holds out and validates on; any other corpus as it is."""
    return [*held_out_of(path), *split_build([path])[1]] or [path]


def _keys(corpora: Sequence[Path]) -> frozenset[str]:
    """What tells the statements of corpora from others, whatever their variables are called."""
    from pythagoras.corpus.files import read_items
    from pythagoras.corpus.normal import alpha_key
    from pythagoras.corpus.records import formal_text
    from pythagoras.corpus.rows import Fault

    read = (item for item in read_items(corpora) if not isinstance(item, Fault))
    return frozenset(alpha_key(text) for record in read if (text := formal_text(record)))


def _fingerprints(sources: Sequence[str | Path]) -> dict[str, str]:
    """What tells whether these are the same as before: files by their content, from wherever they are named."""
    from pythagoras.corpus.files import fingerprint

    places = {source: Path(source) for source in sources}
    return {
        str(place.resolve()) if place.exists() else str(source): fingerprint(place) if place.exists() else ""
        for source, place in places.items()
    }


def records(corpora: Sequence[Path]) -> Iterator[Record]:
    """All records; what can't be read ends it, as it would be missing in the model."""
    from pythagoras.corpus.files import read_items
    from pythagoras.corpus.rows import Fault

    for item in read_items(corpora, "instance"):
        if isinstance(item, Fault):
            raise InputError(f"{item}: a corpus to train on must be readable")
        yield item


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
