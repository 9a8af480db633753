"""The report's data and page without a browser: nothing is lost, nothing breaks out, and the page says what it has."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.evaluate.report import write_page
from pythagoras.evaluate.report.data import Browser, collect
from pythagoras.evaluate.report.embed import escaped, packed, unpacked
from pythagoras.evaluate.report.markup import table
from pythagoras.evaluate.report.summary import sums
from pythagoras.evaluate.results import Results, load
from pythagoras.evaluate.shown.tables import Table
from tests.made_runs import made_goals, make_run, mutated
from tests.report_runs import HOSTILE, HOSTILE_NAME, LONG, hostile_run


class _Attributes(HTMLParser):
    """All attributes of a page, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [(name, value or "") for name, value in attrs]


def domain(goal: Formalisation) -> str:
    return goal.name.partition("_")[0]


def of_problem(browser: Browser, at: int, run: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = unpacked(browser.chunks[at])[run]
    return found


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
    assert unpacked(packed({"text": [text]})) == {"text": [text]}
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
    assert (browser.attempts, browser.different, browser.shown) == (11, 8, 11)
    first = of_problem(browser, 0)
    assert [attempt["numbers"] for attempt in first["attempts"]] == [[0, 2, 3], [1, 4]]
    assert [attempt["rounds"][0]["text"] for attempt in first["attempts"]] == ["first", "second"]
    assert [judged["outcome"] for judged in first["judgements"]] == ["proved", "rejected"]


def test_attempts_without_a_judgement_or_a_text_are_there(hostile: Results) -> None:
    second = of_problem(collect([hostile], domain), 1)
    rounds = [attempt["rounds"][0] for attempt in second["attempts"]]
    assert [told["text"] for told in rounds] == ["plan\n```lean4\n```", "I give up.", "", "by simp"]
    assert [told["judgement"] for told in rounds] == [0, 1, 2, None]


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
    assert of_problem(collect([hostile], domain), 3)["unfit"] == "line 1: unknown ℝ"


def test_very_long_texts_are_cut_and_say_so(hostile: Results) -> None:
    browser = collect([hostile], domain, longest_text=1000)
    third = of_problem(browser, 2)
    (told,) = third["attempts"][1]["rounds"]
    assert (len(told["text"]), told["length"]) == (1000, LONG)
    assert (len(third["judgements"][1]["checked"]), third["judgements"][1]["length"]) == (1000, LONG)
    assert browser.cut == 1


def test_what_does_not_fit_is_counted(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[at % 3 == 0] * 20 for at in range(12)]))
    whole = collect([run], domain)
    assert whole.shown == whole.attempts == 240
    budget = sum(map(len, whole.chunks)) // 3
    browser = collect([run], domain, embed_bytes=budget)
    assert sum(map(len, browser.chunks)) <= budget
    assert 12 <= browser.shown < 240
    inside = left = 0
    for at in range(12):
        told = of_problem(browser, at)
        inside += sum(len(attempt["numbers"]) for attempt in told["attempts"])
        left += sum(told["left"].values())
    assert (inside, inside + left) == (browser.shown, 240)


def test_the_first_proof_is_the_last_to_go(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False] * 30 + [True]]))
    size = len(collect([run], domain).chunks[0])
    told = of_problem(collect([run], domain, embed_bytes=size // 4), 0)
    assert [30] in [attempt["numbers"] for attempt in told["attempts"]]


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
    assert browser.shown == browser.attempts == 3
    assert [entry["runs"][0]["drawn"] for entry in browser.index["problems"]] == [2, 1]


def test_rounds_are_told_in_order(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, True]], rounds=3))
    told = of_problem(collect([run], domain), 0)
    assert len(told["attempts"][0]["rounds"]) == 3
    assert told["judgements"][told["attempts"][1]["rounds"][-1]["judgement"]]["outcome"] == "proved"


# --- the page --------------------------------------------------------------------------------------


def test_counts_add_up(hostile: Results) -> None:
    told = sums(hostile.counts())
    assert [(name, whole) for name, whole, _ in told] == [("problems", 4), ("attempts wanted", 15), ("drawn", 11)]
    assert all(whole == sum(count for _, count in parts) for _, whole, parts in told)


def test_a_page_lets_nothing_out_and_runs_its_own_script_only(hostile: Results, tmp_path: Path) -> None:
    write_page([hostile], tmp_path / "report.html", title=HOSTILE)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search("[\x00\u202e\u2028]", page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}';" in policy
    reader = _Attributes()
    reader.feed(page)
    assert reader.tags.isdisjoint({"img", "i", "iframe", "link", "object"})
    assert {name for name, _ in reader.found if name.startswith("on") or name == "src"} == set()
    assert {value[:1] for name, value in reader.found if name.endswith("href")} == {"#"}
    assert page.count('<script type="text/plain"') == 1 + 4
    assert "{title}" in page  # what is filled in is not filled in again


def test_the_page_says_how_much_it_shows(hostile: Results, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page([hostile], path)
    assert (
        "11 attempts, 8 of them different; identical ones are shown once. All of them are in this page."
        in path.read_text()
    )
    write_page([hostile], path, embed_bytes=1_500)
    assert re.search(r"Texts of \d+ of 11 attempts are in this page, \d+ are not\.", path.read_text())


def test_every_section_is_there_when_there_is_something_to_say(tmp_path: Path) -> None:
    goals = made_goals(12)
    originals = [[at % 2 == 0, at % 3 == 0] for at in range(12)]
    mutants = [[at % 4 == 0, False] for at in range(24)]
    runs = [
        load(make_run(tmp_path / "a", originals, goals, label="A")),
        load(make_run(tmp_path / "b", originals[::-1], goals, label="B", rounds=2)),
        load(make_run(tmp_path / "am", mutants, mutated(goals), label="A")),
        load(make_run(tmp_path / "bm", mutants, mutated(goals), label="B", rounds=2, lean_version="4.9.0")),
    ]
    write_page(runs, tmp_path / "four.html")
    page = (tmp_path / "four.html").read_text(encoding="utf-8")
    wanted = [
        "summary",
        "scaling",
        "compared",
        "mutation",
        "domains",
        "failures",
        "cost",
        "rules",
        "reported",
        "problems",
    ]
    assert re.findall(r'<section id="([a-z]+)" aria-labelledby', page) == wanted
    assert "Lean versions differ" in page
    write_page(runs[:1], tmp_path / "one.html")
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    alone = [name for name in wanted if name not in ("compared", "mutation")]
    assert re.findall(r'<section id="([a-z]+)" aria-labelledby', page) == alone


def test_runs_without_attempts_and_runs_that_stopped_are_reported(tmp_path: Path) -> None:
    empty = load(make_run(tmp_path / "empty", [[], []], n=4, label="empty"))
    stopped = load(make_run(tmp_path / "stopped", [[True], [False, False]], label="stopped", stop_when_solved=True))
    for name, runs in {"empty": [empty], "stopped": [stopped], "both": [empty, stopped]}.items():
        write_page(runs, tmp_path / f"{name}.html")
        assert "Problems and attempts" in (tmp_path / f"{name}.html").read_text(encoding="utf-8")


def test_no_run_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run to report on"):
        write_page([], tmp_path / "report.html")


def test_a_place_that_can_not_be_written_is_told(hostile: Results, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"):
        write_page([hostile], tmp_path / "file" / "report.html")
