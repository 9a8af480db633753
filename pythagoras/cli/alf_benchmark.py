"""`pythagoras alf benchmark`: a benchmark made from a benchmark by mutation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pythagoras.cli.console import Json, batch_progress, err, fitting_progress, out, print_json
from pythagoras.cli.lean import Jobs
from pythagoras.errors import InputError

if TYPE_CHECKING:
    from pythagoras.alf.datasheet import Line
    from pythagoras.alf.drafting import Drafter
    from pythagoras.alf.wellformed import Judge
    from pythagoras.corpus.records import Formalisation
    from pythagoras.generate.sampler import Sampler
    from pythagoras.lean.pool import Checker
    from pythagoras.llm.chat import ChatBackend

_SYMBOLIC, _RULES, _SEARCH, _NONE = "symbolic", "rules", "search", "none"
_TELL_S = 30.0


def benchmark(
    original: Annotated[
        str, typer.Argument(help="corebench (or corebench/valid), a file or folder of a benchmark, or owner/name.")
    ],
    file: Annotated[
        Path,
        typer.Option("--out", "-o", help="The file to write: NAME.jsonl; NAME.md and the refused stand beside it."),
    ],
    split: Annotated[
        str | None, typer.Option(help="valid or test. Default: all that the source has; of CoreBench, test.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--as", help="How the source is read: a name of `corpus sources`, or a TOML file.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only statements of this name; * and ? stand for any.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many of them, from the first.")] = None,
    keep: Annotated[int, typer.Option(min=1, help="Variants of a problem at most: the most divergent.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of five candidates, until there are as many.")] = 4,
    mutator: Annotated[
        str, typer.Option(help="Who drafts: symbolic, endpoint:URL, local:FOLDER, or replay:FILE.")
    ] = _SYMBOLIC,
    judge: Annotated[
        str, typer.Option(help="Who judges well-formedness: rules, or a chat model as for --mutator.")
    ] = _RULES,
    model: Annotated[str, typer.Option(help="Endpoint: the model.")] = "",
    temperature: Annotated[float, typer.Option(min=0, help="Chat models: how boldly they draft.")] = 0.7,
    max_tokens: Annotated[int, typer.Option(min=1, help="Chat models: new tokens an answer at most.")] = 4096,
    cache: Annotated[Path | None, typer.Option(help="A folder for answers of chat models: none is paid twice.")] = None,
    prover: Annotated[
        str,
        typer.Option(help="Who tries what nobody promises to be true: search, search:CHECKS, local:FOLDER, or none."),
    ] = _SEARCH,
    attempts: Annotated[int, typer.Option(min=1, help="The prover's attempts at a variant.")] = 1,
    known_true: Annotated[
        bool, typer.Option("--known-true", help="Keep only variants that are promised or proved to be true.")
    ] = False,
    embedder: Annotated[
        str, typer.Option(help="What measures distance: static, minilm, gte-qwen2 (the paper's), or a model.")
    ] = "static",
    seed: Annotated[int, typer.Option(help="Another seed gives other variants.")] = 0,
    backend: Annotated[
        str, typer.Option(help="The Lean to ask: embedded, native:FOLDER, or a Kimina server's URL.")
    ] = "embedded",
    jobs: Jobs = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a benchmark that is there.")] = False,
    json: Json = False,
) -> None:
    """Make a benchmark from a benchmark: of each problem the two variants farthest from it that stand all tests.

    Five candidates a problem and round, with other numbers and names; refused when refuted, ill-formed, trivial, the
    same as the original or a sibling, or not accepted by Lean. Rows are in MiniF2F's shape, with parent and operator;
    `eval run FILE` measures on them. A run that was killed goes on with the same command. Exits with 1 when a problem
    that Lean accepts has fewer variants than wanted.
    """
    from pythagoras.alf.benchmark import Crew, Plan, build
    from pythagoras.alf.datasheet import About, Journal, line, summary, write_benchmark
    from pythagoras.alf.mutating import parent_of
    from pythagoras.evaluate.benchmarks import open_benchmark, with_header
    from pythagoras.evaluate.running.fitness import unfit_statements
    from pythagoras.lean.backends import default_header, open_checker
    from pythagoras.lean.version import lean_version
    from pythagoras.stages.embedders import ready_embedder

    demand_place(file, original, overwrite=overwrite)
    found = open_benchmark(original, split=split, mapping=mapping, limit=limit, names=name or ())
    own_header = default_header(backend)
    goals = with_header(found.goals, own_header)
    plan = Plan(keep, rounds, known_true, attempts, seed)
    with fitting_progress() as on_fit:
        vectors = ready_embedder(embedder, on_fit=on_fit)
    with ExitStack() as stack:
        asked = _Asked(stack, model, temperature, max_tokens, cache, seed)
        checker = stack.enter_context(open_checker(backend, jobs=jobs, header=own_header))
        proving = _prover(prover, checker, stack)
        crew = Crew(asked.drafter(mutator), asked.judge(judge), vectors, checker, proving)
        about = About(
            original=found.info.name,
            original_sha256=found.info.sha256,
            lean=lean_version(checker),
            header=own_header if goals != found.goals else "",
            drafter=crew.drafter.name,
            settings=crew.drafter.settings,
            judge=crew.judge.name,
            embedder=vectors.name,
            prover=proving.name if proving is not None else "",
            plan=plan,
            canary=canary_of(found.goals),
            prover_settings=proving.settings if proving is not None else {},
            part=found.info.filter,
            judge_settings=asked.sampling if judge != _RULES else {},
        )
        journal = stack.enter_context(Journal(file, about))
        originals = {goal.name: goal for goal in found.goals}
        done = {one["problem"] for one in journal.lines}
        with _progress(journal.lines, len(goals)) as tell:
            for outcome in build(map(parent_of, goals), crew, plan, done):
                journal.add(line(outcome, originals[outcome.parent.record.name], about.canary))
                tell()
        counts = summary(journal.lines)

        def check(rows: Path) -> None:
            """What `eval run` will read, and not only what was asked about."""
            if counts["kept"]:
                for one in unfit_statements(with_header(open_benchmark(str(rows)).goals, own_header), checker):
                    raise InputError(f"{file} would have a statement that Lean refuses ({one.detail}): make it again")

        files = write_benchmark(file, journal.lines, about, check)
        journal.path.unlink()
    if json:
        print_json({"files": [str(one) for one in files], **counts})
    else:
        out.print(f"{file}: {counts['kept']} statements of {counts['problems']} problems", markup=False)
        for why, count in counts["refused"].items():
            out.print(f"  {count:>6,}  {why}", markup=False)
    short = sum(many for variants, many in counts["by_variants"].items() if int(variants) < keep)
    if counts["refused_by_lean"]:
        err.print(f"{counts['refused_by_lean']:,} originals are refused by this Lean", markup=False)
    if short:
        err.print(f"{short:,} problems have fewer than {keep} variants: more --rounds may find them", markup=False)
        raise typer.Exit(1)


def demand_place(file: Path, original: str, *, overwrite: bool) -> None:
    """Raises InputError where a benchmark can't be written to a file, or nobody wants that."""
    from pythagoras.alf.datasheet import files_of, journal_of

    if file.suffix != ".jsonl":
        raise InputError(f"{file} can't be written: rows are JSON lines, so name a file that ends with .jsonl")
    source = Path(original).resolve()
    for place in files_of(file):
        if place.resolve() == source:
            raise InputError(f"{place} is what the variants are made from: name another file for them")
        if place.exists() and not overwrite and not journal_of(file).exists():  # else a kill came between the files
            raise InputError(f"{place} is there already: name another file, or pass --overwrite")


