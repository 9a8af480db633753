"""Jobs for the engines' tests. What happens in workers is told by files, since workers may be killed at any time."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from pythagoras.errors import InputError

GAVE_UP = "gave up"


@dataclass(frozen=True)
class Squares:
    """Squares numbers, with something to stumble over."""

    folder: Path
    pause_s: float = 0.0
    slow: int | None = None
    slow_s: float = 1.5
    """An item that takes longer, and how long."""
    together: int = 1
    """How many workers must be there before one does anything."""
    deadly: frozenset[int] = frozenset()
    """Items that end their worker."""
    deaths: int = 1000
    """How often such an item does so, before it is good."""
    wrong: dict[int, Exception] | None = None
    """What is raised for an item."""
    stubborn: int | None = None
    """An item for which an error is raised that can't be unpickled."""
    grandchild: bool = False
    """Whether a worker starts a process of its own."""

    @contextmanager
    def open(self) -> Iterator[Callable[[int], tuple[int, int]]]:
        told(self.folder, "opened", os.getpid())
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) if self.grandchild else None
        if child is not None:
            told(self.folder, "grandchild", child.pid)
        try:
            yield self.handle
        finally:
            if child is not None:
                child.kill()
                child.wait()
            told(self.folder, "closed", os.getpid())

    def handle(self, item: int) -> tuple[int, int]:
        wait_until(lambda: len(list_told(self.folder, "opened")) >= self.together)
        told(self.folder, "began", item)
        if item in self.deadly and list_told(self.folder, "began").count(item) <= self.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.slow_s if item == self.slow else self.pause_s)
        if self.wrong is not None and item in self.wrong:
            raise self.wrong[item]
        if item == self.stubborn:
            raise Stubborn(1, 2)
        return item, item * item

    def give_up(self, item: int, why: str) -> tuple[int, str]:
        return item, f"{GAVE_UP}: {why}"


@dataclass(frozen=True)
class NeverOpen:
    """A job that can't be opened: it raises, or ends its worker."""

    folder: Path
    dies: bool

    @contextmanager
    def open(self) -> Iterator[Callable[[int], int]]:
        told(self.folder, "opened", os.getpid())
        if self.dies:
            os._exit(3)
        raise InputError("the key is missing: look under the mat")
        yield abs

    def give_up(self, item: int, why: str) -> int:
        raise AssertionError("no worker had it")


@dataclass(frozen=True)
class OpensOnce(Squares):
    """A job that only one worker can open, ever."""

    @contextmanager
    def open(self) -> Iterator[Callable[[int], tuple[int, int]]]:
        told(self.folder, "tried", os.getpid())
        try:
            (self.folder / "only-key").touch(exist_ok=False)  # of two at once, one gets it
        except FileExistsError:
            raise InputError("there is no key left") from None
        with super().open() as handle:
            yield handle


class Stubborn(Exception):
    """An error that can be pickled, but not unpickled."""

    def __init__(self, left: int, right: int) -> None:
        super().__init__(f"{left} is not {right}")


@dataclass(frozen=True)
class Closures:
    """Makes what can't be pickled."""

    @contextmanager
    def open(self) -> Iterator[Callable[[int], Callable[[], int]]]:
        yield lambda item: lambda: item

    def give_up(self, item: int, why: str) -> Callable[[], int]:
        raise AssertionError("no worker ended")


def told(folder: Path, what: str, number: int) -> None:
    """Leave a word in the folder."""
    (folder / f"{what}-{number}-{uuid.uuid4().hex}").touch()


def list_told(folder: Path, what: str) -> list[int]:
    """The numbers that were left with that word."""
    return [int(path.name.split("-")[1]) for path in folder.glob(f"{what}-*")]


def living(folder: Path, what: str = "opened") -> list[psutil.Process]:
    """The processes that told so and are still there."""
    found = []
    for pid in list_told(folder, what):
        try:
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


@contextmanager
def killing(folder: Path, seed: int, every: int) -> Iterator[list[int]]:
    """Kill a worker at random each time that so many items were begun; yields who was killed so far."""
    draw = random.Random(seed)
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        reached = every
        while not over.wait(0.005):
            begun = len(list_told(folder, "began"))
            if begun >= reached and (workers := living(folder)):
                victim = draw.choice(workers)
                victim.kill()
                killed.append(victim.pid)
                reached = begun + every  # far enough for no item to be hit too often

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def wait_until(true: Callable[[], bool], timeout_s: float = 30.0) -> bool:
    """Whether it became true in time."""
    deadline = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
