"""What may be a problem of reinforcement learning: statements from any corpus, each once, and none of a benchmark.

The paper's three sources are two published sets with a mapping each (`goedel-rl`: made without self-correction;
`numinamath-lean-human`: written by annotators) and the hard originals that a seed build keeps in `RUN/held_out`. Any
other corpus of statements or of instances will do; proofs are not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.verl import as_problem
from pythagoras.corpus.files import read_items
from pythagoras.corpus.goals import without_proof
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Formalisation, Instance, Record, Truth, kind_of, record_id, statement_of
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.canary import is_marked_row
from pythagoras.corpus.sources.reader import has_own_records, source_items
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.corpus.store import is_store
from pythagoras.errors import InputError
from pythagoras.generate.decoding.texts import Texts
from pythagoras.lean.scopes import own_context
from pythagoras.train.rl.rollouts import Task
from pythagoras.train.settings import Rl

_TOLD = 5
"""Left-out rows that are described; the others are counted."""


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


@dataclass(slots=True)
class Account:
    """What became of the rows: each is a problem or left out."""

    problems: int = 0
    left_out: Counter[Why] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    """Why: a line each for the first few."""

    @property
    def read(self) -> int:
        return self.problems + self.left_out.total()

    def leave_out(self, why: Why, detail: str) -> None:
        self.left_out[why] += 1
        if len(self.told) < _TOLD:
            self.told.append(f"{why.value}: {detail}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"read": self.read, "problems": self.problems, "left_out": dict(self.left_out), "told": self.told}


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


def tasks_of(goals: Iterable[Formalisation], rl: Rl, texts: Texts, context: int, account: Account) -> Iterator[Task]:
    """The goals that may be problems, as the model will see them; `account` gets what became of each."""
    room = context - min(rl.max_tokens, context // 2)
    seen: dict[tuple[str, str], str] = {}
    for goal in goals:
        name = _named(goal)
        if goal.truth is Truth.FALSE:
            account.leave_out(Why.FALSE, name)
            continue
        if is_marked_row(asdict(goal)):
            account.leave_out(Why.BENCHMARK, f"{name}: it must not become training data")
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
        shown = prompts.shown(goal, rl.prompt)
        prompt = texts.tokens(shown)
        if len(prompt) > room:
            account.leave_out(Why.TOO_LONG, f"{name}: {len(prompt):,} tokens, and the context has room for {room:,}")
            continue
        account.problems += 1
        yield Task(record_id(goal), goal, statement, shown, prompt)


def _named(record: Record) -> str:
    return f"{kind_of(record)} {(getattr(record, 'name', '') or record_id(record))[:60]}"
