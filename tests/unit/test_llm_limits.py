"""Requests and tokens a minute, by a clock that the tests move; and the endpoint that keeps to them."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.limits import UNLIMITED, Limiter, estimated_tokens, total_tokens
from pythagoras.llm.patience import Retries
from pythagoras.llm.sampling import Sampling
from tests.unit.model_server import answers, chat, dribbles, model_server


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def starts(limiter: Limiter, clock: Clock, amounts: list[int]) -> list[float]:
    """When requests start that are all asked for now."""
    return [clock.now_s + limiter.reserve_s(amount) - 100.0 for amount in amounts]


def most_in_a_minute(times: list[float], amounts: list[int]) -> int:
    """The most that falls into any 60 seconds."""
    return max(
        sum(amount for at, amount in zip(times, amounts, strict=True) if begin <= at < begin + 60.0) for begin in times
    )


def test_no_limits_no_waiting() -> None:
    assert [UNLIMITED.reserve_s(10**9) for _ in range(1000)] == [0.0] * 1000


def test_requests_are_spread_over_the_minute() -> None:
    clock = Clock()
    times = starts(Limiter(120, clock=clock), clock, [1] * 500)
    assert times[:10] == [0.0] * 10  # five seconds' worth at once
    assert times[10:13] == pytest.approx([0.5, 1.0, 1.5])
    assert times == sorted(times)
    assert most_in_a_minute(times, [1] * 500) <= 120 + 10


def test_a_slow_limit_still_lets_one_through() -> None:
    clock = Clock()
    assert starts(Limiter(2, clock=clock), clock, [1, 1, 1]) == pytest.approx([0.0, 30.0, 60.0])


def test_tokens_are_spread_over_the_minute() -> None:
    clock = Clock()
    amounts = list(itertools.islice(itertools.cycle([100, 900, 2_000]), 300))
    times = starts(Limiter(tokens_per_minute=60_000, clock=clock), clock, amounts)
    assert times == sorted(times)
    assert most_in_a_minute(times, amounts) <= 60_000 + 5_000 + max(amounts)
    assert times[-1] == pytest.approx(sum(amounts[:-1]) / 1000 - 5 + amounts[-1] / 1000)  # and none is wasted


def test_a_request_larger_than_the_bucket_waits_for_a_full_one_only() -> None:
    clock = Clock()
    limiter = Limiter(tokens_per_minute=600, clock=clock)  # ten a second, room for fifty
    assert starts(limiter, clock, [1_000, 10]) == pytest.approx([0.0, 96.0])


def test_both_limits_hold() -> None:
    clock = Clock()
    limiter = Limiter(60, 6_000, clock=clock)
    times = starts(limiter, clock, [10] * 10 + [600] * 10)
    assert times[9] == pytest.approx(5.0)  # requests
    assert times[19] - times[18] == pytest.approx(6.0)  # tokens


def test_what_was_not_taken_is_there_for_others() -> None:
    clock = Clock()
    limiter = Limiter(tokens_per_minute=6_000, clock=clock)
    assert limiter.reserve_s(4_500) == 0.0
    limiter.correct(4_500, 300)
    assert limiter.reserve_s(400) == pytest.approx(2.0)  # 500 - 300 are left
    limiter.correct(400, 1_400)  # it took more
    clock.now_s += 2.0
    assert limiter.reserve_s(100) == pytest.approx(11.0)


def test_a_pause_saves_up_little() -> None:
    clock = Clock()
    limiter = Limiter(60, clock=clock)
    starts(limiter, clock, [1] * 5)
    clock.now_s += 3600.0
    assert [limiter.reserve_s(0) for _ in range(6)] == pytest.approx([0.0] * 5 + [1.0])
    limiter.correct(0, 0)


def test_threads_share_the_limits() -> None:
    clock = Clock()
    limiter = Limiter(60, clock=clock)
    waits: list[float] = []
    threads = [threading.Thread(target=lambda: waits.extend(limiter.reserve_s(1) for _ in range(50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == pytest.approx([0.0] * 4 + [float(second) for second in range(396)])


def test_processes_share_the_limits_through_a_file(tmp_path: Path) -> None:
    """Each limiter is what a process would have."""
    clock = Clock()
    one, other = (Limiter(60, 6_000, path=tmp_path / "new" / "limits", clock=clock) for _ in range(2))
    assert [limiter.reserve_s(10) for limiter in (one, other) * 4] == pytest.approx([0, 0, 0, 0, 0, 1, 2, 3])
    clock.now_s += 60.0
    assert one.reserve_s(4_000) == 0.0
    assert other.reserve_s(100) == pytest.approx(36.0)
    other.correct(4_000, 400)
    assert one.reserve_s(0) == 0.0
    late = Limiter(60, 6_000, path=tmp_path / "new" / "limits", clock=clock)
    assert [late.reserve_s(0) for _ in range(3)] == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    "content",
    [
        *("", "[100.0, 5", "[1e9, 0.0, 0.0]", "7", "null", "[]", "{}", "[100.0]", "[100.0, 0.0]", "[" * 100_000),
        *('{"a": 1}', '["a", 0.0, 0.0]', "[100.0, null, 0.0]", "[100.0, 0.0, [0]]", "[100.0, NaN, 0.0]"),
        "[100.0, 0.0, 0.0, 0.0]",
    ],
)
def test_a_file_that_says_nothing(tmp_path: Path, content: str) -> None:
    """Left by a kill, by a clock that was put back, or by somebody else."""
    (tmp_path / "limits").write_text(content)
    clock = Clock()
    limiter = Limiter(60, 6_000, path=tmp_path / "limits", clock=clock)
    assert [limiter.reserve_s(1) for _ in range(6)] == pytest.approx([0, 0, 0, 0, 0, 1])


def test_machines_whose_clocks_differ_share_the_limits(tmp_path: Path) -> None:
    """No second flows twice: what was ahead at first is all that is had too much."""
    clocks = Clock(), Clock()
    clocks[1].now_s += 20.0
    one, ahead = (Limiter(60, path=tmp_path / "limits", clock=clock) for clock in clocks)
    assert [limiter.reserve_s(1) for limiter in (one, ahead) * 4] == pytest.approx([0, 0, 0, 0, 0, 0, 1, 2])
    for clock in clocks:
        clock.now_s += 2.0
    assert [limiter.reserve_s(1) for limiter in (one, ahead, one, ahead)] == pytest.approx([3, 2, 3, 4])


def test_without_limits_there_is_no_file(tmp_path: Path) -> None:
    assert Limiter(path=tmp_path / "limits").reserve_s(10**9) == 0.0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limits", [(0.0, None), (None, -1.0), (float("nan"), None)])
def test_limits_that_let_nothing_through(limits: tuple[float | None, float | None]) -> None:
    with pytest.raises(InputError, match="a minute"):
        Limiter(*limits)


def test_tokens_before_and_after() -> None:
    prompt = (Message("system", "a" * 30), Message("user", "ℕ" * 10))
    assert estimated_tokens(prompt, 100) == 10 + 10 + 2 * 8 + 100
    assert estimated_tokens("aaaa", 5) == 2 + 8 + 5
    done = Completion(ChatRequest(0, "x"), "y", Ending.STOP, prompt_tokens=3, generated_tokens=4)
    assert total_tokens(done) == 7
    assert total_tokens(Completion(ChatRequest(0, "x"), "y", prompt_tokens=3)) is None


# --- the endpoint --------------------------------------------------------------------------------


class Noting(Limiter):
    """Lets everything through, and remembers."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, int, int]] = []

    def reserve_s(self, tokens: int) -> float:
        self.said.append(("reserved", tokens, 0))
        return 0.0

    def correct(self, reserved: int, took: int) -> None:
        self.said.append(("corrected", reserved, took))


