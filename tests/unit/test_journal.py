"""Journals: what a kill leaves is whole, sealed parts are the same records, and damage is told."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.records import Attempt, Judgement, Provenance, Remark
from pythagoras.errors import InputError
from pythagoras.evaluate.journal import Journal, read_at, read_columns, read_journal, read_lengths, read_where

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ATTEMPTS = st.builds(
    Attempt,
    formalisation=TEXTS,
    completion=TEXTS,
    number=st.integers(0, 5),
    submission=st.sampled_from("abc"),
    seed=st.integers(0, 2**63 - 1),
    milliseconds=st.floats(0, 1e6),
    provenance=st.builds(Provenance, maker=TEXTS),
)


def attempt(number: int, text: str = "by rfl") -> Attempt:
    return Attempt("goal", text, number=number, submission=f"s{number % 3}")


def write(folder: Path, numbers: range, seal_bytes: int = 10**9) -> None:
    with Journal(folder, "attempt", seal_bytes=seal_bytes) as journal:
        for number in numbers:
            journal.append(attempt(number))


def numbers_in(folder: Path) -> list[int]:
    return [record.number for record in read_journal(folder, "attempt") if isinstance(record, Attempt)]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@settings(max_examples=30, deadline=None)
@given(records=st.lists(ATTEMPTS, max_size=12), seal_bytes=st.sampled_from([1, 600, 10**9]), leave=st.booleans())
def test_what_is_written_is_read_whether_sealed_or_not(
    tmp_path_factory: pytest.TempPathFactory, records: list[Attempt], seal_bytes: int, leave: bool
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder, "attempt", seal_bytes=seal_bytes)
    journal.__enter__()
    for record in records:
        journal.append(record)
    if not leave:
        journal.__exit__(None, None, None)
    assert list(read_journal(folder, "attempt")) == records
    columns = read_columns(folder, "attempt", ["number", "completion"])
    assert columns == {"number": [r.number for r in records], "completion": [r.completion for r in records]}
    chosen = [record for record in records if record.submission in ("a", "c")]
    assert list(read_where(folder, "attempt", "submission", {"a", "c"})) == chosen


def test_judgements_come_back_with_their_remarks(tmp_path: Path) -> None:
    remarks = (Remark("error", 1, 2, "unsolved\ngoals", 3, 4), Remark("warning", 5, 0, "unused"))
    judged = Judgement("s", "rejected", "lean_error", paper_rule=None, remarks=remarks, axioms=("propext",))
    with Journal(tmp_path, "judgement") as journal:
        journal.append(judged)
        assert list(read_journal(tmp_path, "judgement")) == [judged]
    assert list(read_journal(tmp_path, "judgement")) == [judged]
    assert list(read_where(tmp_path, "judgement", "submission", {"s", "t"})) == [judged]
    assert list(read_where(tmp_path, "judgement", "submission", set())) == []


def test_an_empty_journal_leaves_no_part(tmp_path: Path) -> None:
    write(tmp_path / "j", range(0))
    assert names(tmp_path / "j") == []
    assert numbers_in(tmp_path / "j") == numbers_in(tmp_path / "never") == []


def test_parts_are_sealed_as_they_grow_and_by_the_end(tmp_path: Path) -> None:
    write(tmp_path, range(9), seal_bytes=700)
    assert len(names(tmp_path)) > 2
    assert all(name.endswith(".parquet") for name in names(tmp_path))
    write(tmp_path, range(9, 12))
    assert numbers_in(tmp_path) == list(range(12))


def test_a_part_that_an_error_left_open_is_gone_on_with(tmp_path: Path) -> None:
    def fail_midway() -> None:
        with Journal(tmp_path, "attempt") as journal:
            journal.append(attempt(0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_midway()
    assert names(tmp_path) == ["part-00000.jsonl"]
    write(tmp_path, range(1, 3))
    assert names(tmp_path) == ["part-00000.parquet"]
    assert numbers_in(tmp_path) == [0, 1, 2]


@pytest.mark.parametrize("torn", [b"{", b'{"kind": "attempt", "id": "\xe2\x84'])
def test_a_torn_line_is_left_out_and_cut_off(tmp_path: Path, torn: bytes) -> None:
    journal = Journal(tmp_path, "attempt")
    journal.__enter__()
    journal.append(attempt(0))
    part = tmp_path / "part-00000.jsonl"
    part.write_bytes(part.read_bytes() + torn)
    assert numbers_in(tmp_path) == [0]
    assert read_columns(tmp_path, "attempt", ["number"]) == {"number": [0]}
    write(tmp_path, range(1, 2))
    assert numbers_in(tmp_path) == [0, 1]


def test_a_kill_while_sealing_costs_and_repeats_nothing(tmp_path: Path) -> None:
    open_part = Journal(tmp_path, "attempt")
    open_part.__enter__()
    for number in range(3):
        open_part.append(attempt(number))
    lines = (tmp_path / "part-00000.jsonl").read_bytes()
    # before the sealed file is in its place
    (tmp_path / "part-00000.staging").write_bytes(b"PAR1 half")
    assert numbers_in(tmp_path) == [0, 1, 2]
    write(tmp_path, range(3, 4))
    assert names(tmp_path) == ["part-00000.parquet"]
    # behind that, before the lines are gone
    (tmp_path / "part-00000.jsonl").write_bytes(lines)
    assert numbers_in(tmp_path) == [0, 1, 2, 3]
    write(tmp_path, range(4, 5))
    assert numbers_in(tmp_path) == [0, 1, 2, 3, 4]
    assert names(tmp_path) == ["part-00000.parquet", "part-00001.parquet"]


def test_a_missing_part_is_not_written_over(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path, range(number, number + 1))
    (tmp_path / "part-00000.parquet").unlink()
    write(tmp_path, range(3, 4))
    assert numbers_in(tmp_path) == [1, 2, 3]


def test_damage_in_a_line_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "part-00000.jsonl").write_text('{"kind": "attempt", "formalisation": "g", "completion": 3}\n')
    with pytest.raises(InputError, match=r"part-00000.jsonl, row 1: field completion: .*damaged there"):
        numbers_in(tmp_path)


@pytest.mark.parametrize("reader", ["rows", "columns", "where"])
def test_damage_in_a_sealed_part_is_told_and_never_read_as_data(tmp_path: Path, reader: str) -> None:
    with Journal(tmp_path, "attempt") as journal:
        for number in range(200):
            journal.append(attempt(number, text=f"by exact {random.Random(number).random()}"))
    (part,) = tmp_path.glob("*.parquet")
    sound = part.read_bytes()
    readers: dict[str, Callable[[], object]] = {
        "rows": lambda: list(read_journal(tmp_path, "attempt")),
        "columns": lambda: read_columns(tmp_path, "attempt", ["number", "completion", "submission"]),
        "where": lambda: list(read_where(tmp_path, "attempt", "submission", {"s1"})),
    }
    read = readers[reader]
    whole = read()
    told: list[str] = []
    pages = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")  # what follows has no checksums
    for at in range(4, pages, max(1, pages // 60)):
        part.write_bytes(sound[:at] + bytes(100) + sound[at + 100 :])
        try:
            assert read() == whole  # a column that this reader does not look at
        except InputError as error:
            told.append(str(error))
    assert len(told) > 5
    assert all("damaged" in text for text in told)
    part.write_bytes(sound[:-100])
    with pytest.raises(InputError, match="damaged"):
        read()


_WRITER = """
import sys
from pathlib import Path
from pythagoras.evaluate.journal import Journal
from tests.unit.test_journal import attempt
with Journal(Path(sys.argv[1]), "attempt", seal_bytes=20_000) as journal:
    for number in range(int(sys.argv[2]), 10**9):
        journal.append(attempt(number, text="by " + "rfl " * (number % 50)))
        print(number, flush=True)
