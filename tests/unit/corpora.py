"""Small records for tests."""

from __future__ import annotations

from typing import Any

from pythagoras.corpus.records import Formalisation, Instance, Problem, Tier


def problem(text: str = "What is 1 + 1?", **fields: Any) -> Problem:
    return Problem(**{"text": text, "source": "made", **fields})


def formalisation(text: str = "theorem t : 1 + 1 = 2", **fields: Any) -> Formalisation:
    return Formalisation(**{"name": "t", "text": text, "source": "made", **fields})


def instance(statement: str = "theorem t : 1 + 1 = 2", **fields: Any) -> Instance:
    given = {"name": "t", "statement": statement, "proof": "by rfl", "source": "made", "tier": Tier.EASY}
    return Instance(**{**given, "verified": True, **fields})
