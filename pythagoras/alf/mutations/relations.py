"""Reformulations of relations: each says of its sides what the one before it said."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pythagoras.alf.mutations.outlines import mentioned
from pythagoras.alf.mutations.places import rewriting
from pythagoras.alf.mutations.sequents import ORDERED, WHOLE, Scope, Sequent, fresh, reformulation
from pythagoras.language.meaning import Apply, Bind, Number, Term, Typed, Variable

_MIRRORED = {"=": "=", "≠": "≠", "<": ">", ">": "<", "≤": "≥", "≥": "≤", "iff": "iff"}
_DENIED = {"<": "≥", "≥": "<", ">": "≤", "≤": ">"}
_ZERO, _ONE, _TWO = Number(0), Number(1), Number(2)


def _turned(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply(sign, (left, right)) if sign in _MIRRORED:
            yield Apply(_MIRRORED[sign], (right, left))
        case Apply("≡" | "≡ℤ", (left, right, modulus)):
            yield Apply(term.sign, (right, left, modulus))


def _divisible(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("∣", (divisor, number)) if (kind := scope.kind(divisor, number)) in WHOLE:
            assert kind is not None
            yield Apply("=", (Apply("%", (number, divisor)), _ZERO))
            yield Apply(_congruence(kind, scope), (number, _ZERO, divisor))
            own = fresh(mentioned(term) | scope.types.keys())
            product = Apply("*", (divisor, Variable(own)))
            yield Bind("∃", (Typed(own, kind),), Apply("=", (number, product)))
        case Apply("=", (Apply("%", (number, divisor)), Number(0))) if scope.kind(divisor, number) in WHOLE:
            yield Apply("∣", (divisor, number))


def _congruent(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("≡" | "≡ℤ", (left, right, modulus)):
            sides = (Apply("%", (left, modulus)), Apply("%", (right, modulus)))
            yield Apply("=", sides)
            if scope.is_exact or term.sign == "≡ℤ":
                yield Apply("∣", (modulus, Apply("-", (left, right))))
        case Apply("=", (Apply("%", (number, Number(modulus))), Number(rest))) if 0 < rest < modulus:
            kind = scope.kind(number)
            if kind in WHOLE:
                yield Apply(_congruence(kind, scope), (number, Number(rest), Number(modulus)))


def _congruence(kind: str | None, scope: Scope) -> str:
    return "≡" if scope.is_exact or kind == "ℕ" else "≡ℤ"


def _parity(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("even" | "odd", (number,)) if (kind := scope.kind(number)) in WHOLE:
            assert kind is not None
            rest = Number(int(term.sign == "odd"))
            yield Apply("=", (Apply("%", (number, _TWO)), rest))
            yield Apply("not", (Apply("even" if term.sign == "odd" else "odd", (number,)),))
            own = Variable(fresh(mentioned(term) | scope.types.keys()))
            double: Term = Apply("*", (_TWO, own))
            value = double if term.sign == "even" else Apply("+", (double, _ONE))
            yield Bind("∃", (Typed(own.name, kind),), Apply("=", (number, value)))
        case Apply("=", (Apply("%", (number, Number(2))), Number(0 | 1 as rest))) if scope.kind(number) in WHOLE:
            yield Apply("odd" if rest else "even", (number,))
        case Apply("∣", (Number(2), number)) if scope.kind(number) in WHOLE:
            yield Apply("even", (number,))


def _strictness(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("<" | "≤" | ">" | "≥", args) if scope.kind(*args) in WHOLE:
            less, more = args if term.sign in "<≤" else args[::-1]
            new = Apply("≤", (_next(less), more)) if term.sign in "<>" else Apply("<", (less, _next(more)))
            yield new if term.sign in "<≤" else Apply(_MIRRORED[new.sign], new.args[::-1])


def _next(term: Term) -> Term:
    match term:
        case Number(value):
            return Number(value + 1)
        case Apply("+", (left, Number(value))):
            return Apply("+", (left, Number(value + 1)))
    return Apply("+", (term, _ONE))


def _negation(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("≠", args):
            yield Apply("not", (Apply("=", args),))
        case Apply("not", (Apply("=", args),)):
            yield Apply("≠", args)
        case Apply(sign, args) if sign in _DENIED and scope.kind(*args) in ORDERED:
            yield Apply("not", (Apply(_DENIED[sign], args),))
        case Apply("not", (Apply(sign, args),)) if sign in _DENIED and scope.kind(*args) in ORDERED:
            yield Apply(_DENIED[sign], args)


def _two_bounds(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("=", (left, right)) if scope.kind(left, right) in ORDERED:
            yield Apply("and", (Apply("≤", (left, right)), Apply("≤", (right, left))))
        case Apply("≠", (left, right)) if scope.kind(left, right) in ORDERED:
            yield Apply("or", (Apply("<", (left, right)), Apply("<", (right, left))))


def _absolute(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("≤" | "<", (Apply("abs", (inner,)), bound)) if _may_open(inner, bound, scope):
            sign = term.sign
            yield Apply("and", (Apply(sign, (Apply("neg", (bound,)), inner)), Apply(sign, (inner, bound))))
        case Apply("≤" | "<", (bound, Apply("abs", (inner,)))) if _may_open(inner, bound, scope):
            sign = term.sign
            yield Apply("or", (Apply(sign, (inner, Apply("neg", (bound,)))), Apply(sign, (bound, inner))))
        case Apply("≥" | ">", (left, right)):
            yield from _absolute(Apply(_MIRRORED[term.sign], (right, left)), scope)


def _may_open(inner: Term, bound: Term, scope: Scope) -> bool:
    """Text between bars is of its own kind, also where the bound is of a wider one."""
    return scope.is_ring(inner, bound) and (scope.is_exact or scope.kind(inner) == scope.kind(inner, bound))


def _coprime(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("coprime", args):
            yield Apply("=", (Apply("gcd", args), _ONE))
        case Apply("=", (Apply("gcd", args), Number(1))) if scope.kind(*args) == "ℕ":
            yield Apply("coprime", args)


# --- arithmetic on both sides ---------------------------------------------------------------------------


def _moved_across(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Apply("=" | "≠" | "<" | "≤" | ">" | "≥", (left, right)) if scope.is_ring(left, right):
            if right != _ZERO:
                yield Apply(term.sign, (Apply("-", (left, right)), _ZERO))
            if left != _ZERO:
                yield Apply(term.sign, (_ZERO, Apply("-", (right, left))))
            match left:
                case Apply("+", (first, second)):
                    yield Apply(term.sign, (first, Apply("-", (right, second))))
                case Apply("-", (first, second)):
                    yield Apply(term.sign, (first, Apply("+", (right, second))))
            match right:
                case Apply("+", (first, second)):
                    yield Apply(term.sign, (Apply("-", (left, second)), first))
                case Apply("-", (first, second)):
                    yield Apply(term.sign, (Apply("+", (left, second)), first))


def both_sides(found: Sequent, rng: Random) -> Iterator[Sequent]:
    """With a number added to both sides of a relation, or both multiplied with one."""

    def changed(term: Term, scope: Scope) -> Iterator[Term]:
        match term:
            case Apply("=" | "≠" | "<" | "≤" | ">" | "≥", (left, right)) if scope.kind(left, right) is not None:
                number = Number(rng.randint(2, 12))
                yield Apply(term.sign, (Apply("+", (left, number)), Apply("+", (right, number))))
                yield Apply(term.sign, (Apply("*", (number, left)), Apply("*", (number, right))))

    yield from rewriting(changed)(found, rng)


OPERATORS = (
    reformulation("turned_relation", "the sides of a relation change places", rewriting(_turned)),
    reformulation("divisibility", "`a ∣ b` is `b % a = 0`, `b ≡ 0 [MOD a]` or `∃ k, b = a * k`", rewriting(_divisible)),
    reformulation("congruence", "`a ≡ b [MOD m]` is `a % m = b % m` or `m ∣ a - b`", rewriting(_congruent)),
    reformulation("parity", "`Even n` is `n % 2 = 0`, `¬ Odd n` or `∃ k, n = 2 * k`", rewriting(_parity)),
    reformulation("strictness", "for whole numbers `a < b` is `a + 1 ≤ b`", rewriting(_strictness)),
    reformulation("negated_relation", "`a ≠ b` is `¬ a = b`, `a < b` is `¬ a ≥ b`", rewriting(_negation)),
    reformulation("two_bounds", "`a = b` is `a ≤ b ∧ b ≤ a`", rewriting(_two_bounds)),
    reformulation("absolute_value", "`|a| ≤ b` is `-b ≤ a ∧ a ≤ b`", rewriting(_absolute)),
    reformulation("coprimality", "`Nat.Coprime a b` is `Nat.gcd a b = 1`", rewriting(_coprime)),
    reformulation("moved_across", "a term goes to the other side of a relation", rewriting(_moved_across)),
    reformulation("both_sides", "a number is added to both sides, or multiplied with both", both_sides),
)
