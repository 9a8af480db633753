"""The report's page without a browser: its sections are true, and nothing in it can break out."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Record
from pythagoras.corpus.stages import Dropped, run_stage
from pythagoras.errors import InputError
from pythagoras.evaluate.report.page import write_page
from pythagoras.evaluate.report.summary import sums
from pythagoras.evaluate.results import Results, load
from pythagoras.llm.architectures import architecture
from tests.made_runs import made_goals, make_run, mutated
from tests.report_runs import HOSTILE, hostile_run
from tests.unit.corpora import problem


class _Attributes(HTMLParser):
    """All attributes of a page, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [(name, value or "") for name, value in attrs]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return load(hostile_run(tmp_path_factory.mktemp("runs") / "hostile"))


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


def page_of(folder: Path, runs: Sequence[Results], **settings: Any) -> str:
    write_page(runs, folder / "report.html", **settings)
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_says_how_much_it_shows(hostile: Results, tmp_path: Path) -> None:
    page = page_of(tmp_path, [hostile])
    assert (
        "Texts of 8 of 11 attempts are in this page. 3 attempts have the same Lean as one of these at the same "
        "problem, whose text stands for all. 2 very long texts of those in the page can be read in part only." in page
    )
    page = page_of(tmp_path, [hostile], embed_bytes=2_000)
    (shown, same, left) = re.findall(
        r"Texts of (\d+) of 11 attempts are in this page\. (\d+) attempts? ha[a-z]+ the same Lean .*?"
        r"Of (\d+) more there is only how they ended",
        page,
    )[0]
    assert int(shown) + int(same) + int(left) == 11
    whole = load(make_run(tmp_path / "whole", [[True, False]]))
    assert "Texts of all 2 attempts are in this page.<" in page_of(tmp_path, [whole])


def test_the_lead_says_how_many_have_no_verdict(hostile: Results, tmp_path: Path) -> None:
    assert "minif2f/test: 11 attempts, of which 1 have no verdict." in page_of(tmp_path, [hostile])
    whole = load(make_run(tmp_path / "whole", [[True, False]]))
    assert "minif2f/test: 2 attempts, each judged by Lean." in page_of(tmp_path, [whole])


@pytest.mark.parametrize("hidden", ["\x08", "\x0b", "\x00", "\u202e", "\ufffe"])
def test_hidden_characters_are_named_in_pictures_as_well(tmp_path: Path, hidden: str) -> None:
    first, second, *others = made_goals(4)
    named, topical = replace(first, name=f"imo_{hidden}x"), replace(second, name="some", topic=f"top{hidden}ic")
    goals = (named, topical, *others)
    mutants = mutated(goals, each=1)
    runs = [
        load(make_run(tmp_path / "a", [[True, False]] * 4, goals, label=f"la{hidden}bel")),
        load(make_run(tmp_path / "b", [[False, False]] * 4, mutants, label=f"la{hidden}bel")),
    ]
    page = page_of(tmp_path, runs, title=f"ti{hidden}tle")
    assert hidden not in page
    mark = f"[U+{ord(hidden):04X}]"
    pictured = " ".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert {f"la{mark}bel", f"imo_{mark}x"} <= set(re.findall(r"(?:la|imo_)\[U[^<,]*?(?:bel|x)", pictured))
    assert f"top{mark}ic" in pictured
    assert f"ti{mark}tle" in page


def test_pass_at_n_on_the_statements_that_lean_takes(tmp_path: Path) -> None:
    title = "pass@N on the statements that Lean takes"
    assert title not in page_of(tmp_path, [load(make_run(tmp_path / "a", [[True], [False]]))])
    page = page_of(tmp_path, [load(make_run(tmp_path / "b", [[True], [False], []], unfit=(2,)))])
    assert title in page
    assert "<td>1/3</td>" in page
    assert "<td>1/2</td>" in page


