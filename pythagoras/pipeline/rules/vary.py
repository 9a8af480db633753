"""Variants of a hard problem, by rules: other questions about the same mathematics.

Each move changes what a problem means, not how it is worded. Most moves keep a true claim true (another form of it, a
consequence, a special case); changed numbers may not, so what small numbers refute is left out and the rest is for the
prover to find out. The k-th variant of a problem is always the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random

from pythagoras.pipeline.language.english import read_english
from pythagoras.pipeline.language.evaluate import refuted
from pythagoras.pipeline.language.meaning import (
    Apply,
    Bind,
    Call,
    Cast,
    Claim,
    Let,
    Number,
    Term,
    Typed,
    Variable,
    children,
    free_variables,
    substitute,
)
from pythagoras.pipeline.language.normal import key
from pythagoras.pipeline.language.reading import NotRead
from pythagoras.pipeline.language.spoken import say

Move = Callable[[Claim, Random], tuple[Claim, str] | None]
"""From a claim to another with a word on what was changed; None where it does not apply."""

_NUMERIC = ("ℕ", "ℤ", "ℚ")
_TRIES = 4
"""How often each move is drawn: most have several outcomes."""


def answer(fields: Mapping[str, str], number: int, seed: int) -> str:
    """The variant of that number as JSON, or why there is none."""
    try:
        claim = _unfolded(read_english(fields["problem"]))
    except NotRead as why:
        return f"CAN'T: {why}"
    for at, (variant, change) in enumerate(variants(claim, Random(f"{seed} {key(claim)}"))):
        if at == number:
            return json.dumps({"question": say(variant), "change": change}, ensure_ascii=False)
    return "CAN'T: no further variant that is another problem and not plainly false"


def variants(claim: Claim, rng: Random) -> Iterator[tuple[Claim, str]]:
    """Different problems about the same mathematics, each once; none whose changed numbers small values refute."""
    seen = {key(claim)}
    moves = [*MOVES] * _TRIES
    first, rest = moves[: len(MOVES)], moves[len(MOVES) :]
    rng.shuffle(first)  # each move once, before any comes again
    for move in (*first, *rest):
        made = move(claim, rng)
        if made is None:
            continue
        variant, change = made
        try:
            own = key(variant)
            read_again = key(read_english(say(variant))) == own
        except NotRead:
            continue
        if own in seen or not read_again:
            continue
        seen.add(own)
        if move not in UNSAFE or refuted(variant, Random(rng.random())) is None:
            yield variant, change


# --- moves that keep a true claim true -------------------------------------------------------------


def shifted(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Ask about x + k in the place of x."""
    variable = _numeric(claim, rng)
    if variable is None:
        return None
    by = rng.randint(1, 9)
    return _replaced(
        claim, variable.name, _sum(Variable(variable.name), Number(by))
    ), f"{variable.name} is moved by {by}"


