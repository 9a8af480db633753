"""What the web server lets people browse: runs and their reports, corpora with filters, the ladder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from pythagoras.corpus.records import Record, Tier
from pythagoras.corpus.stages import run_stage
from pythagoras.evaluate.ladder import ladder, write_ladder
from pythagoras.evaluate.results import load
from pythagoras.lean.server.app import ServerSettings
from pythagoras.web.app import WebServer
from pythagoras.web.folders import named_folders
from pythagoras.web.settings import Shown, WebSettings
from pythagoras.web.tickets import Tickets
from tests.made_runs import make_run
from tests.report_runs import HOSTILE_NAME, hostile_run
from tests.unit.corpora import formalisation, instance, problem
from tests.web_fakes import web_server

KEY = {"Authorization": "Bearer secret"}


@contextmanager
def browsing(tmp_path: Path, api_key: str | None = None, **shown: Any) -> Iterator[TestClient]:
    settings = WebSettings(ServerSettings(api_key=api_key), shown=Shown(**shown))
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    with web_server(scratch, settings=settings) as server, _asking(server) as asking:
        yield asking


def _asking(server: WebServer) -> TestClient:
    return TestClient(server.app, base_url="http://localhost", raise_server_exceptions=False)


# --- folders ---------------------------------------------------------------------------------------


def test_folders_have_names_of_their_own(tmp_path: Path) -> None:
    for path in ("a/x", "a/deep/y", "b/x", "b/.hidden", "b/1/2/3/4", "c"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "mark").touch()
    (tmp_path / "c" / "inside").mkdir()
    (tmp_path / "c" / "inside" / "mark").touch()
    given = [tmp_path / "a", tmp_path / "b", tmp_path / "c", tmp_path / "a", tmp_path / "nowhere"]
    found = named_folders(given, lambda path: (path / "mark").is_file())
    assert {name: str(path.relative_to(tmp_path)) for name, path in found.items()} == {
        "deep-y": "a/deep/y",
        "x": "a/x",
        "x-2": "b/x",
        "c": "c",
    }


# --- runs ------------------------------------------------------------------------------------------


def test_runs_are_listed_with_what_they_came_to(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "one", [[True, False], [False, False], [False, True]], label="first")
    hostile_run(tmp_path / "runs" / "deep" / "two")
    with browsing(tmp_path, runs=(tmp_path / "runs",)) as server:
        told = {run["name"]: run for run in server.get("/api/runs").json()}
    assert set(told) == {"one", "deep-two"}
    one = told["one"]
    assert (one["label"], one["benchmark"], one["solved"], one["problems"], one["n"]) == (
        "first",
        "minif2f/test",
        2,
        3,
        2,
    )
    assert (one["attempts"], one["missing"], one["started"]) == (6, 0, "2026-01-01T00:00:00Z")
    assert (one["report"], one["error"]) == ("/runs/one/report", "")
    assert told["deep-two"]["missing"] == 5


def test_a_run_that_grows_or_breaks_is_seen(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", [[True], [False]])
    make_run(tmp_path / "other", [[True]])
    with browsing(tmp_path, runs=(folder, tmp_path / "other", tmp_path / "nowhere")) as server:
        assert [run["solved"] for run in server.get("/api/runs").json()] == [1, 1]
        shutil.rmtree(folder)
        make_run(folder, [[True], [True]])
        assert [run["solved"] for run in server.get("/api/runs").json()] == [2, 1]
        (folder / "run.json").write_text("{")
        broken = next(run for run in server.get("/api/runs").json() if run["name"] == "run")
        assert "run.json" in broken["error"]
        assert (broken["report"], broken["label"]) == ("", "run")
        refused = server.get("/runs/run/report")
    assert refused.status_code == 422
    assert "run.json" in refused.json()["detail"]


def test_a_report_is_a_page_with_its_own_policy_and_is_made_once(tmp_path: Path) -> None:
    folder = hostile_run(tmp_path / "runs" / "hostile")
    with browsing(tmp_path, runs=(tmp_path / "runs",)) as server:
        page = server.get("/runs/hostile/report")
        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"] == "frame-ancestors 'none'"
        assert "script-src 'sha256-" in page.text
        (written,) = (tmp_path / "scratch").iterdir()
        made = written.stat().st_mtime_ns
        server.get("/runs/hostile/report")
        assert written.stat().st_mtime_ns == made
        os.utime(folder / "run.json", (1, 1))
        server.get("/runs/hostile/report")
        assert len(list((tmp_path / "scratch").iterdir())) == 2
        for name in ("other", "..", "%2e%2e%2fruns%2fhostile", quote(HOSTILE_NAME)):
            assert server.get(f"/runs/{name}/report").status_code == 404


def test_a_link_to_a_report_carries_a_ticket_where_there_is_a_key(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "a b", [[True]])
    make_run(tmp_path / "runs" / "c", [[True]])
    with browsing(tmp_path, api_key="secret", runs=(tmp_path / "runs",)) as server:
        links = {run["name"]: run["report"] for run in server.get("/api/runs", headers=KEY).json()}
        assert server.get(links["a b"]).status_code == 200
        assert server.get("/runs/c/report", headers=KEY).status_code == 200
        ticket = links["a b"].partition("?")[2]
        for wrong in ("/runs/c/report", f"/runs/c/report?{ticket}", "/runs/c/report?ticket=", f"{links['c']}0"):
            assert server.get(wrong).status_code == 401


def test_tickets_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("pythagoras.web.tickets.time.monotonic", lambda: now)
    tickets = Tickets()
    ticket = tickets.ticket("/a")
    assert tickets.holds("/a", ticket)
    assert not tickets.holds("/b", ticket)
    assert not Tickets().holds("/a", ticket)
    now += 11 * 3600
    assert tickets.holds("/a", ticket)
    now += 2 * 3600
    assert not tickets.holds("/a", ticket)


# --- corpora ---------------------------------------------------------------------------------------


def corpus(folder: Path, records: list[Record]) -> Path:
    run_stage(records, folder, stage="made", settings={}, inputs={})
    return folder


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    rows: list[Record] = [
        instance(
            f"theorem t{at} (n : ℕ) : n + {at} = {at} + n",
            name=f"t{at}",
            tier=Tier.EASY if at < 20 else Tier.HARD,
            topic=("parity", "sums")[at % 2],
            source="generator" if at else "other",
            verified=at != 7,
            informal=f"Prove the ODD number {at}.",
        )
        for at in range(30)
    ]
    corpus(tmp_path / "data" / "train", rows)
    corpus(tmp_path / "data" / "held", [formalisation(docstring="words", topic="x"), problem()])
    corpus(tmp_path / "data" / "said", [problem("What is one?")])
    return tmp_path / "data"


def test_corpora_are_listed_with_counts(tmp_path: Path, corpora: Path) -> None:
    with browsing(tmp_path, corpora=(corpora,)) as server:
        held, said, train = server.get("/api/corpus").json()
    assert (train["name"], train["kind"], train["rows"], train["verified"]) == ("train", "instance", 30, 29)
    assert (train["tiers"], train["topics"]) == ({"easy": 20, "hard": 10}, {"parity": 15, "sums": 15})
    assert train["sources"] == {"generator": 29, "other": 1}
    assert (held["kind"], held["rows"], held["verified"]) == ("formalisation", 1, None)
    assert (said["kind"], said["topics"]) == ("problem", {})


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("limit=3", ["t0", "t1", "t2"]),
        ("limit=3&offset=28", ["t28", "t29"]),
        ("offset=30", []),
        ("offset=2000000000", []),
        ("tier=hard&topic=sums&limit=2", ["t21", "t23"]),
        ("tier=hard&topic=sums&limit=2&offset=3", ["t27", "t29"]),
        ("source=other", ["t0"]),
        ("source=othe", []),
        ("verified=false", ["t7"]),
        ("verified=false&tier=hard", []),
        ("text=T17", ["t17"]),
        ("text=odd%20%2B%2011%20", ["t11"]),
        ("text=.*", []),
        ("text=%28n%20:%20%E2%84%95%29%2028", ["t28"]),
        ("text=%00", []),
    ],
)
def test_rows_are_filtered(tmp_path: Path, corpora: Path, query: str, names: list[str]) -> None:
    with browsing(tmp_path, corpora=(corpora,)) as server:
        found = server.get(f"/api/corpus/train/rows?{query}").json()
    assert [row["name"] for row in found["rows"]] == names
    assert found["total"] >= len(names)


def test_pages_put_together_are_all_rows(tmp_path: Path, corpora: Path) -> None:
    with browsing(tmp_path, corpora=(corpora,)) as server:
        pages = [server.get(f"/api/corpus/train/rows?offset={at}&limit=7").json() for at in range(0, 30, 7)]
    assert {page["total"] for page in pages} == {30}
    assert [row["name"] for page in pages for row in page["rows"]] == [f"t{at}" for at in range(30)]


def test_rows_of_other_kinds_are_told_as_well(tmp_path: Path, corpora: Path) -> None:
    with browsing(tmp_path, corpora=(corpora,)) as server:
        (held,) = server.get("/api/corpus/held/rows").json()["rows"]
        (said,) = server.get("/api/corpus/said/rows?text=ONE").json()["rows"]
        assert server.get("/api/corpus/held/rows?verified=true").json()["total"] == 0
    assert (held["statement"], held["informal"], held["proof"]) == ("theorem t : 1 + 1 = 2", "words", "")
    assert (held["verified"], said["informal"], said["statement"]) == (None, "What is one?", "")


@pytest.mark.parametrize("query", ["tier=simple", "limit=0", "limit=101", "offset=-1", "verified=perhaps"])
def test_filters_that_mean_nothing_are_refused(tmp_path: Path, corpora: Path, query: str) -> None:
    with browsing(tmp_path, corpora=(corpora,)) as server:
        assert server.get(f"/api/corpus/train/rows?{query}").status_code == 422


def test_long_texts_are_shortened_and_damage_is_told(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "long", [instance(reasoning="x" * 50_000)])
    with browsing(tmp_path, corpora=(folder,)) as server:
        (row,) = server.get("/api/corpus/long/rows").json()["rows"]
        assert row["reasoning"].endswith("x\n… 30,000 characters more")
        assert server.get("/api/corpus/short/rows").status_code == 404
        (shard,) = (folder / "instance").iterdir()
        shard.write_bytes(b"\0" * shard.stat().st_size)
        refused = server.get("/api/corpus/long/rows")
        assert refused.status_code == 422
        assert "can't be read" in refused.json()["detail"]
        shard.unlink()
        (told,) = server.get("/api/corpus").json()
        assert "missing" in told["error"]


# --- the ladder ------------------------------------------------------------------------------------


def test_without_a_ladder_it_is_said_how_to_make_one(tmp_path: Path) -> None:
    for path in (None, tmp_path / "nowhere.json"):
        with browsing(tmp_path, ladder=path) as server:
            none = server.get("/api/ladder")
        assert none.status_code == 404
        assert "`pythagoras eval ladder RUN... -o FILE`" in none.json()["detail"]


def test_the_ladder_has_what_others_report_apart(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[True, False], [False, False]], label="ours"))
    write_ladder(tmp_path / "ladder.json", ladder([run], title="Steps", made=["a command"]))
    with browsing(tmp_path, ladder=tmp_path / "ladder.json") as server:
        told = server.get("/api/ladder").json()
        assert [rung["name"] for rung in told["ladder"]["rungs"]] == ["ours"]
        assert {one["benchmark"] for one in told["reported"]} == {"minif2f/test"}
        assert "Pythagoras-Prover-4B" in {one["system"] for one in told["reported"]}
        (tmp_path / "ladder.json").write_text(json.dumps({"title": "x"}))
        damaged = server.get("/api/ladder")
    assert damaged.status_code == 422
    assert "is no ladder (rungs: Field required)" in damaged.json()["detail"]
