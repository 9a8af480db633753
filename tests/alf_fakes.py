"""A small world for self-distillation: a Lean of words that takes its time, a prover and a mutator with a script.

Lean refuses statements with `bad` in them and proofs with `wrong`, does not finish with `slow`, and dies over `dies`.
Everything else holds. A statement takes 0.1 s, a proof 0.4 s, one that is slow 4 s.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pythagoras.alf.mutating import Missing, Refusal
from pythagoras.alf.variants import Category, Parent, Promise, Variant
from pythagoras.corpus.records import Formalisation, Instance, Provenance, Tier, settings_text
from pythagoras.generate.sampler import Ability, Finish, Request, Sample
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.wire import Answer, Limits

STATEMENT_S, PROOF_S, SLOW_S = 0.1, 0.4, 4.0


class WordLean:
    """The Lean of that world; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def check(self, checks: Iterable[Check]) -> Iterator[Checked]:
        for check in checks:
            if "versionString" in check.code:
                yield Checked(check, Status.ANSWERED, _said("info", '"4.28.0"'), 0.0)
                continue
            self.asked.append(check.code)
            if "by dies" in check.code:
                yield Checked(check, Status.HOST_FAILURE, None, 0.0, "the host died")
            elif "by slow" in check.code:
                answer = Answer.model_validate({"interrupted": True})
                yield Checked(check, Status.TIMEOUT, answer, min(SLOW_S, check.limits.timeout_s))
            else:
                seconds = STATEMENT_S if check.code.rstrip().endswith("sorry") else PROOF_S
                yield Checked(check, Status.ANSWERED, _answer(check), seconds)


def _answer(check: Check) -> Answer:
    if "_bad" in check.code or "by wrong" in check.code:
        return _said("error", "unsolved goals")
    name = check.names[0]
    stated = check.code.partition(f"theorem {name}")[2].partition(":=")[0]
    key = hashlib.md5(re.sub(r"\s", "", stated).encode()).hexdigest()
    declared = {"name": name, "kind": "theorem", "type": "T", "typeKey": key, "axioms": []}
    return Answer.model_validate({"declarations": [declared]})


def _said(severity: str, text: str) -> Answer:
    place = {"line": 1, "column": 0}
    return Answer.model_validate({"messages": [{"severity": severity, "pos": place, "data": text}]})


@dataclass(frozen=True)
class FakeLean:
    """Opens the same Lean again and again."""

    limits: Limits = Limits(timeout_s=10)
    lean: WordLean = field(default_factory=WordLean)

    def open(self) -> nullcontext[Checker]:
        return nullcontext(self.lean)


class ScriptedProver:
    """Writes `by NAME`, where the name is the last word of the statement's name: `t_3_wrong` is proved by `wrong`."""

    name = "scripted"
    settings: Mapping[str, Any] = {"model": "script"}
    abilities = frozenset[Ability]()
    most = None

    def __init__(self) -> None:
        self.asked = 0

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        for request in reversed(list(requests)):  # in whatever order
            self.asked += 1
            word = request.goal.name.rpartition("_")[2]
            if word == "mute":
                yield Sample(request, "", Finish.FAILED, failure="no answer")
            elif word == "cut":
                yield Sample(request, "by simp", Finish.LENGTH, generated_tokens=9)
            else:
                yield Sample(request, f"by {word}", generated_tokens=2, seconds=0.25)


class FirstLetters:
    """A mutator of two operators: variants say another number. There is none in two of the categories."""

    def variants_of(self, parent: Parent, rng: Random) -> Sequence[Variant | Missing]:
        number = rng.randrange(1000)
        word = parent.statement.name.rpartition("_")[2]
        made: list[Variant | Missing] = []
        for at, category in enumerate(Category):
            name = f"{parent.statement.name.partition('_')[0]}_{_WORDS[category]}"
            if at >= 3:
                made.append(Missing(category, Refusal.NONE))
            elif word == "same" and at == 0:
                made.append(Variant(parent.statement.text, category, "copy", Promise.TRUE))
            else:
                text = f"theorem {name} : {number} + {at} = {number + at}"
                made.append(Variant(text, category, f"count_{at}", Promise.TRUE))
        return made


def first_letters(parents: Iterable[Parent]) -> FirstLetters:
    return FirstLetters()


_WORDS = {
    Category.SIMPLIFICATION: "simpler",
    Category.GENERALISATION: "general",
    Category.LEMMA: "lemma",
    Category.DECOMPOSITION: "step",
    Category.REFORMULATION: "again",
}


def variant(
    number: int, word: str = "simp", operator: str = "count", category: str = "simplification"
) -> Formalisation:
    """A variant whose proof, by the scripted prover, is `by WORD`."""
    name = f"t_{number}_{word}"
    return Formalisation(
        name,
        f"theorem {name} : {number} + 0 = {number}",
        "made",
        tier=Tier.ALF,
        provenance=Provenance(f"parent-{number}", operator, settings_text({"category": category, "promise": "true"})),
    )


def pair(number: int, word: str = "simp", operator: str = "count", **more: Any) -> Instance:
    """The pair that comes of it."""
    goal = variant(number, word, operator)
    given = {"name": goal.name, "statement": goal.text, "proof": f"by {word}", "source": "made", "tier": Tier.ALF}
    return Instance(**{**given, "verified": False, "provenance": goal.provenance, **more})
