"""Recorded attempts: every shape they come in, and a word for what can't be used."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pythagoras.corpus.records import Attempt, Formalisation, Instance, Record, Tier, record_id
from pythagoras.corpus.rows import to_line
from pythagoras.errors import InputError
from pythagoras.generate.recorded import RecordedSampler
from pythagoras.generate.recordings import Recording, read_recording
from pythagoras.generate.sampler import Ability, Finish, Request
from pythagoras.generate.samplers import open_sampler
from tests.made_runs import made_goals, make_run

Rows = Sequence[Mapping[str, Any]]


def goal(name: str) -> Formalisation:
    return Formalisation(name, f"theorem {name} : True", "handmade")


def written(path: Path, rows: Rows) -> Path:
    """As JSON lines, or as a JSON list where the name says so."""
    text = json.dumps(rows) if path.suffix == ".json" else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def shape(recording: Recording) -> dict[str, dict[tuple[int, int], str]]:
    return {name: {at: entry.text for at, entry in rounds.items()} for name, rounds in recording.entries.items()}


# --- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["completion", "proof", "code", "output", "response"])
@pytest.mark.parametrize("ending", [".jsonl", ".json", ".jsonl.gz", ".parquet"])
def test_plain_rows_are_numbered_as_they_come(tmp_path: Path, field: str, ending: str) -> None:
    rows = [{"name": name, field: text} for name, text in [("p", "a"), ("q", "b"), ("p", "c")]]
    path = tmp_path / f"attempts{ending}"
    if ending == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ending == ".jsonl.gz":
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    else:
        written(path, rows)
    recording = read_recording(path)
    assert shape(recording) == {"p": {(0, 0): "a", (1, 0): "c"}, "q": {(0, 0): "b"}}
    assert recording.faults == ()


@pytest.mark.parametrize("field", ["completions", "responses", "samples", "completion", "model_outputs"])
def test_rows_with_a_list(tmp_path: Path, field: str) -> None:
    path = written(
        tmp_path / "x.jsonl", [{"problem_id": "p", field: ["a", {"text": "b"}]}, {"name": "p", "proof": "c"}]
    )
    assert shape(read_recording(path)) == {"p": {(0, 0): "a", (1, 0): "b", (2, 0): "c"}}


def test_the_papers_sample_records(tmp_path: Path) -> None:
    samples = [
        {"sample_id": at, "completion": f"plan {at}", "reasoning": "r", "lean_code_block": "other"} for at in range(3)
    ]
    row = {"dataset_index": 0, "name": "p", "formal_statement": "theorem p", "num_samples": 3, "samples": samples}
    recording = read_recording(written(tmp_path / "x.jsonl", [row]))
    assert shape(recording) == {"p": {(at, 0): f"plan {at}" for at in range(3)}}


def goedel(name: str, **fields: Any) -> dict[str, Any]:
    origin = name.partition("_g")[0]
    return {"problem_id": name, "origin_problem_id": origin, "model_output": f"wrote {name}", **fields}


def test_goedels_folder_with_rounds(tmp_path: Path) -> None:
    """Of three files with the same attempts one is read, round by round."""
    written(tmp_path / "full_records.json", [goedel("p_g0", code="by rfl"), goedel("p_g1"), goedel("q_1_g0")])
    written(tmp_path / "full_records_corr1.json", [goedel("p_g0_corr1_g0"), goedel("p_g1_corr1_g0")])
    written(tmp_path / "full_records_corr2.json", [goedel("p_g1_corr1_g0_corr2_g0")])
    written(tmp_path / "to_inference_codes.json", [goedel("p_g0"), goedel("p_g1"), goedel("q_1_g0")])
    written(tmp_path / "code_compilation_repl.json", [{"name": "p_g0", "code": "x", "compilation_result": {}}])
    recording = read_recording(tmp_path)
    assert shape(recording) == {
        "p": {
            (0, 0): "wrote p_g0",
            (1, 0): "wrote p_g1",
            (0, 1): "wrote p_g0_corr1_g0",
            (1, 1): "wrote p_g1_corr1_g0",
            (1, 2): "wrote p_g1_corr1_g0_corr2_g0",
        },
        "q_1": {(0, 0): "wrote q_1_g0"},
    }
    assert (recording.attempts, recording.rounds, recording.faults) == (2, 3, ())


def test_goedels_compiled_codes_alone(tmp_path: Path) -> None:
    rows = [{"name": f"p_g{at}", "code": f"c{at}", "compilation_result": {"pass": True}} for at in (0, 2)]
    recording = read_recording(written(tmp_path / "code_compilation_repl.json", rows))
    assert shape(recording) == {"p": {(0, 0): "c0", (2, 0): "c2"}}
    assert recording.attempts == 3


def test_a_sample_that_was_corrected_twice_is_two_attempts(tmp_path: Path) -> None:
    names = ["p_g0", "p_g1", "p_g0_corr1_g0", "p_g0_corr1_g1"]
    recording = read_recording(written(tmp_path / "all.json", [goedel(name) for name in names]))
    assert shape(recording)["p"] == {
        (0, 0): "wrote p_g0",
        (0, 1): "wrote p_g0_corr1_g0",
        (1, 0): "wrote p_g0",
        (1, 1): "wrote p_g0_corr1_g1",
        (2, 0): "wrote p_g1",
    }


def test_what_attempts_have_in_common_is_counted_once(tmp_path: Path) -> None:
    rows = [{**goedel(name), "generated_tokens": 5} for name in ("p_g0", "p_g0_corr1_g0", "p_g0_corr1_g1")]
    sampler = RecordedSampler(read_recording(written(tmp_path / "all.json", rows)))
    counts = {place: entry.generated_tokens for place, entry in sampler.recording.entries["p"].items()}
    assert counts == {(0, 0): 5, (0, 1): 5, (1, 0): 0, (1, 1): 5}
    assert sampler.settings["rounds_that_attempts_share"] == 1


def test_names_that_only_look_like_goedels_among_others(tmp_path: Path) -> None:
    rows = [{"name": "curve_g2", "proof": "a"}, {"name": "other", "proof": "b"}]
    assert set(read_recording(written(tmp_path / "x.jsonl", rows)).entries) == {"curve_g2", "other"}


def test_attempts_without_a_number_come_behind_those_with_one(tmp_path: Path) -> None:
    written(tmp_path / "a.json", [goedel("p_g0"), goedel("p_g1")])
    written(tmp_path / "b.jsonl", [{"name": "p", "proof": "mine"}])
    recording = read_recording(tmp_path)
    assert shape(recording) == {"p": {(0, 0): "wrote p_g0", (1, 0): "wrote p_g1", (2, 0): "mine"}}


@pytest.mark.parametrize("where", ["", "attempts"])
def test_a_run_of_ours_gives_itself_back(tmp_path: Path, where: str) -> None:
    goals = made_goals(3)
    run = make_run(tmp_path / "run", [[True, False], [False, False], [False, True]], goals, rounds=3)
    with open_sampler(f"recorded:{run / where}") as sampler:
        assert isinstance(sampler, RecordedSampler)
        assert (sampler.most, sampler.abilities) == (2, frozenset({Ability.TURNS}))
        assert sampler.coverage(goals).missing == sampler.coverage(goals).unknown == ()
        samples = list(sampler.sample(Request(goal, number) for goal in goals for number in range(2)))
        assert sampler.settings["generated_tokens"] == "recorded"
    assert all(sample.request.goal.name in sample.text for sample in samples)
    assert {sample.prompt_tokens for sample in samples} == {280}
    assert all(sample.seconds > 0 for sample in samples)


def test_our_own_records_in_a_file(tmp_path: Path) -> None:
    """Attempts know a statement by its id, instances by its name."""
    one = goal("p")
    instance = Instance("q", "theorem q : True", "by simp", "handmade", Tier.EASY, True)
    records: list[Record] = [Attempt(record_id(one), f"text {at}", number=at, finish="length") for at in range(2)]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(to_line(record) + "\n" for record in [*records, instance]))
    sampler = RecordedSampler(read_recording(path))
    first, second, third = sampler.sample([Request(one, 0), Request(one, 1), Request(goal("q"), 0)])
    assert [first.text, second.text, third.text] == ["text 0", "text 1", "by simp"]
    assert (first.finish, third.finish) == (Finish.LENGTH, Finish.STOP)
    assert sampler.coverage([one, goal("q")]).unknown == ()


# --- tokens --------------------------------------------------------------------------------------


def test_tokens_as_recorded_else_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"name": "p", "proof": "by ω", "prompt_tokens": 5, "generated_tokens": 3},
        {"name": "p", "proof": "by ω", "usage": {"prompt_tokens": 6, "completion_tokens": 4.0}},
        {"name": "p", "proof": "by ω", "output_tokens": float("nan")},
        {"name": "p", "proof": ""},
    ]
    recording = read_recording(written(tmp_path / "x.jsonl", rows))
    sampler = RecordedSampler(recording)
    samples = list(sampler.sample(Request(goal("p"), number) for number in range(4)))
    assert [(one.prompt_tokens, one.generated_tokens) for one in samples] == [(5, 3), (6, 4), (0, 5), (0, 0)]
    assert sampler.settings["prompt_tokens"] == "recorded, 2 of 4 as 0"
    assert sampler.settings["generated_tokens"] == "recorded, 2 of 4 by bytes"
    lean = RecordedSampler(recording, tokenizer="lean")
    assert [one.generated_tokens for one in lean.sample([Request(goal("p"), 2)])] == [2]
    assert samples[3].finish is Finish.STOP  # nothing was written, and that was recorded


def test_settings_are_those_of_the_content(tmp_path: Path) -> None:
    rows = [{"name": "p", "proof": "a"}, {"name": "q", "proof": "b"}]
    one = RecordedSampler(read_recording(written(tmp_path / "one.jsonl", rows)))
    same = RecordedSampler(read_recording(written(tmp_path / "same.json", rows[::-1])))
    other = RecordedSampler(read_recording(written(tmp_path / "other.jsonl", [rows[0], {"name": "q", "proof": "c"}])))
    assert one.settings == same.settings == json.loads(json.dumps(dict(one.settings)))
    assert one.settings != other.settings
    assert (one.name, same.name) == ("one", "same")


# --- what does not fit ---------------------------------------------------------------------------


def test_what_is_not_recorded_is_said(tmp_path: Path) -> None:
    rows = [{"name": "p", "proof": "a"}, {"name": "p", "proof": "b"}, {"name": "q", "proof": "c"}, goedel("r")]
    sampler = RecordedSampler(read_recording(written(tmp_path / "x.jsonl", rows)))
    goals = [goal("p"), goal("q"), goal("s")]
    requests = [Request(goal("q"), 1), Request(goal("q"), 0, 1), Request(goal("s"), 0)]
    failures = [(sample.finish, sample.failure) for sample in sampler.sample(requests)]
    assert failures == [
        (Finish.NONE, "no attempt 1 is recorded for q"),
        (Finish.NONE, "no round 1 of attempt 0 is recorded for q"),
        (Finish.NONE, "no attempt 0 is recorded for s"),
    ]
    coverage = sampler.coverage(goals)
    assert (coverage.unknown, coverage.missing, coverage.short) == (("r",), ("s",), ("q",))
    assert (sampler.most, sampler.abilities) == (2, frozenset())


BAD: dict[str, tuple[Any, str]] = {
    "no name": ({"nmae": "p", "proof": "a"}, "row 2: it has no name: is its 'nmae' meant as 'name'? wanted is one of"),
    "no text": ({"name": "p", "compltion": "a"}, "row 2: it has no text: is its 'compltion' meant as 'completion'?"),
    "an empty name": ({"name": " ", "proof": "a"}, "row 2, field name: ' ' is no name of a problem"),
    "nothing written": ({"name": "p", "completion": None}, "row 2, field completion: there is nothing in it"),
    "no string": ({"name": "p", "proof": 7}, "row 2, field proof: it is a int, not a text"),
    "an empty list": ({"name": "p", "samples": []}, "row 2, field samples: the list is empty"),
    "an odd sample": ({"name": "p", "samples": ["a", 3]}, "row 2, field samples.1: it is a int, neither a text nor"),
    "a sample without text": ({"name": "p", "samples": [{"completion": None}]}, "field samples.0.completion: there is"),
    "odd tokens": ({"name": "p", "proof": "a", "prompt_tokens": "many"}, "field prompt_tokens: 'many' is no number"),
    "endless tokens": ({"name": "p", "proof": "a", "prompt_tokens": float("inf")}, "field prompt_tokens: inf is no"),
    "no object": ([1], "row 2: it is a JSON list, not an object"),
    "a statement": (json.loads(to_line(goal("p"))), "row 2, field kind: it is a formalisation, no attempt at one"),
    "a broken record": ({"kind": "attempt", "completion": "x"}, "row 2, field formalisation: it is missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_row_that_can_not_be_used_is_told_of(tmp_path: Path, case: str) -> None:
    row, said = BAD[case]
    good = {"name": "good", "proof": "by simp"}
    path = written(tmp_path / "x.jsonl", [good, row, good])
    recording = read_recording(path)
    (fault,) = recording.faults
    assert str(fault).startswith(str(path))
    assert said in str(fault)
    assert len(recording.entries["good"]) == 2


def test_a_sample_that_can_not_be_used_leaves_its_number_free(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"name": "p", "samples": ["a", {"completion": None}, "c"]},
        {"name": "q", "proof": "a"},
        {"name": "q", "proof": 7},
        {"name": "q", "proof": "c"},
    ]
    sampler = RecordedSampler(read_recording(written(tmp_path / "x.jsonl", rows)))
    assert {name: sorted(entries) for name, entries in sampler.recording.entries.items()} == {
        "p": [(0, 0), (2, 0)],
        "q": [(0, 0), (2, 0)],
    }
    assert dict(sampler.notes([goal("p"), goal("s")])) == {
        "rows that can't be read": 2,
        "recorded names that the benchmark does not have": 1,
        "statements without a recorded attempt": 1,
        "statements with fewer attempts than others": 1,
    }


def test_attempts_that_are_there_twice_are_told_of(tmp_path: Path) -> None:
    attempts = [Attempt("id", "x", number=3), Attempt("id", "y", number=3)]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(to_line(record) + "\n" for record in attempts))
    (fault,) = read_recording(path).faults
    assert str(fault).endswith("row 2: attempt 3, round 0, of id is there twice")
    (fault,) = read_recording(written(tmp_path / "y.jsonl", [goedel("p_g0"), goedel("p_g0")])).faults
    assert str(fault).endswith("row 2: the attempt p_g0 is there twice")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", "", "has no recorded attempts that can be read: rows need a name"),
        ("x.jsonl", '{"name": "p"}\n', "row 1: it has no text"),
        ("x.jsonl", "no JSON\n", "row 1: it is no JSON"),
        ("x.txt", "x", "it is none of the files that are read"),
        ("x.lean", "theorem p : True := by simp", "Lean files are not read"),
    ],
)
def test_files_without_attempts(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    for path in (tmp_path / name, *([tmp_path] if name != "x.txt" else [])):
        with pytest.raises(InputError) as raised:
            read_recording(path)
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)


def test_a_folder_of_ours_without_attempts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [[]], made_goals(1))
    with pytest.raises(InputError, match="no recorded attempts"):
        read_recording(run)
