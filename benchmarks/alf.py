"""How fast the symbolic mutator makes variants of generated statements, on one core and without Lean.

python -m benchmarks.alf [STATEMENTS]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from random import Random

from pythagoras.alf.mutating import learned_mutator, parent_of
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.alf.variants import Category, Variant
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import record_id

STATEMENTS = 2_000


def measure(count: int = STATEMENTS, seed: int = 0) -> dict[str, float]:
    """Variants a second, what share of the wanted ones is made, and how many operators come up."""
    records = [drawn.formalisation for drawn in generate(count, seed)]
    began = time.process_time()
    mutator = learned_mutator(OPERATORS, map(parent_of, records), seed)
    learned = time.process_time()
    operators: Counter[str] = Counter()
    for record in records:
        for one in mutator.variants_of(parent_of(record), Random(f"{seed} {record_id(record)}")):
            if isinstance(one, Variant):
                operators[one.operator] += 1
    cpu_seconds = time.process_time() - learned
    made = operators.total()
    return {
        "statements": count,
        "variants": made,
        "share": made / (count * len(Category)),
        "operators": len(operators),
        "learning_s": learned - began,
        "cpu_seconds": cpu_seconds,
        "per_second": made / cpu_seconds,
    }


def report(count: int = STATEMENTS) -> None:
    """The measurement as a line for `make bench`."""
    found = measure(count)
    print(
        f"{'symbolic mutator, one core':<34}{found['variants']:,.0f} variants of {found['statements']:,.0f} statements "
        f"({found['share']:.0%} of those wanted) by {found['operators']:.0f} operators, "
        f"{found['per_second']:,.0f} a second"
    )


if __name__ == "__main__":
    report(int(sys.argv[1]) if len(sys.argv) > 1 else STATEMENTS)
