"""A model that was made on the spot distils itself: drawn in batches, aligned, and drawn the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pythagoras.alf.corpus import distil
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.stages import run_stage
from pythagoras.generate.local import LocalSettings
from pythagoras.generate.samplers import open_sampler
from pythagoras.llm.sampling import Sampling
from tests.alf_fakes import variant
from tests.train.learners import make_learner

pytest.importorskip("torch")


def test_a_tiny_model_distils_itself(tmp_path: Path) -> None:
    model = make_learner(tmp_path / "model")
    run_stage([variant(number) for number in range(6)], tmp_path / "variants", stage="made", settings={}, inputs={})
    short = LocalSettings("compact", Sampling(1.2, 0.95, 12), batch=4)
    found = []
    for name in ("one", "two"):
        with open_sampler(f"local:{model}", local=short) as prover:
            assert prover.settings["temperature"] == 1.2
            made = distil([tmp_path / "variants"], tmp_path / name, prover, seed=5)
        draw = made.funnel[0]
        assert draw.read == 6 == draw.kept + draw.dropped.get(Reason.NOT_ALIGNED, 0)
        assert made.costs["draw"]["prover_generated_tokens"] > 0
        found.append((draw, made.corpus.fingerprint))
    assert found[0] == found[1]
