"""The audit: what unverified pairs are worth, from a uniform sample of them that Lean checks in full.

The paper checks 2,000 of its pairs, statement and proof, and 87.8 % compile. Here the share comes with Wilson's
interval, by category and by operator, with what failed and why, and with what Lean would have taken for all of them.
Proofs that reinforcement learning found are no part of it: Lean has judged them.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from pythagoras.alf.judging import REASONS, Ending, Found, Lean, judged
from pythagoras.alf.run_folder import REPORT, opened
from pythagoras.corpus.files import fingerprint, read_records
from pythagoras.corpus.intervals import wilson
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Judgement, Record, Rejected, record_id, settings_of
from pythagoras.corpus.rows import from_line
from pythagoras.corpus.store import Store, write_json
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.lean.version import lean_version
from pythagoras.lean.wire import Limits
from pythagoras.pipeline.case import Case, given_up
from pythagoras.pipeline.stage_runner import OnProgress, OnStage, StageRunner
from pythagoras.pipeline.work import Outcome

SAMPLE = 2_000
"""The paper's."""
_NOTHING = "there are no pairs to audit: name a corpus with proofs that Lean has not judged in training"
PAPER_RATE = 0.878
ROWS_AT_ONCE = 64
"""Pairs that Lean gets together."""
_RL = "rl"
_NONE = "none"


def is_pair(record: Record) -> TypeGuard[Instance]:
    """Whether an audit is about it: an instance that reinforcement learning did not find."""
    return isinstance(record, Instance) and settings_of(record).get("stage") != _RL


def operator_of(pair: Instance) -> str:
    return pair.provenance.maker or _NONE


def category_of(pair: Instance) -> str:
    """Empty settings are those of a statement that nobody mutated."""
    return str(settings_of(pair).get("category", _NONE))


def sampled(pairs: Iterable[Instance], count: int, seed: int, purpose: str = "audit") -> list[Instance]:
    """A uniform sample in the order of the corpus. It depends on the pairs, the seed and the purpose, on no order.

    Samples for two purposes are independent. That matters behind a plan: pairs that its sample passed over keep their
    ids, which it passed over, while those that it met are verified and so have new ones.
    """
    places = ((_place(pair, seed, purpose), at, pair) for at, pair in enumerate(pairs))
    chosen = heapq.nsmallest(count, places, key=lambda each: each[:2])
    return [pair for _, _, pair in sorted(chosen, key=lambda each: each[1])]


def _place(pair: Instance, seed: int, purpose: str) -> bytes:
    return hashlib.blake2b(f"{purpose} {seed} {record_id(pair)}".encode(), digest_size=16).digest()


# --- asking Lean ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judging:
    """The job: pairs in, verified ones out; with each its judgement and the seconds that it took."""

    lean: Lean

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Instance, ...]], tuple[Outcome, ...]]]:
        with self.lean.open() as checker:
            version = lean_version(checker)
            yield lambda pairs: tuple(outcome(found) for found in judged(pairs, checker, self.lean.limits, version))

    def give_up(self, pairs: tuple[Instance, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(pair, pair) for pair in pairs], why)


def outcome(found: Found) -> Outcome:
    """What becomes of a pair that Lean has seen."""
    case = Case(found.pair, found.pair)
    case.beside.append(found.judgement)
    case.costs.update({"lean_s": found.seconds, "lean_pairs": 1})
    case.tally[f"ending/{found.ending.value}"] += 1
    if found.ending is Ending.PASSED:
        case.kept = replace(found.pair, verified=True)
    else:
        case.drop(REASONS[found.ending], found.detail)
    return case.outcome()


def run_audit(
    runner: StageRunner,
    pairs: Callable[[], Iterable[Instance]],
    lean: Lean,
    *,
    count: int,
    seed: int,
    inputs: Mapping[str, str],
    purpose: str = "audit",
) -> Store:
    """Have a sample judged, as a stage. Raises InputError where there is nothing to audit."""
    sample = sampled(pairs(), count, seed, purpose)
    if not sample:
        raise InputError(_NOTHING)
    return runner.map(
        "audit",
        Judging(lean),
        lambda: sample,
        len(sample),
        settings={"sample": count, "seed": seed, "purpose": purpose, "limits": limits_told(lean.limits)},
        inputs=inputs,
        batch=ROWS_AT_ONCE,
    )


