"""The folder of a build: stopped and gone on with, whose it is, and what is left alone in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.pipeline import building
from pythagoras.pipeline.run_folder import opened
from pythagoras.pipeline.stage_runner import COSTLY_ROWS, read_costs
from tests.pipeline_fakes import WORDS, a_recipe, digest
from tests.unit.builds import Failing, Interrupted, made


def test_a_build_that_is_interrupted_again_and_again_ends_the_same(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=WORDS * 4)
    made(tmp_path / "whole", recipe)
    times = 0
    while True:
        try:
            made(tmp_path / "cut", recipe, Failing(COSTLY_ROWS + 7 + times))
        except Interrupted:
            times += 1
            continue
        break
    assert times > 3
    assert digest(tmp_path / "cut") == digest(tmp_path / "whole")


def test_a_finished_build_is_not_done_again(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    made(tmp_path / "run", recipe)
    before = digest(tmp_path / "run")
    told: list[tuple[str, int, int, int]] = []
    made(tmp_path / "run", recipe, Failing(0), on_progress=lambda *progress: told.append(progress))
    assert digest(tmp_path / "run") == before
    assert [stage for stage, *_ in told] == [step["stage"] for step in json.loads(_funnel(tmp_path / "run"))["stages"]]


def _funnel(folder: Path) -> str:
    return (folder / "funnel.json").read_text()


def test_another_recipe_is_refused_in_one_line(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    other = recipe.model_copy(update={"prover": recipe.prover.model_copy(update={"attempts": 3})})
    said = r"another recipe \(prover.attempts: 2 there, 3 now\): choose another folder, or pass --overwrite$"
    with pytest.raises(InputError, match=said):
        made(tmp_path / "run", other)


# --- anew -----------------------------------------------------------------------------------------


def test_a_build_makes_room_for_another_when_told_so(tmp_path: Path) -> None:
    first, second = a_recipe(tmp_path), a_recipe(tmp_path / "second", hard=0, seed=2)
    run = tmp_path / "run"
    made(run, first)
    kept = {"cache/answer.json": "paid for", "notes.txt": "mine"}
    for name, content in kept.items():
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text(content)
    made(run, second, overwrite=True)
    assert {name: (run / name).read_text() for name in kept} == kept
    made(tmp_path / "new", second)
    assert {path.name for path in run.iterdir()} == {path.name for path in (tmp_path / "new").iterdir()} | {
        "cache",
        "notes.txt",
    }
    assert {name: value for name, value in digest(run).items() if name not in kept} == digest(tmp_path / "new")
    assert _rows(run) == _rows(tmp_path / "new")


@pytest.mark.parametrize("moved", range(6))
def test_a_kill_while_a_build_makes_room_leaves_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    recipe, run = a_recipe(tmp_path, words=("plain",)), tmp_path / "run"
    made(run, recipe)
    before, rows, left = digest(run), _rows(run), moved

    def rename(self: Path, target: Path) -> None:
        nonlocal left
        if left == 0:
            raise Interrupted
        left -= 1
        os.rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(Interrupted):
            made(run, recipe, overwrite=True)
    made(run, recipe)
    assert digest(run) == before
    assert _rows(run) == rows  # costs of what is gone are gone, too
    assert not (run / ".old").exists()


def test_a_kill_while_a_build_makes_room_does_not_bring_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    made(run, a_recipe(tmp_path, words=("plain",)))
    other = a_recipe(tmp_path, words=("plain",), seed=2)

    def rename(self: Path, target: Path) -> None:
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(Interrupted):
            made(run, other, overwrite=True)
    made(run, other)
    made(tmp_path / "new", other)
    assert digest(run) == digest(tmp_path / "new")


def _rows(folder: Path) -> dict[str, float]:
    return {stage: cost["rows"] for stage, cost in read_costs(folder).items()}


@pytest.mark.parametrize("name", ["thesis.tex", "recipe.json"])
def test_what_is_no_build_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / "run" / "stages").mkdir(parents=True)
    (tmp_path / "run" / name).write_text('{"name": "cake", "eggs": 4}')
    with pytest.raises(InputError, match=r"something else than a build|no recipe of this program"):
        made(tmp_path / "run", a_recipe(tmp_path), overwrite=True)
    assert {path.name for path in (tmp_path / "run").iterdir()} - {".lock"} == {"stages", name}


def test_what_is_to_be_read_is_not_overwritten(tmp_path: Path) -> None:
    made(tmp_path / "run", a_recipe(tmp_path))
    inside = {"files": [tmp_path / "run" / "held_out"]}
    for change in ({"source": inside}, {"hard_source": inside}, {"finish": {"against": [f"{tmp_path}/run/held_out"]}}):
        with pytest.raises(InputError, match=r"while .*held_out is read: choose a folder apart from it"):
            made(tmp_path / "run", a_recipe(tmp_path, **change), overwrite=True)
    assert (tmp_path / "run" / "held_out").is_dir()


# --- whose it is ----------------------------------------------------------------------------------


def test_how_long_lean_may_take_is_part_of_the_recipe(tmp_path: Path) -> None:
    made(tmp_path / "run", a_recipe(tmp_path))
    with pytest.raises(InputError, match=r"lean.timeout_s: 60.0 there, 5.0 now"):
        made(tmp_path / "run", a_recipe(tmp_path, lean={"timeout_s": 5}))


def test_a_recipe_may_replace_another_until_something_is_done(tmp_path: Path) -> None:
    first, second = a_recipe(tmp_path), a_recipe(tmp_path, seed=2)
    for recipe in (first, second):
        with opened(tmp_path / "run", recipe):
            (tmp_path / "run" / "stages").mkdir(exist_ok=True)
    made(tmp_path / "run", second)
    with pytest.raises(InputError, match=r"another recipe \(seed: 2 there, 0 now\)"):
        made(tmp_path / "run", first)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"finish": {"linkage": "pairs", "against": []}}, "did you mean 'pair'"),
        ({"finish": {"embedder": "statik", "against": []}}, "did you mean 'static'"),
        ({"finish": {"embedder": "no", "against": []}}, "gte-qwen2, minilm, none, static, or name a sentence-"),
        ({"lean": {"backend": "embeded"}}, "did you mean 'embedded'"),
        ({"lean": {"header": "cor"}}, "did you mean 'core'"),
        ({"prover": {"prompt": "pythagora"}}, "did you mean 'pythagoras'"),
        ({"source": {"count": 3, "families": ["parity-sumz"]}}, "no family is called"),
        ({"source": {"files": ["none.jsonl"]}}, "none.jsonl is not there"),
        ({"roles": {"vary": {"backend": "endpoint", "model": "m"}}}, "set roles.vary.url"),
        ({"roles": {"align": {"backend": "local"}}}, "set roles.align.model"),
        ({"prover": {"backend": "replay"}}, "set prover.recording"),
        ({"lean": {"backend": "native:/nowhere"}}, "/nowhere is no folder"),
        ({"lean": {"backend": "native:/proc"}}, "/proc is no lake project"),
        (
            {"roles": {"vary": {"backend": "endpoint", "url": "nonsense", "model": "m"}}},
            "roles.vary.url: 'nonsense' is",
        ),
        ({"prover": {"backend": "endpoint", "url": "ftp://host", "model": "m"}}, "prover.url: 'ftp://host' is no addr"),
        ({"roles": {"align": {"backend": "replay", "recording": "none.jsonl"}}}, "recording of align, none.jsonl, can"),
        (
            {"prover": {"backend": "replay", "recording": "none.jsonl"}},
            "recording of prover, none.jsonl, can't be read",
        ),
        ({"source": {"files": ["/proc/version"]}}, "/proc/version is no corpus"),
        ({"hard_source": {"files": ["/proc/self"]}}, "/proc/self is no corpus"),
    ],
)
def test_what_can_not_be_built_is_told_before_a_folder_is_claimed(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        made(tmp_path / "run", a_recipe(tmp_path, **change))
    assert not (tmp_path / "run").exists()


def test_another_recording_is_another_input(tmp_path: Path) -> None:
    recording = tmp_path / "said.jsonl"
    recording.write_text("{}")
    recipe = a_recipe(tmp_path, roles={"formalise": {"backend": "replay", "recording": recording}})
    made(tmp_path / "run", recipe)
    recording.rename(tmp_path / "moved.jsonl")
    moved = recipe.roles.formalise.model_copy(update={"recording": tmp_path / "moved.jsonl"})
    recipe = recipe.model_copy(update={"roles": recipe.roles.model_copy(update={"formalise": moved})})
    made(tmp_path / "run", recipe)
    (tmp_path / "moved.jsonl").write_text("{} {}")
    with pytest.raises(InputError, match="recording of formalise"):
        made(tmp_path / "run", recipe)


def test_a_finished_build_does_not_read_what_is_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = a_recipe(tmp_path)
    made(tmp_path / "run", recipe)
    monkeypatch.setattr(building, "held_out", None)
    made(tmp_path / "run", recipe)


def test_what_a_stopped_run_took_is_in_its_costs(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    assert read_costs(tmp_path / "run")["formalise-originals"]["formalise_requests"] == 3
    made(tmp_path / "run", recipe)
    costs = read_costs(tmp_path / "run")["formalise-originals"]
    assert (costs["formalise_requests"], costs["rows"]) == (3 + 11, 11)


def test_a_model_that_moved_is_the_same_recipe(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    moved = recipe.roles.vary.model_copy(update={"url": "http://elsewhere", "concurrency": 3})
    made(tmp_path / "run", recipe.model_copy(update={"roles": recipe.roles.model_copy(update={"vary": moved})}))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else than a build"):
        made(tmp_path / "run", a_recipe(tmp_path))
    with pytest.raises(InputError, match="is a file: name a folder"):
        made(tmp_path / "run" / "thesis.tex", a_recipe(tmp_path))


def test_a_kill_before_anything_was_written_is_no_hindrance(tmp_path: Path) -> None:
    for folder in (tmp_path / "run", tmp_path / "run" / "stages" / "01-hard-source"):
        folder.mkdir(parents=True)
    (tmp_path / "run" / "stages" / "01-hard-source" / "manifest.json.tmp").write_text("{")
    with pytest.raises(InputError, match="something else than a build"):
        made(tmp_path / "run", a_recipe(tmp_path))  # a folder `stages` without a recipe is not ours
    (tmp_path / "run" / "recipe.json").write_text(a_recipe(tmp_path).model_dump_json())
    made(tmp_path / "run", a_recipe(tmp_path))
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "recipe.json.tmp").write_text("{")
    made(tmp_path / "new", a_recipe(tmp_path))
    assert digest(tmp_path / "new").keys() == digest(tmp_path / "run").keys()
    assert not list(tmp_path.rglob("*.tmp"))


def test_progress_tells_each_stage_from_where_it_stopped(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=("plain", "second") * 50, hard=0)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(COSTLY_ROWS + 10))
    stages: list[tuple[str, int | None]] = []
    told: list[tuple[str, int, int, int]] = []
    made(
        tmp_path / "run",
        recipe,
        on_stage=lambda stage, total: stages.append((stage, total)),
        on_progress=lambda *progress: told.append(progress),
    )
    assert ("formalise-medium", 200) in stages
    own = [progress for stage, *progress in told if stage == "formalise-medium"]
    assert own[0] == [COSTLY_ROWS, COSTLY_ROWS, 0]
    assert own[-1] == [200, 200, 0]
