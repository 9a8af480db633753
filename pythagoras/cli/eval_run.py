"""`pythagoras eval run`: attempts at a benchmark, each judged by Lean, into a folder that a kill does not hurt."""

from __future__ import annotations

import json as json_module
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pythagoras.cli.console import Json, batch_progress, err, out, print_json
from pythagoras.cli.corpus_run import Overwrite
from pythagoras.cli.eval_tables import print_tables
from pythagoras.cli.lean import Backend, Jobs
from pythagoras.errors import InputError
from pythagoras.stages.settings import Evaluation

if TYPE_CHECKING:
    from pythagoras.evaluate.running.session import Progress, Summary

_USUAL = Evaluation()
_TELL_S = 30.0


def run(
    benchmark: Annotated[
        str,
        typer.Argument(help="corebench (or corebench/valid), corebench-alf, a benchmark's file or folder, owner/name."),
    ],
    folder: Annotated[
        Path, typer.Option("--out", "-o", help="The run's folder. The same command again goes on in it.")
    ],
    sampler: Annotated[
        list[str] | None,
        typer.Option(
            "--sampler",
            "-s",
            help="Who writes: portfolio, portfolio:FILE, search, local:FOLDER, hybrid:FOLDER,FOLDER, endpoint:URL, "
            "recorded:PATH; "
            "NAME=... names it. "
            "Several for a mixture. Default: portfolio.",
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", "-n", min=1, help="Attempts at each statement. Default: all of a portfolio or a recording, else 32."
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="restart, self-correction, infill, infill-wider, a mixture's name, or a TOML file.")
    ] = "restart",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of an attempt at most, in place of the protocol's.")
    ] = None,
    seed: Annotated[int, typer.Option(help="What the attempts' own seeds are made of.")] = 0,
    stop_when_solved: Annotated[
        bool,
        typer.Option("--stop-when-solved", help="No more attempts at what is solved. Only pass@N can be told then."),
    ] = False,
    label: Annotated[str, typer.Option(help="What tables call the run. Default: the folder's name.")] = "",
    split: Annotated[
        str | None, typer.Option(help="valid or test. Default: all that the source has; of CoreBench, test.")
    ] = None,
    mapping: Annotated[
        str | None,
        typer.Option("--as", help="How the source is read: a name of `corpus sources`, or a TOML file."),
    ] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only statements of this name; * and ? stand for any.")] = None,
    level: Annotated[list[int] | None, typer.Option(min=1, max=3, help="Only statements of this level.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many of them, from the first.")] = None,
    model: Annotated[str, typer.Option(help="Endpoint: the model. Default: the only one that the server has.")] = "",
    prompt: Annotated[
        str | None,
        typer.Option(
            help="Models: pythagoras, deepseek, goedel, kimina (chats), noncot, compact (raw text). "
            "Default: what a local model was trained on, else pythagoras."
        ),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Models: how boldly they sample.")] = _USUAL.temperature,
    top_p: Annotated[float, typer.Option(help="Models: the share of likely tokens they choose from.")] = _USUAL.top_p,
    max_tokens: Annotated[int, typer.Option(help="Models: new tokens a completion at most.")] = _USUAL.max_tokens,
    batch: Annotated[int, typer.Option(min=1, help="Local: attempts that are written at a time.")] = _USUAL.batch,
    block: Annotated[
        int, typer.Option(min=0, help="Diffusion: tokens that are written together. 0: as many as in training.")
    ] = 0,
    threshold: Annotated[float, typer.Option(help="Diffusion: how sure a token must be to be committed.")] = (
        _USUAL.blocks.threshold
    ),
    passes: Annotated[
        int, typer.Option(min=0, help="Diffusion: passes for each block, in the place of the threshold.")
    ] = 0,
    first_block: Annotated[
        int, typer.Option(min=0, help="Diffusion: tokens of the first block; the next ones grow. 0: as the others.")
    ] = 0,
    slide: Annotated[
        bool, typer.Option("--slide", help="Diffusion: blocks begin where the known tokens end, full or not.")
    ] = False,
    check: Annotated[
        float, typer.Option(help="Diffusion, with --slide: draw again what is less likely behind what is before it.")
    ] = 0.0,
    drafts: Annotated[int, typer.Option(min=2, help="Hybrid: drafts of an attempt, to choose from.")] = 4,
    concurrency: Annotated[int, typer.Option(min=1, help="Endpoint: requests at a time.")] = 8,
    request_timeout: Annotated[float, typer.Option(min=1, help="Endpoint: seconds for a request.")] = 3600.0,
    extra: Annotated[
        str, typer.Option(help='Endpoint: more fields of a request, such as {"chat_template_kwargs": ...}, as JSON.')
    ] = "",
    api_key_env: Annotated[
        str, typer.Option(help="Endpoint: the environment variable with the key. Default: PYTHAGORAS_API_KEY.")
    ] = "",
    tokenizer: Annotated[
        str, typer.Option(help="What counts tokens where nobody did: bytes, lean, or hf:NAME.")
    ] = "bytes",
    backend: Backend = "embedded",
    jobs: Jobs = None,
    timeout: Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds of wall clock for a proof.")] = (
        _USUAL.timeout_s
    ),
    allow: Annotated[list[str] | None, typer.Option(help="Also permit compiler, search, or answers.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Let the kernel check everything twice.")] = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Measure a prover: N attempts at every statement, each judged by Lean, with what they cost.

    Attempts are on disk as soon as they are drawn; a run that was killed goes on with the same command, and a larger
    --n later adds attempts to those that are there. Exits with 0 when all is drawn and judged, else with 2; also with 2
    when recorded attempts could not be read.
    """
    from pythagoras.cli.lean_verdict import policy_of
    from pythagoras.corpus.prompts import DEFAULT
    from pythagoras.evaluate.benchmarks import open_benchmark
    from pythagoras.evaluate.running.protocols import load_protocol, with_rounds
    from pythagoras.generate.endpoint import EndpointSettings
    from pythagoras.generate.local import LocalSettings
    from pythagoras.llm.decoding.blocks import Blocks
    from pythagoras.llm.sampling import Sampling
    from pythagoras.stages.machine import Machine
    from pythagoras.stages.measuring import Measurement, measure

    policy = policy_of(allow or [], replay)
    plan = load_protocol(protocol)
    sampling = Sampling(temperature, top_p, max_tokens)
    found = measure(
        folder,
        Measurement(
            open_benchmark(benchmark, split=split, mapping=mapping, limit=limit, names=name or (), levels=level or ()),
            tuple(sampler or ["portfolio"]),
            with_rounds(plan, rounds) if rounds is not None else plan,
            n,
            seed,
            label,
            stop_when_solved,
            endpoint=EndpointSettings(
                model=model,
                prompt=prompt or DEFAULT,
                sampling=sampling,
                extra=extra_fields(extra),
                timeout_s=request_timeout,
                concurrency=concurrency,
                api_key_env=api_key_env,
            ),
            local=LocalSettings(
                prompt or "", sampling, batch, Blocks(block, threshold, passes, first_block, slide, check), drafts
            ),
            tokenizer=tokenizer,
            policy=policy,
            timeout_s=timeout,
        ),
        machine=Machine(backend=backend, jobs=jobs),
        overwrite=overwrite,
        say=lambda text: err.print(text, markup=False),
        watch=_progress,
    )
    _report(folder, found.summary, json=json)
    if found.unreadable:
        raise typer.Exit(2)


def extra_fields(text: str) -> dict[str, Any]:
    """What `--extra` adds to requests."""
    if not text:
        return {}
    try:
        fields = json_module.loads(text)
    except ValueError as error:
        raise InputError(f'--extra is no JSON ({error}): give an object, such as {{"top_k": 20}}') from None
    if not isinstance(fields, dict):
        raise InputError('--extra is JSON, but no object: give one, such as {"top_k": 20}')
    return fields


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """A bar for each wave."""
    with ExitStack() as bars:
        shown: tuple[str, int, range] | None = None
        advance: Any = None
        done = 0
        told = time.monotonic()

        def tell(progress: Progress) -> None:
            nonlocal shown, advance, done, told
            if (progress.doing, progress.round, progress.numbers) != shown:
                bars.close()
                shown, done = (progress.doing, progress.round, progress.numbers), 0
                advance = bars.enter_context(batch_progress(_wave(progress), progress.total, transient=True))
            broken = f", {progress.no_verdict} without verdict" if progress.no_verdict else ""
            failed = f", {progress.failed} not drawn" if progress.failed else ""
            note = f"{progress.solved}/{progress.problems} solved{broken}{failed}"
            advance(progress.done - done, note)
            done = progress.done
            if not err.is_terminal and time.monotonic() - told > _TELL_S:  # a log has no bars
                told = time.monotonic()
                err.print(f"{_wave(progress)}: {progress.done:,} of {progress.total:,}, {note}", markup=False)

        yield tell


def _wave(progress: Progress) -> str:
    from pythagoras.evaluate.running.session import Doing

    if progress.doing is not Doing.ATTEMPTS:
        return str(progress.doing.value)
    return f"attempts, round {progress.round + 1}" if progress.round else "attempts"


def _report(folder: Path, summary: Summary, *, json: bool) -> None:
    """What came of it: on stdout the numbers, on stderr what is missing."""
    from pythagoras.evaluate.results import load
    from pythagoras.evaluate.shown.overview import headline, run_dict, run_tables

    results = load(folder)
    if json:
        print_json({"session": asdict(summary), **run_dict(results)})
    else:
        out.print(f"{headline(results)}\n", markup=False)
        print_tables(run_tables(results))
        out.print(f"\nWhat failed and why: pythagoras eval report {folder}", markup=False)
    if results.unfit:
        why = Counter(results.unfit.values()).most_common(1)[0][0].removesuffix(": correct it")
        err.print(f"{len(results.unfit):,} statements are refused by this Lean, most for this: {why}", markup=False)
    for why, count in summary.failures[:5]:
        err.print(f"{count:,} not drawn: {why}", markup=False)
    if summary.impossible:
        err.print(f"{summary.impossible:,} attempts are not there: no sampler has them", markup=False)
    if summary.interrupted:
        err.print("stopped; the same command goes on", markup=False)
        raise typer.Exit(130)
    if summary.failed or summary.no_verdict:
        err.print(
            f"{summary.failed:,} attempts not drawn, {summary.no_verdict:,} without a verdict: "
            "the same command tries them again",
            markup=False,
        )
        raise typer.Exit(2)
