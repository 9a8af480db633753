"""What a run meets that nobody meant: hostile completions, recordings with gaps, folders that are damaged or older."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.evaluate.journal import Journal
from pythagoras.evaluate.results import load
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.running.runner import run
from pythagoras.evaluate.running.session import Summary
from pythagoras.evaluate.runs import read_manifest
from pythagoras.generate.recorded import RecordedSampler, read_recording
from pythagoras.lean.fake import FakeChecker
from pythagoras.stages.measuring import wanted_before
from tests.scripted import RESTART, Scripted, attempts_in, judgements_in, lean, run_fake, statements


def always(text: str) -> Scripted:
    return Scripted(lambda request: text)


# --- what samplers write, and what they have not --------------------------------------------------


def test_what_no_sampler_has_is_no_failure(tmp_path: Path) -> None:
    rows = [
        {"name": "goal0", "samples": ["by rfl", None, "wrong"]},
        {"name": "goal1", "samples": ["wrong", "wrong", "wrong"]},
        {"name": "goal2", "samples": ["by rfl"]},
        {"name": "stranger", "samples": ["by rfl"]},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    sampler = RecordedSampler(read_recording(tmp_path / "x.jsonl"))

    def go(*, stop_when_solved: bool) -> Summary:
        judge = Judge(FakeChecker(lean))
        return run(tmp_path / "r", statements(3), [sampler], RESTART, judge, n=3, stop_when_solved=stop_when_solved)

    go(stop_when_solved=True)
    summary = go(stop_when_solved=False)
    assert (summary.failed, summary.failures) == (0, ())
    assert summary.impossible == 3
    assert sorted(attempt.number for attempt in attempts_in(tmp_path / "r")) == [0, 0, 0, 1, 2, 2]
    manifest = read_manifest(tmp_path / "r")
    assert not manifest.stop_when_solved
    assert manifest.notes == {
        "x: rows that can't be read": 1,
        "x: recorded names that the benchmark does not have": 1,
        "x: statements with fewer attempts than others": 2,
    }


HOSTILE = {
    "sections": "section A\n",
    "namespaces": "namespace A\n",
    "quotes": '"',
    "parentheses": "(",
    "fences": "```\n",
    "open fences": "```lean4\n",
    "spaces": " ",
    "a fence and spaces": "```                                                                `",
    "attributes": "@[",
    "settings": "simp+",
    "bars": "theorem a : b\n | x\n",
}


@pytest.mark.parametrize("around", ["", "theorem goal0 : 0 = 0 := by\n", "```lean4\nby rfl\n```\n"])
@pytest.mark.parametrize("what", HOSTILE)
def test_a_megabyte_of_anything_gets_a_verdict(tmp_path: Path, what: str, around: str) -> None:
    text = around + HOSTILE[what] * (2**20 // len(HOSTILE[what]))
    summary = run_fake(tmp_path / "r", statements(1), always(text), n=1)
    (judged,) = judgements_in(tmp_path / "r")
    assert (summary.drawn, summary.no_verdict) == (1, 0)
    assert judged.reason in ("too_long", "no_proof", "holds")
    assert (judged.reason == "holds") <= around.startswith("```")  # the last block counts, be it one of theirs
    if judged.reason == "too_long":
        assert judged.detail.endswith("characters of Lean, and 200,000 are judged")
        assert judged.paper_rule is None


@pytest.mark.parametrize("what", HOSTILE)
def test_as_much_as_is_judged_of_anything_gets_a_verdict(tmp_path: Path, what: str) -> None:
    text = HOSTILE[what] * (100_000 // len(HOSTILE[what]))
    run_fake(tmp_path / "r", statements(1), always(f"{text}\ntheorem goal0 : 0 = 0 := by rfl"), n=1)
    (judged,) = judgements_in(tmp_path / "r")
    assert judged.reason != "too_long"


# --- folders -------------------------------------------------------------------------------------


def test_words_and_names_of_files_make_no_other_run(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(1), always("by rfl"))
    reworded = RESTART.model_copy(update={"about": "In other words."})
    renamed = statements(1)
    renamed = replace(renamed, info=renamed.info.model_copy(update={"file": "other.jsonl"}))
    assert run_fake(tmp_path / "r", renamed, always("by rfl"), protocol=reworded).reused == 1


def test_another_format_is_not_read(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(1), always("by rfl"))
    path = tmp_path / "r" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99, "new": 1}))
    with pytest.raises(InputError, match="has the format 99, and this version of pythagoras knows 1"):
        load(tmp_path / "r")


def test_no_address_in_the_manifest(tmp_path: Path) -> None:
    judge = Judge(FakeChecker(lean), backend="https://ada:secret@lean.example")
    run(tmp_path / "r", statements(1), [always("by rfl")], RESTART, judge, n=1)
    assert "lean.example" not in (tmp_path / "r" / "run.json").read_text()
    assert read_manifest(tmp_path / "r").lean.backend == "kimina"


def test_a_sampler_that_nobody_asks_is_refused(tmp_path: Path) -> None:
    one, two = Scripted(lambda r: "a", name="one"), Scripted(lambda r: "b", name="two")
    with pytest.raises(InputError, match="nothing to do for the sampler two"):
        run_fake(tmp_path / "r", statements(1), one, two)


def test_a_damaged_folder_is_told(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(2), always("by rfl"))
    stranger = replace(attempts_in(tmp_path / "r")[0], formalisation="stranger")
    with Journal(tmp_path / "r" / "attempts", "attempt") as journal:
        journal.append(stranger)
    with pytest.raises(InputError, match="attempts at 1 statements that its goals do not have"):
        run_fake(tmp_path / "r", statements(2), always("by rfl"))


def test_what_a_kill_left_of_an_older_run_goes(tmp_path: Path) -> None:
    run_fake(tmp_path / "r", statements(1), always("by rfl"))
    (tmp_path / "r" / "attempts.old").mkdir()
    run_fake(tmp_path / "r", statements(1), always("by rfl"))
    assert not (tmp_path / "r" / "attempts.old").exists()


def test_going_on_without_a_word_takes_no_attempts_away(tmp_path: Path) -> None:
    assert wanted_before(tmp_path / "r") is None
    run_fake(tmp_path / "r", statements(1), always("by rfl"), n=64)
    assert wanted_before(tmp_path / "r") == 64
