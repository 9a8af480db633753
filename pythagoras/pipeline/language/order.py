"""One order and one set of names for meanings that differ in nothing else.

A claim is encoded as a text in which variables are colours. Where order does not matter (sums, conjunctions, the sides
of an equation, hypotheses, variables of one quantifier) parts are sorted by their own codes. Colours begin as types and
are refined by where a variable stands, until each has its own; variables that can't be told apart are tried one after
the other, and the least code wins. The code says all there is, so equal codes mean equal claims. That equal claims have
equal codes holds while ties are few; where there are too many, the first try is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pythagoras.pipeline.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, children, walk

_UNORDERED = frozenset(("+", "*", "=", "gcd", "lcm", "min", "max", "and", "or", "iff"))
_ANY_ORDER_BINDERS = frozenset(("∀", "∃"))
_MOST_TRIES = 200

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


def sorted_term(term: Term, colours: Colours) -> Term:
    """The term with its parts in order."""
    match term:
        case Apply():
            args = [sorted_term(one, colours) for one in term.args]
            if term.sign in _UNORDERED:
                args.sort(key=lambda one: code(one, colours))
            elif term.sign == "≡":
                args[:2] = sorted(args[:2], key=lambda one: code(one, colours))
            return Apply(term.sign, tuple(args))
        case Call():
            return Call(sorted_term(term.function, colours), tuple(sorted_term(one, colours) for one in term.args))
        case Bind():
            variables = term.variables
            if term.sign in _ANY_ORDER_BINDERS:
                variables = tuple(sorted(variables, key=lambda one: colours[one.name]))
            domain = None if term.domain is None else sorted_term(term.domain, colours)
            return Bind(term.sign, variables, sorted_term(term.body, colours), domain)
    return term


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
    tries: int = 0
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def best(self) -> tuple[str, ...]:
        return self.found[min(self.found)]

    def refined(self, colours: dict[str, str]) -> dict[str, str]:
        """Colours split as far as the places where variables stand tell them apart, and numbered."""
        while True:
            views = {name: (old, claim_code(self.claim, {**colours, name: "★"})) for name, old in colours.items()}
            numbers = {view: f"v{at:03}" for at, view in enumerate(sorted(set(views.values())))}
            before = len(set(colours.values()))
            colours = {name: numbers[view] for name, view in views.items()}
            if len(numbers) in (before, len(colours)):
                return colours

    def least(self, colours: dict[str, str]) -> str:
        tied = _tied(colours)
        if not tied:
            self.tries += 1
            found = claim_code(self.claim, colours)
            self.found.setdefault(found, tuple(sorted(colours, key=colours.__getitem__)))
            return found
        return min(self.least(self.refined({**colours, name: f"{colours[name]}'"})) for name in self.apart(tied))

    def apart(self, tied: list[str]) -> list[str]:
        """Of variables of one colour, those worth trying: one of such as may be exchanged without a change."""
        kept: list[str] = []
        for name in tied:
            if kept and self.tries >= _MOST_TRIES:
                break
            if not any(self.exchangeable(name, other) for other in kept):
                kept.append(name)
        return kept

    def exchangeable(self, one: str, other: str) -> bool:
        return claim_code(self.claim, {}) == claim_code(self.claim, {one: other, other: one})


def _tied(colours: Colours) -> list[str]:
    """The variables of the first colour that several have."""
    classes: dict[str, list[str]] = {}
    for name, colour in colours.items():
        classes.setdefault(colour, []).append(name)
    return next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), [])
