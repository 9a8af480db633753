"""Results in the order of what was asked, however the work is done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterable[T], submit: Callable[[T], Future[R]], window: int) -> Iterator[R]:
    """Whatever is done is handed out before the next item is read; at most `window` are read ahead."""
    waiting: deque[Future[R]] = deque()
    for item in items:
        waiting.append(submit(item))
        while waiting and (len(waiting) >= window or waiting[0].done()):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
