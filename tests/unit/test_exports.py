"""Exports: each loaded back by `datasets` as its trainer would, in curriculum order, with files that exist."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.exports import curriculum
from pythagoras.corpus.exports.export import EXPORTS, GOALS, Exported, export
from pythagoras.corpus.exports.recipe import ExportSettings, RlPlan
from pythagoras.corpus.files import read_records
from pythagoras.corpus.prompts import Message, render
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Instance,
    Problem,
    Provenance,
    Record,
    Tier,
    Truth,
    kind_of,
    record_id,
)
from pythagoras.corpus.rows import from_row, to_row
from pythagoras.errors import InputError
from pythagoras.train import rewards
from tests.unit import corpora

datasets = pytest.importorskip("datasets")
yaml = pytest.importorskip("yaml")

ODD = "ℕ ≤ ∑ “quoted” \u2028 𝔽₂ \t \\n {}"


def instances(rows: int = 60) -> list[Instance]:
    """Four tiers mixed, two proofs of each third statement, and text of every kind."""
    tiers = list(Tier)
    return [
        Instance(
            name=f"t{n // 4}",
            statement=f"theorem t{n // 4} (n : ℕ) : n + {n // 4} = {n // 4} + n",
            proof=f"by\n  omega -- {n}",
            source="handmade",
            tier=tiers[n % 4],
            verified=n % 2 == 0,
            reasoning=f"Addition commutes. {ODD}" if n % 3 else "",
            informal=f"Show that n + {n // 4} commutes. {ODD}",
            header="mathlib" if n % 5 == 0 else "core",
            topic="algebra",
            provenance=Provenance(maker="by hand"),
        )
        for n in range(rows)
    ]


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True, raising=False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def load(tmp_path: Path, file: Path) -> Any:
    kind = "parquet" if file.suffix == ".parquet" else "json"
    return datasets.load_dataset(kind, data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))


def done(tmp_path: Path, to: str, records: list[Record] | None = None, **settings: Any) -> Exported:
    given: list[Record] = list(instances()) if records is None else records
    return export(iter(given), tmp_path / "out", to, ExportSettings(**settings))


def of(tier: Tier) -> list[Instance]:
    return [instance for instance in instances() if instance.tier is tier]


# --- what trainers read ------------------------------------------------------------------------------


def test_llamafactory(tmp_path: Path) -> None:
    made = done(tmp_path, "llamafactory", held_out=0.2)
    folder = made.folder
    info = json.loads((folder / "data" / "dataset_info.json").read_text())
    assert set(info) == {f"pythagoras_{name}" for name in ("easy", "medium", "hard", "alf", "held_out")}
    previous = None
    rates = []
    titles = [path.name for path in sorted((folder / "configs").iterdir())]
    assert titles == ["1-easy.yaml", "2-medium.yaml", "3-hard.yaml", "4-alf.yaml", "merge.yaml"]
    merge = yaml.safe_load((folder / "configs" / titles.pop()).read_text())
    assert merge["adapter_name_or_path"] == "saves/3-hard"  # self-distillation comes behind reinforcement learning
    for title, tier in zip(titles, Tier, strict=True):
        config = yaml.safe_load((folder / "configs" / title).read_text())
        entry = info[config["dataset"]]
        assert entry["formatting"] == "sharegpt"
        assert entry["columns"] == {"messages": "messages"}
        loaded = load(tmp_path, folder / config["dataset_dir"] / entry["file_name"])
        assert loaded.column_names == ["messages"]
        assert len(loaded) == made.rows[tier]
        roles = {turn[entry["tags"]["role_tag"]] for turn in loaded[0]["messages"]}
        assert roles == {entry["tags"]["user_tag"], entry["tags"]["assistant_tag"]}
        assert config.get("adapter_name_or_path") == previous
        previous = config["output_dir"]
        rates.append(config["learning_rate"])
        assert (config["stage"], config["finetuning_type"], config["template"]) == ("sft", "lora", "qwen3_nothink")
        assert (config["lora_rank"], config["lora_target"], config["cutoff_len"]) == (64, "all", 8192)
        assert (config["num_train_epochs"], config["disable_shuffling"]) == (2, True)
        assert info[config["eval_dataset"]]["file_name"] == "held_out.jsonl"
    assert rates == [3e-4, 7e-5, 7e-5, 1e-5]
    script = folder / "run.sh"
    assert script.stat().st_mode & stat.S_IXUSR
    assert " ".join(f"configs/{title}" for title in titles) in script.read_text()


def test_llamafactory_rows_are_the_rendered_chats_in_order(tmp_path: Path) -> None:
    folder = done(tmp_path, "llamafactory", prompt="kimina").folder
    loaded = load(tmp_path, folder / "data" / "medium.jsonl")
    for row, instance in zip(loaded, of(Tier.MEDIUM), strict=True):
        rendered = render(instance, "kimina")
        assert not isinstance(rendered.prompt, str)
        turns = [*rendered.prompt, Message("assistant", rendered.completion)]
        assert row["messages"] == [turn.as_dict() for turn in turns]


def test_trl_chats(tmp_path: Path) -> None:
    made = done(tmp_path, "trl")
    loaded = load(tmp_path, made.folder / "data" / "hard.jsonl")
    assert loaded.column_names == ["prompt", "completion"]
    for row, instance in zip(loaded, of(Tier.HARD), strict=True):
        rendered = render(instance)
        assert not isinstance(rendered.prompt, str)
        assert row["prompt"] == [turn.as_dict() for turn in rendered.prompt]
        assert row["completion"] == [{"role": "assistant", "content": rendered.completion}]
    configs = [json.loads(path.read_text()) for path in sorted((made.folder / "configs").iterdir())]
    assert [config["sft_config"]["learning_rate"] for config in configs] == [3e-4, 7e-5, 7e-5, 1e-5]
    outputs = [config["sft_config"]["output_dir"] for config in configs]
    assert [config["adapters"] for config in configs] == [None, *outputs[:-1]]
    assert all((made.folder / config["train_file"]).is_file() for config in configs)
    assert "--merge configs/3-hard.json" in (made.folder / "run.sh").read_text()  # what RL begins with
    lora = configs[0]["lora_config"]
    assert (lora["r"], lora["lora_alpha"], lora["target_modules"]) == (64, 128, "all-linear")


def test_trl_raw_text(tmp_path: Path) -> None:
    made = done(tmp_path, "trl", prompt="compact", stages=(Tier.EASY,), budget=512)
    loaded = load(tmp_path, made.folder / "data" / "easy.jsonl")
    expected = [render(instance, "compact") for instance in of(Tier.EASY)]
    assert list(loaded["prompt"]) == [each.prompt for each in expected]
    assert list(loaded["completion"]) == [each.completion for each in expected]
    config = json.loads((made.folder / "configs" / "1-easy.json").read_text())
    assert config["sft_config"]["max_length"] == 512


def test_verl(tmp_path: Path) -> None:
    made = done(tmp_path, "verl", held_out=0.2)
    folder = made.folder
    config = yaml.safe_load((folder / "grpo.yaml").read_text())
    train, validation = config["data"]["train_files"], config["data"]["val_files"]
    assert train == [f"data/{tier.value}.parquet" for tier in Tier]
    assert validation == ["data/held_out.parquet"]
    for file in [*train, *validation]:
        loaded = load(tmp_path, folder / file)
        assert loaded.column_names == ["data_source", "prompt", "ability", "reward_model", "extra_info"]
        row = loaded[0]
        assert (row["data_source"], row["ability"], row["reward_model"]["style"]) == ("pythagoras", "math", "rule")
        assert row["extra_info"]["split"] == ("test" if "held_out" in file else "train")
        assert list(loaded.with_format("python")["extra_info"])[-1]["index"] == len(loaded) - 1
        statements = [row["reward_model"]["ground_truth"] for row in loaded]
        assert all(statement.endswith(" := sorry") for statement in statements)
        assert all("omega" not in json.dumps(row) for row in loaded)  # no proof is told
    reward = config["reward"]["custom_reward_function"]
    assert reward["path"] == f"pkg://{rewards.__name__}"
    assert hasattr(rewards, reward["name"])
    assert rewards.settings_from({}, reward["reward_kwargs"]).timeout_s == 60
    assert config["actor_rollout_ref"]["rollout"]["n"] == 8
    assert config["actor_rollout_ref"]["actor"]["use_kl_loss"] is False
    assert config["algorithm"] == {
        **{"adv_estimator": "grpo", "use_kl_in_reward": False},
        "filter_groups": {"enable": True, "metric": "acc"},
    }
    sampler = config["trainer"]["v1"]["sampler"]
    assert f"class {sampler['custom_sampler']['name']}(" in (folder / sampler["custom_sampler"]["path"]).read_text()
    assert sampler["sampler_kwargs"] == {"fewest": 1, "most": 5, "problems": config["data"]["train_batch_size"]}
    rows = sum(len(load(tmp_path, folder / file)) for file in train)
    assert config["data"]["train_batch_size"] == rows < 128  # verl does not begin with fewer than a step's
    assert config["trainer"]["total_training_steps"] == 1
    assert config["data"]["max_prompt_length"] + config["data"]["max_response_length"] == 8192
    assert (folder / "run.sh").stat().st_mode & stat.S_IXUSR


def test_reinforcement_learning_has_each_statement_once_and_takes_bare_statements(tmp_path: Path) -> None:
    one = instances(1)[0]
    bare = Formalisation("u", "theorem u : 1 = 1", "handmade", context="open Nat", tier=Tier.EASY)
    given: list[Record] = [one, replace(one, proof="by simp"), replace(one, header="core"), bare]
    made = export(given, tmp_path / "verl", "verl", ExportSettings())
    loaded = load(tmp_path, made.folder / "data" / "easy.parquet")
    assert [row["extra_info"]["header"] for row in loaded] == ["mathlib", "core", "core"]
    assert loaded[2]["reward_model"]["ground_truth"] == "open Nat\n\ntheorem u : 1 = 1 := sorry"
    assert "open Nat\n\ntheorem u" in loaded[2]["prompt"][0]["content"]
    made = export(given, tmp_path / "trl", "trl-grpo", ExportSettings())
    rows = load(tmp_path, made.folder / "data" / "easy.jsonl")
    assert [row["statement"] for row in rows] == [row["reward_model"]["ground_truth"] for row in loaded]
    assert [row["header"] for row in rows] == ["mathlib", "core", "core"]
    assert [row["prompt"] for row in rows] == [row["prompt"] for row in loaded]


@pytest.mark.parametrize(
    ("rows", "plan", "steps"),
    [
        (100, {"problems": 8}, 5),  # 40 train
        (100, {"problems": 8, "epochs": 2}, 10),
        (100, {"problems": 8, "steps": 3}, 3),
        (100, {"problems": 8, "trained_share": 1.0}, 12),  # verl counts so many to an epoch, and 13 would never come
        (100, {"problems": 200}, 1),
    ],
)
def test_verl_stops_when_the_statements_have_been_drawn(
    tmp_path: Path, rows: int, plan: dict[str, Any], steps: int
) -> None:
    problems: list[Record] = [corpora.formalisation(f"theorem t{n} : {n} = {n}") for n in range(rows)]
    made = done(tmp_path, "verl", problems, rl=RlPlan(**plan))
    trainer = yaml.safe_load((made.folder / "grpo.yaml").read_text())["trainer"]
    assert trainer["total_training_steps"] == steps


def test_reinforcement_learning_is_told_nothing_of_a_proof(tmp_path: Path) -> None:
    """Lemmas that a proof brought along are a part of it."""
    lemma = "theorem helper (n : ℕ) : n + 0 = n := by\n  secret_tactic"
    one = replace(instances(1)[0], context=f"def zero : ℕ := 0\n\n{lemma}")
    other = replace(one, context="def zero : ℕ := 0", proof="by simp")
    for to in sorted(GOALS):
        made = export([one, other], tmp_path / to, to, ExportSettings())
        (row,) = load(tmp_path, made.folder / "data" / ("easy.parquet" if to == "verl" else "easy.jsonl"))
        assert "secret_tactic" not in json.dumps(row)
        assert "def zero" in json.dumps(row)


def test_which_lean_can_judge_is_said(tmp_path: Path) -> None:
    for to in sorted(GOALS):
        for header, expected in (("core", "`pythagoras lean serve`"), ("mathlib", "either with Mathlib")):
            only: list[Record] = [replace(instances(1)[0], header=header)]
            script = (export(only, tmp_path / to / header, to, ExportSettings()).folder / "run.sh").read_text()
            assert expected in script
            assert '"${PYTHAGORAS_LEAN:?' in script  # it does not begin without one


def test_jsonl_parquet_and_datasets_are_read_back_as_records(tmp_path: Path) -> None:
    for to in ("jsonl", "parquet"):
        made = export(instances(), tmp_path / to, to, ExportSettings())
        for tier in Tier:
            assert list(read_records(made.folder / "data" / f"{tier.value}.{to}")) == of(tier)
        assert load(tmp_path, made.folder / "data" / f"easy.{to}").column_names[-1] == "provenance"
    made = export(instances(), tmp_path / "hf", "datasets", ExportSettings(held_out=0.2))
    loaded = datasets.load_from_disk(str(made.folder / "dataset"))
    assert list(loaded) == ["easy", "medium", "hard", "alf", "held_out"]
    assert {name: len(split) for name, split in loaded.items()} == {
        **{tier.value: rows for tier, rows in made.rows.items()},
        "held_out": made.held_out,
    }
    row = loaded["easy"][0]
    assert (row["proof"], row["informal"]) == (of(Tier.EASY)[0].proof, of(Tier.EASY)[0].informal)


def test_the_papers_columns(tmp_path: Path) -> None:
    made = done(tmp_path, "paper")
    loaded = load(tmp_path, made.folder / "data" / "easy.jsonl")
    assert loaded.column_names == [
        *("Question", "Source", "Formal Statement", "Formal Proof", "Problem Type", "Reasoning Chain", "Difficulty")
    ]
    row, instance = loaded[0], of(Tier.EASY)[0]
    assert row["Formal Statement"].startswith("import Mathlib\n")
    assert row["Formal Statement"].endswith(f"-/\n{instance.statement} := by\n  sorry")
    assert row["Formal Proof"] == f"{instance.statement} := {instance.proof}"
    assert (row["Difficulty"], row["Problem Type"]) == ("easy", "algebra")


# --- order, splits, manifest -------------------------------------------------------------------------


def proofs_in(folder: Path) -> dict[str, list[str]]:
    found = {path.stem: read_records(path) for path in sorted((folder / "data").iterdir())}
    return {name: [each.proof for each in records if isinstance(each, Instance)] for name, records in found.items()}


def test_a_seed_shuffles_inside_stages_whatever_the_order_of_the_input(tmp_path: Path) -> None:
    kept = proofs_in(export(instances(), tmp_path / "kept", "jsonl", ExportSettings()).folder)
    one = proofs_in(export(instances(), tmp_path / "one", "jsonl", ExportSettings(seed=1)).folder)
    two = proofs_in(export(instances()[::-1], tmp_path / "two", "jsonl", ExportSettings(seed=1)).folder)
    three = proofs_in(export(instances(), tmp_path / "three", "jsonl", ExportSettings(seed=2)).folder)
    assert one == two
    assert one != three
    unmoved = ExportSettings(seed=1, shuffled=False)
    assert proofs_in(export(instances(), tmp_path / "unmoved", "jsonl", unmoved).folder) == kept
    for stage in kept:
        assert one[stage] != kept[stage]
        assert sorted(one[stage]) == sorted(kept[stage]) == sorted(three[stage])


def test_a_shuffle_over_many_buckets_is_in_order_of_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = proofs_in(export(instances(400), tmp_path / "few", "jsonl", ExportSettings(seed=1)).folder)
    monkeypatch.setattr(curriculum, "BUCKETS", 3)
    assert proofs_in(export(instances(400), tmp_path / "other", "jsonl", ExportSettings(seed=1)).folder) == few


def test_all_proofs_of_a_statement_are_held_out_together(tmp_path: Path) -> None:
    made = export(instances(400), tmp_path / "out", "jsonl", ExportSettings(held_out=0.25))
    files = {path.stem: list(read_records(path)) for path in (made.folder / "data").iterdir()}
    held = {record.statement for record in files["held_out"] if isinstance(record, Instance)}
    trained = {
        record.statement for name in ("easy", "medium", "hard", "alf") for record in files[name]
        if isinstance(record, Instance)
    }  # fmt: skip
    assert not held & trained
    assert 10 < len(held) < 45  # of 100
    assert made.held_out + sum(made.rows.values()) == 400


def test_only_the_stages_that_were_asked_for_and_that_have_rows(tmp_path: Path) -> None:
    without_medium: list[Record] = [each for each in instances() if each.tier is not Tier.MEDIUM]
    made = done(tmp_path, "llamafactory", without_medium, stages=(Tier.EASY, Tier.MEDIUM, Tier.HARD))
    assert made.rows == {Tier.EASY: 15, Tier.HARD: 15}
    assert made.left_out == 15
    configs = [path.name for path in sorted((made.folder / "configs").iterdir())]
    assert configs == ["1-easy.yaml", "2-hard.yaml", "merge.yaml"]
    second = yaml.safe_load((made.folder / "configs" / "2-hard.yaml").read_text())
    assert second["adapter_name_or_path"] == "saves/1-easy"


@pytest.mark.parametrize("to", sorted(set(EXPORTS) - {"datasets"}))  # whose files have names of its own making
def test_the_manifest_says_what_there_is_and_the_same_input_gives_the_same_bytes(tmp_path: Path, to: str) -> None:
    made = [
        export(instances(), tmp_path / name, to, ExportSettings(seed=5, held_out=0.1), inputs={"corpus": "abc"})
        for name in ("one", "two")
    ]
    first, second = ((each.folder / "export.json").read_bytes() for each in made)
    assert first == second
    manifest = json.loads(first)
    assert (manifest["to"], manifest["inputs"], manifest["settings"]["seed"]) == (to, {"corpus": "abc"}, 5)
    assert sum(manifest["stages"].values()) + manifest["held_out"] == 60
    found = {path.relative_to(made[0].folder).as_posix() for path in made[0].folder.rglob("*") if path.is_file()}
    assert found == {*manifest["files"], "export.json"} == {
        path.relative_to(made[0].folder).as_posix() for path in made[0].files
    }  # fmt: skip
    data = [name for name in manifest["files"] if name.startswith("data/") and not name.endswith("info.json")]
    assert all(manifest["files"][name]["rows"] > 0 for name in data)


# --- folders -----------------------------------------------------------------------------------------


def test_a_folder_is_never_half_written(tmp_path: Path) -> None:
    def broken() -> Iterator[Record]:
        yield from instances(10)
        raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        export(broken(), tmp_path / "out", "jsonl", ExportSettings())
    assert list(tmp_path.iterdir()) == []
    export(instances(), tmp_path / "out", "jsonl", ExportSettings())
    before = (tmp_path / "out" / "export.json").read_bytes()
    with pytest.raises(RuntimeError):
        export(broken(), tmp_path / "out", "jsonl", ExportSettings(), overwrite=True)
    assert (tmp_path / "out" / "export.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_export_is_replaced_only_when_asked_and_nothing_else_ever_is(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    export(instances(), folder, "trl", ExportSettings())
    with pytest.raises(InputError, match=r"holds an export already.*--overwrite"):
        export(instances(), folder, "jsonl", ExportSettings())
    made = export(instances(), folder, "jsonl", ExportSettings(), overwrite=True)
    assert not (folder / "configs").exists()
    assert made.files[-1] == folder / "export.json"
    (tmp_path / "mine").mkdir()
    export(instances(), tmp_path / "mine", "jsonl", ExportSettings())  # empty is fine
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else than an export"):
        export(instances(), tmp_path / "other", "jsonl", ExportSettings(), overwrite=True)
    with pytest.raises(InputError, match="is a file"):
        export(instances(), tmp_path / "other" / "thesis.tex", "jsonl", ExportSettings())


def test_what_a_kill_left_behind_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".out.partial" / ".spool").mkdir(parents=True)
    (tmp_path / ".out.partial" / "data.jsonl").write_text("half a r")
    made = done(tmp_path, "jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not (made.folder / "data.jsonl").exists()


@pytest.mark.parametrize(
    ("to", "settings", "message"),
    [
        ("lamafactory", {}, "did you mean 'llamafactory'"),
        ("llamafactory", {"prompt": "compact"}, "raw text: choose one of pythagoras"),
        ("verl", {"prompt": "noncot"}, "raw text: choose one of pythagoras"),
        ("jsonl", {"prompt": "x"}, "no prompt is called"),
        ("jsonl", {"held_out": 1.0}, "no share to hold out"),
        ("jsonl", {"stages": ()}, "must be one or more"),
        ("trl", {"budget": 1}, "no room"),
    ],
)
def test_wrong_use(tmp_path: Path, to: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        done(tmp_path, to, **settings)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("to", EXPORTS)
def test_what_is_unfit_is_left_out_and_counted(tmp_path: Path, to: str) -> None:
    good = instances(8)
    unfit: list[tuple[Record, str]] = [
        (Problem("text", "source"), "made of instances"),
        (replace(good[0], header="mathlb"), "did you mean 'mathlib'"),
        (replace(good[0], reasoning="a<|im_end|>b"), "special token"),
        (replace(good[0], source="corebench/algebra"), "CoreBench, which is never"),
        (replace(good[0], context="-- See CoreBench canary"), "CoreBench, which is never"),
        (replace(good[0], header="x"), "not described any more"),
    ]
    made = done(tmp_path, to, [*good[:4], *(record for record, _ in unfit), *good[4:]])
    assert sum(made.rows.values()) == 8
    assert (made.unfit, made.left_out, len(made.detail)) == (6, 0, 5)
    for line, (record, why) in zip(made.detail, unfit, strict=False):
        assert line.startswith(f"{kind_of(record)} {record_id(record)}")
        assert why in line
    manifest = json.loads((made.folder / "export.json").read_text())
    assert (manifest["unfit"], manifest["detail"]) == (6, list(made.detail))
    written = b"".join(path.read_bytes() for path in made.files if path.suffix == ".jsonl")
    assert b"canary" not in written
    assert b"im_end" not in written


@pytest.mark.parametrize("to", ["jsonl", "parquet", "datasets"])
@pytest.mark.parametrize("made", [corpora.problem, corpora.formalisation])
def test_other_records_leave_as_plain_files(tmp_path: Path, to: str, made: Callable[..., Record]) -> None:
    records = [made(f"theorem t{n} : {n} = {n}", tier=Tier.HARD if n % 2 else Tier.EASY) for n in range(6)]
    exported = done(tmp_path, to, [*records, corpora.instance()])
    folder = exported.folder
    assert (exported.rows, exported.unfit) == ({Tier.EASY: 3, Tier.HARD: 3}, 1)
    if to == "datasets":
        rows = datasets.load_from_disk(str(folder / "dataset"))["hard"].to_list()
    else:
        rows = [to_row(record) for record in read_records(folder / "data" / f"hard.{to}")]
    assert [from_row(row, kind_of(records[0])) for row in rows] == records[1::2]


def test_what_is_false_or_unverified_can_be_left_out(tmp_path: Path) -> None:
    statements = [
        corpora.formalisation(f"theorem t{n} : {n} = 1", truth=Truth.FALSE if n else Truth.TRUE) for n in range(3)
    ]
    exported = done(tmp_path / "a", "verl", [*statements])
    assert (exported.rows, exported.unfit) == ({Tier.MEDIUM: 1}, 2)
    assert "it is false by construction" in exported.detail[0]
    pair = [corpora.instance("theorem t : 1 = 1"), corpora.instance("theorem u : 1 = 1", verified=False)]
    assert done(tmp_path / "b", "trl", [*pair]).unfit == 0
    assert done(tmp_path / "c", "trl", [*pair], verified=True).unfit == 1


@pytest.mark.parametrize("to", EXPORTS)
@pytest.mark.parametrize(
    ("records", "settings", "counted"),
    [
        ([], {}, "none at all"),
        ([Attempt("id", "by rfl")], {}, "1 unfit; the first: attempt"),
        (instances(3)[:1], {"stages": (Tier.HARD,)}, "1 of other tiers"),
        (instances(1), {"held_out": 0.9999999}, "1 held out"),
    ],
)
def test_nothing_to_export(
    tmp_path: Path, to: str, records: list[Record], settings: dict[str, Any], counted: str
) -> None:
    with pytest.raises(InputError, match=rf"nothing to export: no row .* \({counted}"):
        done(tmp_path, to, records, **settings)
    assert list(tmp_path.iterdir()) == []


def test_half_characters_are_replaced(tmp_path: Path) -> None:
    broken = replace(instances(1)[0], reasoning="a\ud800b")
    for to in EXPORTS:
        made = export([broken], tmp_path / to, to, ExportSettings())
        assert made.rows == {Tier.EASY: 1}
    (read,) = read_records(tmp_path / "parquet" / "data" / "easy.parquet")
    assert isinstance(read, Instance)
    assert read.reasoning == "a?b"
