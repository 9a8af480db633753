"""The names that LLaMA-Factory and verl know in their configurations, read from the packages themselves.

Neither is among our dependencies: they pin other versions of the same libraries. Where one is installed, alone in an
environment of its own, `python -m tests.lab_keys llamafactory` (or `verl`) writes its part of the table that tests
compare with everywhere else.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "unit" / "data" / "lab_keys.json"


def llamafactory() -> dict[str, list[str]]:
    """The arguments of `llamafactory-cli train` and `export`."""
    parser: Any = importlib.import_module("llamafactory.hparams.parser")
    parts = {"train": parser._TRAIN_ARGS, "export": parser._INFER_ARGS}
    return {
        name: sorted({field.name for each in classes for field in dataclasses.fields(each) if field.init})
        for name, classes in parts.items()
    }


def verl() -> dict[str, list[str]]:
    """The paths of the configuration that `verl.trainer.main_ppo` begins with."""
    hydra: Any = importlib.import_module("hydra")
    package: Any = importlib.import_module("verl")
    folder = Path(package.__file__).parent / "trainer" / "config"
    with hydra.initialize_config_dir(config_dir=str(folder), version_base=None):
        composed = hydra.compose("ppo_trainer")
    omegaconf: Any = importlib.import_module("omegaconf")
    whole = omegaconf.OmegaConf.to_container(composed, resolve=False)
    parts = ("actor_rollout_ref", "algorithm", "data", "reward", "trainer")
    return {"main_ppo": sorted(path for part in parts for path in paths(whole[part], part))}


def paths(value: Any, before: str) -> list[str]:
    """The dotted names of all leaves; an empty table is a leaf."""
    if isinstance(value, dict) and value:
        return [path for name, inner in value.items() for path in paths(inner, f"{before}.{name}")]
    return [before]


PACKAGES = {"llamafactory": llamafactory, "verl": verl}


def known() -> dict[str, Any]:
    """The table."""
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def main(name: str) -> None:
    there = known() if TABLE.exists() else {}
    there[name] = {"version": version(name), **PACKAGES[name]()}
    TABLE.write_text(json.dumps(there, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
