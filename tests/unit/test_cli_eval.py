"""`pythagoras eval cost`, `compare`, `report` and `published` as a user meets them, on runs that nobody ran."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pythagoras.cli.main import main
from tests.made_runs import made_goals, make_run, mutated
from tests.unit.processes import pythagoras

HOLDS, FAILS = True, False
STRONG = [[HOLDS, FAILS, HOLDS, FAILS]] * 4 + [[FAILS, FAILS, FAILS, HOLDS]] * 2 + [[FAILS] * 4] * 2
WEAK = [[HOLDS, FAILS, FAILS, FAILS]] * 3 + [[FAILS] * 4] * 5
GOALS = made_goals(len(STRONG))
PICTURES = ("curves-minif2f-test", "domains-minif2f-test-all-problems", "errors")


class Shell:
    """Runs the command in a folder of its own; @name is a place in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = pythagoras("eval", *self._placed(arguments), home=self.home)
        assert "Traceback" not in done.stderr
        return done

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr

        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is no JSON")

        return json.loads(done.stdout, parse_constant=refuse)

    def complaint(self, *arguments: str) -> str:
        """What wrong use is told, in this process: that is faster, and nothing gets as far as to matter."""
        said, told = io.StringIO(), io.StringIO()
        words = mock.patch.object(sys, "argv", ["pythagoras", "eval", *self._placed(arguments)])
        with words, redirect_stdout(said), redirect_stderr(told), pytest.raises(SystemExit) as stop:
            main()
        assert (stop.value.code, said.getvalue(), len(told.getvalue().splitlines())) == (2, "", 1), told.getvalue()
        assert told.getvalue().startswith("pythagoras: ")
        return told.getvalue().strip()

    def _placed(self, arguments: Sequence[str]) -> list[str]:
        return [str(self.folder / word.removeprefix("@")) if word.startswith("@") else word for word in arguments]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def runs(shell: Shell) -> Shell:
    """Two runs on a benchmark, strong and weak."""
    make_run(shell.folder / "strong", STRONG, GOALS, label="strong")
    make_run(shell.folder / "weak", WEAK, GOALS, label="weak", rounds=2)
    return shell


# --- cost ----------------------------------------------------------------------------------------

GOEDEL = ("284.88,18367.83", "7838.74,21638.70", "8309.06,23835.80")
"""Prompt and generated tokens of a self-correction's three rounds, as the paper prints them."""


def test_the_papers_self_correction(shell: Shell) -> None:
    found = shell.json("cost", "--n", "184", *(word for text in GOEDEL for word in ("--round", text)))
    assert [f"{one['etc']:.4e}" for one in found["rounds"]] == ["1.7393e+08", "4.0375e+08", "4.8214e+08"]
    assert f"{found['etc']:.2e}" == "1.95e+11"
    restart = shell.json("cost", "--n", "1024", "--round", "284.88,18741.80")
    assert f"{restart['etc'] / found['etc']:.2f}" == "0.95"


def test_the_papers_scores(shell: Shell) -> None:
    autoregressive = shell.json("cost", "--accuracy", "0.8607", "--tps", "4.10")["score"]
    diffusion = shell.json("cost", "--accuracy", "0.6325", "--tps", "10.56")["score"]
    scores = (autoregressive, diffusion, diffusion / autoregressive)
    assert [f"{score:.2f}" for score in scores] == ["3.53", "6.68", "1.89"]
    assert "tokens/s = 6.68" in shell.run("cost", "--accuracy", "0.6325", "--tps", "10.56").stdout


def test_the_papers_own_prover(shell: Shell) -> None:
    found = shell.json("cost", "--n", "1024", "--round", "284.88,18741.80")
    assert f"{found['etc_per_attempt']:.4e}" == "1.8098e+08"
    assert f"{found['etc']:.4e}" == "1.8532e+11"
    assert found["compute"] is None
    assert "1.85e11" in shell.run("cost", "--n", "1024", "--round", "284.88,18741.80").stdout


