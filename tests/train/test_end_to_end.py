"""From nothing to judged proofs by the commands: a base model, SFT in stages, RL with Lean, curves, an evaluation."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pythagoras.cli.main import main
from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Record, Tier
from pythagoras.corpus.store import Step, StoreWriter
from pythagoras.evaluate.results import load
from pythagoras.train.run_folder import read_log
from tests.train.toy import linear

torch = pytest.importorskip("torch")

CHANGES = {
    "base.vocabulary": 600,
    "base.shape": "{hidden = 64, layers = 2, heads = 2, key_heads = 1, head = 32, inner = 128}",
    "base.context": 256,
    "base.statements": 80,
    "base.tokens": 40_000,
    "base.batch_tokens": 512,
    "base.learning_rate": 5e-3,
    "sft.method": "full",
    "sft.context": 256,
    "sft.batch_tokens": 256,
    "sft.epochs": 6,  # so that some rollouts at a problem are proofs, and some are not
    "sft.learning_rates": "{easy = 3e-3, medium = 3e-3, hard = 1e-3}",
    "rl.problems": 2,
    "rl.most": 7,
    "rl.steps": 2,
    "rl.max_tokens": 16,
    "rl.heartbeats": 5_000,
}
COMMON = ["--threads", "1", "--seed", "3", *(word for name in CHANGES for word in ("--set", f"{name}={CHANGES[name]}"))]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The command, in this process: torch is loaded once. Returns its exit code."""
    monkeypatch.setattr(sys, "argv", ["pythagoras", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def write(folder: Path, records: Sequence[Record]) -> None:
    with StoreWriter(folder, "made", {}, {}) as writer:
        writer.write_piece(records, Step("made", len(records)))
        writer.finish()


def instances(count: int, seed: int) -> list[Instance]:
    """Three kinds of statements, each with its own tactic, in three tiers."""
    found = []
    for number, goal in enumerate(linear(count, seed)):
        kinds = (
            (goal.text, "by omega"),
            (f"theorem same_{number} (x : ℕ) : x + {number} = x + {number}", "by rfl"),
            (f"theorem given_{number} (x y : ℕ) (h : x < y + {number}) : x < y + {number}", "by assumption"),
        )
        tier = (Tier.EASY, Tier.MEDIUM, Tier.HARD)[number % 3]
        found += [Instance(text.split()[1], text, proof, "toy", tier, True) for text, proof in kinds]
    return found


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """What `corpus build` leaves."""
    write(tmp_path / "seed" / "corpus" / "train", instances(24, 1))
    write(tmp_path / "seed" / "corpus" / "validation", instances(4, 2))
    write(tmp_path / "seed" / "held_out", linear(24, 5))
    return tmp_path / "seed"


def test_from_nothing_to_judged_proofs(
    tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base, sft, rl = (tmp_path / name for name in ("base", "sft", "rl"))
    assert run(monkeypatch, "train", "base", "-o", base, *COMMON) == 0
    assert run(monkeypatch, "train", "sft", build, "--model", base, "-o", sft, *COMMON) == 0
    assert run(monkeypatch, "train", "rl", build, "--model", sft, "-o", rl, "-j", 1, *COMMON) == 0
    assert run(monkeypatch, "train", "curves", base, sft, rl, "--picture", tmp_path / "curves.png") == 0
    tried = ("eval", "run", "corebench/valid", "-s", f"local:{rl}", "-n", 2, "--limit", 3, "-j", 1)
    assert run(monkeypatch, *tried, "-o", tmp_path / "tried") == 0
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    _check_model(base, sft)

    log = read_log(sft)
    assert list(dict.fromkeys(line["stage"] for line in log)) == ["easy", "medium", "hard"]
    assert [line["stage"] for line in log if "validation_loss" in line] == ["easy", "medium", "hard"]
    steps = read_log(rl)
    assert [line["step"] for line in steps] == [1, 2]
    assert all(line["kept"] and line["trained_tokens"] for line in steps)
    assert json.loads((rl / "problems.json").read_text())["kept"] == 24
    proofs = list(read_records(rl / "proofs"))
    assert len(proofs) == sum(line["proofs"] for line in steps) > 0
    assert {proof.proof for proof in proofs if isinstance(proof, Instance)} == {"by omega"}
    counts = load(tmp_path / "tried").counts()
    assert (counts.problems, counts.drawn, counts.unjudged) == (3, 6, 0)

    told = json.loads((rl / "training.json").read_text())
    assert set(told["inputs"]) >= {"model", "problems", "mapping", "backend", "threads"}
    assert set(told["pinned"]) == {"problems", "lean"}
    capsys.readouterr()
    assert run(monkeypatch, "train", "sft", build, "--model", base, "-o", sft, *COMMON, "--threads", 2) == 2
    said = capsys.readouterr().err
    assert "inputs.threads: 1 there, 2 now" in said
    assert said.count("\n") == 1


def _check_model(base: Path, sft: Path) -> None:
    """What fine-tuning leaves is an ordinary model, and another one than it began with."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded = AutoModelForCausalLM.from_pretrained(sft / "model")
    assert loaded.config.model_type == "qwen3"
    before = AutoModelForCausalLM.from_pretrained(base / "model").state_dict()
    assert loaded.state_dict().keys() == before.keys()
    assert any(not torch.equal(value, before[name]) for name, value in loaded.state_dict().items())
    text = "theorem t (n : ℕ) : n + 0 = n :=\nby simp"
    tokenizer = AutoTokenizer.from_pretrained(sft / "model")
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
