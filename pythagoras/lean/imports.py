"""The imports at the head of a piece of Lean, and the header that it therefore stands on here.

There is no Mathlib in the embedded Lean; the `core` header stands in for it. Code that imports Mathlib and its family
gets that header, and its imports are blanked, so that every line and column stays where it was.
"""

from __future__ import annotations

import re

MATHLIB_FAMILY = frozenset(
    {"Mathlib", "Aesop", "Batteries", "Qq", "ProofWidgets", "Plausible", "ImportGraph", "LeanSearchClient"}
)
"""First parts of the names of modules that come with Mathlib and not with Lean."""

_BLANK = re.compile(r"(?:\s+|--[^\n]*)*")
_IMPORT = re.compile(r"(?:(?:public|meta)\s+)*import\s+(?:all\s+)?((?:[\w.'!?]|«[^»\n]*»)+)")
_COMMENT_EDGE = re.compile(r"/-|-/")


def split_imports(code: str) -> tuple[tuple[str, ...], str]:
    """The modules that the code imports, in its order, and the code with spaces in place of its imports.

    Comments may stand between imports. A file that begins with `module` or `prelude` is left alone, and shows none.
    """
    modules: list[str] = []
    body = ""
    done = 0
    while found := _IMPORT.match(code, start := _skip_blank(code, done)):
        modules.append(found[1])
        body += code[done:start] + re.sub(r"\S", " ", found[0])
        done = found.end()
    return tuple(modules), body + code[done:]


def header_for(code: str) -> tuple[str, str]:
    """The id of the header that the code stands on, and the code to put on it."""
    modules, body = split_imports(code)
    if modules and all(module.partition(".")[0] in MATHLIB_FAMILY for module in modules):
        return "core", body
    return "none", code


def _skip_blank(code: str, at: int) -> int:
    """Behind blanks and comments. Documentation (`/--`, `/-!`) is no comment to Lean: it ends the imports."""
    while True:
        found = _BLANK.match(code, at)
        at = found.end() if found else at
        if not code.startswith("/-", at) or code.startswith(("/--", "/-!"), at):
            return at
        at = _comment_end(code, at)


def _comment_end(code: str, at: int) -> int:
    """Behind the block comment that begins there; block comments nest. The end of the code when it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(code, at):
        depth += 1 if edge[0] == "/-" else -1
        if depth == 0:
            return edge.end()
    return len(code)