def stretched(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Ask about a multiple of x in the place of x: a special case."""
    variable = _numeric(claim, rng)
    if variable is None:
        return None
    by = rng.randint(2, 6)
    made = Apply("*", (Number(by), Variable(variable.name)))
    return _replaced(claim, variable.name, made), f"{variable.name} becomes a multiple of {by}"


def mirrored(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Ask about -x in the place of x."""
    variable = _numeric(claim, rng, ("ℤ", "ℚ"))
    if variable is None:
        return None
    return _replaced(
        claim, variable.name, Apply("neg", (Variable(variable.name),))
    ), f"{variable.name} changes its sign"


def scaled(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Multiply both sides of the goal."""
    by = rng.randint(2, 12)

    def goal(term: Term) -> Term | None:
        match term:
            case Apply("=" | "≠" | "<" | "≤" | ">" | "≥" | "∣" as sign, (left, right)):
                return Apply(sign, (_product(by, left), _product(by, right)))
        return None

    return _with_goal(claim, goal, f"both sides are taken {by} times")


def added(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Add the same to both sides of the goal."""
    variable = _numeric(claim, rng)
    more: Term = Number(rng.randint(2, 30))
    if variable is not None and rng.random() < 0.5:
        more = _product(rng.randint(2, 9), Variable(variable.name))

    def goal(term: Term) -> Term | None:
        match term:
            case Apply("=" | "≠" | "<" | "≤" | ">" | "≥" as sign, (left, right)):
                return Apply(sign, (_sum(left, more), _sum(right, more)))
        return None

    return _with_goal(claim, goal, "the same is added on both sides")


def multiple(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """What is divisible stays so when it is multiplied."""
    by = rng.randint(2, 12)

    def goal(term: Term) -> Term | None:
        match term:
            case Apply("∣", (divisor, number)):
                return Apply("∣", (divisor, _product(by, number)))
            case Apply("≡", (left, right, modulus)):
                return Apply("≡", (_product(by, left), _product(by, right), modulus))
        return None

    return _with_goal(claim, goal, f"what is divided is taken {by} times")


def weakened(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Ask for a consequence of the goal."""
    by = rng.randint(1, 20)

    def goal(term: Term) -> Term | None:
        match term:
            case Apply("<" | "≤" as sign, (left, right)):
                return Apply(sign, (left, _sum(right, Number(by))))
            case Apply(">" | "≥" as sign, (left, right)):
                return Apply(sign, (_sum(left, Number(by)), right))
            case Apply("and", parts):
                return rng.choice(parts)
            case Apply("bijective", (function,)):
                return Apply(rng.choice(("injective", "surjective")), (function,))
            case Bind("∃!", variables, body):
                return Bind("∃", variables, body)
        return None

    return _with_goal(claim, goal, "a consequence is asked for")


def one_way(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """One direction of an equivalence."""
    match claim.goal:
        case Apply("iff", (left, right)):
            given, goal = (left, right) if rng.random() < 0.5 else (right, left)
            return Claim(claim.variables, (*claim.hypotheses, given), goal), "one direction is asked for"
    return None


def contraposed(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Suppose that the goal fails, and show that a hypothesis does."""
    fit = [at for at, given in enumerate(claim.hypotheses) if isinstance(given, Apply)]
    if not fit or not isinstance(claim.goal, Apply):
        return None
    at = rng.choice(fit)
    kept = (*claim.hypotheses[:at], *claim.hypotheses[at + 1 :])
    return Claim(claim.variables, (*kept, _negated(claim.goal)), _negated(claim.hypotheses[at])), "it is turned around"


def special(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """A universal goal at one place, or a variable at one value, where more than one variable is left."""
    match claim.goal:
        case Bind("∀", (variable, *others), body) if variable.type in _NUMERIC:
            at = rng.randint(2, 12)
            goal = substitute(body, {variable.name: Number(at)})
            goal = Bind("∀", tuple(others), goal) if others else goal
            return Claim(claim.variables, claim.hypotheses, goal), f"asked for {variable.name} = {at} only"
    numeric = [variable for variable in claim.variables if variable.type in _NUMERIC]
    if len(numeric) < 2:
        return None
    variable = rng.choice(numeric)
    at = rng.randint(1, 9)
    made = _replaced(claim, variable.name, Number(at))
    kept = tuple(each for each in claim.variables if each.name != variable.name)
    return Claim(kept, made.hypotheses, made.goal), f"asked for {variable.name} = {at} only"


# --- moves that may break it ----------------------------------------------------------------------


def renumbered(claim: Claim, rng: Random) -> tuple[Claim, str] | None:
    """Another number in one place of the claim."""
    terms = (*claim.hypotheses, claim.goal)
    places = [(at, path) for at, term in enumerate(terms) for path in _numbers(term)]
    if not places:
        return None
    at, path = rng.choice(places)
    old = _at(terms[at], path)
    assert isinstance(old, Number)
    new = Number(max(1, old.value + rng.choice((-3, -2, -1, 1, 2, 3))))
    changed = [*terms]
    changed[at] = _put(terms[at], path, new)
    return Claim(claim.variables, tuple(changed[:-1]), changed[-1]), f"{old.value} becomes {new.value}"


MOVES: tuple[Move, ...] = (
    shifted, stretched, mirrored, scaled, added, multiple, weakened, one_way, contraposed, special, renumbered,
)  # fmt: skip
UNSAFE = frozenset({renumbered})
"""Moves that may make a true claim false."""


# --- parts of claims ------------------------------------------------------------------------------


def _unfolded(claim: Claim) -> Claim:
    """The claim without named values in its goal: their names are words of a story, not of a formula."""
    goal = claim.goal
    while isinstance(goal, Let):
        goal = substitute(goal.body, {goal.variable.name: goal.value})
    return Claim(claim.variables, claim.hypotheses, goal)


def _numeric(claim: Claim, rng: Random, types: tuple[str, ...] = _NUMERIC) -> Typed | None:
    """A variable for a number that the claim speaks of."""
    used = frozenset[str]().union(*map(free_variables, (*claim.hypotheses, claim.goal)))
    fit = [variable for variable in claim.variables if variable.type in types and variable.name in used]
    return rng.choice(fit) if fit else None


def _replaced(claim: Claim, name: str, value: Term) -> Claim:
    put = {name: value}
    return Claim(
        claim.variables, tuple(substitute(given, put) for given in claim.hypotheses), substitute(claim.goal, put)
    )


def _with_goal(claim: Claim, change: Callable[[Term], Term | None], what: str) -> tuple[Claim, str] | None:
    """Change the goal, below the quantifiers and named values that stand before it."""

    def inside(term: Term) -> Term | None:
        match term:
            case Bind("∀", variables, body):
                made = inside(body)
                return None if made is None else Bind("∀", variables, made)
            case Let(variable, value, body):
                made = inside(body)
                return None if made is None else Let(variable, value, made)
        return change(term)

    goal = inside(claim.goal)
    return None if goal is None else (Claim(claim.variables, claim.hypotheses, goal), what)


def _negated(term: Term) -> Term:
    opposite = {"=": "≠", "≠": "=", "<": "≥", "≥": "<", ">": "≤", "≤": ">"}
    if isinstance(term, Apply) and term.sign in opposite:
        return Apply(opposite[term.sign], term.args)
    if isinstance(term, Apply) and term.sign == "not":
        return term.args[0]
    return Apply("not", (term,))


def _sum(left: Term, right: Term) -> Term:
    return Apply("+", (left, right))


def _product(factor: int, term: Term) -> Term:
    return Number(factor * term.value) if isinstance(term, Number) else Apply("*", (Number(factor), term))


def _numbers(term: Term) -> Iterator[tuple[int, ...]]:
    """The ways down to the numerals of a term; exponents stay what they are."""
    if isinstance(term, Number):
        yield ()
        return
    for at, child in enumerate(children(term)):
        if not (isinstance(term, Apply) and term.sign == "^" and at == 1):
            yield from ((at, *path) for path in _numbers(child))


def _at(term: Term, path: tuple[int, ...]) -> Term:
    return _at(children(term)[path[0]], path[1:]) if path else term


def _put(term: Term, path: tuple[int, ...], new: Term) -> Term:
    if not path:
        return new
    inner = [*children(term)]
    inner[path[0]] = _put(inner[path[0]], path[1:], new)
    match term:
        case Apply():
            return Apply(term.sign, tuple(inner))
        case Call():
            return Call(inner[0], tuple(inner[1:]))
        case Bind():
            return Bind(term.sign, term.variables, inner[-1], None if term.domain is None else inner[0])
        case Let():
            return Let(term.variable, inner[0], inner[1])
        case Cast():
            return Cast(term.type, inner[0])
    raise AssertionError(f"{term} has nothing inside")
