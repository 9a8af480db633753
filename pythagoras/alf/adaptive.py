"""Adaptive verification: a given share of what full verification would cost, spent where the audit says failures are.

Each pair is believed (kept unverified), checked (kept when Lean takes it) or left out. Believing brings pairs that are
wrong, checking takes seconds, leaving out loses pairs that are right. The plan keeps as many right pairs as it can,
such that the expected share of right ones among those kept reaches the target and the expected seconds stay within the
budget: with a price on wrong pairs and one on seconds, each pair goes where its own balance is best (`odds` tells its
chance and its seconds), and the two prices are the lowest that meet both conditions.

A few proofs take most of the seconds. So a check may also get a short clock, and what runs over it is dropped: of the
clocks that are tried, the plan takes the one that keeps most.

The plan is made once, from the audit as it is on disk, and what is to be done with a pair is a function of the plan
and the pair: so a resumed run decides the same. What Lean takes is only expected; when the budget's seconds are spent,
nothing more is checked, and pairs that were to be are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pythagoras.alf.auditing import Audited, outcome
from pythagoras.alf.judging import Lean, judged
from pythagoras.alf.odds import Look, Odds, Seconds, learn, look, mean_seconds
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, record_id
from pythagoras.errors import InputError
from pythagoras.lean.version import lean_version
from pythagoras.lean.wire import Limits
from pythagoras.pipeline.case import Case, given_up
from pythagoras.pipeline.work import Outcome

if TYPE_CHECKING:
    from pythagoras.alf.odds import Floats

TARGET, BUDGET = 0.95, 0.25
MOST_AUDITED = 0.1
"""Of all pairs: what the audit that a plan is made from takes."""
FEWEST_AUDITED = 100
"""It takes more than that share where these are more, for fewer teach too little."""
AUDIT_SHARE = 0.5
"""Of the budget: the audit never takes more."""
OUT_OF_BUDGET = "out of budget"
"""How the tally calls pairs that were to be checked when nothing was left for it."""
CLOCKS_S = (1.0, 3.0, 10.0)
"""Shorter clocks that are tried beside the usual one."""
_MARGIN = 0.2
"""Of the wrong pairs that the target allows, so many are not planned for: chances are estimates."""
_SPARE = 0.1
"""The same of the seconds: what a pair takes is known from the audit's mean only."""
_PRICES = (-7.0, 7.0)
"""Between which powers of ten prices are looked for."""
_HALVINGS = 20
_APART = 0.02
"""How much dearer or cheaper seconds may seem: so a budget can end between pairs that look the same."""


