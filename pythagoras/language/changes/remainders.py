"""One form for claims that differ by multiples of a modulus alone: `11 ∣ 12^s + 21` and `11 ∣ 12^s + 32`.

What a numeral divides is expanded, its coefficients and the bases of its powers are reduced, and every relation between
remainders by one numeral is written as `d ∣ t`. Exponents stay, and so does what a variable divides. A number that no
remainder can be (`x % 11 = 18`) is left where it is.
"""

from __future__ import annotations

from pythagoras.language.changes.algebra import NoPolynomial, as_term, polynomial
from pythagoras.language.meaning import Apply, Bind, Cast, Claim, Number, Term, children, walk, with_children
from pythagoras.language.polynomials import Monomial


def reduced(claim: Claim) -> Claim:
    return Claim(claim.variables, tuple(map(reduced_term, claim.hypotheses)), reduced_term(claim.goal))


def reduced_term(term: Term) -> Term:
    term = with_children(term, [reduced_term(child) for child in children(term)])
    match term:
        case Apply("%", (divided, Number(modulus))) if modulus:
            return Apply("%", (_modulo(divided, modulus), Number(modulus)))
        case Apply("∣", (Number(modulus), divided)) if modulus:
            return _divides(modulus, divided)
        case Apply("≡", (left, right, Number(modulus))) if modulus:
            return _divides(modulus, Apply("-", (left, right)))
        case Apply("even", (divided,)):
            return _divides(2, divided)
        case Apply("odd", (divided,)):
            return _divides(2, Apply("+", (divided, Number(1))))
        case Apply("=", (left, right)):
            return _same_remainder(left, right) or _same_remainder(right, left) or term
        case Apply("≠", (left, right)):
            same = _same_remainder(left, right) or _same_remainder(right, left)
            return term if same is None else Apply("not", (same,))
    return term


def _same_remainder(left: Term, right: Term) -> Term | None:
    """`left = right` as `d ∣ t`, where it says what is left on division by d."""
    match left, right:
        case Apply("%", (one, Number(modulus))), Apply("%", (other, Number(again))) if modulus == again > 0:
            return _divides(modulus, Apply("-", (one, other)))
        case Apply("%", (one, Number(modulus))), Number(rest) if rest < modulus:
            return _divides(modulus, Apply("-", (one, right)))
    return None


def _divides(modulus: int, term: Term) -> Term:
    """With the term or its negative, whichever is first: for `a ≡ b` and `b ≡ a`."""
    both = (_modulo(one, modulus) for one in (term, Apply("neg", (term,))))
    return Apply("∣", (Number(modulus), min(both, key=repr)))


def _modulo(term: Term, modulus: int) -> Term:
    """The term less such multiples of the modulus that its coefficients are smallest; if too large, its summands."""
    try:
        found = polynomial(_with_bases(term, modulus))
    except NoPolynomial:
        if isinstance(term, Apply) and term.sign in ("+", "-", "neg"):
            return with_children(term, [_modulo(one, modulus) for one in term.args])
        return term
    coefficients = {one: size % modulus if _is_whole(one) else size for one, size in found.items()}
    return as_term({one: size for one, size in coefficients.items() if size})


def _with_bases(term: Term, modulus: int) -> Term:
    """With what is raised to a power, summed or multiplied up reduced."""
    match term:
        case Apply("^", (base, exponent)):
            return Apply("^", (_modulo(base, modulus), exponent))
        case Bind("∑" | "∏", variables, body, domain):
            return Bind(term.sign, variables, _modulo(body, modulus), domain)
        case Apply("+" | "-" | "*" | "neg") | Cast():
            return with_children(term, [_with_bases(one, modulus) for one in children(term)])
    return term


def _is_whole(monomial: Monomial) -> bool:
    """Whether nothing in it is a fraction: a multiple of the modulus times one need not be a multiple."""
    return not any(isinstance(one, Apply) and one.sign == "/" for quantity, _ in monomial for one in walk(quantity))
