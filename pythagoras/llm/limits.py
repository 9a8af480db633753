"""How fast a server may be asked: requests a minute and tokens a minute.

A bucket that fills evenly, with room for a few seconds' worth: whatever minute a server counts by, it sees the limit,
and little more. Places are reserved in the order of asking, so that no thread is passed over. How many tokens a request
takes is known afterwards; until then it counts with all that it may take. Processes share the limits through a small
file; those of several machines do if they share the file system, and their clocks differ by no more than a minute.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from pythagoras.errors import InputError
from pythagoras.llm.chat import Completion, Message

_ROOM_S = 5.0
"""How much a bucket holds, in seconds of its flow: what may be asked at once after a pause."""
_BYTES_A_TOKEN = 3
"""Of English and Lean: a tokenizer makes fewer tokens of it, rarely more."""
_FRAME_TOKENS = 8
"""What a chat template puts around a message."""
_CLOCKS_APART_S = 60.0
"""A file that is of a later time is of a clock that was put back since."""


class _Bucket:
    """So much flows in a minute. It may be overdrawn: what is taken beyond its content, later comers wait for."""

    def __init__(self, per_minute: float, now_s: float) -> None:
        self._per_s = per_minute / 60
        self._room = max(self._per_s * _ROOM_S, 1.0)
        self.content = self._room
        self.at_s = now_s

    def flow(self, now_s: float) -> None:
        """Up to that moment, or not at all where another machine's clock is ahead: no second flows twice."""
        passed = max(now_s - self.at_s, 0.0)
        self.content = min(self.content + passed * self._per_s, self._room)
        self.at_s += passed

    def reserve_s(self, amount: float) -> float:
        """Take it, and say in how many seconds it is there: a full bucket is enough for any amount."""
        short = min(amount, self._room) - self.content
        self.content -= amount
        return max(short, 0.0) / self._per_s

    def put_back(self, amount: float) -> None:
        """What was not taken after all; less than nothing where more was."""
        self.content = min(self.content + amount, self._room)


class Limiter:
    """Two buckets that threads share, and processes that name the same file."""

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        path: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`clock` is the same for all processes, on all machines; `path` is a file for limiters of the same limits."""
        limits = (requests_per_minute, tokens_per_minute)
        for what, limit in zip(("requests", "tokens"), limits, strict=True):
            if limit is not None and not limit > 0:
                raise InputError(f"{limit:g} {what} a minute are none: give more, or no limit")
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets = tuple(None if limit is None else _Bucket(limit, clock()) for limit in limits)
        self._path = path if any(self._buckets) else None

    def reserve_s(self, tokens: int) -> float:
        """Take a place for a request of so many tokens, and say how many seconds to wait for it."""
        with self._now():
            amounts = zip(self._buckets, (1.0, float(tokens)), strict=True)
            return max((bucket.reserve_s(amount) for bucket, amount in amounts if bucket), default=0.0)

    def correct(self, reserved: int, took: int) -> None:
        """Say what a request took, for which so many tokens had been reserved."""
        tokens = self._buckets[1]
        if tokens is not None:
            with self._now():
                tokens.put_back(reserved - took)

    @contextlib.contextmanager
    def _now(self) -> Iterator[None]:
        """The buckets as they are at this moment, for nobody else."""
        with self._lock, contextlib.ExitStack() as stack:
            file = None
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(self._path.open("a+", encoding="utf-8"))
                fcntl.flock(file, fcntl.LOCK_EX)
                self._read(file)
            for bucket in filter(None, self._buckets):
                bucket.flow(self._clock())
            yield
            if file is not None:
                at_s = max(bucket.at_s for bucket in self._buckets if bucket)
                file.truncate(0)
                file.write(json.dumps([at_s, *(bucket and bucket.content for bucket in self._buckets)]))

    def _read(self, file: TextIO) -> None:
        """Take over what others left. A file that a kill left empty says nothing, nor does one of something else."""
        file.seek(0)
        try:
            found = json.load(file)
        except (ValueError, RecursionError):
            return
        if not isinstance(found, list) or [_is_number(value) for value in found] != [True, *map(bool, self._buckets)]:
            return
        at_s, *contents = found
        if at_s > self._clock() + _CLOCKS_APART_S:
            return
        for bucket, content in zip(self._buckets, contents, strict=True):
            if bucket is not None:
                bucket.content, bucket.at_s = content, at_s


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


UNLIMITED = Limiter()


def estimated_tokens(prompt: tuple[Message, ...] | str, max_tokens: int) -> int:
    """The most that a request is likely to take, without a tokenizer: servers count what may be generated as well."""
    texts = [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
    bytes_read = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return -(-bytes_read // _BYTES_A_TOKEN) + len(texts) * _FRAME_TOKENS + max_tokens


def total_tokens(completion: Completion) -> int | None:
    """What a request took; None where the server did not say."""
    if completion.prompt_tokens is None or completion.generated_tokens is None:
        return None
    return completion.prompt_tokens + completion.generated_tokens
