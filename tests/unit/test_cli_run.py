"""`pythagoras run` and `plan` as a user meets them: what is refused in one line, lines and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from pythagoras.cli.overview import RunLines, long, plan_table, stages_table
from pythagoras.stages.overview import Account, Overview, State, write_overview
from pythagoras.stages.planning import plan
from tests.unit.processes import pythagoras
from tests.unit.test_recipe_planning import WHOLE, changed, measured

__all__ = ["measured"]  # a fixture


def shown(table: Table | RunLines) -> list[str]:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("tour", "--corpus", "x"), "--corpus, --held-out and --against go with --emit"),
        (("4b", "--emit", "x"), "name a corpus with --corpus"),
        (("4b", "--emit", "x", "--corpus", "y", "--until", "corpus"), "with --emit nothing is run"),
        (("tour", "--until", "bas"), "no stage of this recipe is called 'bas': did you mean 'base'?"),
        (("tuor",), "no recipe is called 'tuor': did you mean 'tour'?"),
        (("tour", "--set", "alf.limt=3"), "no setting of alf is called 'limt'"),
        (("tour", "--set", 'evaluation.benchmarks=["nowhere.jsonl"]'), "nowhere.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_is_one_line(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    done = pythagoras(
        "run", *arguments, *(() if "--emit" in arguments else ("-o", str(tmp_path / "run"))), home=tmp_path
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_recipe_for_gpus_says_who_trains(tmp_path: Path) -> None:
    done = pythagoras("run", "4b", "-o", str(tmp_path / "run"), home=tmp_path)
    assert done.returncode == 2
    said, complaint = done.stderr.splitlines()
    assert said.startswith("The recipe 4b trains on GPUs, which is done by other programs")
    assert "data/dart-math-hard is not there" in complaint


def test_a_plan_has_every_stage_and_the_paper_in_a_line(tmp_path: Path, measured: Overview) -> None:
    write_overview(tmp_path, measured)
    asked = ("plan", WHOLE, "--run", str(tmp_path), "--workers", "2")
    done = pythagoras(*asked, "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["run"]
    assert [one["stage"] for one in told["stages"]] == list(measured.experiment.stages)
    assert told["total"]["seconds"] == pytest.approx(sum(one["seconds"] for one in told["stages"]), abs=0.1)
    assert "is left out" in done.stderr  # there is no build in that folder
    text = pythagoras(*asked, home=tmp_path).stdout
    assert "about 14.7 min with 2 workers, at the rates of a run of whole" in text


def test_times_are_told_as_people_say_them() -> None:
    assert [long(seconds) for seconds in (0.4, 119, 121, 5400, 7300)] == [
        "0 s",
        "119 s",
        "2.0 min",
        "90.0 min",
        "2.0 h",
    ]


def test_tables_fit_a_terminal(measured: Overview) -> None:
    found = plan(changed("base.tokens=600000"), measured, 2)
    lines = shown(plan_table(found))
    assert lines[0].split() == ["stage", "size", "tokens", "Lean", "CPU", "time", "memory", "disk"]
    base = "base 600,000 tokens 3,000,000 6 s 4.5 min 3.0 min 1.0 GB 0.0 MB"
    assert lines[2].split() == base.split()
    assert len(lines) == 11
    took = replace(measured, planned=found.by_stage(), stages={**measured.stages, "rl": Account(State.BEGUN)})
    lines = shown(stages_table(took))
    assert lines[0].split()[5:] == ["planned", "ratio", "disk"]
    assert " 0.56 " in lines[2]
    assert lines[4].split() == ["rl", "begun"]
    assert "planned" not in shown(stages_table(measured))[0]


def test_lines_of_a_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 1000.0
    monkeypatch.setattr("pythagoras.cli.overview.time.monotonic", lambda: now)
    lines = RunLines(["corpus", "base", "sft"], {"corpus": 90.0, "base": 60.0, "sft": 30.0}, None)
    lines.end("corpus", 95.0, before=True)
    lines.begin("base")
    lines.part("base", 10, 110, "loss 3.1")
    now = 1020.0
    lines.part("base", 50, 110, "loss 2.5")
    table = shown(lines)
    assert table[0].split() == ["✓", "corpus", "done", "before", "95", "s"]
    assert "20 s  base 50 of 110, loss 2.5, 30 s to go" in table[1]
    assert table[2].split() == ["sft", "waiting", "about", "30", "s"]
    assert table[3].strip() == "about 70 s to go in all, by the plan"
    now = 1060.0
    lines.part("base", 100, 110)
    lines.end("base", 61.0, before=False)
    assert capsys.readouterr().err.splitlines() == [
        "corpus: done before, in 95 s",
        "base: begins, about 60 s by the plan",
        "base: base 100 of 110, 7 s to go",
        "base: done in 61 s",
    ]
