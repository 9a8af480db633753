"""Tactic search as a sampler: the prover that needs no model. It finds short proofs, and writes what it does in words.

An attempt asks Lean so many questions and no more. First what one tactic can do; then the goal is taken apart by its
shape (`searching/structure.py`), and every open part is tried by moves that fit it (`searching/moves.py`). Attempts of
even number try one tactic first, odd ones take apart first. Where no proof is found, the best partial one is written
out with a tactic that fails, so that Lean has something to say about it.

With the questions that are left a proof is made shorter. One that was put together from several answers is asked about
as a whole first. Steps that may be spare are left out: all, a half, or one by one until each is known to be needed.
Closers with fewer steps that stood behind the ones that worked are tried in their place. Then the plans for the whole
that were not tried yet and could be shorter get one question each. The fewest steps win, then the fewest characters.
So it is the shortest of what was tried, not the shortest there is: plans that failed before are not taken up again, nor
are those that need more than one question.

Believes nothing but Lean's answers, and judges nothing: that is the verifier's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

from pythagoras.corpus.prompts import render
from pythagoras.corpus.records import Formalisation, Instance, statement_of
from pythagoras.corpus.tokenizers import LeanCounter
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Ability, Finish, Request, Sample
from pythagoras.generate.searching.asking import Asker, Broken, Spent
from pythagoras.generate.searching.closers import cheap, closers, dear, dearer, is_for_search
from pythagoras.generate.searching.goals import Goal, opened
from pythagoras.generate.searching.moves import last_resort, moves
from pythagoras.generate.searching.proofs import Open, Proof, body, filled, holes, size, spare, told, without
from pythagoras.generate.searching.terms import NotRead, Term
from pythagoras.lean.pool import Checker
from pythagoras.lean.statements import Statement
from pythagoras.lean.wire import Limits

CHECKS = 24
HEARTBEATS = 5000
"""In thousands, as Lean's own option counts: about a second of a tactic that finds nothing."""
_DEEPEST = 3
_VARIANTS = 6
_GRIND_FIRST = 1 / 3
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
        shorten: bool = True,
    ) -> None:
        """With `shorten` off, the first proof that is found is handed out."""
        if checks < 1:
            raise InputError(f"a search with {checks} questions can't find anything: allow 1 or more")
        self.name = name
        self._checker = checker
        self._checks = checks
        self._prompt = prompt
        self._shorten = shorten
        self._limits = Limits(heartbeats=heartbeats, timeout_s=_TIMEOUT_S)
        self._counter = LeanCounter()

    @property
    def settings(self) -> Mapping[str, Any]:
        shorten = {} if self._shorten else {"shorten": False}  # runs of before know no such setting
        return {
            **shorten,
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
            search = _Search(asker, statement, structured=request.number % 2 == 1)
            proof = search.proof(shorten=self._shorten)
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
        self.dice = Random(f"{statement.source} {structured}")
        self.best: Proof | None = None
        """The attempt that comes closest."""
        self.found: Proof | None = None
        """The shortest proof so far."""
        self.asked = 0
        """How often Lean was asked about the plan at hand."""
        self.closing: dict[int, Proof] | None = None
        """What it said to that at last."""
        try:
            self.goal = opened(statement)
        except (NotRead, RecursionError):
            self.goal = Goal((), (), Term("raw", statement.goal))

    def proof(self, *, shorten: bool) -> Proof:
        """The shortest proof that is found, or the best attempt at one. Raises Broken when none is found by then."""
        plans = self.plans(self.goal, _DEEPEST)
        try:
            briefer = self.first(plans)
            if shorten:
                self.shorten(briefer, plans)
        except Spent:
            pass
        except Broken:
            if self.found is None:
                raise
        return self.found or filled(self.best or (Open(self.goal),), last_resort)

    def first(self, plans: Iterator[Proof]) -> Proof | None:
        """Find the first plan that works, and as a whole. Returns what may make it briefer. Raises Spent and Broken."""
        for plan in plans:
            self.asked = 0
            proof = self.tried(plan, _DEEPEST, _whole)
            if proof is None:
                continue
            if self.asked == 1:
                self.keep(proof)
                return self.briefer(plan)
            if self.asker.left == 0 or self.asker.proved([proof]) == [True]:
                self.keep(proof)
                return None
        return None

    def explored(self, goal: Goal, depth: int, place: Place) -> Proof | None:
        """A proof of a goal by the first plan that works. `place` puts it where it belongs in the whole proof."""
        for plan in self.plans(goal, depth):
            found = self.tried(plan, depth, place)
            if found is not None:
                return found
        return None

    def plans(self, goal: Goal, depth: int) -> Iterator[Proof]:
        """What may prove a goal, as proofs with open goals. One below the root was tried by its closers before."""
        alone = self.alone(goal) if depth == _DEEPEST else _by_one(goal, cheap(goal), dear(goal))
        if self.structured:
            yield from map(self.without_dear, moves(goal, reverse=True))
            yield from alone if depth == _DEEPEST else alone[1:]
            yield (Open(goal, dearer(goal), last=True),)
            return
        if depth == _DEEPEST:
            yield from alone if is_for_search(goal) else alone[:1]
        yield from moves(goal)
        if depth == _DEEPEST and not is_for_search(goal):
            yield alone[1]

    def alone(self, goal: Goal) -> list[Proof]:
        """What one tactic may do to the whole. Where several would, chance has it which, and whoever learns sees all.

        Cheap ones are in one question, in some order, behind `grind` in one of three; so no order costs a proof.
        """
        easy = list(cheap(goal))
        self.dice.shuffle(easy)
        if is_for_search(goal) and self.dice.random() < _GRIND_FIRST:
            easy = [*dear(goal), *easy]
        return _by_one(goal, easy, dear(goal))

    def without_dear(self, plan: Proof) -> Proof:
        """A plan whose goals are tried by cheap tactics only, so that more of them are taken apart."""
        usual = {id(hole) for hole in holes(plan) if hole.closers == closers(hole.goal)}
        return filled(plan, lambda hole: (Open(hole.goal, cheap(hole.goal)),) if id(hole) in usual else None)

    def tried(self, plan: Proof, depth: int, place: Place) -> Proof | None:
        """The plan with all its open goals proved; None when it fails."""
        closed = self.closed(place(plan))
        if closed is None:  # perhaps because a closer ran out of heartbeats: is the plan itself sound?
            if depth == 0 or not all(hole.closers and not hole.last for hole in holes(plan)):
                return None
            plan = filled(plan, lambda hole: (Open(hole.goal),))
            closed = self.closed(place(plan))
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

    def closed(self, whole: Proof) -> dict[int, Proof] | None:
        """What closes the open goals of the whole proof; None when it fails elsewhere. Raises Spent and Broken."""
        self.asked += 1
        self.closing = self.asker.closed(whole)
        return self.closing

    # --- shorter proofs --------------------------------------------------------------------------

    def shorten(self, briefer: Proof | None, plans: Iterator[Proof]) -> None:
        """Make `found` shorter while there are questions left. It is a proof still when this raises Spent or Broken."""
        if self.found is None:
            return
        self.trim(self.found)
        for plan in chain([briefer] if briefer else [], plans):
            if _least_steps(plan) < size(self.found)[0]:
                other = self.tried(plan, 0, _whole)
                if other is not None:
                    self.keep(other)
                    self.trim(other)

    def trim(self, proof: Proof) -> None:
        """Leave out spare steps: all of them, else a half, else one after the other."""
        dropped: set[int] = set()
        needed: set[int] = set()
        while unknown := [number for number in range(spare(proof)) if number not in dropped | needed]:
            half = len(unknown) // 2
            parts = [unknown, unknown[:half], unknown[half:], *([number] for number in unknown)]
            parts = [part for index, part in enumerate(parts) if part and part not in parts[:index]][:_VARIANTS]
            variants = [without(proof, dropped.union(part)) for part in parts]
            taken = self.asker.proved(variants)
            works = [index for index, is_proof in enumerate(taken) if is_proof]
            needed.update(part[0] for index, part in enumerate(parts) if len(part) == 1 and index not in works)
            if works:
                smallest = min(works, key=lambda index: size(variants[index]))
                dropped.update(parts[smallest])
                self.keep(variants[smallest])

    def keep(self, proof: Proof) -> None:
        """What is found, unless it is known to be shorter."""
        if self.found is None or size(proof) < size(self.found):
            self.found = proof

    def briefer(self, plan: Proof) -> Proof | None:
        """A plan that worked at once, with the closers that were not tried and have fewer steps than what did."""
        chosen = dict(self.closing or {})

        def shorter(hole: Open) -> tuple[Proof, ...]:
            worked = chosen[id(hole)]
            untried = hole.closers[hole.closers.index(worked) + 1 :]
            return tuple(closer for closer in untried if size(closer)[0] < size(worked)[0])

        if not any(map(shorter, holes(plan))):
            return None
        return filled(plan, lambda hole: (Open(hole.goal, (*shorter(hole), chosen[id(hole)]), last=True),))


def _by_one(goal: Goal, *kinds: Sequence[Proof]) -> list[Proof]:
    """A plan for each kind of closers: one of them is all of the proof."""
    return [(Open(goal, tuple(kind), last=True),) for kind in kinds]


def _whole(proof: Proof) -> Proof:
    """The place of a plan for the whole goal."""
    return proof


def _least_steps(plan: Proof) -> int:
    """How short a proof by this plan can be: each open goal takes a step."""
    return size(plan)[0] + sum(1 for _ in holes(plan))


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
