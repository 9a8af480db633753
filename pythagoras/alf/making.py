"""From a corpus to variants of its statements: mutate, elaborate where that is asked for, and keep what is new.

    folder/variants/    formalisations: the parent's id, the operator, category, promise and distance in the provenance

Every statement has one row a category, which ends as a variant or with a reason. Lean is asked for nothing but the
traces of verified proofs (one question a parent, for the operators that need them) and, with `elaborate`, whether it
takes each new statement with `sorry` for a proof.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from random import Random
from typing import Any

from pythagoras.alf.chat import ChatMutator
from pythagoras.alf.diversity import Diversity, beside_parents, diversity, measured, with_settings
from pythagoras.alf.judging import Lean, busy_seconds
from pythagoras.alf.mutating import Missing, Mutator, Refusal, as_record, parent_of
from pythagoras.alf.run_folder import REPORT, VARIANTS, opened
from pythagoras.alf.traces import Trace, traces
from pythagoras.alf.variants import Category, Parent, Variant
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.files import fingerprint, read_records
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, formal_text, record_id, settings_of, statement_of
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.corpus.store import Step, Store, write_json
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.lean.pool import Checker, Status
from pythagoras.lean.verifier import statement_check, statement_fault
from pythagoras.lean.wire import Limits
from pythagoras.pipeline.case import Case, given_up, root_of
from pythagoras.pipeline.stage_runner import OnProgress, OnStage, StageRunner
from pythagoras.pipeline.tools import Metered
from pythagoras.pipeline.work import Outcome

PARENTS_AT_ONCE = 32
"""Parents whose traces and variants are asked for together."""
STATEMENTS_AT_ONCE = 64
_MEASURED_AT_ONCE = 1_000
Source = Formalisation | Instance


@dataclass(frozen=True, slots=True)
class Wanted:
    """One variant of a statement."""

    parent: Source
    category: Category


def wanted(parents: Iterable[Source]) -> Iterator[Wanted]:
    return (Wanted(parent, category) for parent in parents for category in Category)


# --- stages ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutating:
    """The job: wanted variants in, variants out. It works in this process."""

    mutator: Callable[[], Mutator]
    """Called when there is something to do: learning a corpus takes a while."""
    seed: int
    tracing: Lean | None
    """Where traces come from; None: operators that need them do without."""

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Wanted, ...]], tuple[Outcome, ...]]]:
        with ExitStack() as stack:
            lean = None if self.tracing is None else Metered(stack.enter_context(self.tracing.open()))
            mutator = self.mutator()
            yield lambda rows: self._handle(rows, mutator, lean)

    def give_up(self, rows: tuple[Wanted, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(row, row.parent) for row in rows], why)

    def _handle(self, rows: tuple[Wanted, ...], mutator: Mutator, lean: Metered | None) -> tuple[Outcome, ...]:
        cases = [Case(row, row.parent) for row in rows]
        began = time.monotonic()
        groups = [(record, list(own)) for record, own in groupby(cases, key=lambda case: case.row.parent)]
        parents = self._parents(groups, lean)
        for parent, made in zip(parents, self._made(mutator, list(parents.values())), strict=True):
            found = {one.category: one for one in made}
            for case in groups[parent][1]:
                self._end(case, parents[parent], found[case.row.category])
        cases[0].costs.update({"mutate_s": time.monotonic() - began} | (lean.taken() if lean is not None else {}))
        return tuple(case.outcome() for case in cases)

    def _parents(self, groups: Sequence[tuple[Source, list[Case[Wanted]]]], lean: Metered | None) -> dict[int, Parent]:
        """What operators see of each group's statement; a group whose statement can't be read is dropped."""
        found: dict[int, Parent] = {}
        for at, (record, own) in enumerate(groups):
            try:
                found[at] = parent_of(record)
            except InputError as error:
                for case in own:
                    case.drop(Reason.UNREADABLE, str(error))
        if lean is None:
            return found
        told = traces([parent.record for parent in found.values()], lean, self._limits)
        return {
            at: replace(parent, trace=trace) if isinstance(trace, Trace) else parent
            for (at, parent), trace in zip(found.items(), told, strict=True)
        }

    @property
    def _limits(self) -> Limits:
        assert self.tracing is not None
        return self.tracing.limits

    def _made(self, mutator: Mutator, parents: Sequence[Parent]) -> Sequence[Sequence[Variant | Missing]]:
        if isinstance(mutator, ChatMutator):  # all at once
            return mutator.mutate(parents)
        return [mutator.variants_of(parent, self._random(parent)) for parent in parents]

    def _random(self, parent: Parent) -> Random:
        return Random(f"{self.seed} {record_id(parent.record)}")

    def _end(self, case: Case[Wanted], parent: Parent, made: Variant | Missing) -> None:
        category = case.row.category.value
        if isinstance(made, Missing):
            case.tally[f"none/{category}/{made.reason.value}"] += 1
            failed = made.reason is Refusal.FAILED
            case.drop(
                Reason.NO_VERDICT if failed else Reason.NO_VARIANT, f"{category}: {made.detail or made.reason.value}"
            )
            return
        case.tally.update((f"category/{category}", f"operator/{made.operator}"))
        case.kept = with_settings(as_record(parent, made), root=root_of(parent.record))


@dataclass(frozen=True, slots=True)
class Elaborating:
    """The job: statements in, those that Lean takes out, each with its kernel type."""

    lean: Lean

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Formalisation, ...]], tuple[Outcome, ...]]]:
        with self.lean.open() as checker:
            yield lambda goals: self._handle(goals, checker)

    def give_up(self, goals: tuple[Formalisation, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(goal, goal) for goal in goals], why)

    def _handle(self, goals: tuple[Formalisation, ...], checker: Checker) -> tuple[Outcome, ...]:
        cases = [Case(goal, goal) for goal in goals]
        statements = [statement_of(goal) for goal in goals]  # the mutator has read them
        checks = (statement_check(statement, self.lean.limits) for statement in statements)
        for case, statement, checked in zip(cases, statements, checker.check(checks), strict=True):
            case.costs.update({"lean_s": busy_seconds(checked), "lean_checks": 1})
            if checked.answer is None:
                case.drop(Reason.NO_VERDICT, checked.failure)
            elif checked.status is Status.TIMEOUT:
                case.drop(Reason.REFUSED_BY_LEAN, "Lean did not finish with it within its time")
            elif fault := statement_fault(statement.name, checked.answer):
                case.drop(Reason.REFUSED_BY_LEAN, fault)
            else:
                declared = (one for one in checked.answer.declarations if one.name == statement.name)
                case.kept = with_settings(case.row, type=next(declared).type_key)
        return tuple(case.outcome() for case in cases)


def new_ones(
    variants: Iterable[Formalisation], parents: Callable[[], Iterable[Source]], embedder: Embedder | None
) -> Iterator[Item]:
    """The variants, without those that say what a parent or an earlier variant says, and with their distances.

    The same statement up to names, or the same kernel type where both are known. 2 million variants take about 400 MB.
    """
    known: dict[str, str] = {}
    for parent in parents():
        known.update(dict.fromkeys(_keys(parent), record_id(parent)))
    stream = beside_parents(variants, parents())
    while pairs := list(islice(stream, _MEASURED_AT_ONCE)):
        for variant in measured(pairs, embedder):
            own = record_id(variant)
            keys = _keys(variant)
            other = next((known[key] for key in keys if key in known), None)
            known.update(dict.fromkeys((key for key in keys if key not in known), own))
            yield variant if other is None else Dropped(variant, Reason.SAME_UP_TO_NAMES, other)


def _keys(record: Source) -> list[str]:
    kernel_type = settings_of(record).get("type")
    own = [alpha_key(formal_text(record), record.context)]
    return own if kernel_type is None else [*own, f"kernel:{kernel_type}"]


# --- all of it ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutated:
    """A finished mutation."""

    variants: Store
    funnel: tuple[Step, ...]
    diversity: list[Diversity]


def mutate(
    corpora: Sequence[Path],
    folder: Path,
    mutator: Callable[[Iterable[Parent]], Mutator],
    *,
    settings: Mapping[str, Any],
    seed: int = 0,
    limit: int | None = None,
    tracing: Lean | None = None,
    elaborating: Lean | None = None,
    embedder: Embedder | None = None,
    overwrite: bool = False,
    on_stage: OnStage = lambda stage, total: None,
    on_progress: OnProgress = lambda stage, read, kept, dropped: None,
) -> Mutated:
    """Mutate the statements of corpora, or go on with it. Raises InputError.

    `mutator` takes all parents, to learn from; `settings` are its own. `tracing` and `elaborating` are switches, and
    the Leans that they ask.
    """
    chosen = {
        "mutator": dict(settings),
        "seed": seed,
        "limit": limit,
        "traces": tracing is not None,
        "elaborate": elaborating is not None,
        "embedder": embedder.name if embedder is not None else None,
    }
    inputs = {str(path): fingerprint(path) for path in corpora}

    def parents() -> Iterator[Source]:
        return _parents(corpora, limit)

    count = sum(1 for _ in parents())
    if not count:
        raise InputError(f"there are no statements in {', '.join(map(str, corpora))}: name others")
    with opened(folder, "mutation", chosen, inputs, overwrite=overwrite):
        runner = StageRunner(folder, InlineEngine(), on_stage, on_progress)
        made = runner.map(
            "mutate",
            Mutating(lambda: mutator(_readable(parents())), seed, tracing),
            lambda: wanted(parents()),
            count * len(Category),
            settings={name: chosen[name] for name in ("mutator", "seed", "limit", "traces")},
            inputs=inputs,
            batch=PARENTS_AT_ONCE * len(Category),
        )
        if elaborating is not None:
            made = runner.map(
                "elaborate",
                Elaborating(elaborating),
                lambda: _formalisations(made),
                made.rows("formalisation"),
                settings={},
                inputs={"mutate": made.fingerprint},
                batch=STATEMENTS_AT_ONCE,
            )
        variants = runner.sift(
            "variants",
            lambda: new_ones(_formalisations(made), parents, embedder),
            settings={"embedder": chosen["embedder"]},
            inputs={**inputs, "made": made.fingerprint},
            total=made.rows("formalisation"),
            folder=folder / VARIANTS,
        )
        found = diversity(_formalisations(variants))
        funnel = runner.funnel
        told = {"funnel": [step.as_dict() for step in funnel], "diversity": [asdict(one) for one in found]}
        write_json(folder / REPORT, told)
    return Mutated(variants, funnel, found)


def _parents(corpora: Sequence[Path], limit: int | None) -> Iterator[Source]:
    """The statements of corpora, with their proofs where they have some."""
    left = limit
    for path in corpora:
        for record in read_records(path):
            if not isinstance(record, Formalisation | Instance):
                raise InputError(f"{path} has no statements in Lean: name a corpus of formalisations or instances")
            if left == 0:
                return
            left = None if left is None else left - 1
            yield record


def _readable(records: Iterable[Source]) -> Iterator[Parent]:
    for record in records:
        try:
            yield parent_of(record)
        except InputError:  # its rows are dropped with that as their reason
            continue


def _formalisations(store: Store) -> Iterator[Formalisation]:
    for record in read_records(store.folder, "formalisation"):
        assert isinstance(record, Formalisation)
        yield record