def test_each_try_is_reserved_and_corrected() -> None:
    limiter = Noting()
    plays = [answers("busy", 503), answers(chat()), answers(chat(usage={}))]
    with (
        model_server(*plays) as server,
        Endpoint(
            server.url,
            "tiny",
            Sampling(max_tokens=50),
            concurrency=1,
            retries=Retries(2, 0.001),
            limiter=limiter,
        ) as opened,
    ):
        list(opened.complete(ChatRequest(number, "abc") for number in range(2)))
    guess = estimated_tokens("abc", 50)
    assert limiter.said == [
        ("reserved", guess, 0),
        ("corrected", guess, 0),  # it was refused
        ("reserved", guess, 0),
        ("corrected", guess, 18),
        ("reserved", guess, 0),
        ("corrected", guess, guess),  # the server does not say
    ]


def test_what_a_server_took_and_did_not_answer_in_time_counts() -> None:
    limiter = Noting()
    with (
        model_server(dribbles, answers(chat())) as server,  # late, then the plain question
        Endpoint(server.url, "tiny", Sampling(max_tokens=50), timeout_s=0.2, limiter=limiter) as opened,
    ):
        (late,) = opened.complete([ChatRequest(0, "abc")])
    guess = estimated_tokens("abc", 50)
    assert "did not answer within" in late.failure
    assert limiter.said[:2] == [("reserved", guess, 0), ("corrected", guess, guess)]


def test_whoever_waits_for_a_place_hears_that_the_endpoint_is_closed() -> None:
    with (
        model_server(answers(chat())) as server,
        Endpoint(server.url, "tiny", concurrency=1, limiter=Limiter(0.01)) as opened,
    ):
        done = opened.complete(ChatRequest(number, "abc") for number in range(2))
        assert next(done).text == "by omega"
        threading.Timer(0.2, opened.close).start()  # an hour and a half before the next may start
        assert next(done).failure == "the endpoint was closed"
        assert len(server.asked) == 1
