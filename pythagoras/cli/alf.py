"""`pythagoras alf mutate|distil|audit`: one verified statement becomes several, with proofs that the prover writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pythagoras.cli import alf_benchmark
from pythagoras.cli.console import Json, err, fitting_progress, out, print_json, stage_progress
from pythagoras.cli.corpus_build import numbers_table
from pythagoras.cli.corpus_run import Out, Overwrite, funnel_table
from pythagoras.cli.lean import Jobs
from pythagoras.errors import InputError
from pythagoras.stages.settings import Alf

if TYPE_CHECKING:
    from pythagoras.alf.auditing import Report, Share
    from pythagoras.alf.corpus import Distilled, Verified
    from pythagoras.alf.diversity import Diversity
    from pythagoras.corpus.store import Step

app = typer.Typer(
    help="Mutate a corpus, have the prover prove the variants, and audit what it wrote.", no_args_is_help=True
)
app.command("benchmark")(alf_benchmark.benchmark)

_USUAL = Alf()
Backend = Annotated[str, typer.Option(help="The Lean to ask: embedded, native:FOLDER, or a Kimina server's URL.")]
Timeout = Annotated[float, typer.Option(min=0.1, max=1e6, help="Seconds of wall clock for a question to Lean.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same.")]
ModelName = Annotated[str, typer.Option(help="Endpoint: the model. Default: the only one that the server has.")]
Concurrency = Annotated[int, typer.Option(min=1, help="Endpoint: requests at a time.")]
Extra = Annotated[
    str, typer.Option(help='Endpoint: more fields of a request, such as {"chat_template_kwargs": ...}, as JSON.')
]
KeyVariable = Annotated[
    str, typer.Option(help="Endpoint: the environment variable with the key. Default: PYTHAGORAS_API_KEY.")
]


@app.command()
def mutate(
    corpora: Annotated[
        list[Path], typer.Argument(help="What to mutate: a build of `corpus build`, or corpora with statements.")
    ],
    folder: Out,
    mutator: Annotated[
        str, typer.Option(help="Who makes variants: symbolic, endpoint:URL, local:FOLDER, or replay:FILE.")
    ] = _USUAL.mutator,
    refute: Annotated[bool, typer.Option("--refute", help="Refuse variants that small numbers refute.")] = False,
    elaborate: Annotated[
        bool, typer.Option("--elaborate", help="Ask Lean about every new statement, with `sorry` for a proof.")
    ] = False,
    traces: Annotated[
        bool,
        typer.Option("--traces/--no-traces", help="Symbolic: ask Lean what it saw in each verified proof, for steps."),
    ] = _USUAL.traces,
    embedder: Annotated[
        str, typer.Option(help="What measures the distance from the parent: static, minilm, gte-qwen2, or none.")
    ] = _USUAL.embedder,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many statements, from the first.")] = None,
    seed: Seed = 0,
    model: Annotated[str, typer.Option(help="Endpoint: the model.")] = "",
    concurrency: Concurrency = 8,
    api_key_env: KeyVariable = "",
    backend: Backend = "embedded",
    jobs: Jobs = None,
    timeout: Timeout = _USUAL.timeout_s,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """One variant of each statement in each of five categories; statements only, without proofs.

    The variants are in FOLDER/variants. A run that was killed goes on with the same command.
    """
    from pythagoras.alf.making import mutate as run
    from pythagoras.stages.corpora import split_build
    from pythagoras.stages.embedders import ready_embedder_or_none
    from pythagoras.stages.mutation import SYMBOLIC, named_lean, open_mutator

    lean = named_lean(backend, jobs, timeout)
    with ExitStack() as stack:
        chosen, settings = stack.enter_context(
            open_mutator(
                mutator, refute=refute, seed=seed, model=model, concurrency=concurrency, api_key_env=api_key_env
            )
        )
        with fitting_progress() as on_fit:
            vectors = ready_embedder_or_none(embedder, on_fit=on_fit)
        lines = stack.enter_context(stage_progress())
        made = run(
            split_build(corpora)[0],
            folder,
            chosen,
            settings=settings,
            seed=seed,
            limit=limit,
            tracing=lean if traces and mutator == SYMBOLIC else None,
            elaborating=lean if elaborate else None,
            embedder=vectors,
            overwrite=overwrite,
            on_stage=lines.begin,
            on_progress=lines.show,
        )
    if json:
        print_json(_report(folder))
        return
    _show_funnel(made.funnel)
    _show_counts(made.funnel[0].tally, "operator/", "operator", "variants")
    _show_diversity(made.diversity)
    out.print(f"The variants: {made.variants.folder}", markup=False)


@app.command()
def distil(
    variants: Annotated[
        list[Path], typer.Argument(help="Statements to prove: a folder of `alf mutate`, or corpora with statements.")
    ],
    folder: Out,
    sampler: Annotated[
        str,
        typer.Option(
            "--sampler", "-s", help="Who proves: local:FOLDER, endpoint:URL, recorded:PATH, portfolio, search."
        ),
    ],
    proofs: Annotated[
        list[Path] | None,
        typer.Option(help="Verified proofs that join the corpus: a run of `train rl`, or a corpus. May be repeated."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Verify adaptively, for this share of what full verification would cost: 0.25. 1 checks all."
        ),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="With --budget: the share of right pairs that is wanted. Default: 0.95.")
    ] = None,
    sample: Annotated[
        int,
        typer.Option(min=1, help="With --budget: pairs to audit first at most; never more than half of it pays for."),
    ] = _USUAL.sample,
    seed: Seed = 0,
    prompt: Annotated[
        str | None,
        typer.Option(help="Models: the prompt's family. Default: what a local model was trained on, else pythagoras."),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Models: how boldly they sample.")] = _USUAL.temperature,
    top_p: Annotated[float, typer.Option(help="Models: the share of likely tokens they choose from.")] = _USUAL.top_p,
    max_tokens: Annotated[int, typer.Option(help="Models: new tokens a completion at most.")] = _USUAL.max_tokens,
    batch: Annotated[int, typer.Option(min=1, help="Local: completions that are written at a time.")] = _USUAL.batch,
    threads: Annotated[int | None, typer.Option(min=1, help="Local: threads of torch. Default: one a core.")] = None,
    model: ModelName = "",
    concurrency: Concurrency = 8,
    extra: Extra = "",
    api_key_env: KeyVariable = "",
    backend: Backend = "embedded",
    jobs: Jobs = None,
    timeout: Timeout = _USUAL.timeout_s,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """One proof of each variant by the prover itself; the pair stays when the proof is about its statement. No Lean.

    The corpus is in FOLDER/corpus, for `train sft`. With --budget, Lean's time is spent where an audit says failures
    are. A run that was killed goes on with the same command.
    """
    from pythagoras.alf.corpus import Verification
    from pythagoras.alf.corpus import distil as run
    from pythagoras.alf.run_folder import VARIANTS, inside
    from pythagoras.cli.eval_run import extra_fields
    from pythagoras.corpus.prompts import DEFAULT
    from pythagoras.generate.endpoint import EndpointSettings
    from pythagoras.generate.local import LocalSettings
    from pythagoras.generate.samplers import open_sampler
    from pythagoras.llm.sampling import Sampling
    from pythagoras.stages.corpora import found_in_training
    from pythagoras.stages.mutation import named_lean

    lean = named_lean(backend, jobs, timeout)
    if budget is None and target is not None:
        raise InputError("--target is for adaptive verification: pass --budget with it, such as 0.25")
    verification = (
        None if budget is None else Verification(lean, budget, _USUAL.target if target is None else target, sample)
    )
    sampling = Sampling(temperature, top_p, max_tokens)
    endpoint = EndpointSettings(
        model=model,
        prompt=prompt or DEFAULT,
        sampling=sampling,
        extra=extra_fields(extra),
        concurrency=concurrency,
        api_key_env=api_key_env,
    )
    if threads is not None:
        from pythagoras.train.threads import prepare

        prepare(threads)
    with (
        open_sampler(sampler, endpoint=endpoint, local=LocalSettings(prompt or "", sampling, batch)) as prover,
        stage_progress() as lines,
    ):
        made = run(
            [inside(path, VARIANTS) for path in variants],
            folder,
            prover,
            seed=seed,
            proofs=[found_in_training(path) for path in proofs or ()],
            verification=verification,
            overwrite=overwrite,
            on_stage=lines.begin,
            on_progress=lines.show,
        )
    if json:
        print_json(_report(folder))
    else:
        _show_distilled(made)


@app.command()
def audit(
    corpora: Annotated[list[Path], typer.Argument(help="Pairs: a folder of `alf distil`, or corpora with proofs.")],
    folder: Out,
    sample: Annotated[int, typer.Option("--sample", "-n", min=1, help="How many pairs to check.")] = _USUAL.sample,
    seed: Seed = 0,
    backend: Backend = "embedded",
    jobs: Jobs = None,
    timeout: Timeout = _USUAL.timeout_s,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """What pairs are worth: a uniform sample of them, checked by Lean in full, statement and proof.

    The share that passes comes with its interval, by category and operator. Proofs that `train rl` found are left out.
    """
    from pythagoras.alf.auditing import audit as run
    from pythagoras.alf.run_folder import CORPUS, inside
    from pythagoras.stages.mutation import named_lean

    lean = named_lean(backend, jobs, timeout)
    with stage_progress() as lines:
        found = run(
            [inside(path, CORPUS) for path in corpora],
            folder,
            lean,
            count=sample,
            seed=seed,
            overwrite=overwrite,
            on_stage=lines.begin,
            on_progress=lines.show,
        )
    if json:
        print_json(found.as_dict())
    else:
        _show_audit(found)
        out.print(f"So {found.lean_s_saved:,.0f} s are saved", markup=False)
    if found.no_verdict:
        err.print(f"{found.no_verdict:,} pairs without a verdict: Lean broke down over them", markup=False)


def _report(folder: Path) -> Any:
    import json

    from pythagoras.alf.run_folder import REPORT

    return {"folder": str(folder), **json.loads((folder / REPORT).read_text(encoding="utf-8"))}


# --- what came of it ------------------------------------------------------------------------------


def _show_funnel(funnel: Sequence[Step]) -> None:
    out.print(funnel_table(funnel))
    out.print()


def _show_counts(tally: dict[str, int], prefix: str, name: str, what: str) -> None:
    counts = Counter({key.removeprefix(prefix): count for key, count in tally.items() if key.startswith(prefix)})
    if not counts:
        return
    table = numbers_table(name, what, "%")
    for key, count in counts.most_common():
        table.add_row(key, f"{count:,}", f"{100 * count / counts.total():.1f}")
    out.print(table)
    out.print()


def _show_diversity(found: Sequence[Diversity]) -> None:
    table = numbers_table("category", "kept", "distinct", "parents", "distance", "10 %", "50 %", "90 %", "near %")
    for one in found:
        far = [f"{value:.3f}" if value is not None else "–" for value in (one.mean, one.low, one.median, one.high)]
        near = f"{100 * one.near:.1f}" if one.near is not None else "–"
        table.add_row(one.name, f"{one.count:,}", f"{one.distinct:,}", f"{one.parents:,}", *far, near)
    out.print(table)


def _show_distilled(made: Distilled) -> None:
    _show_funnel(made.funnel)
    _show_counts(made.funnel[0].tally, "fault/", "not aligned", "pairs")
    if made.verified is not None:
        _show_verified(made.verified)
    _show_diversity(made.diversity)
    out.print(f"The corpus: {made.corpus.folder}", markup=False)


def _show_verified(found: Verified) -> None:
    _show_audit(found.audit)
    out.print()
    ways = ", ".join(f"{way} {count:,}" for way, count in found.ways.items())
    out.print(f"{ways}; checks within {found.plan.clock_s:g} s each", markup=False)
    out.print(
        f"expected to pass, of those that were not audited and stay: {found.plan.expected.rate:.1%}", markup=False
    )
    out.print(
        f"Lean took {found.lean_s:,.1f} s in all, {found.share:.1%} of what all pairs would take, "
        f"so {found.lean_s_saved:,.0f} s are saved",
        markup=False,
    )
    out.print()


def _show_audit(found: Report) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, name in enumerate(("", "passed", "of", "rate %", "interval", "Lean s")):
        table.add_column(name, justify="right" if at else "left", no_wrap=True)
    for group in ((found.overall,), found.categories, found.operators):
        for share in group:
            table.add_row(*_share(share))
        table.add_section()
    out.print(table)
    failures = ", ".join(f"{why} {count:,}" for why, count in found.failures.items()) or "nothing"
    out.print(f"failed: {failures}", markup=False)
    out.print(
        f"Lean took {found.lean_s:,.1f} s for {found.sampled:,} of {found.population:,} pairs; "
        f"all would take {found.lean_s_in_full:,.0f} s",
        markup=False,
    )


def _share(share: Share) -> tuple[str, ...]:
    interval = f"{100 * share.low:.1f}–{100 * share.high:.1f}"
    return (
        share.name,
        f"{share.passed:,}",
        f"{share.judged:,}",
        f"{100 * share.rate:.1f}",
        interval,
        f"{share.lean_s:.1f}",
    )
