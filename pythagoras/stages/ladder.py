"""Every rung's attempts at every benchmark. What came of them is `evaluate.ladder`'s, in a file of the run's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pythagoras.errors import PythagorasError
from pythagoras.evaluate.benchmarks import Benchmark, open_benchmark
from pythagoras.evaluate.ladder import ladder, write_ladder
from pythagoras.evaluate.results import Results, load
from pythagoras.evaluate.running.protocols import load_protocol
from pythagoras.evaluate.runs import is_run
from pythagoras.generate.local import LocalSettings
from pythagoras.lean.backends import default_header, open_checker
from pythagoras.lean.pool import Checker
from pythagoras.llm.decoding.blocks import Blocks
from pythagoras.llm.sampling import Sampling
from pythagoras.stages.folder import LADDER, model_of, rung_place
from pythagoras.stages.machine import Machine
from pythagoras.stages.measuring import Measurement, measure
from pythagoras.stages.recipe import Experiment
from pythagoras.stages.settings import RungName
from pythagoras.stages.telling import Teller, watch_attempts
from pythagoras.train.threads import prepare

_PROTOCOLS: dict[RungName, str] = {"diffusion+infill": "infill"}
"""Of rungs that do not draw every attempt anew."""
_RESTART = "restart"
_SESSIONS = 2
"""A Lean that broke down is asked once more before somebody must look at it."""


def climb(experiment: Experiment, folder: Path, machine: Machine, tell: Teller) -> None:
    """Measure all rungs, or go on with it. Raises KeyboardInterrupt, and PythagorasError where Lean can't judge."""
    prepare(machine.threads)
    evaluation = experiment.evaluation
    benchmarks = {name: open_benchmark(name, limit=evaluation.limit) for name in evaluation.benchmarks}
    header = default_header(machine.backend)
    with open_checker(machine.backend, jobs=machine.jobs, header=header) as checker:
        for rung in experiment.rungs:
            for name, benchmark in benchmarks.items():
                wanted = _measurement(experiment, folder, rung, benchmark)
                _measure(rung_place(folder, rung, name), wanted, machine, checker, tell)
    write_ladder(folder / LADDER, ladder(results(experiment, folder), title=f"The recipe {experiment.name}"))


def _measure(place: Path, wanted: Measurement, machine: Machine, checker: Checker, tell: Teller) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    watch = watch_attempts(tell, wanted.label)
    for _ in range(_SESSIONS):
        found = measure(place, wanted, machine=machine, checker=checker, watch=watch).summary
        if found.interrupted:
            raise KeyboardInterrupt
        if not found.failed and not found.no_verdict:
            return
    raise PythagorasError(
        f"{wanted.label} on {wanted.benchmark.info.name}: {found.failed:,} attempts not drawn and {found.no_verdict:,} "
        "without a verdict, since something broke down: the same command tries them again"
    )


def _measurement(experiment: Experiment, folder: Path, rung: RungName, benchmark: Benchmark) -> Measurement:
    wanted, model = experiment.evaluation, model_of(folder, rung)
    blocks = Blocks(*wanted.blocks.model_dump().values())
    return Measurement(
        benchmark,
        (rung if model is None else f"local:{model}",),
        load_protocol(_PROTOCOLS.get(rung, _RESTART)),
        wanted.n,
        wanted.seed,
        label=rung,
        local=LocalSettings(
            sampling=Sampling(wanted.temperature, wanted.top_p, wanted.max_tokens), batch=wanted.batch, blocks=blocks
        ),
        timeout_s=wanted.timeout_s,
    )


def results(experiment: Experiment, folder: Path) -> list[Results]:
    """What was measured so far, rung by rung."""
    return [load(place) for _, _, place in _places(experiment, folder)]


def _places(experiment: Experiment, folder: Path) -> Iterator[tuple[RungName, str, Path]]:
    for rung in experiment.rungs:
        for name in experiment.evaluation.benchmarks:
            place = rung_place(folder, rung, name)
            if is_run(place):
                yield rung, name, place
