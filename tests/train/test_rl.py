"""Reinforcement learning with a real model: what is learned, what is kept, and that a kill changes neither."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from pythagoras.corpus import prompts
from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Judgement, Tier, record_id
from pythagoras.errors import HostDied, InputError
from pythagoras.generate.local import Trained
from pythagoras.generate.texts import Texts
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.lean.wire import Answer
from pythagoras.llm.decoding.tokens import TokenRequest
from pythagoras.train import threads
from pythagoras.train.model import load_for_training
from pythagoras.train.rl.filtering import Fate
from pythagoras.train.rl.loop import as_trained, decoder_for, train_rl
from pythagoras.train.run_folder import PROOFS, opened, read_log
from pythagoras.train.settings import Rl, Training
from tests.scripted import lean
from tests.train.rl_driver import GOALS, by_words, train
from tests.train.toy import linear, make_prover

PROJECT = Path(__file__).parents[2]
CLOCKS = ("seconds", "lean_seconds", "lean_wait_seconds", "processor_seconds", "sampling_seconds", "training_seconds")
"""What differs from run to run; and a run that was killed has forgotten verdicts (`remembered`)."""


@pytest.fixture(scope="module")
def prover(tmp_path_factory: pytest.TempPathFactory) -> Path:
    threads.prepare(1)
    folder = tmp_path_factory.mktemp("toy") / "prover"
    make_prover(folder)
    return folder


@pytest.fixture(scope="module")
def whole(prover: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train(prover, folder)
    return folder


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    found: dict[str, Any] = load_file(folder / "model.safetensors")
    return found


def curve(folder: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in line.items() if name not in (*CLOCKS, "remembered")}
        for line in read_log(folder)
    ]


def proofs(folder: Path) -> list[Instance]:
    found = list(read_records(folder / PROOFS))
    assert all(isinstance(record, Instance) for record in found)
    return [record for record in found if isinstance(record, Instance)]


def test_what_was_drawn_is_accounted_for(whole: Path) -> None:
    lines = read_log(whole)
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    for line in lines:
        assert line["drawn"] == sum(line[fate.value] for fate in Fate)
        assert line["rollouts"] == 6 * line["drawn"]
        assert line["judged"] <= line["rollouts"]
        assert line["reward"] == pytest.approx(line["proved"] / line["judged"], abs=1e-6)
    assert all(line["kept"] >= 4 for line in lines[:-1])  # the last one may be smaller
    assert sum(line["drawn"] for line in lines) == lines[-1]["problems_done"] == len(GOALS)
    assert json.loads((whole / "problems.json").read_text())["kept"] == len(GOALS)


def test_proofs_are_kept_with_their_verdicts(whole: Path) -> None:
    found = proofs(whole)
    assert found
    assert len({record_id(proof) for proof in found}) == len(found)
    assert sum(line["proofs"] for line in read_log(whole)) == len(found)
    judgements = {record.submission: record for record in read_records(whole / PROOFS, "judgement")
                  if isinstance(record, Judgement)}  # fmt: skip
    ids = {record_id(goal) for goal in GOALS}
    for proof in found:
        settings = json.loads(proof.provenance.settings)
        assert (proof.tier, proof.verified, proof.provenance.maker) == (Tier.ALF, True, "prover")
        assert proof.provenance.parent in ids
        assert "omega" in proof.proof
        assert settings["step"] >= 1
        assert judgements[settings["submission"]].outcome == "proved"


@pytest.mark.parametrize("torch_threads", [1, 2])
def test_a_killed_run_goes_on_as_if_nothing_had_been(
    prover: Path, whole: Path, tmp_path: Path, torch_threads: int
) -> None:
    if torch_threads > 1:
        whole = tmp_path / "whole"
        train(prover, whole, torch_threads=torch_threads)
    folder = tmp_path / "run"
    for moment in ("check:90", "kept:2"):
        command = [sys.executable, "-m", "tests.train.rl_driver", str(prover), str(folder), moment, str(torch_threads)]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=600)
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(read_log(folder)) == 1
    train(prover, folder, torch_threads=torch_threads)
    assert curve(folder) == curve(whole)
    assert sorted(map(record_id, proofs(folder))) == sorted(map(record_id, proofs(whole)))
    expected, found = weights(whole / "model"), weights(folder / "model")
    assert all(bool((found[name] == expected[name]).all()) for name in expected)
    assert any(bool((found[name] != before).any()) for name, before in weights(prover).items())


def test_a_broken_lean_teaches_nothing(prover: Path, tmp_path: Path) -> None:
    def broken(check: Check) -> Answer | Exception:
        return lean(check) if "sorry" in check.code or "versionString" in check.code else HostDied("killed")

    folder = tmp_path / "run"
    train(prover, folder, broken, steps=1)
    (line,) = read_log(folder)
    assert (line["kept"], line["judged"], line["proved"]) == (0, 0, 0)
    assert line["unjudged"] == line["drawn"] == len(GOALS)
    assert proofs(folder) == []
    before, after = weights(prover), weights(folder / "model")
    assert all(bool((after[name] == before[name]).all()) for name in before)


def test_a_rollout_without_a_verdict_is_not_learned_from(
    prover: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pythagoras.train.rl import grpo

    learned: list[Any] = []
    backward = grpo.backward

    def watched(model: Any, group: Any, *rest: Any, **more: Any) -> float:
        learned.append(group)
        return backward(model, group, *rest, **more)

    monkeypatch.setattr(grpo, "backward", watched)
    asked: list[str] = []

    def noted(check: Check) -> Answer | Exception:
        asked.append(check.code)
        return by_words(check)

    train(prover, tmp_path / "run", noted, steps=1, updates=1)
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(prover)
    texts = [[tokenizer.decode(tokens) for tokens in group.completions] for group in learned]
    assert any("trivial" in code for code in asked)  # some crashed it
    assert not any("trivial" in text for group in texts for text in group)
    for group, written in zip(learned, texts, strict=True):
        assert [reward == 1.0 for reward in group.rewards] == ["omega" in text for text in written]


def test_the_prompt_is_the_models_own(prover: Path, tmp_path: Path) -> None:
    assert as_trained(prover, Rl()) == as_trained(prover, Rl(prompt="compact")) == Trained("compact")
    with pytest.raises(InputError, match=r"trained with the prompt 'compact', and rl\.prompt is 'kimina': leave"):
        as_trained(prover, Rl(prompt="kimina"))
    with pytest.raises(InputError, match=r"does not say which prompt it was trained with: set rl\.prompt"):
        as_trained(tmp_path, Rl())
    assert as_trained(tmp_path, Rl(prompt="kimina")) == Trained("kimina", marked=True)  # it is from elsewhere


def test_rollouts_end_at_every_token_that_ends_an_answer(prover: Path) -> None:
    model, tokenizer = load_for_training(prover)
    texts = Texts(tokenizer, "compact", marked=False)
    request = TokenRequest(0, texts.tokens(prompts.shown(GOALS[0], "compact")), 1)
    (whole,) = decoder_for(model, tokenizer, texts, Rl(max_tokens=12)).decode([request])
    assert len(whole.tokens) > 1
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, whole.tokens[0]]
    (cut,) = decoder_for(model, tokenizer, texts, Rl(max_tokens=12)).decode([request])
    assert (cut.tokens, cut.ended) == (whole.tokens[:1], True)


def test_without_problems_nothing_is_trained(prover: Path, tmp_path: Path) -> None:
    settings = Training()
    with (
        opened(tmp_path / "run", "rl", settings, {}) as run,
        pytest.raises(InputError, match="the source is empty"),
    ):
        train_rl(settings, [], prover, None, run)  # type: ignore[arg-type]


def test_the_reward_rises(prover: Path, tmp_path: Path) -> None:
    """With real Lean, one of whose hosts is killed on the way."""
    settings = Training(rl=Rl(problems=6, learning_rate=3e-3, warmup=0, max_tokens=12, batch=64, steps=7))
    with LeanPool(1, spare=False) as pool, opened(tmp_path / "run", "rl", settings, {}) as run:

        def kill_lean(line: Mapping[str, Any]) -> None:
            if line["step"] == 1:
                for process in psutil.Process().children(recursive=True):
                    process.kill()

        train_rl(settings, linear(200, seed=1), prover, pool, run, kill_lean)
        assert pool.stats.hosts_lost >= 1
    lines = read_log(tmp_path / "run")
    assert all(line["unjudged"] == line["late"] == line["given_up"] == line["unfit"] == 0 for line in lines)
    first, last = lines[0]["reward"], max(line["reward"] for line in lines[-2:])
    assert first < 0.35
    assert last > first + 0.25
