"""CoreBench's items, read from the Lean files beside this module: a topic a file, each theorem with a reference proof.

The reference proofs show that the statements are true. They live in `evaluate` because nothing that makes or reads
training data may import that package (tests/unit/test_architecture.py); and every file, and every row that leaves,
carries a canary, which the readers of training sources refuse.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pythagoras.corpus.records import Instance, Provenance, Tier
from pythagoras.lean import signatures
from pythagoras.lean.statements import Statement, parse_statement

Split = Literal["valid", "test"]
SPLITS: dict[str, Split] = {"valid": "valid", "test": "test"}

CANARY = "CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)"
_TIERS = {1: Tier.EASY, 2: Tier.MEDIUM, 3: Tier.HARD}
_TAG = re.compile(r"(?P<split>valid|test), level (?P<level>[123])\.\s+")


@dataclass(frozen=True, slots=True)
class Item:
    """One statement of the benchmark."""

    statement: Statement
    """Its docstring says in natural language what it says."""
    topic: str
    level: int
    """1: a step or two. 2: several steps. 3: it needs an idea."""
    split: Split
    proof: str
    """A proof that Lean accepts: what stands behind `:=`."""

    @property
    def name(self) -> str:
        return self.statement.name


@cache
def load(split: Split | None = None) -> tuple[Item, ...]:
    """All items, or those of one split, by topic and in the order of the files."""
    items = (item for path in _files() for item in _read(path))
    return tuple(item for item in items if split in (None, item.split))


def version() -> str:
    """Changes when any file of the benchmark does: eight hexadecimal digits to name it by."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in _files())).hexdigest()[:8]


def as_rows(items: Iterable[Item]) -> Iterable[dict[str, Any]]:
    """Items in MiniF2F's shape, for programs of others; without proofs. Here, Mathlib's import stands for `core`."""
    for item in items:
        yield {
            "name": item.name,
            "split": item.split,
            "informal_prefix": f"/-- {item.statement.docstring} -/\n",
            "formal_statement": f"{item.statement.text} := by\n",
            "header": "import Mathlib\n\nopen scoped BigOperators Nat\n\n",
            "topic": item.topic,
            "level": item.level,
            "canary": CANARY,
        }


def as_instances(items: Iterable[Item]) -> Iterable[Instance]:
    """Items with their proofs, for whoever must know what is not to be in a corpus."""
    for item in items:
        yield Instance(
            name=item.name,
            statement=item.statement.text,
            proof=item.proof,
            source=f"corebench/{item.split}",
            tier=_TIERS[item.level],
            verified=True,
            informal=item.statement.docstring,
            topic=item.topic,
            provenance=Provenance(maker="corebench", run=version()),
        )


def _files() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.lean"))


def _read(path: Path) -> Iterable[Item]:
    source = path.read_text(encoding="utf-8")
    for command in signatures.commands(source):
        if command.word not in signatures.THEOREMS:
            continue
        text = source[command.start : command.end]
        statement = parse_statement(text)
        tag = _TAG.match(statement.docstring)
        if tag is None:
            raise AssertionError(f"{path.name}: {statement.name} does not begin with its split and level")
        statement = dataclasses.replace(statement, docstring=" ".join(statement.docstring[tag.end() :].split()))
        proof = text[text.index(statement.text) + len(statement.text) :].strip().removeprefix(":=").strip()
        yield Item(statement, path.stem, int(tag["level"]), SPLITS[tag["split"]], proof)
