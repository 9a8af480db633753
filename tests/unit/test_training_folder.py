"""The folder of a training run: what it insists on when it goes on, and what is left of an earlier run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.train.run_folder import TRAINING, digest, opened
from pythagoras.train.settings import Sft

INPUTS = {"model": "aa", "corpora": {"seed/train": "bb"}, "threads": 2}


def begun(folder: Path, *, overwrite: bool = False, pinned: str = "cc", **changes: object) -> None:
    """A run that has made something of every kind."""
    with opened(folder, "sft", Sft(), {**INPUTS, **changes}, seed=1, overwrite=overwrite) as run:
        run.pin("examples", {"easy": pinned})
        run.log({"stage": "easy", "step": 1, "loss": 2.0})
        for name in ("examples.json", "problems.json"):
            (folder / name).write_text("{}")
        for name in ("work/easy", "stages/easy", "proofs/instance"):
            (folder / name).mkdir(parents=True, exist_ok=True)


def test_what_it_was_begun_with_is_written_by_roles(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    begun(tmp_path / "run")  # it goes on
    told = json.loads((tmp_path / "run" / TRAINING).read_text())
    assert (told["kind"], told["seed"], told["inputs"]) == ("sft", 1, INPUTS)
    assert told["settings"] == Sft().model_dump(mode="json")
    assert told["pinned"] == {"examples": {"easy": "cc"}}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"threads": 1}, "inputs.threads: 2 there, 1 now"),
        ({"corpora": {"seed/train": "b2"}}, 'inputs.corpora.seed/train: "bb" there, "b2" now'),
        ({"mapping": "goedel-rl"}, 'inputs.mapping: null there, "goedel-rl" now'),
        ({"pinned": "c2"}, 'examples.easy: "cc" there, "c2" now'),
    ],
)
def test_another_input_is_refused_and_named(tmp_path: Path, changes: dict[str, object], named: str) -> None:
    folder = tmp_path / "run"
    begun(folder)
    before = (folder / TRAINING).read_text()
    with pytest.raises(InputError) as refused:
        begun(folder, **changes)  # type: ignore[arg-type]
    assert f"was begun otherwise ({named})" in str(refused.value)
    assert (folder / TRAINING).read_text() == before


def test_a_run_that_learned_nothing_binds_nobody(tmp_path: Path) -> None:
    """An error at its very beginning, say: the same folder may be given other inputs then."""
    with opened(tmp_path / "run", "sft", Sft(), {"corpora": {"no/corpus": "aa"}}) as run:
        run.pin("examples", "bb")
    begun(tmp_path / "run")
    assert json.loads((tmp_path / "run" / TRAINING).read_text())["inputs"] == INPUTS


def test_overwriting_leaves_nothing_of_an_earlier_run_and_all_that_is_not_its(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    begun(folder)
    made = {path.name for path in folder.iterdir()} - {".lock"}
    (folder / "notes.txt").write_text("mine")
    with opened(folder, "sft", Sft(), {}, overwrite=True):
        assert {path.name for path in folder.iterdir()} == {".lock", TRAINING, "versions.json", "work", "notes.txt"}
        assert list((folder / "work").iterdir()) == []
    assert made > {"log.jsonl", "examples.json", "problems.json", "stages", "proofs"}
    assert "pinned" not in json.loads((folder / TRAINING).read_text())


def test_a_folder_of_others_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with (
        pytest.raises(InputError, match=r"holds something else than a training \(notes.txt\)"),
        opened(tmp_path, "sft", Sft(), {}),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(("where", "moment"), [(Path, "rename"), (shutil, "rmtree")])
def test_a_kill_while_it_is_emptied_mixes_no_two_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: object, moment: str
) -> None:
    folder = tmp_path / "run"
    begun(folder)

    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(where, moment, kill)
        with pytest.raises(KeyboardInterrupt):
            begun(folder, overwrite=True, threads=1)
    with pytest.raises(InputError, match="threads: 1 there, 2 now"):
        begun(folder)
    with opened(folder, "sft", Sft(), {**INPUTS, "threads": 1}, seed=1):
        assert not any((folder / name).exists() for name in ("log.jsonl", "stages", "proofs", "examples.json", ".old"))


def test_a_digest_is_of_the_parts_and_their_order() -> None:
    parts = [(0, (1, 2)), (1, (3,))]
    assert digest(parts) == digest(iter(parts)) != digest(reversed(parts))
