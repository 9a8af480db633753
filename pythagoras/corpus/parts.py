"""A folder of records in parts: open ones, which are JSON lines, and sealed ones, which are the same as Parquet."""

from __future__ import annotations

from pathlib import Path

OPEN = ".jsonl"
SEALED = ".parquet"


def parts_of(folder: Path) -> list[Path]:
    """The parts in the order they were written; of one that is being sealed, and so there twice, the sealed file."""
    stems = sorted({path.stem for path in folder.glob("part-*") if path.suffix in (OPEN, SEALED)})
    sealed = (folder / (stem + SEALED) for stem in stems)
    return [path if path.exists() else path.with_suffix(OPEN) for path in sealed]
