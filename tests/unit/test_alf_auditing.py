"""The audit: a uniform sample, judged in full, with shares that add up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pythagoras.alf.auditing import Audited, audit, report, sampled
from pythagoras.alf.judging import Ending, judged
from pythagoras.corpus.intervals import wilson
from pythagoras.corpus.records import Instance, Provenance, settings_text
from pythagoras.corpus.stages import run_stage
from pythagoras.errors import InputError
from tests.alf_fakes import PROOF_S, SLOW_S, STATEMENT_S, FakeLean, pair

PAIRS = [
    *(pair(number) for number in range(20)),
    *(pair(number, "wrong", "risky") for number in range(20, 26)),
    pair(26, "bad", "risky"),
    pair(27, "slow", "risky"),
    pair(28, "dies"),
]


def corpus(folder: Path, pairs: list[Instance]) -> Path:
    run_stage(pairs, folder, stage="made", settings={}, inputs={})
    return folder


def test_every_ending_is_told_with_the_seconds_that_it_took() -> None:
    words = ("simp", "wrong", "bad", "slow", "dies")
    pairs = [pair(number, word) for number, word in enumerate(words)]
    unreadable = pair(9, statement="no theorem")
    lean = FakeLean()
    found = judged([*pairs, unreadable], lean.lean, lean.limits)
    assert [each.ending for each in found] == [
        Ending.PASSED, Ending.PROOF, Ending.STATEMENT, Ending.TIMEOUT, Ending.NO_VERDICT, Ending.STATEMENT
    ]  # fmt: skip
    seconds = [*[STATEMENT_S + PROOF_S] * 3, STATEMENT_S + SLOW_S, STATEMENT_S, 0.0]
    assert [each.seconds for each in found] == pytest.approx(seconds)
    assert [each.pair for each in found] == [*pairs, unreadable]
    assert found[0].judgement.milliseconds == pytest.approx(1000 * seconds[0])


def test_a_sample_is_uniform_and_knows_no_order() -> None:
    pairs = [pair(number) for number in range(40)]
    shuffled = Random(1).sample(pairs, len(pairs))
    assert {each.name for each in sampled(pairs, 10, 3)} == {each.name for each in sampled(shuffled, 10, 3)}
    assert [each for each in pairs if each in (chosen := sampled(pairs, 10, 3))] == chosen
    assert sampled(pairs, 100, 0) == pairs
    drawn = Counter(each.name for seed in range(400) for each in sampled(pairs, 10, seed))
    assert len(drawn) == 40
    assert all(60 < count < 140 for count in drawn.values())  # 100 are expected; 4.6 deviations


def test_an_audit_reports_shares_by_operator_and_category(tmp_path: Path) -> None:
    found = audit([corpus(tmp_path / "pairs", PAIRS)], tmp_path / "audit", FakeLean(), count=100)
    assert (found.population, found.sampled, found.no_verdict) == (29, 29, 1)
    assert (found.overall.passed, found.overall.judged) == (20, 28)
    assert (found.overall.low, found.overall.high) == wilson(20, 28)
    assert {share.name: (share.passed, share.judged) for share in found.operators} == {
        "count": (20, 20),
        "risky": (0, 8),
    }
    assert {share.name: share.judged for share in found.categories} == {"simplification": 28}
    assert sum(found.failures.values()) == 8
    assert (found.failures["statement refused"], found.failures["timeout"]) == (1, 1)
    assert found.lean_s == pytest.approx(29 * STATEMENT_S + 27 * PROOF_S + SLOW_S)
    assert found.lean_s_saved == pytest.approx(0)


def test_a_sample_speaks_for_all_and_saves_the_rest(tmp_path: Path) -> None:
    pairs = corpus(tmp_path / "pairs", [pair(number) for number in range(50)])
    found = audit([pairs], tmp_path / "audit", FakeLean(), count=10)
    assert (found.sampled, found.overall.rate) == (10, 1.0)
    assert found.lean_s_in_full == pytest.approx(50 * (STATEMENT_S + PROOF_S))
    assert found.lean_s_saved == pytest.approx(40 * (STATEMENT_S + PROOF_S))


def test_verified_pairs_are_audited_too_and_proofs_of_training_are_not(tmp_path: Path) -> None:
    from_rl = pair(1, "wrong", provenance=Provenance("p", "model", settings_text({"stage": "rl"})), verified=True)
    pairs = corpus(tmp_path / "pairs", [pair(0, verified=True), from_rl])
    found = audit([pairs], tmp_path / "audit", FakeLean(), count=10)
    assert (found.population, found.overall.passed) == (1, 1)
    with pytest.raises(InputError, match="no pairs to audit"):
        audit([corpus(tmp_path / "rl", [from_rl])], tmp_path / "none", FakeLean())


def test_a_finished_audit_asks_lean_nothing(tmp_path: Path) -> None:
    pairs = corpus(tmp_path / "pairs", PAIRS)
    first = audit([pairs], tmp_path / "audit", FakeLean(), count=12)
    lean = FakeLean()
    assert audit([pairs], tmp_path / "audit", lean, count=12) == first
    assert lean.lean.asked == []
    with pytest.raises(InputError, match=r"begun with other settings \(settings.sample: 12 there, 13 now\)"):
        audit([pairs], tmp_path / "audit", lean, count=13)
    assert audit([pairs], tmp_path / "audit", lean, count=13, overwrite=True).sampled == 13


def test_nothing_is_known_of_what_nobody_judged() -> None:
    found = report([Audited(pair(0), None, "no verdict", 0.0)], 1)
    assert (found.no_verdict, found.overall.judged, found.overall.low, found.overall.high) == (1, 0, 0.0, 1.0)
