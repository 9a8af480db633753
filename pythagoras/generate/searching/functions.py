"""Functions of which equations are given: the equations are used at the arguments that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from pythagoras.generate.searching.closers import GRIND, OMEGA, tactic
from pythagoras.generate.searching.goals import Fact, Goal
from pythagoras.generate.searching.proofs import Open, Proof, Step
from pythagoras.generate.searching.terms import RELATIONS, Term, free, name, number, sign, substitute, subterms, value

_MOST_USES = 12
_USED = "What is given for all arguments is used at {listed}."


def uses(goal: Goal) -> Iterator[Proof]:
    """Plans that put arguments into what is given for all."""
    functions = {variable.name for variable in goal.variables if variable.type.is_sign("→")}
    if not functions:
        return
    used = ((fact, arguments) for fact in goal.facts for arguments in _arguments(goal, fact, functions))
    found = list(islice(used, _MOST_USES + 1))
    if not found or len(found) > _MOST_USES:
        return
    steps: list[Step] = []
    for fact, arguments in found:
        goal, new = goal.given(name("True"), "e")
        written = " ".join(_argument(each) for each in arguments)
        said = f"`{', '.join(map(str, arguments))}`"
        steps.append(Step(f"have {new.name} := {fact.name} {written}", said, spare=True, among=_USED))
    rest = "From these equations the claim follows."
    yield (*steps, Open(goal, (tactic("omega", OMEGA), tactic("grind", rest), tactic("simp_all", GRIND)), last=True))


def _argument(term: Term) -> str:
    text = str(term)
    return text if term.kind in ("name", "number") else f"({text})"


def _arguments(goal: Goal, fact: Fact, functions: set[str]) -> Iterator[Sequence[Term]]:
    """At which arguments a fact is worth using."""
    variables = []
    claim = fact.claim
    while claim.is_binder("∀"):
        variables.append(claim.variable)
        claim = claim.body
    if not variables or not (claim.kind == "sign" and claim.name in RELATIONS):
        return
    asked = _called(goal.target, functions)
    for other in goal.facts:
        if not other.claim.is_binder("∀"):
            asked += _called(other.claim, functions)
    asked = list(dict.fromkeys(asked))
    if len(variables) == 1:
        yield from _single(claim, variables[0], asked, functions)
    elif len(variables) == 2:
        yield from _added(claim, variables, asked)


def _called(term: Term, functions: set[str]) -> list[Term]:
    """Arguments of functions in a claim, without those that are bound inside."""
    return [
        each.right
        for each in subterms(term)
        if each.kind == "call" and each.left.name in functions and len(each.parts) == 2
    ]


def _single(claim: Term, variable: str, asked: list[Term], functions: set[str]) -> Iterator[Sequence[Term]]:
    """At each argument of the target, and at what the equation makes of it."""
    patterns = [each for each in _called(claim, functions) if each != name(variable) and not _is_next(each, variable)]
    seen: list[Term] = []
    for argument in asked:
        if free(argument) & functions:
            continue
        for each in (argument, *(substitute(pattern, {variable: argument}) for pattern in patterns)):
            if each not in seen and not free(each) & functions:
                seen.append(each)
                yield (each,)
    for index in _counting(claim, variable, asked, functions):
        if (each := number(index)) not in seen:
            seen.append(each)
            yield (each,)


def _is_next(term: Term, variable: str) -> bool:
    """`n + 1` and its like: what a recurrence says of it is used one step at a time."""
    return term.is_sign("+") and term.left == name(variable) and value(term.right) is not None


def _counting(claim: Term, variable: str, asked: list[Term], functions: set[str]) -> Iterator[int]:
    """A recurrence is used at all numbers below the one that is asked for."""
    steps = [offset for each in _called(claim, functions) if _is_next(each, variable) and (offset := value(each.right))]
    largest = max((found for each in asked if (found := value(each)) is not None), default=0)
    if steps and largest <= _MOST_USES:
        yield from range(largest - max(steps) + 1)


def _added(claim: Term, variables: list[str], asked: list[Term]) -> Iterator[Sequence[Term]]:
    """`f (x + y)`: up to a number in steps of 1, and down to it."""
    if not any(term == sign("+", name(variables[0]), name(variables[1])) for term in subterms(claim)):
        return
    numbers = [found for each in asked if (found := value(each)) is not None]
    largest, least = max(numbers, default=0), min(numbers, default=0)
    for each in range(1, largest):
        yield number(each), number(1)
    if least < 0 or 0 in numbers:
        yield number(0), number(0)
    if least < 0:
        yield number(1), number(-1)
        for each in range(-1, least, -1):
            yield number(each), number(-1)
