"""What a worker does, wherever it runs: open the job once, then answer one item after the other.

Items, results and errors cross the border between processes as pickled bytes, so that whatever can't be pickled fails
in the hands of whoever wrote it and looks the same in every engine.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Said(Enum):
    """What a worker has to say."""

    READY = "ready"
    DONE = "done"
    RAISED = "raised"


@dataclass(frozen=True, slots=True)
class Reply:
    """A worker's word. `data` is the pickled result, or the pickled exception with where it was raised in `trace`."""

    said: Said
    data: bytes = b""
    trace: str = ""

    def value(self) -> Any:
        """The result; what the job raised is raised here."""
        found = pickle.loads(self.data)
        if self.said is Said.RAISED:
            found.add_note(f"In a worker:\n{self.trace}")
            raise found
        return found


class Worker:
    """A job that was sent as bytes, open from `open` to `close`. What the job raises is answered, not raised."""

    def __init__(self, job: bytes) -> None:
        self._job = job
        self._open = ExitStack()
        self._handle: Callable[[Any], Any] | None = None

    def open(self) -> Reply:
        """Open the job."""
        try:
            self._handle = self._open.enter_context(pickle.loads(self._job).open())
        except Exception as error:
            return _raised(error)
        return Reply(Said.READY)

    def handle(self, item: bytes) -> Reply:
        """The job's answer to a pickled item."""
        try:
            assert self._handle is not None
            return Reply(Said.DONE, pickle.dumps(self._handle(pickle.loads(item))))
        except Exception as error:
            return _raised(error)

    def close(self) -> None:
        """Close the job."""
        self._handle = None
        self._open.close()


def _raised(error: Exception) -> Reply:
    """The error as it is, or its text where it does not survive the journey."""
    trace = "".join(traceback.format_exception(error))
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:  # an exception's own way to be pickled may fail in any way
        data = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return Reply(Said.RAISED, data, trace)
