"""What may be a problem of reinforcement learning: statements from any corpus, each once, and none of a benchmark.

The paper's three sources are two published sets with a mapping each (`goedel-rl`: made without self-correction;
`numinamath-lean-human`: written by annotators) and the hard originals that a seed build keeps in `RUN/held_out`. Any
other corpus of statements or of instances will do; proofs are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from enum import StrEnum
from itertools import islice
from pathlib import Path

from pythagoras.corpus import prompts
from pythagoras.corpus.decontamination.sweep import CHEAP, DecontaminationSettings, Sweep
from pythagoras.corpus.files import read_items
from pythagoras.corpus.goals import as_problem, without_proof
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation, Instance, Record, Truth, kind_of, record_id, statement_of
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.canary import is_marked_row
from pythagoras.corpus.sources.reader import has_own_records, source_items
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.corpus.store import is_store
from pythagoras.errors import InputError
from pythagoras.generate.texts import Texts
from pythagoras.lean.scopes import own_context
from pythagoras.train.accounts import Account
from pythagoras.train.rl.rollouts import Task
from pythagoras.train.settings import Rl

_BATCH = 1_000
"""Goals that are swept at a time."""


class Why(StrEnum):
    """Why a row is no problem."""

    UNREADABLE = "unreadable"
    FILTERED = "filtered by source"
    NO_STATEMENT = "no statement"
    """It is a record of another kind: a problem in words, an attempt."""
    FALSE = "false by construction"
    BENCHMARK = "benchmark material"
    DUPLICATE = "same up to names"
    TOO_LONG = "prompt too long"


def read_goals(source: str | Path, account: Account, *, mapping: str | None = None) -> Iterator[Formalisation]:
    """The statements of a corpus of ours, or of a published set that `mapping` or its columns tell. Raises InputError.

    `account` gets the rows that have none; hand it on to `tasks_of`, which decides about the others.
    """
    path = Path(source)
    items: Iterable[Item]
    if mapping is None and (has_own_records(path) or any(map(is_store, path.glob("*")))):  # or tells which is meant
        items = read_items([path])
    else:
        items = source_items(source, mapping=mapping)
    for item in items:
        match item:
            case Fault():
                account.leave_out(Why.UNREADABLE, str(item))
            case Dropped():
                account.leave_out(Why.FILTERED, f"{_named(item.record)}: {item.detail}")
            case Formalisation():
                yield item
            case Instance():
                yield without_proof(item)
            case _:
                account.leave_out(Why.NO_STATEMENT, f"{_named(item)}: name a corpus with Lean statements")


def without_benchmarks(
    goals: Iterable[Formalisation], benchmarks: Iterable[Record], account: Account
) -> Iterator[Formalisation]:
    """The goals but those that are marked as a benchmark's, or that a benchmark would recognise without Lean."""
    items = list(benchmarks)
    sweep = Sweep(items, DecontaminationSettings(CHEAP)) if items else None
    stream = iter(goals)
    while batch := list(islice(stream, _BATCH)):
        for goal, decided in zip(batch, sweep.decide(batch) if sweep else batch, strict=True):
            if is_marked_row(asdict(goal)):
                account.leave_out(Why.BENCHMARK, f"{_named(goal)}: it must not become training data")
            elif isinstance(decided, Dropped):
                account.leave_out(Why.BENCHMARK, f"{_named(goal)}: {decided.reason.value}, {decided.other}")
            else:
                yield goal


def room_for(context: int, rl: Rl) -> int:
    """Tokens that a prompt may have: a completion needs its own, or half of the context where it wants more."""
    return context - min(rl.max_tokens, context // 2)


def tasks_of(goals: Iterable[Formalisation], family: str, texts: Texts, room: int, account: Account) -> Iterator[Task]:
    """The goals that may be problems, as the model will see them; `account` gets what became of each."""
    seen: dict[tuple[str, str], str] = {}
    for goal in goals:
        name = _named(goal)
        if goal.truth is Truth.FALSE:
            account.leave_out(Why.FALSE, name)
            continue
        try:
            statement = statement_of(goal)
            fault = prompts.unfit(as_problem(goal))
        except InputError as error:
            fault = str(error)
        if fault:
            account.leave_out(Why.UNREADABLE, f"{name}: {fault}")
            continue
        key = goal.header, alpha_key(goal.text, own_context(goal.context, goal.header))
        if key in seen:
            account.leave_out(Why.DUPLICATE, f"{name}: {seen[key]} says the same")
            continue
        seen[key] = name
        shown = prompts.shown(goal, family)
        prompt = texts.tokens(shown)
        if len(prompt) > room:
            account.leave_out(Why.TOO_LONG, f"{name}: {len(prompt):,} tokens, and the context has room for {room:,}")
            continue
        account.kept += 1
        yield Task(record_id(goal), goal, statement, shown, prompt)


def _named(record: Record) -> str:
    return f"{kind_of(record)} {(getattr(record, 'name', '') or record_id(record))[:60]}"
