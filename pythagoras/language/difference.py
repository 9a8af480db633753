"""What two claims that do not mean the same differ in, in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, walk
from pythagoras.language.order import ordered


class What(StrEnum):
    """The kinds of differences."""

    TYPE = "another type"
    VARIABLE = "another number of variables"
    MISSING = "a hypothesis is missing"
    ADDED = "a hypothesis is added"
    HYPOTHESIS = "another hypothesis"
    GOAL = "another goal"
    ROLES = "other roles of the variables"


@dataclass(frozen=True, slots=True)
class Difference:
    """What the second claim has differently."""

    what: What
    detail: str = ""
    """One line."""

    def __str__(self) -> str:
        return f"{self.what.value}: {self.detail}" if self.detail else self.what.value


def difference(first: Claim, second: Claim) -> Difference:
    """Between two simplified claims that are not the same."""
    types = _types(first, second)
    if types is not None:
        return types
    before = {_alone(one, first): one for one in first.hypotheses}
    after = {_alone(one, second): one for one in second.hypotheses}
    gone = [one for code, one in before.items() if code not in after]
    come = [one for code, one in after.items() if code not in before]
    if len(gone) > len(come):
        return Difference(What.MISSING, _listed(gone[len(come) :]))
    if len(come) > len(gone):
        return Difference(What.ADDED, _listed(come[len(gone) :]))
    if gone:
        return Difference(What.HYPOTHESIS, _change(gone[0], come[0]))
    if len(first.hypotheses) != len(second.hypotheses):
        missing = len(first.hypotheses) > len(second.hypotheses)
        return Difference(What.MISSING if missing else What.ADDED, "one that another is like but for its variables")
    if _alone(first.goal, first) != _alone(second.goal, second):
        return Difference(What.GOAL, _change(first.goal, second.goal))
    return Difference(What.ROLES, _change(first.goal, second.goal))


def _types(first: Claim, second: Claim) -> Difference | None:
    before, after = (Counter(one.type for one in claim.variables) for claim in (first, second))
    if before == after:
        return None
    if before.total() == after.total():
        return Difference(What.TYPE, f"{_counted(before - after)} became {_counted(after - before)}")
    return Difference(What.VARIABLE, f"{_counted(before) or 'none'} became {_counted(after) or 'none'}")


def _counted(types: Counter[str]) -> str:
    return ", ".join(f"{number} of type {kind}" for kind, number in sorted(types.items()))


def _alone(term: Term, claim: Claim) -> str:
    """The code of one part, with whatever names and order."""
    names = {one.name for one in walk(term) if isinstance(one, Variable)}
    return ordered(Claim(tuple(one for one in claim.variables if one.name in names), (), term)).code


def _change(before: Term, after: Term) -> str:
    numbers = [Counter(one.value for one in walk(term) if isinstance(one, Number)) for term in (before, after)]
    gone, come = numbers[0] - numbers[1], numbers[1] - numbers[0]
    said = f"{shown(before)} became {shown(after)}"
    if gone.total() == come.total() == 1:
        return f"{next(iter(come))} in place of {next(iter(gone))}: {said}"
    return said


def _listed(terms: Sequence[Term]) -> str:
    return "; ".join(map(shown, terms))


_INFIX = frozenset(("+", "-", "*", "/", "//", "^", "%", "=", "<", "≤", "∣", "and", "or", "implies", "iff", "∈"))


def shown(term: Term) -> str:
    """A simplified term for people."""
    match term:
        case Number():
            return str(term.value)
        case Variable():
            return term.name.partition("#")[0]
        case Apply("+", (first, *others)):
            return shown(first) + "".join(map(_added, others))
        case Apply("neg", (inner,)):
            return f"-{_bracketed(inner)}"
        case Apply("≡", (left, right, modulus)):
            return f"{shown(left)} ≡ {shown(right)} [{shown(modulus)}]"
        case Apply("ico", (start, end)):
            return f"[{shown(start)}, {shown(end)})"
        case Apply() if term.sign in _INFIX:
            return f" {term.sign} ".join(map(_bracketed, term.args))
        case Apply():
            return f"{term.sign}({', '.join(map(shown, term.args))})" if term.args else term.sign
        case Call():
            return f"{shown(term.function)}({', '.join(map(shown, term.args))})"
        case Bind():
            over = "" if term.domain is None else f" in {shown(term.domain)}"
            return f"{term.sign} {' '.join(map(_declared, term.variables))}{over}, {shown(term.body)}"
    return str(term)


def _declared(variable: Typed) -> str:
    return f"({variable.name.partition('#')[0]} : {variable.type})"


def _added(term: Term) -> str:
    match term:
        case Apply("neg", (inner,)):
            return f" - {_bracketed(inner)}"
    return f" + {shown(term)}"


_LOOSE = frozenset(("+", "-", "neg", "and", "or", "implies", "iff"))


def _bracketed(term: Term) -> str:
    is_loose = isinstance(term, Bind) or (isinstance(term, Apply) and term.sign in _LOOSE)
    return f"({shown(term)})" if is_loose else shown(term)
