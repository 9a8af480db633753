"""Tactic search as a sampler: the prover that needs no model. It finds short proofs, and writes what it does in words.

An attempt asks Lean so many questions and no more. First what one tactic can do; then the goal is taken apart by its
shape (`searching/structure.py`), and every open part is tried by moves that fit it (`searching/moves.py`). A proof that
is found is made shorter where it can be. Where none is found, the best partial proof is written out with the tactic
that fails, so that Lean has something to say about it. Even attempts try one tactic first, odd ones take apart first.

Believes nothing but Lean's answers, and judges nothing: that is the verifier's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from pythagoras.corpus.prompts import render
from pythagoras.corpus.records import Formalisation, Instance, statement_of
from pythagoras.corpus.tokenizers import LeanCounter
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Ability, Finish, Request, Sample
from pythagoras.generate.searching.asking import Asker, Broken, Spent
from pythagoras.generate.searching.closers import cheap, closers, dear, is_for_search
from pythagoras.generate.searching.goals import Goal, opened
from pythagoras.generate.searching.moves import last_resort, moves
from pythagoras.generate.searching.proofs import Open, Proof, body, filled, holes, size, told, without_one
from pythagoras.generate.searching.terms import NotRead, Term
from pythagoras.lean.pool import Checker
from pythagoras.lean.statements import Statement
from pythagoras.lean.wire import Limits

CHECKS = 24
HEARTBEATS = 5000
"""In thousands, as Lean's own option counts: about a second of a tactic that finds nothing."""
_DEEPEST = 3
_VARIANTS = 6
_TIMEOUT_S = 60.0
"""A backstop far behind the heartbeats: what decides must not depend on the machine."""
Place = Callable[[Proof], Proof]


class TacticSearch:
    """A search in the place of a model. Costs no prompt; what counts as generated are Lean's words and signs."""

    abilities: frozenset[Ability] = frozenset()
    most = 2

    def __init__(
        self,
        checker: Checker,
        *,
        checks: int = CHECKS,
        heartbeats: int = HEARTBEATS,
        prompt: str = "pythagoras",
        name: str = "search",
    ) -> None:
        if checks < 1:
            raise InputError(f"a search with {checks} questions can't find anything: allow 1 or more")
        self.name = name
        self._checker = checker
        self._checks = checks
        self._prompt = prompt
        self._limits = Limits(heartbeats=heartbeats, timeout_s=_TIMEOUT_S)
        self._counter = LeanCounter()

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "checks": self._checks,
            "heartbeats": self._limits.heartbeats,
            "prompt": self._prompt,
            "deepest": _DEEPEST,
            "variants": _VARIANTS,
            "token_counts": self._counter.name,
        }

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return map(self._sample, requests)

    def _sample(self, request: Request) -> Sample:
        if request.hole is not None or request.turns:
            return Sample(
                request, "", Finish.FAILED, failure=f"{self.name} writes whole proofs, and can't be talked to"
            )
        if request.number >= self.most:
            why = f"{self.name} has {self.most} attempts: there is no {request.number}"
            return Sample(request, "", Finish.NONE, failure=why)
        try:
            statement = statement_of(request.goal)
        except InputError as error:
            return Sample(request, "", Finish.FAILED, failure=str(error))
        asker = Asker(self._checker, statement, checks=self._checks, limits=self._limits)
        try:
            proof = _Search(asker, statement, structured=request.number % 2 == 1).proof()
        except Broken as error:
            return Sample(request, "", Finish.FAILED, seconds=asker.seconds, failure=f"Lean broke down: {error}")
        text = _completion(request.goal, proof, self._prompt)
        tokens = self._counter.count([text])[0]
        return Sample(request, text, generated_tokens=tokens, seconds=asker.seconds)


