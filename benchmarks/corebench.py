"""How much of CoreBench the obvious one-liners prove: `python -m benchmarks.corebench`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pythagoras.evaluate.corebench.items import Item, load, version
from pythagoras.generate.portfolio import ONE_LINERS
from pythagoras.lean.pool import Checker, LeanPool
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Limits


def proved_by(items: Sequence[Item], checker: Checker, timeout_s: float = 10.0) -> dict[str, list[str]]:
    """For each item that a one-liner proves, the one-liners that do."""
    submissions = [Submission(item.statement, f"by {tactic}") for item in items for tactic in ONE_LINERS]
    found = defaultdict(list)
    for judged in CheckedVerifier(checker, limits=Limits(timeout_s=timeout_s)).verify(submissions):
        if judged.verdict is not None and judged.verdict.outcome is Outcome.PROVED:
            found[judged.submission.statement.name].append(judged.submission.text)
    return dict(found)


def report() -> None:
    """All items, by level."""
    items = load()
    with LeanPool() as pool:
        proved = proved_by(items, pool)
    levels = Counter(item.level for item in items)
    solved = Counter(item.level for item in items if item.name in proved)
    by_level = ", ".join(f"level {level} {solved[level]}/{levels[level]}" for level in sorted(levels))
    share = len(proved) / len(items)
    print(f"{f'CoreBench {version()}, one-liners':<34}{len(proved)} of {len(items)} ({share:.0%}): {by_level}")


if __name__ == "__main__":
    report()
