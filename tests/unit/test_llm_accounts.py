"""What models cost: every completion is counted once, and only what was paid for costs."""

from __future__ import annotations

import json
import threading

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.accounts import Account, Prices, Spent, spent_on
from pythagoras.llm.chat import ChatRequest, Completion, Ending

ASKED = ChatRequest(0, "x")
PAID = Completion(ASKED, "y", prompt_tokens=1_000, generated_tokens=200, cached_tokens=600, seconds=2.0)
KNOWN = Completion(ASKED, "y", prompt_tokens=1_000, generated_tokens=200, seconds=2.0, from_cache=True)
FAILED = Completion(ASKED, "", Ending.FAILED, seconds=3.0, failure="gone")
UNTOLD = Completion(ASKED, "y", Ending.LENGTH, generated_tokens=10)


def test_what_a_completion_took() -> None:
    prices = Prices(2.0, 10.0)
    assert spent_on(PAID, prices) == Spent(1, 0, 0, 0, 1_000, 200, 600, 0.004, 2.0)
    assert spent_on(KNOWN, prices) == Spent(requests=1, from_cache=1)
    assert spent_on(FAILED, prices) == Spent(requests=1, failed=1, seconds=3.0)
    assert spent_on(UNTOLD, prices) == Spent(requests=1, untold=1, generated_tokens=10, cost=1e-4)


def test_cached_prompts_have_a_price_of_their_own() -> None:
    assert Prices(2.0, 10.0, 0.5).of(1_000, 200, 600) == pytest.approx((400 * 2 + 600 * 0.5 + 200 * 10) / 1e6)
    assert Prices(2.0, 10.0, 0.0).of(1_000, 0, 1_000) == 0.0


def test_they_add_up_and_are_json() -> None:
    total = spent_on(PAID) + spent_on(KNOWN) + spent_on(FAILED) + spent_on(UNTOLD)
    assert json.loads(json.dumps(total.as_dict())) == {
        "requests": 4,
        "from_cache": 1,
        "failed": 1,
        "untold": 1,
        "prompt_tokens": 1_000,
        "generated_tokens": 210,
        "cached_tokens": 600,
        "cost": 0.0,
        "seconds": 5.0,
    }
    assert Spent(**total.as_dict()) == total
    assert sum([total, total], Spent()) == total + total


def test_threads_share_an_account() -> None:
    account = Account(Prices(1.0, 1.0))

    def spend() -> None:
        for _ in range(500):
            account.note(PAID)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (account.spent.requests, account.spent.generated_tokens) == (4_000, 800_000)
    assert account.spent.cost == pytest.approx(4_000 * 0.0012)


@pytest.mark.parametrize("prices", [(-1.0, 0.0), (0.0, float("nan")), (0.0, 0.0, -0.1)])
def test_prices_that_are_none(prices: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="price"):
        Prices(*prices)
