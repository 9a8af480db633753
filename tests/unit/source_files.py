"""A small file of every published shape, and how tests read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pythagoras.corpus.files import OnFault, raise_fault
from pythagoras.corpus.records import Formalisation, Record
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.sources.reader import benchmark, source_items
from pythagoras.corpus.stages import Dropped

DATA = Path(__file__).parent / "data" / "sources"
SHARED = Path(__file__).parents[3] / "shared" / "data"

A = "theorem own_algebra_1 (x y : ℝ) (h₀ : x + y = 7) (h₁ : x * y = 12) : x ^ 2 + y ^ 2 = 25"
B = "theorem own_numbertheory_2 (n : ℕ) (h₀ : n % 6 = 5) : n % 3 = 2"
SAYS_A = "Let $x+y=7$ and $xy=12$. Show that $x^2+y^2=25$."
SHAPES = {path.name.split(".")[0]: path for path in sorted(DATA.glob("*.json*")) if path.name != "math-levels.jsonl"}


def read_source(
    source: str | Path,
    *,
    on_fault: OnFault = raise_fault,
    on_dropped: Callable[[Dropped], None] = lambda drop: None,
    **options: Any,
) -> Iterator[Record]:
    """The records of a source."""
    for item in source_items(source, **options):
        if isinstance(item, Fault):
            on_fault(item)
        elif isinstance(item, Dropped):
            on_dropped(item)
        else:
            yield item


def statements(source: Path, **options: Any) -> list[Formalisation]:
    """The items of a benchmark that has no proofs."""
    found = benchmark(source, **options)
    assert all(isinstance(record, Formalisation) for record in found)
    return [record for record in found if isinstance(record, Formalisation)]


def rows_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    return list(json.loads(text)) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def settings(record: Record) -> dict[str, Any]:
    found = json.loads(record.provenance.settings)
    assert isinstance(found, dict)
    return found