def test_unfit_problems_are_apart_from_unsolved_ones(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "b", [[True], [False], [False], []], unfit=(3,)))
    page = page_of(tmp_path, [run])
    titles = re.findall(r"<title[^>]*>(.*?)</title><desc[^>]*>(\d+) in all", page)
    assert titles[:3] == [
        ("all problems", "4"),
        ("unsolved problems", "2"),
        ("unfit problems, which Lean refuses", "1"),
    ]


def test_all_problems_are_said_to_be_the_compared_ones_where_some_are_left_out(tmp_path: Path) -> None:
    goals = made_goals(4)
    whole = load(make_run(tmp_path / "a", [[True]] * 4, goals, label="A"))
    less = load(make_run(tmp_path / "b", [[False]] * 3, goals[:3], label="B"))
    page = page_of(tmp_path, [whole, less])
    assert "all problems that are compared" in page
    assert "Without 1 problem that not all of the runs have, or not with the same statement." in page
    same = load(make_run(tmp_path / "c", [[False]] * 4, goals, label="B"))
    assert "all problems that are compared" not in page_of(tmp_path, [whole, same])


def test_captions_say_how_pass_at_n_is_told(tmp_path: Path) -> None:
    fair = load(make_run(tmp_path / "fair", [[True, False], [False, False]], label="fair"))
    stopped = load(make_run(tmp_path / "stopped", [[True], [False, False]], label="stopped", stop_when_solved=True))
    assert "; estimated from all attempts.<" in page_of(tmp_path, [fair])
    page = page_of(tmp_path, [stopped])
    assert "; of the first N attempts, since none was made after a solution.<" in page
    assert "estimated from all attempts" not in page
    assert "estimated from all attempts, but of the first N for stopped" in page_of(tmp_path, [fair, stopped])


def test_solved_against_every_cost(tmp_path: Path) -> None:
    runs = [load(make_run(tmp_path / name, [[True, False], [False, False]], label=name)) for name in "ab"]
    measures = ["etc", "tokens", "lean-seconds", "wall-seconds"]
    assert re.findall(r"<title[^>]*>Solved against ([a-z-]+) on", page_of(tmp_path, runs)) == measures
    models = [architecture("qwen3-8b"), architecture("qwen3-4b")]
    page = page_of(tmp_path, runs, models=models)
    assert re.findall(r"<title[^>]*>Solved against ([a-z-]+) on", page) == ["flops", "flops-cached", *measures]
    assert "FLOPs a problem" in page
    assert re.search(r">architecture</th><td>[^<]*8B[^<]*</td><td>[^<]*4B", page, re.IGNORECASE)
    assert len(re.findall(r"<caption>Solved at a matched cost", page)) == 6
    with pytest.raises(InputError, match="1 architectures for 2 runs"):
        page_of(tmp_path, runs, models=models[:1])


def test_the_funnel_of_a_corpus(tmp_path: Path) -> None:
    def drop_some(batch: Sequence[Record]) -> Iterable[Record | Dropped]:
        for at, record in enumerate(batch):
            yield record if at % 4 else Dropped(record, Reason.TOO_LONG)

    rows = [problem(f"What is {at} + 1?") for at in range(10)]
    place = tmp_path / "corpus<b>"
    run_stage(rows, place, stage="length", settings={}, inputs={}, decide=drop_some)
    page = page_of(tmp_path, [load(make_run(tmp_path / "run", [[True]]))], corpus=place)
    section = page[page.index('<section id="corpus"') : page.index('<section id="problems"')]
    assert "kept 7 of 10; too long 3" in section  # in the picture
    assert "Rows of corpus&lt;b&gt;, stage by stage" in section
    assert '<th scope="row">too long</th><td class="number">3</td><td class="number">30.0</td>' in section
    with pytest.raises(InputError, match="is no corpus"):
        page_of(tmp_path, [load(tmp_path / "run")], corpus=tmp_path)


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
