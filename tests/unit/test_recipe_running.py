"""Running a recipe: the order of stages, what is skipped, what is refused, and the account. The stages are fakes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.stages import accounts, running
from pythagoras.stages.folder import place_of
from pythagoras.stages.machine import Machine
from pythagoras.stages.meter import Meter
from pythagoras.stages.overview import OVERVIEW, Overview, State, Work, read_overview
from pythagoras.stages.planning import Need, Plan
from pythagoras.stages.recipe import load_experiment
from pythagoras.stages.running import Scene, run
from pythagoras.stages.settings import StageName

WHOLE = str(Path(__file__).parent / "data" / "whole.toml")
STAGES = 'stages=["corpus", "base", "sft", "rl"]'
HERE = Machine(workers=2)


class World:
    """Stages that leave what the real ones leave, and remember that they were asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails: str | None = None
        self.error: BaseException = KeyboardInterrupt()

    def stage(self, name: StageName) -> Callable[[Scene], float | None]:
        def work(scene: Scene) -> float | None:
            self.asked.append(name)
            place = place_of(scene.folder, name)
            place.mkdir(exist_ok=True)
            if name == self.fails:
                raise self.error
            scene.tell.part("steps", 3, 3)
            (place / "model").mkdir(exist_ok=True)
            (place / "model" / "weights").write_bytes(b"0" * 100)
            return 2.5 if name == "rl" else None

        return work

    def again(self) -> list[str]:
        """What was asked since this was asked the last time."""
        asked, self.asked = self.asked, []
        return asked


