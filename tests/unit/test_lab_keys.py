"""Every key that is emitted for LLaMA-Factory and verl is one that they know: by a table, and by themselves."""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from pythagoras.train import rewards
from pythagoras.train.emit import RL
from tests.lab_keys import PACKAGES, known, paths
from tests.unit.emitted import small

yaml = pytest.importorskip("yaml")

RECIPES = [
    ("4b",),
    ("32b", "lab.offload=true"),
    ("4b", "sft.method=full", "sft.packed=false", "lab.gpus=1"),
]
FREE = ("trainer.v1.sampler.sampler_kwargs.", "reward.custom_reward_function.reward_kwargs.")
"""What stands below is the sampler's own, and the reward's."""


@pytest.fixture(params=RECIPES, ids=" ".join)
def emitted(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return small(tmp_path / "out", *request.param).folder


def read(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def installed(name: str) -> None:
    try:
        there = version(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    if there != known()[name]["version"]:
        pytest.skip(f"the table is of another {name} than {there}")


def test_llamafactory_knows_every_key(emitted: Path) -> None:
    table = known()["llamafactory"]
    configs = sorted(emitted.glob("*-llamafactory/configs/*.yaml"))
    assert len(configs) >= 4
    for path in configs:
        names = set(table["export" if path.stem == "merge" else "train"])
        assert set(read(path)) - names == set(), path


def test_verl_knows_every_key(emitted: Path) -> None:
    names = set(known()["verl"]["main_ppo"])
    config = read(emitted / RL / "grpo.yaml")
    assert config.pop("defaults") == ["ppo_trainer", "_self_"]
    assert config.pop("hydra") == {"searchpath": ["pkg://verl.trainer.config"]}
    used = {path for part in config for path in paths(config[part], part)}
    assert {path for path in used if not path.startswith(FREE)} - names == set()
    assert len(used) > 30
    rewards.settings_from(
        {}, config["reward"]["custom_reward_function"]["reward_kwargs"]
    )  # refuses what it does not know


def test_a_wrong_key_would_be_noticed() -> None:
    table = known()
    assert "lora_rank" in table["llamafactory"]["train"]
    assert "lora_ranks" not in table["llamafactory"]["train"]
    assert "export_dir" in table["llamafactory"]["export"]
    assert "actor_rollout_ref.rollout.n" in table["verl"]["main_ppo"]
    assert "actor_rollout_ref.rollouts.n" not in table["verl"]["main_ppo"]


# --- where the packages are installed ------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_the_table_is_what_the_package_says(name: str) -> None:
    installed(name)
    assert {"version": version(name), **PACKAGES[name]()} == known()[name]


def test_llamafactory_parses_every_configuration(emitted: Path) -> None:
    installed("llamafactory")
    hparams: Any = importlib.import_module("llamafactory.hparams")
    for path in sorted(emitted.glob("*-llamafactory/configs/*.yaml")):
        config = read(path)
        if path.stem == "merge":
            hparams.get_infer_args(config)
        else:  # there is no GPU here
            hparams.get_train_args({**config, "bf16": False, "use_cpu": True})


def test_verl_composes_and_accepts_the_configuration(emitted: Path) -> None:
    installed("verl")
    hydra: Any = importlib.import_module("hydra")
    omegaconf: Any = importlib.import_module("omegaconf")
    utilities: Any = importlib.import_module("verl.utils.config")
    with hydra.initialize_config_dir(config_dir=str(emitted / RL), version_base=None):
        lean = "+reward.custom_reward_function.reward_kwargs.lean='http://lean:8000'"  # as run.sh has it
        config = hydra.compose("grpo", [lean])
    utilities.validate_config(config=config, use_reference_policy=False, use_critic=False)
    for part in ("algorithm", "actor_rollout_ref.actor", "actor_rollout_ref.rollout"):
        assert utilities.omega_conf_to_dataclass(omegaconf.OmegaConf.select(config, part)) is not None
    assert config.algorithm.adv_estimator == "grpo"
    reward: Any = importlib.import_module("verl.trainer.ppo.reward")
    function = reward.get_custom_reward_fn(config)
    assert function.args[0] is rewards.compute_score_async
    assert function.args[1]["lean"] == "http://lean:8000"