def canary_of(goals: Iterable[Formalisation]) -> str:
    """What the rows must say: CoreBench's canary where any of the originals has it, whatever its file is called."""
    from pythagoras.corpus.rows import to_row
    from pythagoras.corpus.sources.canary import is_marked_row
    from pythagoras.evaluate.corebench.items import CANARY

    return CANARY if any(is_marked_row(to_row(goal)) for goal in goals) else ""


class _Asked:
    """Chat models, each opened once: the judge may be the one that drafts."""

    def __init__(
        self, stack: ExitStack, model: str, temperature: float, max_tokens: int, cache: Path | None, seed: int
    ) -> None:
        self._stack = stack
        self._model = model
        self.sampling = {"temperature": temperature, "max_tokens": max_tokens}
        self._cache = cache
        self._seed = seed
        self._opened: dict[str, ChatBackend] = {}

    def drafter(self, setting: str) -> Drafter:
        from pythagoras.alf.chat import ChatMutator
        from pythagoras.alf.drafting import ChatDrafter, SymbolicDrafter
        from pythagoras.alf.mutations.operators import OPERATORS

        if setting == _SYMBOLIC:
            return SymbolicDrafter(OPERATORS, self._seed)
        return ChatDrafter(ChatMutator(self._backend("mutates", setting), seed=self._seed, perturbed=True))

    def judge(self, setting: str) -> Judge:
        from pythagoras.alf.chat import ChatJudge
        from pythagoras.alf.wellformed import RulesJudge

        return RulesJudge() if setting == _RULES else ChatJudge(self._backend("judges", setting), seed=self._seed)

    def _backend(self, does: str, setting: str) -> ChatBackend:
        from pythagoras.alf.chat import open_chat

        if setting not in self._opened:
            beside = _SYMBOLIC if does == "mutates" else _RULES
            opened = open_chat(does, setting, self._model, self._cache, beside=beside, **self.sampling)
            self._opened[setting] = self._stack.enter_context(opened)
        return self._opened[setting]


def _prover(setting: str, checker: Checker, stack: ExitStack) -> Sampler | None:
    """The search asks the Lean that is there; nothing else goes on meanwhile."""
    from pythagoras.generate.samplers import open_sampler
    from pythagoras.generate.search import CHECKS, TacticSearch

    if setting == _NONE:
        return None
    kind, _, checks = setting.partition(":")
    if kind == _SEARCH and (not checks or checks.isdecimal()):
        return TacticSearch(checker, checks=int(checks or CHECKS))
    return stack.enter_context(open_sampler(setting))


@contextmanager
def _progress(lines: Sequence[Line], total: int) -> Iterator[Callable[[], None]]:
    """A bar; where there is no terminal, a line every half minute."""
    told = time.monotonic()
    with batch_progress("problems", total) as advance:
        advance(len(lines), "")

        def tell() -> None:
            nonlocal told
            kept = f"{sum(len(one['rows']) for one in lines):,} kept"
            advance(1, kept)
            if not err.is_terminal and time.monotonic() - told > _TELL_S:
                told = time.monotonic()
                err.print(f"{len(lines):,} of {total:,} problems, {kept}", markup=False)

        yield tell
