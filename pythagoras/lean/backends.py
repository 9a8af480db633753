"""Which Lean checks: one setting chooses it.

embedded                  the Lean that `pythagoras lean install` fetched (the default)
native:FOLDER             a lake project with the community's REPL in it
kimina:http://HOST:PORT   a Kimina Lean Server; the address alone will do
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.lean.kimina.checker import CONCURRENCY, KiminaChecker
from pythagoras.lean.native.checker import NativeChecker, check_project
from pythagoras.lean.pool import Checker, LeanPool
from pythagoras.lookup import choose

DEFAULT = "embedded"
KEY_VARIABLE = "LEAN_SERVER_API_KEY"


def default_header(setting: str) -> str:
    """What statements stand on where nothing else is said: Mathlib, or what stands in for it in the embedded Lean."""
    return "core" if setting.strip().partition(":")[0] == DEFAULT else "mathlib"


def kind_of(setting: str) -> str:
    """Which kind of Lean a setting names, without the place where it is."""
    name = setting.strip().partition(":")[0]
    return "kimina" if name in ("http", "https") else name


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is known of a Lean before it is opened."""

    where: str
    jobs: int | None
    header: str | None
    api_key: str | None
    spare: bool


def open_checker(
    setting: str = DEFAULT,
    *,
    jobs: int | None = None,
    header: str | None = None,
    api_key: str | None = None,
    spare: bool = True,
) -> AbstractContextManager[Checker]:
    """The checker that a setting names, to be used in a `with` block.

    `jobs` is how many checks run at a time, `header` the one to have ready before the first; each Lean has its default.
    `spare` is whether the embedded one keeps a host warm beside those, in its memory, for when one is lost.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"{jobs} checks at a time are none: ask for 1 or more")
    name, (_, colon, where) = kind_of(setting), setting.strip().partition(":")
    if setting.strip().startswith(("http:", "https:")):
        where = setting.strip()
    return choose("Lean", name, _BACKENDS)(_Wanted(where if colon else "", jobs, header, api_key, spare))


def check_place(setting: str) -> None:
    """Raises InputError where a setting names no kind of Lean, or a lake project that is none.

    Whether its Lean runs, opening it shows.
    """
    choose("Lean", kind_of(setting), _BACKENDS)
    if kind_of(setting) == "native":
        check_project(Path(setting.strip().partition(":")[2]).expanduser())


def _embedded(wanted: _Wanted) -> AbstractContextManager[Checker]:
    if wanted.where:
        raise InputError(f"the embedded Lean takes no place ({wanted.where!r} was given): write just 'embedded'")
    return LeanPool(wanted.jobs, header=wanted.header or "core", spare=wanted.spare)


def _native(wanted: _Wanted) -> AbstractContextManager[Checker]:
    if not wanted.where:
        raise InputError("a native Lean needs the folder of its lake project: write native:FOLDER")
    return NativeChecker(Path(wanted.where).expanduser(), wanted.jobs, header=wanted.header or "mathlib")


def _kimina(wanted: _Wanted) -> AbstractContextManager[Checker]:
    if not wanted.where.startswith(("http://", "https://")):
        raise InputError(
            f"{wanted.where!r} is no address of a Kimina Lean Server: "
            "write kimina:http://HOST:PORT, or the address alone"
        )
    key = wanted.api_key or os.environ.get(KEY_VARIABLE) or None
    return KiminaChecker(wanted.where, key, wanted.jobs or CONCURRENCY)


_BACKENDS: dict[str, Callable[[_Wanted], AbstractContextManager[Checker]]] = {
    "embedded": _embedded,
    "native": _native,
    "kimina": _kimina,
}
