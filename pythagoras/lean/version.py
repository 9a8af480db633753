"""Which Lean it is that checks: recorded with every verdict, since another version may judge otherwise."""

from __future__ import annotations

from pythagoras.errors import HostDied
from pythagoras.lean.pool import Check, Checker, LeanPool
from pythagoras.lean.wire import Limits

_QUESTION = Check("#eval Lean.versionString", header="none", limits=Limits(timeout_s=60))


def lean_version(checker: Checker) -> str:
    """The version of a running checker's Lean, such as `4.28.0`. Raises HostError when it does not tell.

    The embedded Lean's hosts say it when they start; others are asked, which is no proof and so may run a program.
    """
    if isinstance(checker, LeanPool):
        return checker.version
    checked = next(iter(checker.check([_QUESTION])))
    said = [message.data.strip() for message in checked.answer.messages] if checked.answer is not None else []
    if len(said) == 1 and said[0].startswith('"') and said[0].endswith('"'):
        return said[0].strip('"')
    why = checked.failure or (said[0].splitlines()[0] if said else "it said nothing")
    raise HostDied(f"this Lean does not tell its version ({why}): see that it answers `#eval Lean.versionString`")
