"""Decontamination of generated rows against MiniF2F-valid and PutnamBench: time and rate of each stage.

    python -m benchmarks.decontamination [ROWS] [--lean] [--embedder NAME] [--second NAME]

Generated rows are clean but for coincidences, so that every rate here is one of false alarms.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

from benchmarks.minif2f import DATA
from pythagoras.corpus.decontamination.sweep import STAGES, DecontaminationSettings, Report, Sweep
from pythagoras.corpus.embedding.embedders import embedder
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Formalisation, Problem, Record
from pythagoras.corpus.sources.reader import benchmark
from pythagoras.evaluate.corebench import items as corebench
from pythagoras.lean.pool import LeanPool
from tests.unit.planted_problems import PROBLEMS

PUTNAM = DATA.with_name("putnambench_lean4.jsonl")
_SEED = 7
_BATCH = 1_000


def rows(count: int) -> Iterator[Formalisation]:
    return (drawn.formalisation for drawn in generate(count, _SEED))


def items(data: Sequence[Path]) -> list[Record]:
    return [record for path in data for record in benchmark(path)]


def measure(count: int, stages: Sequence[str], against: Sequence[Record], wanted: argparse.Namespace) -> None:
    """One line a stage, each working alone on all rows, and then all of them in turn."""
    made = list(rows(count))
    print(f"{count:,} rows against {len(against)} items; each stage alone on every row, then all in turn")
    print(f"{'stage':<18}{'built':>8}{'learned':>9}{'found in':>10}{'rows/s':>9}{'dropped':>9}{'rate':>10}")
    with LeanPool(1) if wanted.lean else nullcontext() as pool:
        for chosen in (*((stage,) for stage in stages), tuple(stages)):
            start = time.perf_counter()
            first = embedder(wanted.embedder) if "embedding" in chosen else None
            second = embedder(wanted.second) if "embedding" in chosen and wanted.second else None
            settings = DecontaminationSettings(stages=chosen)
            sweep = Sweep(against, settings, embedder=first, second_embedder=second, checker=pool)
            built = time.perf_counter()
            sweep.learn(made)
            learned = time.perf_counter()
            stream = iter(made)
            while batch := list(islice(stream, _BATCH)):
                sweep.decide(batch)
            done = time.perf_counter()
            name = chosen[0] if len(chosen) == 1 else "all"
            line(name, sweep.report(), built - start, learned - built, done - learned)


def line(name: str, report: Report, built: float, learned: float, found: float) -> None:
    times = f"{built:>7.1f}s{learned:>8.1f}s{found:>9.1f}s{report.rows / found:>9,.0f}"
    print(f"{name:<18}{times}{report.dropped:>9,}{report.dropped / report.rows:>10.3%}")
    if name == "ngram":
        for rule, count in (("plain (paper)", report.ngram_plain), ("discounted", report.ngram_discounted)):
            print(f"  {rule:<52}{count:>9,}{count / report.ngram_rows:>10.3%}")
    for note in report.notes:
        print(f"  {note}")


def paraphrases(wanted: argparse.Namespace) -> None:
    """How many of the tests' paraphrases the embedding stage finds."""
    against = [Formalisation(one.name, one.statement, "planted", docstring=one.informal) for one in PROBLEMS]
    second = embedder(wanted.second) if wanted.second else None
    settings = DecontaminationSettings(stages=("embedding",))
    sweep = Sweep(against, settings, embedder=embedder(wanted.embedder), second_embedder=second)
    found = sweep.hits([Problem(one.paraphrase, "planted") for one in PROBLEMS])
    print(f"embedding finds {sum(map(bool, found))} of {len(PROBLEMS)} paraphrases")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int, nargs="?", default=100_000)
    parser.add_argument("--data", type=Path, nargs="*", default=[DATA, PUTNAM], help="benchmarks' files")
    parser.add_argument("--corebench", action="store_true", help="against CoreBench, with its proofs, instead")
    parser.add_argument("--stages", nargs="*", default=list(STAGES))
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--second", default="minilm", help="decides about what the embedder finds near; '' for none")
    parser.add_argument("--lean", action="store_true", help="structure by kernel types as well")
    wanted = parser.parse_args()
    own = corebench.as_instances(corebench.load())
    measure(wanted.rows, wanted.stages, list(own) if wanted.corebench else items(wanted.data), wanted)
    if "embedding" in wanted.stages:
        paraphrases(wanted)


if __name__ == "__main__":
    main()
