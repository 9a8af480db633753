"""CoreBench-ALF: of each statement of CoreBench's test half up to two variants, made by `pythagoras alf benchmark`.

The rows stand beside this module as they were made, with their datasheet. What holds for CoreBench holds for them: each
carries its canary, and nothing that makes or reads training data may import this package.
"""

from __future__ import annotations

from pathlib import Path

from pythagoras.corpus.records import Record
from pythagoras.corpus.sources.reader import benchmark
from pythagoras.errors import InputError

NAME = "corebench-alf"
FILE = Path(__file__).with_name(f"{NAME}.jsonl")


def rows_file(file: Path = FILE) -> Path:
    """The file of the rows. Raises InputError where the package was installed without it."""
    if not file.is_file():
        raise InputError(
            f"{NAME} is not here: its rows are missing ({file}); install the package again, or make them with "
            f"`pythagoras alf benchmark corebench --known-true -o {file.name}`"
        )
    return file


def load(file: Path = FILE) -> list[Record]:
    """The statements, for whoever must know what is not to be in a corpus."""
    return benchmark(rows_file(file))
