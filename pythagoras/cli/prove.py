"""`pythagoras prove`: proofs of a theorem, or of all theorems of a file that have none."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import Json, err
from pythagoras.cli.lean import Backend, Jobs
from pythagoras.errors import InputError


def prove(
    what: Annotated[
        str, typer.Argument(metavar="STATEMENT|FILE", help="A theorem, a Lean file with sorrys, or - for stdin.")
    ],
    n: Annotated[int, typer.Option("--n", "-n", min=0, help="Attempts by the model.")] = 32,
    timeout: Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds for a theorem, by the wall clock.")] = 60.0,
    check_timeout: Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds for Lean, a proof.")] = 20.0,
    shortest: Annotated[
        bool, typer.Option("--all", help="Go on after the first proof, and print the shortest of all.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(help="Who writes: a folder, `embedded` (the default), or `none`: tactics and search alone."),
    ] = None,
    endpoint: Annotated[
        str, typer.Option(help="The address of an OpenAI-compatible server whose model writes in its place.")
    ] = "",
    endpoint_model: Annotated[str, typer.Option(help="Endpoint: the model. Default: the only one it has.")] = "",
    api_key_env: Annotated[
        str, typer.Option(help="Endpoint: the environment variable with the key. Default: PYTHAGORAS_API_KEY.")
    ] = "",
    extra: Annotated[str, typer.Option(help="Endpoint: further fields of each request, as a JSON object.")] = "",
    prompt: Annotated[
        str | None,
        typer.Option(
            help="Models: pythagoras, deepseek, goedel, kimina (chats), noncot, compact (raw text). "
            "Default: what a local model was trained on, else pythagoras."
        ),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Models: how boldly they sample.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Models: new tokens an attempt at most.")] = 8192,
    seed: Annotated[int, typer.Option(help="What the attempts' own seeds are made of.")] = 0,
    no_search: Annotated[bool, typer.Option("--no-search", help="Leave the tactic search out.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Put the proofs that are found into FILE.")] = False,
    out_file: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the text, with the proofs that are found, here.")
    ] = None,
    backend: Backend = "embedded",
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Prove a theorem, or all theorems of a file whose proof is sorry. Lean checks every proof that is printed.

    One-line tactics go first; then a model samples and a tactic search works beside it, while Lean judges. A false
    theorem is told by a counterexample where small numbers have one.

    Exits with 0 when all is proved, with 1 when not, with 2 for what is no Lean, wrong use or a broken environment.

    \b
    pythagoras prove "theorem t (a b : ℕ) (h : a ≤ b) : a < b + 1"
    pythagoras prove homework.lean --write
    pythagoras prove - --json < statement.lean
    pythagoras prove hard.lean --endpoint http://localhost:8000/v1 --n 64 --timeout 600
    """
    from pythagoras.cli.eval_run import extra_fields
    from pythagoras.cli.prove_report import Results, working
    from pythagoras.llm.sampling import Sampling
    from pythagoras.prove.opening import Means, open_prover
    from pythagoras.prove.proving import Effort

    text, file = _read(what)
    if write and file is None:
        raise InputError("--write puts proofs into a file, and none is given: name one, or use --out FILE")
    means = Means(
        model=model,
        endpoint=endpoint,
        endpoint_model=endpoint_model,
        api_key_env=api_key_env,
        extra=extra_fields(extra),
        request_timeout_s=timeout,
        prompt=prompt or "",
        sampling=Sampling(temperature, max_tokens=max_tokens),
        search=not no_search,
        backend=backend,
        jobs=jobs,
    )
    place = file if write else out_file
    with open_prover(means) as prover:
        for note in prover.notes:
            err.print(note, markup=False)
        with working(prover, "reading"):
            sheet = prover.read(text)
        results = Results(sheet, json=json)
        results.begin()
        proving = prover.fill_in(sheet, Effort(n, timeout, check_timeout, shortest, seed), results.hear)
        for theorem in sheet.open:
            with working(prover, theorem.name):
                _, outcome = next(proving)
            results.tell(theorem, outcome)
        if place is not None and results.proved:
            with working(prover, "checking the whole"):
                results.check(prover.lean)
    if place is not None:
        _write(place, sheet.text, like=file)
    results.finish(place)
    raise typer.Exit(0 if results.hold else 1)


def _read(what: str) -> tuple[str, Path | None]:
    """What is to be proved, and the file that it comes from, if it is one."""
    from pythagoras.cli.lean_report import decoded

    if what == "-":
        return decoded("standard input", sys.stdin.buffer.read()), None
    path = Path(what)
    try:
        if path.is_file():
            return decoded(what, path.read_bytes()), path
    except OSError as error:  # a long theorem is no name of a file either
        if path.suffix == ".lean":
            raise InputError(f"{what} can't be read ({error.strerror}): give a theorem or a Lean file") from None
    if path.suffix == ".lean" or len(what.split()) < 2:
        raise InputError(f"there is no file {what!r}, and it is no theorem: write `theorem name ... : statement`")
    return what, None


def _write(path: Path, text: str, like: Path | None) -> None:
    """In one go, with the line ends of the file that it comes from."""
    try:
        ends = "\r\n" if like is not None and b"\r\n" in like.read_bytes() else "\n"
        target = path.resolve()
        staging = target.with_name(f".{target.name}.new")
        staging.write_text(text, encoding="utf-8", newline=ends)
        if target.exists():
            shutil.copymode(target, staging)
        staging.replace(target)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error.strerror}): name another file with --out") from None
