"""Domains: what failures are grouped by. MiniF2F's are those of the paper, told by the names of its problems."""

from __future__ import annotations

import re

from pythagoras.corpus.records import Formalisation

MINIF2F = ("IMO", "AMC", "AIME", "MathD", "Algebra", "Number Theory", "Induction")
"""In the paper's order: competitions, problems of the MATH set, and hand-written ones by area."""
OTHER = "other"

_PREFIXES = (
    (re.compile(r"imo(?:sl)?(?=_|\d)"), "IMO"),
    (re.compile(r"amc\d*[ab]?(?=_)"), "AMC"),
    (re.compile(r"aime(?:I{1,2})?(?=_|\d)"), "AIME"),
    (re.compile(r"mathd(?=_)"), "MathD"),
    (re.compile(r"algebra(?=_)"), "Algebra"),
    (re.compile(r"number_?theory(?=_)"), "Number Theory"),
    (re.compile(r"induction(?=_)"), "Induction"),
)
_PUTNAM = re.compile(r"putnam_\d{4}_([ab][1-6])(?![0-9])")


def domain_of(goal: Formalisation) -> str:
    """The domain of a statement; of one made by mutation, that of its original.

    MiniF2F's names tell one of `MINIF2F`. Other benchmarks have topics. PutnamBench without tags is told by the
    problem's number, A1 to B6, which grows with its difficulty. Whatever says nothing is `other`.
    """
    if goal.topic and not goal.source.startswith("minif2f"):
        return goal.topic.replace("_", " ")  # CoreBench's are names of files
    for name in (goal.provenance.parent, goal.name):  # a parent may be an id, which says nothing
        for pattern, domain in _PREFIXES:
            if pattern.match(name):
                return domain
        if putnam := _PUTNAM.match(name):
            return putnam[1].upper()
    return goal.topic or OTHER


def in_order(domains: set[str]) -> list[str]:
    """Domains as tables list them: MiniF2F's in the paper's order, then the others by name, `other` last."""
    known = [domain for domain in MINIF2F if domain in domains]
    rest = sorted(domains - {*MINIF2F, OTHER})
    return [*known, *rest, *([OTHER] if OTHER in domains else [])]