"""


def test_whatever_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "j"
    begin = 0
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(folder), str(begin)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= begin + 300:
                break
        time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        said = [int(line) for line in process.stdout.read().split(b"\n") if line.isdigit()]
        process.wait()
        process.stdout.close()
        acknowledged = max(said, default=begin + 300)
        there = numbers_in(folder)
        assert there == list(range(len(there)))
        assert acknowledged <= there[-1] <= acknowledged + 1
        begin = len(there)
    assert any(path.suffix == ".parquet" for path in folder.iterdir())


@pytest.mark.parametrize("seal_bytes", [1, 600, 10**9])
def test_records_are_read_by_their_places_and_lengths_without_texts(tmp_path: Path, seal_bytes: int) -> None:
    with Journal(tmp_path, "attempt", seal_bytes=seal_bytes) as journal:
        for number in range(9):
            journal.append(attempt(number, "ℕ" * number))
    journal = Journal(tmp_path, "attempt")
    journal.__enter__()
    journal.append(attempt(9, "open"))
    assert read_lengths(tmp_path, "attempt", "completion") == [*(3 * number for number in range(9)), 4]
    found = [
        (place, record.number)
        for place, record in read_at(tmp_path, "attempt", [9, 2, 7, 2])
        if isinstance(record, Attempt)
    ]
    assert found == [(2, 2), (7, 7), (9, 9)]
    assert list(read_at(tmp_path, "attempt", [])) == []
