"""What this process must be set to for training on a CPU: threads that sleep, memory that stays, quiet libraries.

Measured on two cores: OpenMP's threads that spin while they wait make everything up to twenty times slower once another
process wants a core, and giving memory back to the system after each step costs a sixth of all time.
"""

from __future__ import annotations

import ctypes
import logging
import os
import warnings
from importlib.util import find_spec
from typing import Any

from pythagoras.errors import InputError

_NEEDED = ("torch", "transformers", "accelerate", "datasets", "peft", "trl")
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
"""glibc's numbers of what `mallopt` sets."""
_KEPT_FREE_BYTES = 2**31 - 1
_TAKEN_AT_ONCE_BYTES = 2**28


def prepare(threads: int | None = None) -> int:
    """Call it before anything imports torch; once more does no harm. Raises InputError where a library is missing.

    `threads` are torch's, else as many as it takes by itself: the cores, or OMP_NUM_THREADS. Sums are rounded another
    way by another number of them, so it belongs to what a training's weights depend on; it is returned.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # OpenMP reads it when torch is imported
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns at every fork
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    _keep_memory()
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise InputError(f"training needs {', '.join(missing)}, and it is not installed: pip install '.[train]'")
    import torch
    import transformers

    if threads is not None:
        torch.set_num_threads(threads)
    shown: Any = transformers.utils.logging  # it comes without types
    shown.set_verbosity_error()
    shown.disable_progress_bar()
    for noisy in ("datasets", "accelerate", "trl", "peft", "torch.distributed"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"(torch|transformers|trl|peft|accelerate|datasets)\b")
    return torch.get_num_threads()


def _keep_memory() -> None:
    """Freed blocks stay with the process: every step asks for the same ones again. Without glibc nothing happens."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    mallopt(_MMAP_MAX, 0)
    mallopt(_TRIM_THRESHOLD, _KEPT_FREE_BYTES)
    mallopt(_TOP_PAD, _TAKEN_AT_ONCE_BYTES)
