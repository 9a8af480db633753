"""Whose turn it is: requests of many clients share the hosts of one pool, fairly and with an end to waiting.

Lives on an event loop. A check goes to the pool only when a host is free for it, so the pool's own queue stays empty:
what waits, waits here, where it can be cancelled. Requests take turns check by check, so a large one keeps no small
one waiting. A request that gets no host in time is turned away; one that got its first is answered in full.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Protocol

from pythagoras.lean.pool import Check, Checked


class Submitter(Protocol):
    """The part of a pool that is needed here."""

    hosts: int

    def submit(self, check: Check) -> Future[Checked]: ...


class Overloaded(Exception):
    """There is more to do than hosts to do it. The text is for whoever asked."""


class Turns:
    """The hosts of a pool, shared. Made and used on one event loop."""

    def __init__(self, pool: Submitter, *, max_wait_s: float, max_requests: int) -> None:
        self._pool = pool
        self._max_wait_s = max_wait_s
        self._max_requests = max_requests
        self._free = asyncio.Semaphore(pool.hosts)
        self.requests = 0
        """How many are inside now."""

    @contextlib.contextmanager
    def admitted(self) -> Iterator[None]:
        """Count a request as long as it is inside; refuses it when the house is full."""
        if self.requests >= self._max_requests:
            raise Overloaded(f"{self.requests} requests are waiting already, and more are not taken: try again later")
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1

    async def run(self, checks: Sequence[Check]) -> list[Checked]:
        """Results in the order of the checks. When this is cancelled, what no host has begun is never begun."""
        if not checks:
            return []
        await self._first_turn()
        answers = {0: self._submit(checks[0])}
        numbers = iter(range(1, len(checks)))

        async def take_turns() -> None:
            for number in numbers:
                await self._free.acquire()
                answers[number] = self._submit(checks[number])
                await answers[number]

        workers = [asyncio.create_task(take_turns()) for _ in range(min(self._pool.hosts, len(checks) - 1))]
        try:
            await asyncio.gather(answers[0], *workers)
        finally:
            for worker in workers:
                worker.cancel()
        return [answers[number].result() for number in range(len(checks))]

    async def _first_turn(self) -> None:
        try:
            async with asyncio.timeout(self._max_wait_s):
                await self._free.acquire()
        except TimeoutError:
            raise Overloaded(
                f"no Lean host was free within {self._max_wait_s:g} seconds: try again later, or send less at a time"
            ) from None

    def _submit(self, check: Check) -> asyncio.Future[Checked]:
        """Hand a check to the pool. The host counts as free again when the pool is done, whoever still waits for it."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Checked] = loop.create_future()

        def land(done: Future[Checked]) -> None:
            if done.cancelled() and not answer.done():  # somebody else asked the same, and has dropped it
                self._pool.submit(check).add_done_callback(on_done)
                return
            self._free.release()
            if answer.done():  # nobody waits any more
                return
            try:
                answer.set_result(done.result())
            except BaseException as error:  # a bug of ours: it is for whoever asked to report
                answer.set_exception(error)

        def on_done(done: Future[Checked]) -> None:  # on a thread of the pool
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for anything
                loop.call_soon_threadsafe(land, done)

        try:
            self._pool.submit(check).add_done_callback(on_done)
        except BaseException:
            self._free.release()
            raise
        return answer