def test_an_architecture_adds_flops(shell: Shell) -> None:
    small, large = (
        shell.json("cost", "--round", "284.88,18741.80", "-a", name)["compute"] for name in ("qwen3-4b", "qwen3-32b")
    )
    assert small["architecture"] == "qwen3-4b"
    assert 0 < small["per_problem"] < large["per_problem"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nothing to count"),
        (("--n", "3"), "nothing to count"),
        (("--round", "x"), "'x' is no round"),
        (("--round", "1,2,3"), "'1,2,3' is no round"),
        (("--round=-1,3",), "-1 prompt tokens"),
        (("--round", "nan,3"), "nan prompt tokens"),
        (("--round", "1,1e300"), "1e+300 generated tokens"),
        (("--n", "0", "--round", "1,2"), "--n"),
        (("--round", "1,2", "-a", "qwen3-8"), "did you mean 'qwen3-8b'"),
        (("--round", "1,2", "-a", "qwen3-8b", "-a", "qwen3-4b"), "2 architectures"),
        (("--round", "1,2", "--picture", "@x.png"), "--picture means nothing beside --round"),
        (("--round", "1,2", "--budget", "3"), "--budget means nothing"),
        (("--round", "1,2", "--measure", "flops"), "--measure means nothing"),
        (("--round", "1,2", "--stop-at-first"), "--stop-at-first means nothing"),
        (("--round", "1,2", "@strong"), "either folders or --round"),
        (("--accuracy", "0.5"), "--accuracy and --tps"),
        (("--accuracy", "5", "--tps", "1"), "from 0 to 1"),
        (("--accuracy", "0.5", "--tps=-1"), "0 or more"),
        (("--accuracy", "0.5", "--tps", "1", "--n", "3"), "--n means nothing beside the score"),
        (("--accuracy", "0.5", "--tps", "1", "--markdown", "@x.md"), "--markdown means nothing"),
        (("@strong", "--accuracy", "0.5", "--tps", "1"), "of their own"),
        (("@strong", "--n", "3"), "--n belongs to --round"),
        (("@strong", "--measure", "etcs"), "did you mean 'etc'"),
        (("@strong", "--measure", "flops"), "architecture"),
        (("@strong", "--budget=-1"), "budget"),
        (("@strong", "--picture", "@x.gif"), ".png"),
        (("@strong", "@strong"), "given twice"),
        (("@nowhere",), "is no run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_of_cost(runs: Shell, arguments: tuple[str, ...], told: str) -> None:
    assert told in runs.complaint("cost", *arguments)


def test_runs_at_the_same_cost(runs: Shell) -> None:
    found = runs.json("cost", "@strong", "@weak", "-a", "qwen3-8b", "--picture", "@cost.svg", "--latex", "@cost.tex")
    assert [one["label"] for one in found["runs"]] == ["strong", "weak"]
    assert len(found["runs"][1]["rounds"]) == 2
    assert {one["label"] for one in found["matched"]} == {"strong", "weak"}
    assert len({one["budget"] for one in found["matched"]}) == 1
    assert "<svg" in (runs.folder / "cost.svg").read_text(encoding="utf-8")
    assert r"\begin{tabular}" in (runs.folder / "cost.tex").read_text(encoding="utf-8")
    shown = runs.run("cost", "@strong", "@weak").stdout
    assert "Solved at a matched cost" in shown
    assert "…" not in shown


def test_given_rounds_become_tables(shell: Shell) -> None:
    shell.run("cost", "--round", "1,2", "--markdown", "@t.md")
    assert "| ETC an attempt" in (shell.folder / "t.md").read_text(encoding="utf-8")


# --- compare -------------------------------------------------------------------------------------


def test_two_runs_side_by_side(runs: Shell) -> None:
    found = runs.json("compare", "@strong", "@weak")
    assert [run["counts"]["solved"] for run in found["runs"]] == [6, 3]
    (comparison,) = found["comparisons"]
    assert comparison["n"] == 4
    assert found["mutation"] is None
    assert {row["benchmark"] for row in found["published"]} == {"minif2f/test"}
    done = runs.run("compare", "@strong", "@weak")
    assert (done.returncode, done.stderr) == (0, "")
    for title in (
        "What was run",
        "pass@N",
        "Head to head, minif2f/test at pass@4",
        "Differences, minif2f/test at pass@4",
        "How attempts failed",
    ):
        assert title in done.stdout
    assert "Nothing in this table was measured here." in done.stdout


def test_nothing_is_cut_off_in_a_terminal(runs: Shell) -> None:
    shown = runs.run("compare", "@strong", "@weak").stdout
    assert max(map(len, shown.splitlines())) <= 100
    assert "no difference shown" in shown
    assert "…\n" not in shown
    assert not any(line.rstrip().endswith("…") for line in shown.splitlines())
    assert "McNemar" in shown


def test_a_benchmark_and_its_mutation(runs: Shell) -> None:
    changed = mutated(GOALS, each=1)
    make_run(runs.folder / "strong-alf", [*STRONG[2:], *[[FAILS] * 4] * 2], changed, label="strong")
    make_run(runs.folder / "weak-alf", WEAK, changed, label="weak", rounds=2)
    folders = ("@strong", "@weak", "@strong-alf", "@weak-alf")
    mutation = runs.json("compare", *folders)["mutation"]
    tally = next(one for one in mutation["tallies"] if one["label"] == "strong")
    assert (tally["both_solved"], tally["lost"], tally["gained"], tally["both_failed"]) == (4, 2, 0, 2)
    assert tally["pairs"] == 8
    done = runs.run("compare", *folders, "--pictures", "@p", "--picture-format", "svg")
    assert "Outcomes under mutation" in done.stdout
    assert (runs.folder / "p" / "mutation.svg").exists()
    table = done.stdout.split("Problems and attempts\n")[1].splitlines()
    heads = " ".join(" ".join(table[:4]).split())
    assert heads.count("minif2f-alf/test") == 2, "runs of one label must be told apart"


def test_mixed_lean_versions_are_refused_unless_allowed(runs: Shell) -> None:
    make_run(runs.folder / "old", WEAK, GOALS, label="old", lean_version="4.9.0")
    line = runs.complaint("compare", "@strong", "@old")
    assert "Lean versions differ: 4.28.0 (strong), 4.9.0 (old)" in line
    assert "--allow-mixed" in line
    done = runs.run("compare", "@strong", "@old", "--allow-mixed")
    assert done.returncode == 0
    assert done.stderr.strip() == "Lean versions differ: 4.28.0 (strong), 4.9.0 (old)"


def test_statements_that_differ_under_one_name(runs: Shell) -> None:
    other = [replace(GOALS[0], text=GOALS[0].text + " + 0"), *GOALS[1:]]
    make_run(runs.folder / "other", WEAK, other, label="other")
    assert f"1 statement differs under the same name: {GOALS[0].name}" in runs.complaint("compare", "@strong", "@other")
    found = runs.json("compare", "@strong", "@other", "--allow-mixed")
    assert found["comparisons"][0]["problems"] == 7


def test_an_unfinished_run_is_told(runs: Shell) -> None:
    make_run(runs.folder / "short", [[HOLDS, FAILS]] * 3 + [[]] * 5, GOALS, label="short", n=4)
    done = runs.run("compare", "@strong", "@short")
    assert done.returncode == 2
    assert "of 32 attempts 26 are missing" in done.stderr
    assert "finish the run, or say at how many attempts" in done.stderr
    done = runs.run("compare", "@strong", "@short", "-n", "2")
    assert done.returncode == 0
    assert "short: 5 problems can't be told at pass@2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "folders"),
        (("@nowhere",), "is no run"),
        (("@strong", "@home"), "is no run"),
        (("@strong", "@strong"), "given twice"),
        (("@strong", "@weak", "--pictures", "@p", "--picture-format", "gif"), "png, svg, pdf"),
        (("@strong", "@weak", "--pictures", "@strong/run.json/p"), "can't be written"),
        (("@strong", "@weak", "--markdown", "@strong/run.json/t.md"), "can't be written"),
        (("@strong", "@weak", "--latex", "@home"), "can't be written"),
        (("@strong", "@weak", "--corpus", "@nowhere"), "is no corpus"),
        (("@strong", "--n", "0"), "--n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_of_compare(runs: Shell, arguments: tuple[str, ...], told: str) -> None:
    assert told in runs.complaint("compare", *arguments)


def test_a_damaged_run_is_one_line(runs: Shell) -> None:
    (runs.folder / "weak" / "run.json").write_text("{", encoding="utf-8")
    assert "run.json" in runs.complaint("compare", "@strong", "@weak")


def test_files_of_a_comparison(runs: Shell) -> None:
    done = runs.run(
        "compare", "@strong", "@weak", "--pictures", "@p", "--markdown", "@out/t.md", "--latex", "@out/t.tex"
    )
    assert done.returncode == 0
    drawn = {path.name for path in (runs.folder / "p").iterdir()}
    assert {f"{name}.png" for name in PICTURES} <= drawn
    assert len([line for line in done.stderr.splitlines() if line.startswith("drawn: ")]) == len(drawn)
    assert "**Head to head, minif2f/test" in (runs.folder / "out" / "t.md").read_text(encoding="utf-8")
    assert r"\caption{Head to head, minif2f/test" in (runs.folder / "out" / "t.tex").read_text(encoding="utf-8")


# --- report --------------------------------------------------------------------------------------


def test_a_page_lies_in_the_first_folder_if_nothing_is_said(runs: Shell) -> None:
    done = runs.run("report", "@strong", "@weak", "--title", "A <page>")
    assert (done.returncode, done.stderr) == (0, "")
    page = runs.folder / "strong" / "report.html"
    assert str(page) in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "A &lt;page&gt;" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    found = runs.json("report", "@strong", "-o", "@new/page.html", "--markdown", "@t.md", "--latex", "@t.tex")
    assert found["written"] == [str(runs.folder / name) for name in ("new/page.html", "t.md", "t.tex")]
    assert found["bytes"] == (runs.folder / "new" / "page.html").stat().st_size


def test_a_page_about_a_run_without_attempts(shell: Shell) -> None:
    make_run(shell.folder / "empty", [[]] * 8, GOALS, label="empty", n=4)
    done = shell.run("report", "@empty", "-o", "@e.html", "--markdown", "@e.md")
    assert done.returncode == 0
    assert "of 32 attempts 32 are missing" in done.stderr
    assert "the tables have no comparison: " in done.stderr
    assert "32" in (shell.folder / "e.md").read_text(encoding="utf-8")
    assert (shell.folder / "e.html").stat().st_size > 1000


def test_a_page_about_refused_statements(shell: Shell) -> None:
    make_run(shell.folder / "run", [[], *STRONG[1:]], GOALS, unfit=(0,))
    done = shell.run("report", "@run", "-o", "@u.html", "--markdown", "@u.md")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pass@N on the statements that Lean takes" in (shell.folder / "u.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("@nowhere",), "is no run"),
        (("@strong", "-o", "@home"), "can't be written"),
        (("@strong", "-o", "@strong/run.json/x.html"), "can't be written"),
        (("@strong", "-a", "nonsense"), "no architecture"),
        (("@strong", "--embed-mb=-1"), "--embed-mb"),
        (("@strong", "--corpus", "@nowhere"), "is no corpus"),
        (("@strong", "@strong"), "given twice"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_of_report(runs: Shell, arguments: tuple[str, ...], told: str) -> None:
    assert told in runs.complaint("report", *arguments)


# --- published -----------------------------------------------------------------------------------


def test_what_is_published(shell: Shell) -> None:
    rows = shell.json("published")
    some = shell.json("published", "putnambench")
    assert 0 < len(some) < len(rows)
    assert {row["benchmark"] for row in some} == {"putnambench"}
    assert "Nothing in this table was measured here." in shell.run("published", "minif2f/test").stdout


def test_an_unknown_benchmark_is_guessed(shell: Shell) -> None:
    assert "did you mean 'minif2f/test'" in shell.complaint("published", "minif2f/tes")
