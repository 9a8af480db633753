"""Real Lean for the tests: one host and one pool for all that leave them healthy, and helpers for those that do not."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pythagoras.lean import package
from pythagoras.lean.headers import NONE, Header
from pythagoras.lean.host import LeanHost
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.wire import Answer, Limits


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if package.installed() is None:
        raise pytest.UsageError("tests/lean needs the embedded Lean: run `make setup`, or `pythagoras lean install`")


class SharedHost:
    """A host that is started again when a test broke it. `restarts` counts that."""

    def __init__(self) -> None:
        self.host = LeanHost()
        self.restarts = -1

    def living(self) -> LeanHost:
        if not self.host.alive:
            self.host.close()
            self.host = LeanHost().start()
            self.restarts += 1
        return self.host

    def check(
        self,
        code: str,
        header: Header = NONE,
        limits: Limits = Limits(timeout_s=30),
        *,
        spans: bool = False,
        tactics: bool = False,
    ) -> Answer:
        return self.living().check(code, header, limits, spans=spans, tactics=tactics)


@pytest.fixture(scope="session")
def shared() -> Iterator[SharedHost]:
    host = SharedHost()
    yield host
    host.host.close()


@pytest.fixture(scope="session")
def pool() -> Iterator[LeanPool]:
    with LeanPool(1 if "PYTEST_XDIST_WORKER" in os.environ else 2) as running:  # a worker has a core to itself
        yield running
