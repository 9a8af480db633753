"""Models of the tests run on one thread: several wait for each other when a core is busy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pythagoras.train import threads


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Whatever a module sets it to is undone behind it."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    threads.prepare(1)
    yield
    torch.set_num_threads(before)
