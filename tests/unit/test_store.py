"""Stores: written in pieces, gone on with after a kill, read as a stream, and honest about damage."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythagoras.corpus.digest import file_sha256
from pythagoras.corpus.files import fingerprint, funnel_of, read_records, row_count
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Problem, Record, Rejected, record_id
from pythagoras.corpus.rows import Fault, from_line, to_line
from pythagoras.corpus.stages import Dropped, Item, run_stage
from pythagoras.corpus.store import Step, Store, merge_funnels, open_store
from pythagoras.errors import InputError
from tests.unit.corpora import formalisation, instance, problem

PROBLEMS = [problem(f"What is {n} + 1?") for n in range(25)]


def write(folder: Path, items: Iterable[Item] = PROBLEMS, **options: Any) -> Store:
    given = {"stage": "test", "settings": {"seed": 1}, "inputs": {"a": "b"}, "piece_rows": 10}
    return run_stage(items, folder, **{**given, **options})


def drop_odd(batch: Sequence[Record]) -> Iterable[Record | Dropped]:
    for record in batch:
        assert isinstance(record, Problem)
        odd = int(record.text.split()[2]) % 2
        yield Dropped(record, Reason.TOO_LONG, other="x", score=0.5, detail="odd") if odd else record


def test_a_file_has_its_sha256(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, B.1
    assert file_sha256(tmp_path / "abc") == known


def test_a_file_is_no_folder_to_write_in(tmp_path: Path) -> None:
    (tmp_path / "s").touch()
    with pytest.raises(InputError, match=r"s is a file: name a folder$"):
        write(tmp_path / "s")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = write(tmp_path / "s")
    for shard in store.shards:
        assert shard.sha256 == file_sha256(tmp_path / "s" / shard.path)
    assert list(read_records(tmp_path / "s")) == PROBLEMS
    assert [shard.rows for shard in store.shards] == [10, 10, 5]
    assert (store.kinds, store.rows("problem"), row_count([tmp_path / "s"])) == (("problem",), 25, 25)
    assert store.manifest.funnel == (Step("test", 25),)


def test_shards_are_plain_parquet_with_ids(tmp_path: Path) -> None:
    store = write(tmp_path / "s")
    table = pq.read_table(tmp_path / "s" / store.shards[0].path)
    assert table.column("text").to_pylist() == [record.text for record in PROBLEMS[:10]]
    assert table.column("id").to_pylist() == [record_id(record) for record in PROBLEMS[:10]]


def test_what_is_dropped_is_kept_beside_it_with_its_reason(tmp_path: Path) -> None:
    store = write(tmp_path / "s", decide=drop_odd)
    assert list(read_records(tmp_path / "s")) == PROBLEMS[::2]
    rejected = list(read_records(tmp_path / "s", "rejected"))
    assert [from_line(record.row) for record in rejected if isinstance(record, Rejected)] == PROBLEMS[1::2]
    first = rejected[0]
    assert isinstance(first, Rejected)
    assert (first.stage, first.reason, first.other, first.score, first.detail, first.record_kind) == (
        *("test", "too long", "x", 0.5, "odd", "problem"),
    )
    assert first.record == record_id(PROBLEMS[1])
    assert store.manifest.funnel == (Step("test", 25, {"too long": 12}),)
    assert store.manifest.funnel[0].kept == 13


def test_sources_may_drop_and_fail_themselves(tmp_path: Path) -> None:
    fault, dropped = Fault("f.jsonl", 2, "text", "it is missing"), Dropped(problem("b"), Reason.FILTERED_BY_SOURCE)
    items: list[Item] = [problem("a"), fault, dropped, problem("c")]
    store = write(tmp_path / "s", items)
    assert list(read_records(tmp_path / "s")) == [problem("a"), problem("c")]
    assert store.manifest.funnel == (Step("test", 4, {"unreadable": 1, "filtered by source": 1}),)
    details = [record.detail for record in read_records(tmp_path / "s", "rejected") if isinstance(record, Rejected)]
    assert details == ["f.jsonl, row 2, field text: it is missing", ""]


def test_several_kinds_live_in_one_store(tmp_path: Path) -> None:
    write(tmp_path / "s", [problem(), formalisation(), problem("b")])
    assert list(read_records(tmp_path / "s")) == [formalisation()]
    assert list(read_records(tmp_path / "s", "problem")) == [problem(), problem("b")]


def test_a_kind_is_chosen_in_files_too(tmp_path: Path) -> None:
    rejected = Rejected("x", "dedup", "same text")
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(to_line(record) for record in (problem(), instance(), rejected)))
    assert list(read_records(path, "instance")) == [instance()]
    assert list(read_records(path)) == [problem(), instance()]
    assert list(read_records(path, "rejected")) == [rejected]


def test_an_empty_stream_gives_an_empty_store(tmp_path: Path) -> None:
    store = write(tmp_path / "s", [])
    assert (list(read_records(tmp_path / "s")), store.manifest.funnel) == ([], (Step("test", 0),))


class Stop(Exception):
    pass


def stopping(items: Sequence[Item], after: int) -> Iterable[Item]:
    yield from items[:after]
    raise Stop


@given(st.lists(st.integers(0, 25), max_size=4), st.integers(1, 12))
@settings(max_examples=12, deadline=None)
def test_stopped_and_resumed_equals_straight_through(tmp_path_factory: Any, stops: list[int], piece_rows: int) -> None:
    folder = tmp_path_factory.mktemp("store")
    seen: Counter[str] = Counter()

    def decide(batch: Sequence[Record]) -> Iterable[Record | Dropped]:
        seen.update(record_id(record) for record in batch)
        for decision in drop_odd(batch):
            tally["dropped" if isinstance(decision, Dropped) else "kept"] += 1
            yield decision

    for after in sorted(stops):
        tally: Counter[str] = Counter()
        with pytest.raises(Stop):
            write(folder / "a", stopping(PROBLEMS, after), decide=decide, tally=tally, piece_rows=piece_rows)
    tally = Counter()
    store = write(folder / "a", decide=decide, tally=tally, piece_rows=piece_rows)
    straight = write(folder / "b", decide=drop_odd, piece_rows=piece_rows)
    assert store.shards == straight.shards
    assert store.manifest.funnel == (Step("test", 25, {"too long": 12}, {"kept": 13, "dropped": 12}),)
    assert set(seen.values()) == {1}  # a piece that was never whole was never decided upon


def test_a_finished_store_is_not_made_again(tmp_path: Path) -> None:
    before = write(tmp_path / "s")
    assert write(tmp_path / "s", stopping([], 0)) == before


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({"settings": {"seed": 2}}, "other settings .seed: 1 there, 2 now."),
        ({"inputs": {"a": "c"}}, "other inputs"),
        ({"stage": "dedup"}, "other stage .'test' there, 'dedup' now."),
    ],
)
def test_other_work_is_not_mixed_in(tmp_path: Path, other: dict[str, Any], complaint: str) -> None:
    write(tmp_path / "s")
    with pytest.raises(InputError, match=complaint):
        write(tmp_path / "s", **other)
    assert list(read_records(tmp_path / "s")) == PROBLEMS
    write(tmp_path / "s", PROBLEMS[:3], overwrite=True, **other)
    assert list(read_records(tmp_path / "s")) == PROBLEMS[:3]


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all my work")
    for overwrite in (False, True):
        with pytest.raises(InputError, match="holds something else than a corpus"):
            write(tmp_path, overwrite=overwrite)
    assert (tmp_path / "thesis.tex").read_text() == "all my work"


def test_a_folder_of_others_with_a_manifest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "an extension", "manifest_version": 3}')
    (tmp_path / "src").mkdir()
    with pytest.raises(InputError, match="holds something else than a corpus"):
        write(tmp_path, overwrite=True)
    assert (tmp_path / "src").is_dir()


def test_writing_over_touches_nothing_that_is_not_the_stores(tmp_path: Path) -> None:
    write(tmp_path / "s")
    (tmp_path / "s" / "notes.md").write_text("mine")
    write(tmp_path / "s", PROBLEMS[:2], overwrite=True)
    assert list(read_records(tmp_path / "s")) == PROBLEMS[:2]
    assert (tmp_path / "s" / "notes.md").read_text() == "mine"


def test_an_unfinished_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        write(tmp_path / "s", stopping(PROBLEMS, 15))
    with pytest.raises(InputError, match=r"is unfinished: run the command that makes it \(test\) again"):
        list(read_records(tmp_path / "s"))
    assert list(read_records(tmp_path / "s", partial=True)) == PROBLEMS[:10]


def test_a_failure_before_anything_was_done_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        write(tmp_path / "s", stopping(PROBLEMS, 3))
    assert list(tmp_path.iterdir()) == []


def test_two_writers_at_once(tmp_path: Path) -> None:
    def items() -> Iterable[Item]:
        yield from PROBLEMS
        with pytest.raises(InputError, match="is being written by another process"):
            write(tmp_path / "s")

    write(tmp_path / "s", items())
    assert list(read_records(tmp_path / "s")) == PROBLEMS


_ENDLESS = """
import sys, time
from pathlib import Path
from pythagoras.corpus.records import Problem
from pythagoras.corpus.stages import run_stage

