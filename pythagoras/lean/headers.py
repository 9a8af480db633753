"""Headers: the named Lean text that a statement stands on.

A header is named by its id wherever it is referred to; its text is not repeated. Its declarations are compiled once
into a module that every host imports in a moment; its scope (which names are open) is what each host runs itself.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
from collections.abc import Callable
from dataclasses import dataclass

from pythagoras.errors import InputError
from pythagoras.lookup import choose

_SCOPE_MARK = "/-! ## Scope"
_FORMAT = 1
"""Raise it when hosts compile headers in another way: old modules must not be found any more."""


@dataclass(frozen=True, slots=True)
class Header:
    """Lean text that comes before a statement."""

    id: str
    library: str
    """Declarations and notations."""
    scope: str
    """Commands whose effect does not outlive a file, such as `open`."""

    @property
    def text(self) -> str:
        """The header as one piece of Lean."""
        return self.library + self.scope

    @property
    def has_imports(self) -> bool:
        return self.library.startswith("import ")

    @property
    def module(self) -> str:
        """Name of the compiled module: changes whenever the declarations do. A header with imports is none."""
        if self.has_imports:
            raise InputError(
                f"the embedded Lean has no Mathlib, which the header {self.id!r} imports: "
                "use the header 'core', or a native Lean (native:FOLDER)"
            )
        digest = hashlib.sha256(f"{_FORMAT} {self.library}".encode()).hexdigest()
        return f"Pythagoras_{self.id}_{digest[:12]}"


NONE = Header("none", "", "")
"""Lean's prelude and nothing else."""

MATHLIB = Header(
    "mathlib",
    "import Mathlib\nimport Aesop\n\n",
    "set_option maxHeartbeats 400000\n\nopen BigOperators Real Nat Topology Rat\n",
)
"""What most of MiniF2F's files stand on, and statements that bring nothing. Only a native Lean has what it imports."""

MATHLIB_UNLIMITED = Header(
    "mathlib-unlimited",
    MATHLIB.library,
    "set_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat\n",
)
"""DeepSeek's, and the paper's own: the same without a limit on Lean's work."""

MATHLIB_BARE = Header("mathlib-bare", "import Mathlib\n\n", "")
"""PutnamBench's: each statement opens what it needs. What others bring stands on it, too, all of it as context."""


@functools.cache
def core() -> Header:
    """Notations and definitions of competition mathematics over ℕ, ℤ, ℚ, on Lean's own library."""
    text = (importlib.resources.files(__package__) / "headers" / "core.lean").read_text(encoding="utf-8")
    library, mark, scope = text.partition(_SCOPE_MARK)
    assert mark, "core.lean has no section that begins with _SCOPE_MARK"
    return Header("core", library, mark + scope)


_HEADERS: dict[str, Callable[[], Header]] = {
    "core": core,
    "mathlib": lambda: MATHLIB,
    "mathlib-bare": lambda: MATHLIB_BARE,
    "mathlib-unlimited": lambda: MATHLIB_UNLIMITED,
    "none": lambda: NONE,
}


def header(name: str) -> Header:
    """The header of that id."""
    return choose("header", name, _HEADERS)()


def header_names() -> tuple[str, ...]:
    """The ids of all headers."""
    return tuple(_HEADERS)
