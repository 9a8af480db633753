"""Statements of MiniF2F over ℕ, ℤ, ℚ: the measure of the core header. The file is not part of this project."""

from __future__ import annotations

import json
from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data" / "minif2f_valid.jsonl"
"""Where it is looked for when no other file is named."""
_REAL = ("ℝ", "ℂ", "Real.", "NNReal", "Complex")


def statements(data: Path) -> list[tuple[str, str]]:
    """Name and text of the statements that mention neither ℝ nor ℂ, by these letters or by name."""
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["name"], row["formal_statement"]) for row in rows]
    return [(name, statement) for name, statement in pairs if not any(word in statement for word in _REAL)]
