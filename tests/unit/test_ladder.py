"""The ladder: its numbers are those of the runs, its file is checked, and the command writes it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.cost import cost_report
from pythagoras.evaluate.analysis.passn import pass_at
from pythagoras.evaluate.ladder import Ladder, ladder, read_ladder, reported, write_ladder
from pythagoras.evaluate.results import load
from pythagoras.evaluate.shown.ladders import ladder_picture, ladder_table
from pythagoras.evaluate.shown.tables import markdown
from tests.made_runs import made_goals, make_run
from tests.unit.processes import pythagoras


def test_rungs_have_the_numbers_of_their_runs(tmp_path: Path) -> None:
    solved = [[at % 5 == number % 5 and at < 8 for number in range(40)] for at in range(10)]
    run = load(make_run(tmp_path / "run", solved, label="search"))
    (rung,) = ladder([run], title="t").rungs
    assert [step.n for step in rung.steps] == [1, 8, 32, 40]
    for step in rung.steps:
        at = pass_at(run, step.n)
        assert (step.solved, step.problems, step.low, step.high) == (at.solved, at.problems, at.low, at.high)
    assert rung.steps[0].solved == 2
    assert rung.steps[-1].solved == 8
    cost = cost_report(run)
    assert (rung.attempts, rung.generated_tokens, rung.etc) == (400, cost.generated_tokens, cost.etc.per_problem)
    assert (rung.lean_seconds, rung.wall_seconds, rung.score) == (cost.lean_seconds, 120.0, cost.score)
    assert (rung.name, rung.benchmark, rung.lean) == ("search", "minif2f/test", "4.28.0")


def test_a_run_that_lacks_attempts_is_a_lower_bound_and_one_without_any_costs_nothing(tmp_path: Path) -> None:
    short = load(make_run(tmp_path / "short", [[True], [False]], n=8))
    empty = load(make_run(tmp_path / "empty", [[], []], n=1))
    some, none = ladder([short, empty], title="t").rungs
    assert [(step.n, step.solved, step.short) for step in some.steps] == [(1, 1, 0), (8, 1, 1)]
    assert [(step.n, step.solved, step.short) for step in none.steps] == [(1, 0, 2)]
    assert (none.attempts, none.etc, none.score, none.lean_seconds) == (0, None, None, None)
    assert "≥ 50.0" in markdown(ladder_table(ladder([short, empty], title="t")))


def test_no_runs_are_no_ladder() -> None:
    with pytest.raises(InputError, match="no run to make a ladder of"):
        ladder([], title="t")


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    made = ladder([load(make_run(tmp_path / "run", [[True]]))], title="ℕ", made=["one", "two"])
    write_ladder(tmp_path / "deep" / "ladder.json", made)
    assert read_ladder(tmp_path / "deep" / "ladder.json") == made
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["ladder.json"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is no ladder"),
        ('{"title": "x", "rungs": [], "format": 2}', "format"),
        ('{"title": "x", "rungs": [], "more": 1}', "more"),
        ('{"title": "x", "rungs": [{"name": "a"}]}', "rungs.0.benchmark"),
    ],
)
def test_what_is_no_ladder_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "ladder.json").write_text(text)
    with pytest.raises(InputError, match=told) as error:
        read_ladder(tmp_path / "ladder.json")
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="can't be read"):
        read_ladder(tmp_path / "nowhere.json")


def test_what_is_reported_is_about_the_same_benchmark_where_there_is_something(tmp_path: Path) -> None:
    goals = [replace(goal, source="corebench/test") for goal in made_goals(2)]
    other = ladder([load(make_run(tmp_path / "other", [[True], [False]], goals))], title="t")
    same = ladder([load(make_run(tmp_path / "same", [[True], [False]]))], title="t")
    assert {one.benchmark for one in reported(same)} == {"minif2f/test"}
    assert {one.benchmark for one in reported(other)} == {"minif2f/test"}  # and the page says that it is another
    alf = Ladder(title="t", rungs=[rung.model_copy(update={"benchmark": "minif2f-alf/test"}) for rung in same.rungs])
    assert {one.benchmark for one in reported(alf)} == {"minif2f-alf/test"}


def test_a_picture_is_drawn_of_one_benchmark_or_of_several(tmp_path: Path) -> None:
    goals = [replace(goal, source="corebench/test") for goal in made_goals(2)]
    one = load(make_run(tmp_path / "one", [[True, False], [False, False]], label="A"))
    two = load(make_run(tmp_path / "two", [[True, True], [False, False]], goals, label="A"))
    for runs, lines in (([one], {"A"}), ([one, two], {"A, minif2f/test", "A, corebench/test"})):
        figure = ladder_picture(ladder(runs, title="t"))
        (legend,) = figure.legends
        assert lines <= {text.get_text() for text in legend.get_texts()}


def test_the_command_writes_file_table_and_picture(tmp_path: Path) -> None:
    weak = make_run(tmp_path / "weak", [[False], [True]], label="portfolio")
    strong = make_run(tmp_path / "strong", [[True, True], [False, True]], label="RL", seed=1)
    file, picture = tmp_path / "ladder.json", tmp_path / "ladder.svg"
    given = ("eval", "ladder", str(weak), str(strong), "-o", str(file), "--made-by", "pythagoras train rl")
    done = pythagoras(*given, "--picture", str(picture), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = read_ladder(file)
    assert json.loads(done.stdout) == found.model_dump(mode="json")
    assert [(rung.name, rung.steps[-1].solved) for rung in found.rungs] == [("portfolio", 1), ("RL", 2)]
    assert found.made[0] == "pythagoras train rl"
    assert found.made[1].startswith("pythagoras eval ladder ")
    assert picture.read_text().startswith("<?xml")
    table = pythagoras(*given, home=tmp_path).stdout
    assert "pass@1" in table
    assert "RL" in table
    wrong = pythagoras(*given, "--picture", "ladder.bmp", home=tmp_path)
    assert wrong.returncode == 2
    assert "end its name in one of" in wrong.stderr
