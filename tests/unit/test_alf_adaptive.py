"""Adaptive verification: Lean's time goes where failures are, the budget holds, and the target is met."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from pythagoras.alf.adaptive import Checking, Plan, Way, audit_size, demand_audit, make_plan
from pythagoras.alf.auditing import Audited
from pythagoras.alf.odds import learn, look
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, record_id
from pythagoras.errors import InputError
from pythagoras.lean.wire import Limits
from tests.alf_fakes import SLOW_S, STATEMENT_S, FakeLean, pair

LIMITS = Limits(timeout_s=10)
SHARES = {"sure": 0.99, "likely": 0.7, "hopeless": 0.02}
"""How often pairs of an operator pass."""


def drawn(count: int, seed: int, shares: dict[str, float] = SHARES) -> list[tuple[Instance, bool]]:
    rng = Random(seed)
    operators = sorted(shares)
    found = []
    for number in range(count):
        operator = operators[number % len(operators)]
        found.append((pair(number, "omega", operator), rng.random() < shares[operator]))
    return found


def audited(found: list[tuple[Instance, bool]], seconds: float = 0.5) -> list[Audited]:
    return [Audited(each, passed, "" if passed else "type error", seconds) for each, passed in found]


def test_features_are_what_can_be_seen() -> None:
    one = pair(1, "omega", "count", proof="by\n  intro x\n  simp [h.1] <;> omega")
    seen = look(one).features
    assert {
        "",
        "operator count",
        "uses intro",
        "uses simp",
        "closes by omega",
        "closes by omega with =",
        "3 tactics",
    } <= seen
    proofs = {proof: look(pair(1, proof=proof)).closing for proof in (one.proof, "rfl", "⟨by rfl, 1⟩", "Nat.le_refl _")}
    assert list(proofs.values()) == ["omega", "rfl", "rfl", ""]


def test_chances_are_honest_also_for_pairs_that_were_not_seen() -> None:
    seen = drawn(600, 0)
    odds = learn([look(each) for each, _ in seen], [passed for _, passed in seen])
    fresh = drawn(300, 1)
    chance = odds.chances([look(each) for each, _ in fresh])
    for operator, share in SHARES.items():
        own = [float(one) for one, (each, _) in zip(chance, fresh, strict=True) if each.provenance.maker == operator]
        assert sum(own) / len(own) == pytest.approx(share, abs=0.06)


def test_noise_in_a_small_audit_is_not_believed() -> None:
    """Every statement has features of its own, and none of them means anything."""
    rng = Random(5)
    pairs = [pair(number, rng.choice(("omega", "simp", "grind", "decide")), f"o{number % 9}") for number in range(150)]
    looks = [look(each) for each in pairs]
    chance = learn(looks, [rng.random() < 0.8 for _ in pairs]).chances(looks)
    assert float(chance.min()) > 0.6
    assert float(chance.max()) < 0.95


def test_a_plan_keeps_to_its_budget_and_reaches_its_target() -> None:
    sample, others = drawn(240, 2), drawn(2400, 3)
    plan = make_plan(audited(sample), [each for each, _ in others], budget=0.25, target=0.95, limits=LIMITS)
    ways = plan.ways([each for each, _ in others])
    spent = 0.5 * (len(sample) + ways.count(Way.CHECK))
    assert spent <= 0.25 * 0.5 * (len(sample) + len(others))
    kept = [
        passed
        for way, (_, passed) in zip(ways, others, strict=True)
        if way is Way.BELIEVE or (way is Way.CHECK and passed)
    ]
    assert sum(kept) / len(kept) >= 0.95
    assert sum(kept) > 0.5 * sum(passed for _, passed in others)  # leaving all out would be pure, too
    went = Counter((each.provenance.maker, way) for way, (each, _) in zip(ways, others, strict=True))
    assert went["sure", Way.BELIEVE] == 800
    assert went["hopeless", Way.LEAVE_OUT] == 800
    assert went["likely", Way.CHECK] > 0
    assert plan.expected.rate >= 0.95
    assert (plan.expected.believed, plan.expected.checked, plan.expected.left_out) == tuple(
        ways.count(way) for way in Way
    )


def test_what_is_good_enough_is_believed_and_costs_nothing() -> None:
    sample, others = drawn(300, 4, {"sure": 1.0}), [each for each, _ in drawn(500, 5, {"sure": 1.0})]
    plan = make_plan(audited(sample), others, budget=0.9, target=0.95, limits=LIMITS)
    assert set(plan.ways(others)) == {Way.BELIEVE}


def test_without_money_nothing_is_checked() -> None:
    sample, others = drawn(300, 6), [each for each, _ in drawn(600, 7)]
    plan = make_plan(audited(sample), others, budget=0.1, target=0.95, limits=LIMITS)  # the audit took more
    assert plan.expected.checked == 0
    assert plan.expected.believed > 0


def test_a_short_clock_is_chosen_where_few_proofs_take_most_of_the_time() -> None:
    sample = audited(drawn(300, 8, {"likely": 0.6}))
    slow = [
        Audited(each.pair, each.passed, each.reason, 10.0 if at % 10 == 0 else 0.1) for at, each in enumerate(sample)
    ]
    plan = make_plan(slow, [each for each, _ in drawn(400, 9, {"likely": 0.6})], budget=0.5, target=0.95, limits=LIMITS)
    assert plan.clock_s == 1.0
    assert plan.within_clock == pytest.approx(0.93, abs=0.01)


def test_the_audit_behind_a_plan_takes_at_most_half_of_its_budget() -> None:
    many = (50, 500, 947, 5_000, 100_000)
    assert [audit_size(pairs, 2_000, 0.25) for pairs in many] == [6, 62, 100, 500, 2_000]
    assert [audit_size(pairs, 2_000, 0.1) for pairs in many] == [2, 25, 47, 250, 2_000]
    assert [audit_size(pairs, 2_000, 1.0) for pairs in many] == [*many]  # all are checked: nothing is to be planned


def test_a_budget_that_pays_for_no_audit_is_refused() -> None:
    with pytest.raises(InputError, match="for 200 pairs pays for an audit of 25, and a plan needs 100"):
        demand_audit(200, 2_000, 0.25)
    demand_audit(200, 20, 0.25)  # no more was wanted
    demand_audit(200, 2_000, 1.0)
    demand_audit(800, 2_000, 0.25)


def test_an_audit_without_a_verdict_is_no_plan() -> None:
    broken = [Audited(each, None, "no verdict", 0.0) for each, _ in drawn(100, 11)]
    with pytest.raises(InputError, match="broke down over all 100 pairs"):
        make_plan(broken, [pair(1)], budget=0.25, target=0.95, limits=LIMITS)


def test_carrying_a_plan_out_asks_lean_only_for_what_is_to_be_checked() -> None:
    sample = drawn(300, 10)
    pairs = [
        pair(1, "omega", "sure"),
        pair(2, "omega", "likely"),
        pair(3, "wrong", "likely"),
        pair(4, "omega", "hopeless"),
    ]
    plan = make_plan(audited(sample), pairs, budget=1.0, target=0.95, limits=LIMITS)
    plan = Plan(plan.odds, plan.seconds, 2.0, 1.0, 5.0, 0.5, 0.3, plan.expected, 100.0)
    assert plan.ways(pairs) == [Way.BELIEVE, Way.CHECK, Way.CHECK, Way.LEAVE_OUT]
    right, wrong, broken = pair(5, "omega", "hopeless"), pair(6, "omega", "sure"), pair(7, "omega", "sure")
    known = {
        record_id(right): Audited(right, True, "", 1.0),
        record_id(wrong): Audited(wrong, False, "type error", 1.0),
        record_id(broken): Audited(broken, None, "Lean broke down", 1.0),  # not believed, whatever is likely
    }
    lean = FakeLean()
    with Checking(lean, plan, known).open() as handle:
        found = handle((*pairs, right, wrong, broken))
    assert [bool(each.kept) for each in found] == [True, True, False, False, True, False, False]
    assert [getattr(each.kept[0], "verified", None) for each in found if each.kept] == [False, True, True]
    reasons = [each.dropped[0].reason for each in found if each.dropped]
    assert reasons == [Reason.NOT_PROVED, Reason.NOT_CHECKED, Reason.NOT_PROVED, Reason.NO_VERDICT]
    assert len(lean.lean.asked) == 4  # two statements, two proofs
    assert [each.costs.get("lean_s", 0) > 0 for each in found] == [False, True, True, False, False, False, False]


def test_chances_do_not_depend_on_how_a_process_hashes() -> None:
    """A run that was killed goes on in another process, by the same plan."""
    program = (
        "from tests.unit.test_alf_adaptive import *\n"
        "found = drawn(400, 3)\n"
        "odds = learn([look(one) for one, _ in found], [passed for _, passed in found])\n"
        "print([float(one).hex() for one in odds.chances([look(one) for one, _ in found])])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


def test_nothing_is_checked_when_the_seconds_are_spent() -> None:
    """Proofs take eight times what the audit says."""
    sample = audited(drawn(300, 12, {"likely": 0.6}))
    pairs = [pair(number, "slow", "likely") for number in range(400)]
    plan = make_plan(sample, pairs, budget=0.6, target=0.95, limits=LIMITS)
    assert plan.most_s == pytest.approx(0.6 * 700 * 0.5 - 300 * 0.5)
    assert plan.ways(pairs).count(Way.CHECK) > 60
    with Checking(lean := FakeLean(), plan, {}).open() as handle:
        found = [one for at in range(0, 400, 20) for one in handle(tuple(pairs[at : at + 20]))]
    assert sum(one.costs.get("lean_s", 0) for one in found) < plan.most_s + 20 * (STATEMENT_S + SLOW_S)
    ways = Counter(name for one in found for name in one.tally if name.startswith("way/"))
    assert ways.total() == 400
    assert ways["way/checked"] == len(lean.lean.asked) / 2
    assert ways["way/out of budget"] > 0
    assert {one.dropped[0].reason for one in found if "way/out of budget" in one.tally} == {Reason.NOT_CHECKED}
    with Checking(lean := FakeLean(), plan, {}, spent_s=plan.most_s).open() as handle:
        assert not any(one.kept for one in handle(tuple(pairs[:20])))
    assert lean.lean.asked == []
