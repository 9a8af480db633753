"""What a process is set to before it trains."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from pythagoras.errors import InputError
from pythagoras.train import threads

CODE = """
from pythagoras.train.threads import prepare
prepare({threads})
prepare({threads})
import os, torch, transformers
print(torch.get_num_threads(), os.environ["OMP_WAIT_POLICY"], transformers.utils.logging.is_progress_bar_enabled())
x = torch.rand(2000, 2000)
assert torch.allclose(x @ torch.eye(2000), x)
"""


def prepared(threads: int | None, **environment: str) -> str:
    """What a new process says that prepared itself, errors included."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(threads=threads)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
    )
    return done.stdout + done.stderr


def test_threads_sleep_and_libraries_are_quiet() -> None:
    assert prepared(1) == "1 PASSIVE False\n"


@pytest.mark.parametrize("name", ["torch", "trl", "peft"])
def test_a_library_that_is_missing_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(threads, "find_spec", lambda asked: None if asked == name else found(asked))
    with pytest.raises(InputError, match=rf"training needs {name}, .* pip install '\.\[train\]'$"):
        threads.prepare()


def test_what_the_environment_says_stays() -> None:
    assert prepared(None, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="ACTIVE") == "2 ACTIVE False\n"
