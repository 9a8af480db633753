"""What a text opens and sets before its statement, against what known headers do.

A header is named and not repeated; so a text that begins as a known one does stands on that, and only the rest is its
context. Together they are what the text itself had, no more and no less.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pythagoras.lean import signatures
from pythagoras.lean.headers import MATHLIB, MATHLIB_BARE, MATHLIB_UNLIMITED, header
from pythagoras.lean.imports import split_imports
from pythagoras.lean.signatures import Command

_LIMIT = ("set_option", "maxHeartbeats")


@lru_cache(maxsize=4096)
def mathlib_header(modules: tuple[str, ...], context: str) -> str:
    """The id of the header that a text has which imports these modules, Mathlib or parts of it, and begins so.

    It is the known one with the same imports whose scope the context begins with; else `mathlib-bare`, which has none.
    """
    said = [_words(command) for command in signatures.commands(context)]
    for known in (MATHLIB, MATHLIB_UNLIMITED):
        scope = _scope(known.id)
        if split_imports(known.library)[0] == modules and tuple(said[: len(scope)]) == scope:
            return known.id
    return MATHLIB_BARE.id


@lru_cache(maxsize=4096)
def own_context(context: str, header_id: str) -> str:
    """A statement's context without what its header says already.

    On Mathlib's headers another limit on Lean's work than the header's own stays; on the embedded Lean's none does: it
    has a clock.
    """
    if not context:
        return ""
    opened = frozenset(name for words in _scope(header_id) if words[0] == "open" for name in words[1:])
    any_limit = not header(header_id).has_imports

    def is_said(command: Command) -> bool:
        words = _words(command)
        if command.keyword > 0 or len(words) < 2:  # with attributes, or `open ... in`: for one command only
            return False
        is_opened = words[0] == "open" and opened.issuperset(words[1:])
        return words in _scope(header_id) or is_opened or (any_limit and words[:2] == _LIMIT)

    found = signatures.commands(context)
    kept = [command for command in found if not is_said(command)]
    return context if len(kept) == len(found) else joined(context, kept)


def joined(context: str, kept: Iterable[Command]) -> str:
    """Some commands of a context as written, a blank line between them."""
    return "\n\n".join(
        (" " * command.tokens[0].column if command.tokens[0].first else "") + context[command.start : command.end]
        for command in kept
    )


@lru_cache
def _scope(header_id: str) -> tuple[tuple[str, ...], ...]:
    return tuple(_words(command) for command in signatures.commands(header(header_id).scope))


def _words(command: Command) -> tuple[str, ...]:
    return tuple(token.text for token in command.tokens)
