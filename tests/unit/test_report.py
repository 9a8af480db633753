"""The report's data without a browser: nothing is lost, nothing breaks out, and what is not shown is counted."""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.records import Formalisation, Record
from pythagoras.corpus.rows import to_line
from pythagoras.evaluate.journal import Journal, read_at, read_journal
from pythagoras.evaluate.report.data import Browser, collect
from pythagoras.evaluate.report.embed import Packer, encoded, escaped, packed
from pythagoras.evaluate.report.limits import LONGEST_LEAN
from pythagoras.evaluate.report.markup import table
from pythagoras.evaluate.results import Results, load
from pythagoras.evaluate.shown.tables import Table
from tests.made_runs import made_goals, make_run
from tests.report_runs import HOSTILE, HOSTILE_NAME, LONG, hostile_run


def domain(goal: Formalisation) -> str:
    return goal.name.partition("_")[0]


def unpacked(text: str) -> list[Any]:
    """The lines that were packed."""
    lines = zlib.decompress(base64.b64decode(text)).decode().removesuffix("\n").split("\n")
    return [json.loads(line) for line in lines if line]


def of_problem(browser: Browser, at: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Its attempts as they were drawn, and what is told of the runs."""
    *attempts, runs = unpacked(browser.chunks[at])
    return sorted(attempts, key=lambda attempt: attempt["about"]["numbers"][0]), runs


def numbers(attempts: list[dict[str, Any]]) -> list[list[int]]:
    return [attempt["about"]["numbers"] for attempt in attempts]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return load(hostile_run(tmp_path_factory.mktemp("runs") / "hostile"))


# --- texts -----------------------------------------------------------------------------------------


def test_escaped_text_is_no_markup_and_hides_nothing() -> None:
    assert escaped("<b a=\"1\" c='2'>&") == "&lt;b a=&quot;1&quot; c=&#x27;2&#x27;&gt;&amp;"
    assert escaped("a\x00b\u202ec\u2028d\ud800\t\n") == "a[U+0000]b[U+202E]c[U+2028]d[U+D800]\t\n"
    assert escaped("ℕ → 𝕜 é") == "ℕ → 𝕜 é"


@pytest.mark.parametrize("text", ["", HOSTILE, "ℕ\n\r\n\t", "half \ud800 and \udfff characters", "\\ud800"])
def test_what_is_packed_comes_back_and_is_letters_only(text: str) -> None:
    assert unpacked(packed({"text": [text]})) == [{"text": [text]}]
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed(text))


def test_tables_escape_and_align() -> None:
    found = table(Table("<t>", ("run", "n", "<c>"), (("<a>", 1234, "x"), ("b", None, "<y>")), "<note>"))
    assert "<a>" not in found
    assert "<y>" not in found
    assert "<note>" not in found
    assert '<th scope="row">&lt;a&gt;</th><td class="number">1,234</td><td>x</td>' in found
    assert '<td class="number">–</td>' in found


# --- attempts --------------------------------------------------------------------------------------


def test_the_same_lean_is_shown_once_with_its_attempts(hostile: Results) -> None:
    browser = collect([hostile], domain)
    assert (browser.attempts, browser.texts, browser.same, browser.left) == (11, 8, 3, 0)
    attempts, _ = of_problem(browser, 0)
    assert numbers(attempts) == [[0, 2, 3], [1, 4]]
    assert [attempt["rounds"][0]["written"]["text"] for attempt in attempts] == ["first", "second"]
    assert [attempt["rounds"][0]["judged"]["outcome"] for attempt in attempts] == ["proved", "rejected"]
    assert [len(attempt["rounds"][0]["judged"]["remarks"]) for attempt in attempts] == [0, 1]


def test_attempts_without_a_judgement_or_a_text_are_there(hostile: Results) -> None:
    attempts, _ = of_problem(collect([hostile], domain), 1)
    rounds = [attempt["rounds"][0] for attempt in attempts]
    assert [told["written"]["text"] for told in rounds] == ["plan\n```lean4\n```", "I give up.", "", "by simp"]
    assert [told["judged"] and told["judged"]["reason"] for told in rounds] == [
        "lean_error",
        "no_proof",
        "no_proof",
        None,
    ]


def test_the_list_tells_outcomes_classes_and_disputes(hostile: Results) -> None:
    entries = collect([hostile], domain).index["problems"]
    assert [entry["runs"][0]["outcome"] for entry in entries] == ["solved", "unsolved", "unsolved", "unfit"]
    assert [(entry["runs"][0]["proved"], entry["runs"][0]["drawn"]) for entry in entries] == [
        (3, 5),
        (0, 4),
        (0, 2),
        (0, 0),
    ]
    assert entries[1]["runs"][0]["classes"] == ["no proof", "no verdict", "type mismatch"]
    assert [entry["runs"][0]["disputed"] for entry in entries] == [False, False, True, False]
    assert entries[2]["name"] == HOSTILE_NAME
    assert of_problem(collect([hostile], domain), 3) == ([], [{"run": 0, "unfit": "line 1: unknown ℝ", "left": {}}])


def test_of_very_long_texts_the_middle_is_left_out_and_said(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False]], reasoning=5_000))
    (attempt,) = run.attempts()
    browser = collect([run], domain, longest_text=1001)
    ((told,), _) = of_problem(browser, 0)
    written = told["rounds"][0]["written"]
    assert (written["text"], written["end"]) == (attempt.completion[:500], attempt.completion[-501:])
    assert written["length"] == len(attempt.completion)
    assert written["end"].endswith("```")
    assert browser.cut == 1
    ((told,), _) = of_problem(collect([run], domain, longest_text=len(attempt.completion)), 0)
    assert told["rounds"][0]["written"] == {"text": attempt.completion, "finish": "stop"}


def test_of_very_long_lean_the_beginning_is_there(hostile: Results) -> None:
    browser = collect([hostile], domain)
    attempts, _ = of_problem(browser, 2)
    judged = attempts[1]["rounds"][0]["judged"]
    assert (len(judged["checked"]), judged["length"]) == (LONGEST_LEAN, LONG)
    assert browser.cut == 2  # what was written for it is as long


def test_what_does_not_fit_is_counted_and_problems_share_the_room(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[at % 3 == 0] * 20 for at in range(12)], reasoning=2_000))
    whole = collect([run], domain)
    assert (whole.texts, whole.left) == (whole.attempts, 0) == (240, 0)
    budget = sum(map(len, whole.chunks)) // 3
    browser = collect([run], domain, embed_bytes=budget)
    assert 0.9 * budget < sum(map(len, browser.chunks)) <= budget
    inside = [of_problem(browser, at) for at in range(12)]
    shown = [len(attempts) for attempts, _ in inside]
    left = [sum(runs[0]["left"].values()) for _, runs in inside]
    assert [a + b for a, b in zip(shown, left, strict=True)] == [20] * 12
    assert (sum(shown), sum(left)) == (browser.texts, browser.left)
    assert max(shown) - min(shown) <= 4


def test_what_a_problem_does_not_need_is_there_for_the_others(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False], [False] * 40, [False]], reasoning=2_000))
    size = len(collect([run], domain).chunks[1])
    browser = collect([run], domain, embed_bytes=size // 2)
    assert [len(of_problem(browser, at)[0]) for at in (0, 2)] == [1, 1]
    assert len(of_problem(browser, 1)[0]) > 40 / 3 + 1  # more than a third of the room has


def test_the_first_proof_comes_first_then_failures_in_their_order(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False] * 5 + [True] * 20 + [False] * 5]))
    size = len(collect([run], domain).chunks[0])
    shares = [of_problem(collect([run], domain, embed_bytes=size * part // 30), 0)[0] for part in range(2, 31)]
    order = [5, 0, 1, 2, 3, 4, *range(25, 30), *range(6, 25)]
    for attempts in shares:
        assert numbers(attempts) == [[number] for number in sorted(order[: len(attempts)])]
    counts = [len(attempts) for attempts in shares]
    assert counts == sorted(counts)
    assert counts[-1] >= 28  # the ending takes room as well
    assert any(0 < count < 11 for count in counts)


def test_texts_that_have_no_room_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = load(make_run(tmp_path / "run", [[False] * 10] * 60, reasoning=2_000))
    read: list[int] = []

    def told(folder: Path, kind: str, places: Collection[int]) -> Iterator[tuple[int, Record]]:
        read.extend(places)
        return read_at(folder, kind, places)

    monkeypatch.setattr("pythagoras.evaluate.report.texts.read_at", told)
    browser = collect([run], domain, embed_bytes=150_000)
    assert 60 < browser.texts < len(set(read)) < 300


def test_what_is_read_of_open_and_sealed_parts_is_the_same(tmp_path: Path) -> None:
    """A run that goes on has its last attempts as lines."""
    sealed = make_run(tmp_path / "sealed", [[False, True], [True, False]], reasoning=100)
    shutil.copytree(sealed, tmp_path / "open")
    for name, kind in (("attempts", "attempt"), ("judgements", "judgement")):
        records = list(read_journal(sealed / name, kind))
        (part,) = (tmp_path / "open" / name).iterdir()
        part.unlink()
        with Journal(tmp_path / "open" / name, kind) as journal:
            for record in records[:3]:
                journal.append(record)
        lines = "".join(to_line(record) + "\n" for record in records[3:])
        (tmp_path / "open" / name / "part-00001.jsonl").write_text(lines, encoding="utf-8")
    assert collect([load(tmp_path / "open")], domain) == collect([load(sealed)], domain)


def test_lines_are_added_as_long_as_there_is_room() -> None:
    dice = random.Random(0)
    lines = [encoded([dice.random() for _ in range(50)]) for _ in range(20)]
    for limit in (0, 500, 3_000, 8_000):
        packer = Packer()
        added = [line for line in lines if packer.add(line, limit)]
        text = packer.packed()
        assert not added or len(text) <= limit
        assert [encoded(line) for line in unpacked(text)] == added
    assert 0 < len(added) < 20


def test_problems_of_several_runs_are_one_where_statements_are_the_same(tmp_path: Path) -> None:
    goals = made_goals(3)
    other = (goals[0], replace(goals[1], text=goals[1].text + " + 0"), goals[2])
    a = load(make_run(tmp_path / "a", [[True]] * 3, goals))
    b = load(make_run(tmp_path / "b", [[False]] * 3, other, seed=1))
    index = collect([a, b], domain).index
    name = goals[1].name
    assert [entry["key"] for entry in index["problems"]] == [goals[0].name, name, goals[2].name, f"{name}~2"]
    there = [[run is not None for run in entry["runs"]] for entry in index["problems"]]
    assert there == [[True, True], [True, False], [True, True], [False, True]]


def test_a_statement_that_is_there_twice_keeps_its_attempts(tmp_path: Path) -> None:
    goal = made_goals(1)[0]
    run = load(make_run(tmp_path / "run", [[True, True], [False]], (goal, replace(goal, docstring="again"))))
    browser = collect([run], domain)
    assert browser.texts == browser.attempts == 3
    assert [entry["runs"][0]["drawn"] for entry in browser.index["problems"]] == [2, 1]


def test_rounds_are_told_in_order(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, True]], rounds=3))
    attempts, _ = of_problem(collect([run], domain), 0)
    assert len(attempts[0]["rounds"]) == 3
    assert attempts[1]["rounds"][-1]["judged"]["outcome"] == "proved"
    drawn = [attempt.completion for attempt in run.attempts()]
    told = [told["written"]["text"] for attempt in attempts for told in attempt["rounds"]]
    assert told == drawn