class Way(StrEnum):
    """What is done with a pair."""

    BELIEVE = "believed"
    CHECK = "checked"
    LEAVE_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a plan expects of the pairs that were not audited."""

    believed: int
    checked: int
    left_out: int
    kept: float
    right: float
    """Of those kept."""
    lean_s: float

    @property
    def rate(self) -> float:
        return self.right / self.kept if self.kept else 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How pairs are dealt with."""

    odds: Odds
    seconds: Seconds
    clock_s: float
    within_clock: float
    """Of pairs that pass, the share that does so within the clock."""
    wrong_price: float
    """What a wrong pair costs, in right ones."""
    second_price: float
    credit: float
    """What a right pair is worth beside itself: it makes room for wrong ones."""
    expected: Expected
    most_s: float
    """What checks may take in all: the budget without what the audit took."""

    def ways(self, pairs: Sequence[Instance]) -> list[Way]:
        """What is to be done with each."""
        looks = [look(pair) for pair in pairs]
        chance, seconds = self.odds.chances(looks), self.seconds.of(looks) * _apart(looks)
        found = _ways(chance, seconds, self.within_clock, self.wrong_price, self.second_price, self.credit)
        return [_WAYS[number] for number in found.tolist()]

    def lean_s(self, pairs: Sequence[Instance]) -> list[float]:
        """What Lean is expected to take for each."""
        return [float(one) for one in self.seconds.of([look(pair) for pair in pairs])]

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without what was learned about features."""
        told = {name: value for name, value in asdict(self).items() if name not in ("odds", "seconds")}
        return told | {"expected_rate": self.expected.rate}


_WAYS = (Way.BELIEVE, Way.CHECK, Way.LEAVE_OUT)


def audit_size(pairs: int, wanted: int, budget: float) -> int:
    """How many pairs the audit behind a plan takes; all, where the budget is for all."""
    if budget == 1:
        return pairs
    return max(1, min(wanted, max(FEWEST_AUDITED, int(MOST_AUDITED * pairs)), _affordable(pairs, budget)))


def demand_audit(pairs: int, wanted: int, budget: float) -> None:
    """Raises InputError where the budget for so many pairs pays for no audit to plan by."""
    affordable, fewest = _affordable(pairs, budget), min(wanted, FEWEST_AUDITED)
    if budget < 1 and affordable < fewest:
        raise InputError(
            f"a budget of {budget:g} for {pairs:,} pairs pays for an audit of {affordable}, and a plan needs {fewest}: "
            "give more pairs or a larger budget (1 checks all), or leave --budget out"
        )


def _affordable(pairs: int, budget: float) -> int:
    return int(AUDIT_SHARE * budget * pairs)


def make_plan(
    audited: Sequence[Audited], pairs: Sequence[Instance], *, budget: float, target: float, limits: Limits
) -> Plan:
    """The plan for pairs that were not audited. `budget` is a share of full verification, the audit's part included.

    Raises InputError where the audit says nothing.
    """
    told = [each for each in audited if each.passed is not None]
    if not told:
        raise InputError(
            f"Lean broke down over all {len(audited):,} pairs of the audit, so nothing can be planned: see that it "
            "works (`pythagoras doctor`), delete the folder's stages/*-audit, and give the same command again"
        )
    taken_s = sum(each.seconds for each in audited)
    budget_s = budget * taken_s / len(audited) * (len(audited) + len(pairs))
    left_s = max(0.0, (1 - _SPARE) * budget_s - taken_s)
    seen = [look(each.pair) for each in told]
    odds = learn(seen, [bool(each.passed) for each in told])
    looks = [look(pair) for pair in pairs]
    chance = odds.chances(looks)
    plans = []
    for clock_s in (*(clock for clock in CLOCKS_S if clock < limits.timeout_s), limits.timeout_s):
        seconds = mean_seconds(seen, [min(each.seconds, clock_s) for each in told])
        passed = [each.seconds <= clock_s for each in told if each.passed]
        within = sum(passed) / len(passed) if passed else 1.0
        aim = 1 - (1 - _MARGIN) * (1 - target)
        prices = _prices(chance, seconds.of(looks), _apart(looks), within, left_s, aim)
        plans.append(Plan(odds, seconds, clock_s, within, *prices, max(0.0, budget_s - taken_s)))
    return max(plans, key=lambda plan: plan.expected.right)


def _apart(looks: Sequence[Look]) -> Floats:
    import numpy as np

    return 1 + _APART * np.array([each.mark for each in looks], dtype=np.float64)


def _prices(
    chance: Floats, seconds: Floats, apart: Floats, within: float, left_s: float, target: float
) -> tuple[float, float, float, Expected]:
    """The lowest prices that meet both conditions, what a right pair is worth beside itself, and what comes of them."""
    import numpy as np

    room = (1 - target) / target  # wrong pairs that a right one makes room for

    def dealt(wrong: float, second: float) -> Expected:
        ways = _ways(chance, seconds * apart, within, wrong, second, wrong * room)
        believed, checked = ways == 0, ways == 1
        proved = float(chance[checked].sum()) * within
        return Expected(
            int(believed.sum()),
            int(checked.sum()),
            int((ways == 2).sum()),
            int(believed.sum()) + proved,
            float(chance[believed].sum()) + proved,
            float(np.sum(seconds[checked])),
        )

    def second_price(wrong: float) -> float:
        return _lowest(lambda price: dealt(wrong, price).lean_s <= left_s)

    wrong = _lowest(lambda price: dealt(price, second_price(price)).rate >= target)
    second = second_price(wrong)
    return wrong, second, wrong * room, dealt(wrong, second)


def _ways(chance: Floats, seconds: Floats, within: float, wrong: float, second: float, credit: float) -> Any:
    """For each pair the number of the way with the best balance; of equal ones, the first."""
    import numpy as np

    worth = 1 + credit
    believe = worth * chance - wrong * (1 - chance)
    check = worth * within * chance - second * seconds
    return np.argmax(np.stack([believe, check, np.zeros(len(chance))]), axis=0)


def _lowest(holds: Callable[[float], bool]) -> float:
    """The lowest price from which on a condition holds: none where it always does."""
    if holds(0.0):
        return 0.0
    low, high = _PRICES
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(10.0**middle) else (middle, high)
    return float(10.0**high)


# --- carrying it out ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checking:
    """The job: pairs in, those that are believed or proved out. What the audit knows is not asked again."""

    lean: Lean
    plan: Plan
    known: Mapping[str, Audited]
    """By the pairs' ids."""
    spent_s: float = 0.0
    """What checks took before: the run may be a resumed one."""

    @contextmanager
    def open(self) -> Iterator[Callable[[tuple[Instance, ...]], tuple[Outcome, ...]]]:
        limits = self.lean.limits.model_copy(update={"timeout_s": self.plan.clock_s})
        with self.lean.open() as checker:
            version = lean_version(checker)

            def ask(pairs: Sequence[Instance]) -> list[Outcome]:
                return [outcome(found) for found in judged(pairs, checker, limits, version)]

            left_s = self.plan.most_s - self.spent_s

            def handle(pairs: tuple[Instance, ...]) -> tuple[Outcome, ...]:
                nonlocal left_s
                found = self._handle(pairs, left_s, ask)
                left_s -= sum(each.costs.get("lean_s", 0.0) for each in found)
                return found

            yield handle

    def give_up(self, pairs: tuple[Instance, ...], why: str) -> tuple[Outcome, ...]:
        return given_up([Case(pair, pair) for pair in pairs], why)

    def _handle(
        self, pairs: tuple[Instance, ...], left_s: float, ask: Callable[[Sequence[Instance]], Sequence[Outcome]]
    ) -> tuple[Outcome, ...]:
        ways = self.plan.ways(pairs)
        known = [self.known.get(record_id(pair)) for pair in pairs]
        wanted = [pair for pair, way, told in zip(pairs, ways, known, strict=True) if way is Way.CHECK and told is None]
        affordable = sum(total_s <= left_s for total_s in accumulate(self.plan.lean_s(wanted)))
        answers = iter(ask(wanted[:affordable]))
        found = []
        for pair, way, told in zip(pairs, ways, known, strict=True):
            if told is not None:
                found.append(_as_audited(pair, told))
            elif way is not Way.CHECK:
                found.append(_unchecked(pair, way.value, is_kept=way is Way.BELIEVE))
            elif (one := next(answers, None)) is None:
                found.append(_unchecked(pair, OUT_OF_BUDGET, "the budget was spent"))
            else:
                found.append(replace(one, tally={**one.tally, f"way/{way.value}": 1}))
        return tuple(found)


def _as_audited(pair: Instance, told: Audited) -> Outcome:
    case = Case(pair, pair)
    case.tally["way/audited"] += 1
    if told.passed:
        case.kept = replace(pair, verified=True)
    elif told.passed is None:  # whatever the others say: a proof that breaks Lean is not believed
        case.drop(Reason.NO_VERDICT, f"in the audit: {told.reason}")
    else:
        case.drop(Reason.NOT_PROVED, f"in the audit: {told.reason}")
    return case.outcome()


def _unchecked(pair: Instance, way: str, why: str = "", *, is_kept: bool = False) -> Outcome:
    case = Case(pair, pair)
    case.tally[f"way/{way}"] += 1
    if is_kept:
        case.kept = pair
    else:
        case.drop(Reason.NOT_CHECKED, why)
    return case.outcome()
