"""One stage of SFT with TRL: `python train.py configs/1-easy.json`, or through `accelerate launch` on several GPUs.

This file is copied into exports and stands alone: TRL and PEFT are all that it needs. A stage goes on with the adapters
of the one before it, which TRL's own script can't. `--merge` puts a stage's adapters into the weights instead.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> None:
    """Train, or merge."""
    path = Path(arguments[-1])
    config = json.loads(path.read_text(encoding="utf-8"))
    folder = path.parent.parent
    if arguments[0] == "--merge":
        merge(config, folder)
    else:
        train(config, folder)


def train(config: dict[str, Any], folder: Path, **changes: Any) -> Any:
    """A stage from its configuration; `changes` are for the arguments of `SFTConfig`. Returns the trainer."""
    from datasets import load_dataset
    from peft import LoraConfig, PeftModel
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    given = {**config["sft_config"], **changes}
    arguments = SFTConfig(**{**given, "output_dir": str(folder / given["output_dir"])})
    files = {"train": config["train_file"], "eval": config["eval_file"]}
    data = {
        name: load_dataset("json", data_files=str(folder / file), split="train") for name, file in files.items() if file
    }
    lora = LoraConfig(**config["lora_config"]) if config["lora_config"] and not config["adapters"] else None
    model: Any = _place(config["model"], folder)
    if config["adapters"]:
        from transformers import AutoModelForCausalLM

        loaded = AutoModelForCausalLM.from_pretrained(model, **given["model_init_kwargs"])
        model = PeftModel.from_pretrained(loaded, str(folder / config["adapters"]), is_trainable=True)
        arguments.model_init_kwargs = None  # they are for models that the trainer loads
    trainer = SFTTrainer(
        model=model, args=arguments, train_dataset=data["train"], eval_dataset=data.get("eval"), peft_config=lora
    )
    trainer.train()
    trainer.save_model(arguments.output_dir)
    return trainer


def merge(config: dict[str, Any], folder: Path) -> None:
    """A stage's adapters in the weights, as a model that transformers loads."""
    from peft import AutoPeftModelForCausalLM
    from transformers import AutoTokenizer

    adapters, target = folder / config["sft_config"]["output_dir"], folder / "merged"
    model: Any = AutoPeftModelForCausalLM.from_pretrained(str(adapters), dtype="auto")
    model.merge_and_unload().save_pretrained(target)
    AutoTokenizer.from_pretrained(_place(config["model"], folder)).save_pretrained(target)


def _place(model: str, folder: Path) -> str:
    """A model's folder beside the export, or its name."""
    return str(folder / model) if (folder / model).is_dir() else model


if __name__ == "__main__":
    main(sys.argv[1:])
