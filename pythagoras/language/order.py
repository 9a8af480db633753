"""One order and one set of names for meanings that differ in nothing else.

A claim is encoded as a text in which variables are colours. Where order does not matter (sums, conjunctions, the sides
of an equation, hypotheses, variables of one quantifier) parts are sorted by their own codes. Colours begin as types and
are refined by where a variable stands, until each has its own; variables that can't be told apart are tried one after
the other, and the least code wins. The code says all there is, so equal codes mean equal claims. That equal claims have
equal codes holds while ties are few; where there are too many, the best of the first tries is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, children, walk

_UNORDERED = frozenset(("+", "*", "=", "gcd", "lcm", "min", "max", "and", "or", "iff"))
_ANY_ORDER_BINDERS = frozenset(("∀", "∃"))
_MOST_TRIES = 200
MOST_WORK = 1_000_000
"""Characters of codes: less than a second's. What has one order is not touched by either limit."""

Colours = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ordered:
    """A code, and the variables (bound ones too) in the order that it gives them."""

    code: str
    names: tuple[str, ...]


def ordered(claim: Claim) -> Ordered:
    """All bound names of the claim are different."""
    search = _Search(claim)
    code = search.least(search.refined(_first_colours(claim)))
    return Ordered(code, search.best)


def code(term: Term, colours: Colours) -> str:
    """The term as a text. Names without a colour stand for themselves."""
    match term:
        case Number():
            return str(term.value)
        case Variable():
            return colours.get(term.name, term.name)
        case Apply():
            parts = [code(one, colours) for one in term.args]
            if term.sign in _UNORDERED:
                parts.sort()
            elif term.sign == "≡":
                parts[:2] = sorted(parts[:2])
            return f"{term.sign}({','.join(parts)})"
        case Call():
            return f"@({','.join(code(one, colours) for one in (term.function, *term.args))})"
        case Bind():
            parts = [f"{colours.get(one.name, one.name)}:{one.type}" for one in term.variables]
            if term.sign in _ANY_ORDER_BINDERS:
                parts.sort()
            inside = ";".join(code(one, colours) for one in children(term))
            return f"{term.sign}[{','.join(parts)}]({inside})"
    raise TypeError(f"not a bare term: {term}")


def claim_code(claim: Claim, colours: Colours) -> str:
    variables = sorted(f"{colours.get(one.name, one.name)}:{one.type}" for one in claim.variables)
    hypotheses = sorted({code(one, colours) for one in claim.hypotheses})
    return f"{','.join(variables)} ⊢ {' ; '.join(hypotheses)} ⊢ {code(claim.goal, colours)}"


def bound_variables(claim: Claim) -> list[tuple[str, Typed]]:
    """Every variable with what binds it: the claim's own with an empty sign."""
    found = [("", variable) for variable in claim.variables]
    for term in (*claim.hypotheses, claim.goal):
        found += [(one.sign, own) for one in walk(term) if isinstance(one, Bind) for own in one.variables]
    return found


def _first_colours(claim: Claim) -> dict[str, str]:
    return {variable.name: f"{sign}{variable.type}" for sign, variable in bound_variables(claim)}


@dataclass(slots=True)
class _Search:
    """Looks for the colouring with the least code."""

    claim: Claim
    plain: str = ""
    """The code of the claim under its own names, once it is asked for."""
    tries: int = 0
    work: int = 0
    """Characters of codes that were made."""
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def best(self) -> tuple[str, ...]:
        return self.found[min(self.found)]

    @property
    def is_over(self) -> bool:
        return self.tries >= _MOST_TRIES or self.work >= MOST_WORK

    def code(self, colours: Colours) -> str:
        found = claim_code(self.claim, colours)
        self.work += len(found)
        return found

    def refined(self, colours: dict[str, str]) -> dict[str, str]:
        """Colours split as far as the places where variables stand tell them apart, and numbered."""
        while True:
            tied = {name for names in _classes(colours).values() if len(names) > 1 for name in names}
            views = {
                name: (old, self.code({**colours, name: "★"}) if name in tied else "") for name, old in colours.items()
            }
            numbers = {view: f"v{at:03}" for at, view in enumerate(sorted(set(views.values())))}
            before = len(set(colours.values()))
            colours = {name: numbers[view] for name, view in views.items()}
            if self.is_over or len(numbers) in (before, len(colours)):
                return colours

    def least(self, colours: dict[str, str]) -> str:
        tied = next((names for _, names in sorted(_classes(colours).items()) if len(names) > 1), [])
        if not tied:
            self.tries += 1
            found = self.code(colours)
            self.found.setdefault(found, tuple(sorted(colours, key=colours.__getitem__)))
            return found
        first, *others = tied
        if self.is_over or all(self.exchangeable(first, name) for name in others):  # any order of them is as good
            apart = {name: f"{colours[name]}'{at:03}" for at, name in enumerate(tied)}
            return self.least(self.refined({**colours, **apart}))
        codes: list[str] = []
        kept: list[str] = []
        for name in tied:
            if kept and self.is_over:
                break
            if not any(self.exchangeable(name, other) for other in kept):
                kept.append(name)
                codes.append(self.least(self.refined({**colours, name: f"{colours[name]}'"})))
        return min(codes)

    def exchangeable(self, one: str, other: str) -> bool:
        """Whether the claim stays as it is when they change places."""
        self.plain = self.plain or claim_code(self.claim, {})
        return self.plain == self.code({one: other, other: one})


def _classes(colours: Colours) -> dict[str, list[str]]:
    """The variables of each colour."""
    classes: dict[str, list[str]] = {}
    for name, colour in colours.items():
        classes.setdefault(colour, []).append(name)
    return classes