class _Search:
    """One attempt at one statement."""

    def __init__(self, asker: Asker, statement: Statement, *, structured: bool) -> None:
        self.asker = asker
        self.structured = structured
        self.best: Proof | None = None
        try:
            self.goal = opened(statement)
        except NotRead:
            self.goal = Goal((), (), Term("raw", statement.goal))

    def proof(self) -> Proof:
        """The shortest proof that is found, or the best attempt at one."""
        try:
            found = self.explored(self.goal, _DEEPEST, lambda proof: proof)
        except Spent:
            found = None
        if found is None:
            return filled(self.best or (Open(self.goal),), lambda hole: last_resort(hole.goal))
        return self.shortened(found)

    def explored(self, goal: Goal, depth: int, place: Place) -> Proof | None:
        """A proof of a goal by the first plan that works. `place` puts it where it belongs in the whole proof."""
        for plan in self.plans(goal, depth):
            found = self.tried(plan, depth, place)
            if found is not None:
                return found
        return None

    def plans(self, goal: Goal, depth: int) -> Iterator[Proof]:
        """What may prove a goal, as proofs with open goals. One below the root was tried by its closers before."""
        alone: list[Proof] = [(Open(goal, cheap(goal), last=True),), (Open(goal, dear(goal), last=True),)]
        if self.structured:
            yield from map(self.without_dear, moves(goal, reverse=True))
            yield from alone if depth == _DEEPEST else alone[1:]
            return
        if depth == _DEEPEST:
            yield from alone if is_for_search(goal) else alone[:1]
        yield from moves(goal)
        if depth == _DEEPEST and not is_for_search(goal):
            yield alone[1]

    def without_dear(self, plan: Proof) -> Proof:
        """A plan whose goals are tried by cheap tactics only, so that more of them are taken apart."""
        usual = {id(hole) for hole in holes(plan) if hole.closers == closers(hole.goal)}
        return filled(plan, lambda hole: (Open(hole.goal, cheap(hole.goal)),) if id(hole) in usual else None)

    def tried(self, plan: Proof, depth: int, place: Place) -> Proof | None:
        """The plan with all its open goals proved; None when it fails."""
        closed = self.asker.closed(place(plan))
        if closed is None:  # perhaps because a closer ran out of heartbeats: is the plan itself sound?
            if depth == 0 or not all(hole.closers and not hole.last for hole in holes(plan)):
                return None
            plan = filled(plan, lambda hole: (Open(hole.goal),))
            closed = self.asker.closed(place(plan))
            if closed is None:
                return None
        plan = filled(plan, lambda hole: closed.get(id(hole)))
        self.remember(place(plan))
        left = list(holes(plan))
        if left and (depth == 0 or any(hole.last for hole in left)):
            return None
        for hole in left:
            found = self.explored(hole.goal, depth - 1, _inside(place, plan, hole))
            if found is None:
                return None
            plan = _put(plan, hole, found)
        return plan

    def remember(self, whole: Proof) -> None:
        """Keep the attempt with the fewest goals left, of those the one that does most."""
        if self.best is None or _progress(whole) > _progress(self.best):
            self.best = whole

    def shortened(self, proof: Proof) -> Proof:
        """The proof without what it does not need."""
        for _ in range(2):
            variants = sorted(islice(without_one(proof), _VARIANTS), key=size)
            if not variants or self.asker.left == 0:
                break
            taken = self.asker.proved(variants)
            if not any(taken):
                break
            proof = variants[taken.index(True)]
        return proof


def _inside(place: Place, plan: Proof, hole: Open) -> Place:
    """Where the proof of one open goal of a plan belongs; the others are left as they are."""
    return lambda proof: place(filled(plan, lambda other: proof if other is hole else (Open(other.goal),)))


def _put(plan: Proof, hole: Open, found: Proof) -> Proof:
    return filled(plan, lambda other: found if other is hole else None)


def _progress(proof: Proof) -> tuple[int, int]:
    return -sum(1 for _ in holes(proof)), size(proof)[0]


def _completion(goal: Formalisation, proof: Proof, prompt: str) -> str:
    """What a prover of that family would have written."""
    reasoning = " ".join(told(proof))
    instance = Instance(
        name=goal.name,
        statement=goal.text,
        proof=body(proof),
        source=goal.source,
        tier=goal.tier,
        verified=False,
        reasoning=reasoning,
        header=goal.header,
        context=goal.context,
    )
    return render(instance, prompt).completion
