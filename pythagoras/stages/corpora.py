"""What of a corpus is for what: of a build, parts to learn from, to check on and to hold out; any other as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pythagoras.corpus.files import fingerprint, read_items
from pythagoras.corpus.normal import alpha_key
from pythagoras.corpus.records import Record, formal_text
from pythagoras.corpus.rows import Fault
from pythagoras.errors import InputError
from pythagoras.pipeline.stage_runner import COSTS
from pythagoras.train.run_folder import PROOFS, TRAINING


def split_build(corpora: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """What to learn from and what to check on: a build has both."""
    learned, checked = [], []
    for path in corpora:
        inside = next((place for place in (path / "corpus", path) if (place / "train").is_dir()), None)
        if inside is None and (path / COSTS).is_dir():
            raise InputError(f"the build in {path} is not finished: run `corpus build` with it again")
        learned.append(inside / "train" if inside else path)
        if inside and (inside / "validation").is_dir():
            checked.append(inside / "validation")
    return learned, checked


def held_out_of(path: Path) -> list[Path]:
    """Where a build holds statements out for reinforcement learning; nothing for any other corpus."""
    held_out = path / "held_out"
    return [held_out] if held_out.is_dir() else []


def statements_of(corpora: Sequence[Path], held_out: Sequence[Path] | None) -> list[Path]:
    """Where the statements of reinforcement learning are: as somebody says, or what builds hold out."""
    if held_out is not None:
        return list(held_out)
    return [place for path in corpora for place in held_out_of(path)]


def not_learned(path: Path) -> list[Path]:
    """Of a build, what it holds out and validates on; any other corpus as it is."""
    return [*held_out_of(path), *split_build([path])[1]] or [path]


def found_in_training(path: Path) -> Path:
    """The proofs that a run of `train rl` found; any other corpus as it is."""
    return path / PROOFS if (path / TRAINING).is_file() else path


def keys_of(corpora: Sequence[Path]) -> frozenset[str]:
    """What tells the statements of corpora from others, whatever their variables are called."""
    read = (item for item in read_items(corpora) if not isinstance(item, Fault))
    return frozenset(alpha_key(text) for record in read if (text := formal_text(record)))


def fingerprints(sources: Sequence[str | Path]) -> dict[str, str]:
    """What tells whether these are the same as before: files by their content, from wherever they are named."""
    places = {source: Path(source) for source in sources}
    return {
        str(place.resolve()) if place.exists() else str(source): fingerprint(place) if place.exists() else ""
        for source, place in places.items()
    }


def records(corpora: Sequence[Path]) -> Iterator[Record]:
    """All records; what can't be read ends it, as it would be missing in the model."""
    for item in read_items(corpora, "instance"):
        if isinstance(item, Fault):
            raise InputError(f"{item}: a corpus to train on must be readable")
        yield item
