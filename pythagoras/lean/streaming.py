"""Results in the order of the checks, however the work is done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future

from pythagoras.lean.pool import Check, Checked


def in_order(checks: Iterable[Check], submit: Callable[[Check], Future[Checked]], window: int) -> Iterator[Checked]:
    """Whatever is done is handed out before the next check is read; at most `window` are read ahead."""
    waiting: deque[Future[Checked]] = deque()
    for check in checks:
        waiting.append(submit(check))
        while waiting and (len(waiting) >= window or waiting[0].done()):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