def items():
    for n in range(2000):
        if n >= int(sys.argv[2]):
            time.sleep(0.0005)
        yield Problem(f"What is {n}?", "made")

run_stage(items(), Path(sys.argv[1]), stage="test", settings={}, inputs={}, piece_rows=20)
"""


def test_killed_at_any_moment_nothing_is_lost_or_twice(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", _ENDLESS, str(folder), "0"])
        there = len(list(folder.glob("done/*.json")))
        while len(list(folder.glob("done/*.json"))) < there + 5 and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    done = len(list(folder.glob("done/*.json")))
    assert done >= 10
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("problem/*.parquet")}
    subprocess.run([sys.executable, "-c", _ENDLESS, str(folder), "2000"], check=True)
    assert list(read_records(folder)) == [Problem(f"What is {n}?", "made") for n in range(2000)]
    untouched = [path for path, changed in kept.items() if path.stat().st_mtime_ns == changed]
    assert len(untouched) >= done


# --- damage -------------------------------------------------------------------------------------


def read_all(path: Path, kind: str | None = None) -> tuple[list[Record], list[str]]:
    faults: list[Fault] = []
    return list(read_records(path, kind, on_fault=faults.append)), [str(fault) for fault in faults]


def test_a_damaged_shard_costs_that_shard(tmp_path: Path) -> None:
    store = write(tmp_path / "s")
    path = tmp_path / "s" / store.shards[1].path
    path.write_bytes(b"x" * store.shards[1].bytes)
    records, faults = read_all(tmp_path / "s")
    assert records == PROBLEMS[:10] + PROBLEMS[20:]
    assert len(faults) == 2
    assert faults[1].startswith(f"{path}: it is no sound Parquet: ")


def test_a_store_that_lost_a_marker_is_not_read_as_a_short_one(tmp_path: Path) -> None:
    write(tmp_path / "s")
    (tmp_path / "s" / "done" / "00001.json").unlink()
    with pytest.raises(InputError, match=r"has lost its marker done/00001.json and what follows \(3 pieces"):
        list(read_records(tmp_path / "s"))


def test_no_flipped_bit_gives_other_records(tmp_path: Path) -> None:
    store = write(tmp_path / "s", PROBLEMS, piece_rows=100)
    path = tmp_path / "s" / store.shards[0].path
    content = path.read_bytes()
    for place in range(4, len(content) - 8, 37):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        records, faults = read_all(tmp_path / "s")
        assert records == PROBLEMS or faults, place
        assert set(map(record_id, records)) <= set(map(record_id, PROBLEMS)), place


def test_damage_inside_a_shard_costs_what_is_around_it(tmp_path: Path) -> None:
    many = [problem(f"What is {n} times {n * n % 977}?") for n in range(6_000)]
    store = write(tmp_path / "s", many, piece_rows=6_000)
    [shard] = store.shards
    path = tmp_path / "s" / shard.path
    content = bytearray(path.read_bytes())
    middle = pq.read_metadata(path).row_group(1).column(1).data_page_offset
    content[middle : middle + 400] = bytes(400)
    path.write_bytes(content)
    records, faults = read_all(tmp_path / "s")
    assert records == many[:2_000] + many[4_000:]
    assert len(faults) == 2
    assert faults[0].startswith(f"{path}: it is not as it was written")
    assert faults[1].startswith(f"{path}, row 2001, field text: the rows up to 4000 are damaged: ")


@pytest.mark.parametrize("how", ["cut", "gone"])
def test_a_shard_that_is_cut_or_gone_is_named(tmp_path: Path, how: str) -> None:
    store = write(tmp_path / "s")
    path = tmp_path / "s" / store.shards[1].path
    path.unlink() if how == "gone" else path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"part-00001.parquet is (missing|not as it was written): put it back, or"):
        open_store(tmp_path / "s")


@pytest.mark.parametrize("content", ["", "{", '{"format": 1}', "[]"])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    write(tmp_path / "s")
    (tmp_path / "s" / "manifest.json").write_text(content)
    with pytest.raises(InputError, match=r"manifest.json is damaged at .*: make the corpus anew"):
        open_store(tmp_path / "s")


def test_json_lines_with_bad_rows_between(tmp_path: Path) -> None:
    lines = [to_line(problem("a")), "{", "", '{"kind": "problem", "text": 3, "source": "s"}', to_line(problem("b"))]
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(line.encode() for line in lines) + b"\n\xff\xfe\n" + to_line(problem("c")).encode())
    records, faults = read_all(path)
    assert records == [problem("a"), problem("b"), problem("c")]
    assert [fault.removeprefix(f"{path}, ").split(":")[0] for fault in faults] == [
        "row 2",
        "row 4, field text",
        "row 6",
    ]


def test_json_lines_without_kinds_and_packed(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    rows = [{"text": "a", "source": "s"}, {"text": "b", "source": "s"}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert list(read_records(path, "problem")) == [Problem("a", "s"), Problem("b", "s")]
    path.write_bytes(path.read_bytes()[:-12])
    assert "it can't be read" in read_all(path, "problem")[1][0]


def test_parquet_of_others(tmp_path: Path) -> None:
    import pyarrow as pa

    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": ["a", None, "c"], "source": ["s", "s", "s"]}), path)
    records, faults = read_all(path, "problem")
    assert records == [Problem("a", "s"), Problem("c", "s")]
    assert faults == [f"{path}, row 2, field text: None: input should be a valid string"]
    assert "field kind: it is missing" in read_all(path)[1][0]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("none.jsonl", "can't be read"),
        ("none", "does not exist"),
        ("thing.txt", "is no corpus"),
        ("folder", "is no corpus"),
    ],
)
def test_what_is_no_corpus(tmp_path: Path, name: str, complaint: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "thing.txt").touch()
    with pytest.raises(InputError, match=complaint):
        list(read_records(tmp_path / name))


def test_a_wrong_kind_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'problem'"):
        list(read_records(tmp_path, "problems"))


# --- what stages know of their input ------------------------------------------------------------


def test_fingerprints_follow_the_content(tmp_path: Path) -> None:
    one, same, other = (write(tmp_path / name, PROBLEMS[:n]) for name, n in (("a", 5), ("b", 5), ("c", 6)))
    assert fingerprint(tmp_path / "a") == one.fingerprint == same.fingerprint != other.fingerprint
    path = tmp_path / "x.jsonl"
    path.write_text(to_line(instance()))
    before = fingerprint(path)
    path.write_text(to_line(instance()) * 2)
    assert fingerprint(path) != before


def test_funnels_go_on_and_add_up(tmp_path: Path) -> None:
    write(tmp_path / "a", stage="read")
    write(tmp_path / "b", PROBLEMS[:5], stage="read")
    funnel = merge_funnels([funnel_of(tmp_path / "a"), funnel_of(tmp_path / "b")])
    assert funnel == (Step("read", 30),)
    assert merge_funnels([(Step("dedup", 6), Step("dedup", 3)), (Step("dedup", 1),)]) == (
        *(Step("dedup", 7), Step("dedup", 3)),
    )
    store = write(tmp_path / "c", [*PROBLEMS, *PROBLEMS[:5]], stage="dedup", decide=drop_odd, funnel=funnel)
    assert [(step.stage, step.read, step.kept) for step in store.manifest.funnel] == [
        ("read", 30, 30),
        ("dedup", 30, 16),
    ]
    assert funnel_of(tmp_path / "x.jsonl") == ()