def audit(
    corpora: Sequence[Path],
    folder: Path,
    lean: Lean,
    *,
    count: int = SAMPLE,
    seed: int = 0,
    overwrite: bool = False,
    on_stage: OnStage = lambda stage, total: None,
    on_progress: OnProgress = lambda stage, read, kept, dropped: None,
) -> Report:
    """Audit the pairs of corpora into a folder of its own, or go on with it. Raises InputError."""
    inputs = {str(path): fingerprint(path) for path in corpora}

    def pairs() -> Iterator[Instance]:
        for path in corpora:
            yield from (record for record in read_records(path, "instance") if is_pair(record))

    settings = {"sample": count, "seed": seed, "limits": limits_told(lean.limits)}
    if next(pairs(), None) is None:
        raise InputError(_NOTHING)
    with opened(folder, "audit", settings, inputs, overwrite=overwrite):
        runner = StageRunner(folder, InlineEngine(), on_stage, on_progress)
        store = run_audit(runner, pairs, lean, count=count, seed=seed, inputs=inputs)
        found = report(read_audit(store), sum(1 for _ in pairs()))
        write_json(folder / REPORT, found.as_dict())
    return found


def limits_told(limits: Limits) -> dict[str, Any]:
    """For settings: the clock is a part of it, since it decides about slow proofs."""
    return {**limits.model_dump(exclude_none=True), "timeout_s": limits.timeout_s}


# --- what came of it ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Audited:
    """One pair of the sample."""

    pair: Instance
    """As it stood in the corpus: whether Lean took it is `passed`."""
    passed: bool | None
    """None where Lean broke down."""
    reason: str
    """Empty for one that passed."""
    seconds: float


def read_audit(store: Store) -> list[Audited]:
    """The sample of an audit, each pair with what Lean said."""
    told = {
        record.submission: record for record in read_records(store.folder, "judgement") if isinstance(record, Judgement)
    }
    found = []
    for record in read_records(store.folder, "instance"):
        assert isinstance(record, Instance)
        pair = record if record_id(record) in told else replace(record, verified=False)
        found.append(Audited(pair, True, "", told[record_id(pair)].milliseconds / 1000))
    for record in read_records(store.folder, "rejected"):
        assert isinstance(record, Rejected)
        row = from_line(record.row)
        assert isinstance(row, Instance)
        passed = None if record.reason == Reason.NO_VERDICT else False
        said = told.get(record.record)  # none where no worker survived it
        seconds = said.milliseconds / 1000 if said is not None else 0.0
        found.append(Audited(row, passed, _failure(record, said), seconds))
    return found


def _failure(record: Rejected, said: Judgement | None) -> str:
    """Why a pair did not pass, as tables name it: the class of Lean's error where there is one."""
    if record.reason == Reason.REFUSED_BY_LEAN:
        return Ending.STATEMENT.value
    if said is None or not said.outcome:
        return Ending.NO_VERDICT.value
    return Ending.TIMEOUT.value if said.outcome == Ending.TIMEOUT else said.error or said.reason


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some pairs passed, with Wilson's 95 % interval."""

    name: str
    passed: int
    judged: int
    low: float
    high: float
    lean_s: float

    @property
    def rate(self) -> float:
        return self.passed / self.judged if self.judged else 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit says."""

    population: int
    """Pairs that it speaks of."""
    sampled: int
    no_verdict: int
    overall: Share
    categories: tuple[Share, ...]
    operators: tuple[Share, ...]
    failures: dict[str, int]
    """Why pairs did not pass."""
    lean_s: float
    """What Lean took for the sample."""

    @property
    def lean_s_in_full(self) -> float:
        """What all pairs would take."""
        return self.lean_s / self.sampled * self.population if self.sampled else 0.0

    @property
    def lean_s_saved(self) -> float:
        return self.lean_s_in_full - self.lean_s

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = asdict(self)
        rates = {"rate": self.overall.rate, "paper_rate": PAPER_RATE}
        return told | rates | {"lean_s_in_full": self.lean_s_in_full, "lean_s_saved": self.lean_s_saved}


def report(audited: Sequence[Audited], population: int) -> Report:
    """What a sample says about all pairs."""
    told = [each for each in audited if each.passed is not None]
    return Report(
        population,
        len(audited),
        len(audited) - len(told),
        _share("all", told),
        _shares(told, category_of),
        _shares(told, operator_of),
        dict(Counter(each.reason for each in told if not each.passed).most_common()),
        sum(each.seconds for each in audited),
    )


def _shares(audited: Sequence[Audited], group: Callable[[Instance], str]) -> tuple[Share, ...]:
    groups: dict[str, list[Audited]] = defaultdict(list)
    for each in audited:
        groups[group(each.pair)].append(each)
    return tuple(_share(name, groups[name]) for name in sorted(groups))


def _share(name: str, audited: Sequence[Audited]) -> Share:
    passed = sum(each.passed is True for each in audited)
    return Share(name, passed, len(audited), *wilson(passed, len(audited)), sum(each.seconds for each in audited))