class Told:
    """Who is told, and remembers it."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def begin(self, stage: str) -> None:
        self.lines.append(("begin", stage))

    def part(self, name: str, done: int, total: int | None, note: str = "") -> None:
        self.lines.append(("part", name, done, total))

    def end(self, stage: str, seconds: float, *, before: bool) -> None:
        self.lines.append(("before" if before else "end", stage))

    def say(self, text: str) -> None:
        self.lines.append(("say", text))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    names: tuple[StageName, ...] = ("corpus", "base", "sft", "rl")
    monkeypatch.setattr(running, "_STAGES", {name: found.stage(name) for name in names})
    monkeypatch.setattr(accounts, "work_of", lambda stage, *_: Work("tokens", 10, 0.0, lean_s=1.0))
    return found


def carry_out(folder: Path, *changes: str, stages: str = STAGES, told: Told | None = None, **more: Any) -> Overview:
    return run(load_experiment(WHOLE, (stages, *changes)), folder, machine=HERE, tell=told or Told(), **more)


def test_stages_run_in_order_and_once(tmp_path: Path, world: World) -> None:
    told = Told()
    done = carry_out(tmp_path / "run", told=told)
    assert world.again() == ["corpus", "base", "sft", "rl"]
    assert done.finished
    assert told.lines[:3] == [("begin", "corpus"), ("part", "steps", 3, 3), ("end", "corpus")]
    assert read_overview(tmp_path / "run" / OVERVIEW).as_dict() == done.as_dict()
    told = Told()
    again = carry_out(tmp_path / "run", told=told)
    assert world.again() == []
    assert told.lines == [("before", stage) for stage in ("corpus", "base", "sft", "rl")]
    assert again.as_dict() == done.as_dict()


def test_the_account_has_what_a_stage_did(tmp_path: Path, world: World) -> None:
    done = carry_out(tmp_path / "run")
    rl = done.stages["rl"]
    assert rl.work is not None
    assert rl.work.lean_s == 1.0 + 2.5  # what files say, and what nobody else does
    assert rl.bytes == 100
    assert rl.use.memory_mb > 10
    told = json.loads((tmp_path / "run" / OVERVIEW).read_text())
    assert told["stages"]["rl"]["state"] == "done"
    assert json.loads((tmp_path / "run" / "recipe.json").read_text())["rl"]["steps"] == 2
    assert (tmp_path / "run" / "versions.json").is_file()


def test_until_a_stage(tmp_path: Path, world: World) -> None:
    done = carry_out(tmp_path / "run", until="base")
    assert world.again() == ["corpus", "base"]
    assert not done.finished
    assert done.state("sft") is State.WAITING
    carry_out(tmp_path / "run")
    assert world.again() == ["sft", "rl"]
    with pytest.raises(InputError, match="no stage of this recipe is called 'bas': did you mean 'base'"):
        carry_out(tmp_path / "run", until="bas")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError("nothing to train on"), OSError(28, "full")])
def test_what_was_stopped_goes_on(tmp_path: Path, world: World, error: BaseException) -> None:
    world.fails, world.error = "sft", error
    with pytest.raises(type(error)):
        carry_out(tmp_path / "run")
    assert world.again() == ["corpus", "base", "sft"]
    stopped = read_overview(tmp_path / "run" / OVERVIEW)
    assert stopped.state("sft") is State.BEGUN
    assert stopped.stages["sft"].use.seconds > 0
    world.fails = None
    done = carry_out(tmp_path / "run")
    assert world.again() == ["sft", "rl"]
    assert done.stages["sft"].use.seconds > stopped.stages["sft"].use.seconds  # both sessions count


def test_a_plan_is_one_only_before(tmp_path: Path, world: World) -> None:
    def need(stage: StageName) -> Need:
        return Need(stage, "tokens", 10, seconds=50.0, cpu_s=1.0, lean_s=0.0, tokens=0.0, memory_mb=1.0, bytes=1.0)

    carry_out(tmp_path / "run", until="corpus")
    stages: tuple[StageName, ...] = ("corpus", "base", "sft", "rl")
    done = carry_out(tmp_path / "run", until="base", plan=Plan(tuple(map(need, stages)), "whole", 2))
    assert list(done.planned) == ["base", "sft", "rl"]
    told = done.as_dict()["stages"]
    assert told["base"]["took_over_planned"] < 1
    assert "took_over_planned" not in told["sft"]
    slower = Plan((replace(need("rl"), seconds=70.0), replace(need("base"), seconds=70.0)), "whole", 2)
    again = carry_out(tmp_path / "run", plan=slower)
    assert {name: one["seconds"] for name, one in again.planned.items()} == {"base": 50.0, "sft": 50.0, "rl": 70.0}


def test_what_was_taken_away_is_made_again(tmp_path: Path, world: World) -> None:
    carry_out(tmp_path / "run")
    world.again()
    (tmp_path / "run" / "sft" / "model").rename(tmp_path / "elsewhere")
    carry_out(tmp_path / "run")
    assert world.again() == ["sft"]


def test_other_settings_of_a_finished_stage_are_refused(tmp_path: Path, world: World) -> None:
    carry_out(tmp_path / "run", until="sft")
    before = (tmp_path / "run" / "recipe.json").read_bytes()
    with pytest.raises(InputError, match=r"sft: sft\.epochs: 4 there, 5 now\): .* -o, or begin anew with --ov") as no:
        carry_out(tmp_path / "run", "sft.epochs=5")
    assert "\n" not in str(no.value)
    with pytest.raises(InputError, match=r"corpus: source\.count: 40 there, 41 now"):
        carry_out(tmp_path / "run", "source.count=41")
    with pytest.raises(InputError, match="base is done there, and is left out now"):
        carry_out(tmp_path / "run", "start.model=embedded", stages='stages=["corpus", "sft"]')
    assert (tmp_path / "run" / "recipe.json").read_bytes() == before
    world.again()
    carry_out(tmp_path / "run", "rl.steps=7")  # it is not done
    assert world.again() == ["rl"]
    assert json.loads((tmp_path / "run" / "recipe.json").read_text())["rl"]["steps"] == 7


def test_overwrite_begins_anew(tmp_path: Path, world: World) -> None:
    carry_out(tmp_path / "run")
    (tmp_path / "run" / "sft" / "extra").touch()
    (tmp_path / "run" / "notes.txt").touch()
    world.again()
    carry_out(tmp_path / "run", "sft.epochs=5", overwrite=True)
    assert world.again() == ["corpus", "base", "sft", "rl"]
    assert not (tmp_path / "run" / "sft" / "extra").exists()
    assert (tmp_path / "run" / "notes.txt").exists()  # no run makes that


def test_a_kill_while_it_makes_room_is_no_harm(tmp_path: Path, world: World) -> None:
    carry_out(tmp_path / "run")
    (tmp_path / "run" / ".old").mkdir()
    (tmp_path / "run" / "corpus").rename(tmp_path / "run" / ".old" / "corpus")
    world.again()
    carry_out(tmp_path / "run")
    assert world.again() == ["corpus", "base", "sft", "rl"]
    assert not (tmp_path / "run" / ".old").exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, world: World) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"holds something else than a run of a recipe \(thesis\.tex\)"):
            carry_out(tmp_path / "run", overwrite=overwrite)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]


def test_a_damaged_overview_is_told(tmp_path: Path, world: World) -> None:
    carry_out(tmp_path / "run")
    (tmp_path / "run" / OVERVIEW).write_text('{"stages": {')
    with pytest.raises(InputError, match=r"overview\.json can't be read \(.*begin anew with --overwrite"):
        carry_out(tmp_path / "run")
    carry_out(tmp_path / "run", overwrite=True)


def test_a_meter_counts_what_processes_below_take() -> None:
    import subprocess
    import sys

    burn = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end: pass"
    with Meter() as meter:
        subprocess.run([sys.executable, "-c", burn], check=True)
        use = meter.use()
    assert 0.5 < use.cpu_s < 10
    assert use.seconds > 0.5
    sum_ = use + use
    assert (sum_.cpu_s, sum_.memory_mb) == (2 * use.cpu_s, use.memory_mb)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ('evaluation.benchmarks=["corebnch"]', "corebnch"),
        ('hard_source.files=["nowhere"]', "nowhere"),
        ("start.model=nothing", "start.model, nothing, is no model"),
        ("start.corpus=nothing", "start.corpus, nothing, is no folder"),
    ],
)
def test_what_nobody_has_is_told_before_anything_is_done(tmp_path: Path, world: World, change: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as wrong:
        carry_out(tmp_path / "run", change, stages='stages=["corpus", "base", "evaluation"]')
    assert "\n" not in str(wrong.value)
    assert not (tmp_path / "run").exists()
    assert world.again() == []
