"""Attempts at a benchmark, each judged by Lean: from the names of samplers to a run's folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pythagoras.corpus.records import Formalisation
from pythagoras.evaluate.benchmarks import Benchmark, with_header
from pythagoras.evaluate.running.casting import Cast
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.protocols import Protocol, available
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.running.session import Progress, Summary
from pythagoras.evaluate.runs import is_run, read_manifest
from pythagoras.generate.endpoint import EndpointSettings
from pythagoras.generate.local import LocalSettings
from pythagoras.generate.recorded import RecordedSampler
from pythagoras.generate.sampler import Sampler
from pythagoras.generate.samplers import open_sampler
from pythagoras.lean.backends import default_header, open_checker
from pythagoras.lean.pool import Checker
from pythagoras.lean.verdict import Policy
from pythagoras.lean.wire import Limits
from pythagoras.stages.machine import HERE, Machine

_ENDPOINT, _LOCAL, _POLICY = EndpointSettings(), LocalSettings(), Policy()
_DEFAULT_N = 32
_PLENTY = 100_000
"""Attempts at a statement: samplers that have as many have no end."""
_NAMED_MOST = 5
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is measured, by whom and how."""

    benchmark: Benchmark
    samplers: tuple[str, ...]
    """As `pythagoras.generate.samplers` reads them; `NAME=...` names one."""
    protocol: Protocol
    n: int | None = None
    """Attempts at each statement; None: as many as the run in the folder has, else all that there are of a portfolio
    or a recording, else 32."""
    seed: int = 0
    label: str = ""
    stop_when_solved: bool = False
    endpoint: EndpointSettings = _ENDPOINT
    local: LocalSettings = _LOCAL
    tokenizer: str = "bytes"
    policy: Policy = _POLICY
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    summary: Summary
    unreadable: int
    """Rows of recorded attempts that could not be read."""


def measure(
    folder: Path,
    wanted: Measurement,
    *,
    machine: Machine = HERE,
    checker: Checker | None = None,
    overwrite: bool = False,
    say: Callable[[str], None] = lambda text: None,
    watch: Callable[[], AbstractContextManager[Callable[[Progress], None]]],
) -> Measured:
    """Draw and judge what is not in the folder yet. Ctrl-C ends it cleanly, which the summary tells.

    `checker` is the machine's Lean where somebody has it open. `say` takes what one should know; `watch` is opened when
    the work begins, and told how far it is.
    """
    own_header = default_header(machine.backend)
    goals = with_header(wanted.benchmark.goals, own_header)
    header = own_header if goals != wanted.benchmark.goals else ""
    with ExitStack() as stack:
        samplers = [stack.enter_context(one) for one in _samplers(wanted)]
        asked = wanted.n or (None if overwrite else wanted_before(folder)) or _wanted_of(wanted.protocol, samplers)
        made = Cast(wanted.protocol, samplers, asked).n
        if wanted.n is not None and made < wanted.n:
            say(f"There are {made} attempts at a statement, so {made} are made in place of {wanted.n}")
        if header:
            say(f"The header {header} takes the place of the benchmark's own on this Lean")
        unreadable = _tell_coverage(samplers, goals, say)
        lean = checker or stack.enter_context(open_checker(machine.backend, jobs=machine.jobs, header=own_header))
        with watch() as tell:
            summary = run(
                folder,
                replace(wanted.benchmark, goals=goals),
                samplers,
                wanted.protocol,
                Judge(lean, machine.backend, header, wanted.policy, Limits(timeout_s=wanted.timeout_s)),
                n=made,
                seed=wanted.seed,
                label=wanted.label or folder.resolve().name,
                stop_when_solved=wanted.stop_when_solved,
                overwrite=overwrite,
                on_progress=tell,
            )
    return Measured(summary, unreadable)


def wanted_before(folder: Path) -> int | None:
    """Attempts that the run in the folder was to have: going on with it takes none away."""
    return read_manifest(folder).n if is_run(folder) else None


def _wanted_of(plan: Protocol, samplers: Sequence[Sampler]) -> int:
    """Where nobody says how many: all that there are of a portfolio or a recording, else the usual number."""
    there = available(plan, _PLENTY, {sampler.name: sampler.most for sampler in samplers})
    return there if 0 < there < _PLENTY else _DEFAULT_N


def _samplers(wanted: Measurement) -> Iterator[AbstractContextManager[Sampler]]:
    for setting in wanted.samplers:
        named = _NAMED.fullmatch(setting)
        name, place = (named[1], named[2]) if named else ("", setting)
        yield open_sampler(place, name=name, endpoint=wanted.endpoint, local=wanted.local, tokenizer=wanted.tokenizer)


def _tell_coverage(samplers: Sequence[Sampler], goals: Sequence[Formalisation], say: Callable[[str], None]) -> int:
    """Where attempts are recorded ones: what of them can't be used, and what is not there. How many can't be read."""
    unreadable = 0
    for sampler in samplers:
        if not isinstance(sampler, RecordedSampler):
            continue
        covered = sampler.coverage(goals)
        told = {
            "rows that can't be read": [str(fault) for fault in sampler.recording.faults],
            "recorded names that the benchmark does not have": covered.unknown,
            "statements without a recorded attempt": covered.missing,
            "statements with fewer attempts than others": covered.short,
        }
        for what, names in told.items():
            if names:
                more = f", and {len(names) - _NAMED_MOST:,} more" if len(names) > _NAMED_MOST else ""
                say(f"{sampler.name}: {len(names):,} {what}: {', '.join(names[:_NAMED_MOST])}{more}")
        unreadable += len(sampler.recording.faults)
    return unreadable
