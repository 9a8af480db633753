"""Whether two meanings are the same: one form for all that says the same in other words.

What is taken for the same, and nothing else:
- names, casts, named values (`let`), the order of variables and hypotheses; a goal `∀ x, P → Q` and a variable x with
  the hypothesis P and the goal Q; a conjunction of hypotheses and its parts; `A → B → C` and `A ∧ B → C`;
- the order of `+`, `*`, `∧`, `∨`, of the sides of `=`, `↔` and `≡`, of the arguments of gcd, lcm, min and max, and of
  variables that one `∀` or `∃` binds; brackets in sums, products, conjunctions, disjunctions; what `sums` says;
- `a > b` and `b < a`, `¬ a < b` and `b ≤ a`, `a ≠ b` and `¬ a = b`, `¬ ∃ x, P` and `∀ x, ¬ P`;
- `k ∣ t`, `t % k = 0`, `t ≡ 0 [k]` and `∃ e, t = k * e`; `t % k = r` and `t ≡ r [k]` for numerals 0 ≤ r < k;
  `a % k = b % k` and `a ≡ b [k]`; even, odd and remainders by 2; coprime and gcd = 1;
- a sum over `range n` and from 0 to n - 1; `x ∈ icc a b` and `a ≤ x ∧ x ≤ b`.

Types of variables are part of the meaning. Where propositions are variables (logic), the form of a formula is what the
problem is about: there only order, names and what stands before or behind the colon do not matter. Equations are not
solved, moved across or multiplied out, and where folding numbers would make both sides of a relation alike it is left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pythagoras.language.bare import bare, number_type
from pythagoras.language.bounds import within_the_stack
from pythagoras.language.difference import Difference, difference
from pythagoras.language.meaning import Apply, Bind, Call, Claim, Number, Term, Typed, Variable, walk
from pythagoras.language.order import bound_variables, code, ordered
from pythagoras.language.sums import ARITHMETIC, flattened, one_more

BELOW = "ico"
"""Numbers from the first to below the second. Only inside of this module and `difference`."""
_RELATIONS = frozenset(("=", "<", "≤"))
_MIRRORED = {">": "<", "≥": "≤"}
_NEGATED = {"<": "≤", "≤": "<"}


@within_the_stack
def same(one: Claim, other: Claim) -> Difference | None:
    """None when both mean the same; else what the other has differently."""
    first, second = simplified(one), simplified(other)
    if ordered(first).code == ordered(second).code:
        return None
    return difference(first, second)


@within_the_stack
def key(claim: Claim) -> str:
    """Equal for claims that are the same; 32 hexadecimal digits."""
    return hashlib.blake2b(ordered(simplified(claim)).code.encode(), digest_size=16).hexdigest()


def simplified(claim: Claim) -> Claim:
    """In the one form, but for order and names."""
    plain = bare(claim)
    types = {variable.name: variable.type for _, variable in bound_variables(plain)}
    form = _Form(types)
    variables = list(plain.variables)
    hypotheses = [part for one in plain.hypotheses for part in _parts("and", form.of(one))]
    goal = form.of(plain.goal)
    while True:
        match goal:
            case Bind("∀", own, body):
                variables += own
                goal = body
            case Apply("implies", (premise, conclusion)):
                hypotheses += _parts("and", premise)
                goal = conclusion
            case _:
                break
    different = {code(one, {}): one for one in hypotheses if one != Apply("true", ())}
    return Claim(tuple(variables), tuple(different.values()), goal)


@dataclass(frozen=True, slots=True)
class _Form:
    """Brings bare terms into their form."""

    types: Mapping[str, str]
    """Of all variables, bound ones too: their names are different."""

    def of(self, term: Term, fold: bool = True) -> Term:
        match term:
            case Apply() if term.sign in ARITHMETIC:
                return flattened(term, lambda one: self.of(one, fold), fold)
            case Apply("range", (end,)):
                return Apply(BELOW, (Number(0), self.of(end)))
            case Apply("icc", (start, end)):
                return Apply(BELOW, (self.of(start), one_more(self.of(end))))
            case Apply():
                return self.proposition(term, fold)
            case Call():
                return Call(self.of(term.function, fold), tuple(self.of(one, fold) for one in term.args))
            case Bind():
                domain = None if term.domain is None else self.of(term.domain)
                return self.bound(Bind(term.sign, term.variables, self.of(term.body), domain))
        return term

    def proposition(self, term: Apply, fold: bool) -> Term:
        match term:
            case Apply("and" | "or", args):
                return Apply(term.sign, tuple(one for arg in args for one in _parts(term.sign, self.of(arg))))
            case Apply("not", (inner,)):
                return self.negated(self.of(inner))
            case Apply("implies", (premise, conclusion)):
                return self.implied(self.of(premise), self.of(conclusion))
            case Apply("≠", args):
                return self.negated(self.relation("=", args))
            case Apply(">" | "≥", (left, right)):
                return self.relation(_MIRRORED[term.sign], (right, left))
            case Apply() if term.sign in _RELATIONS:
                return self.relation(term.sign, term.args)
            case Apply("coprime", args):
                return Apply("=", (Apply("gcd", tuple(self.of(one) for one in args)), Number(1)))
            case Apply("even" | "odd", (number,)) if self.is_integer(number):
                return self.congruent(self.of(number), Number(int(term.sign == "odd")), Number(2))
            case Apply("≡", args):
                return self.congruent(*(self.of(one) for one in args))
            case Apply("∈", (member, Apply("icc", (start, end)))):
                return Apply("and", (self.relation("≤", (start, member)), self.relation("≤", (member, end))))
            case Apply("∈", (member, Apply("range", (end,)))) if number_type(member, self.types) == "ℕ":
                return self.relation("<", (member, end))
        return Apply(term.sign, tuple(self.of(one, fold) for one in term.args))

    # --- relations -------------------------------------------------------------------------------

    def relation(self, sign: str, args: Sequence[Term]) -> Term:
        """Numbers are folded, unless that would make the sides alike that are not."""
        left, right = (self.of(one) for one in args)
        if code(left, {}) == code(right, {}):
            left, right = (self.of(one, fold=False) for one in args)
        if sign == "=":
            for one, other in ((left, right), (right, left)):
                found = self.remainder(one, other)
                if found is not None:
                    return found
        return Apply(sign, (left, right))

    def remainder(self, left: Term, right: Term) -> Term | None:
        """`left = right` as a congruence, where it is about remainders."""
        match left, right:
            case Apply("%", (number, modulus)), Number(0):
                return self.congruent(number, Number(0), modulus)
            case Apply("%", (number, Number(modulus))), Number(rest) if rest < modulus:
                return self.congruent(number, Number(rest), Number(modulus))
            case Apply("%", (one, modulus)), Apply("%", (other, again)) if code(modulus, {}) == code(again, {}):
                return self.congruent(one, other, modulus)
        return None

    def congruent(self, left: Term, right: Term, modulus: Term) -> Term:
        if left == Number(0):
            left, right = right, left
        return Apply("∣", (modulus, left)) if right == Number(0) else Apply("≡", (left, right, modulus))

    def is_integer(self, term: Term) -> bool:
        return number_type(term, self.types) in ("ℕ", "ℤ")

    # --- logic -----------------------------------------------------------------------------------

    def is_logic(self, term: Term) -> bool:
        """Whether a proposition or a property is a variable in it."""
        names = (one.name for one in walk(term) if isinstance(one, Variable))
        return any(self.types.get(name, "").endswith("Prop") for name in names)

    def negated(self, term: Term) -> Term:
        if self.is_logic(term):
            return Apply("not", (term,))
        match term:
            case Apply("not", (inner,)):
                return inner
            case Apply("<" | "≤", (left, right)):
                return Apply(_NEGATED[term.sign], (right, left))
            case Apply("∣", (Number(2), number)) if self.is_integer(number):
                return Apply("≡", (number, Number(1), Number(2)))
            case Apply("≡", (number, Number(1), Number(2))) if self.is_integer(number):
                return Apply("∣", (Number(2), number))
            case Bind("∃", variables, body):
                return self.bound(Bind("∀", variables, self.negated(body)))
        return Apply("not", (term,))

    def implied(self, premise: Term, conclusion: Term) -> Term:
        if not self.is_logic(premise) and not self.is_logic(conclusion):
            match conclusion:
                case Apply("implies", (further, last)):
                    return self.implied(Apply("and", (*_parts("and", premise), *_parts("and", further))), last)
                case Bind("∀", variables, body):
                    return Bind("∀", variables, self.implied(premise, body))
        return Apply("implies", (premise, conclusion))

    def bound(self, term: Bind) -> Term:
        match term:
            case Bind("∀" | "∃", variables, Bind(sign, more, body)) if sign == term.sign:
                return Bind(sign, (*variables, *more), body)
            case Bind("∃", (own,), Apply("=", (left, right))):
                return self.divisible(own, left, right) or self.divisible(own, right, left) or term
        return term

    def divisible(self, own: Typed, multiple: Term, product: Term) -> Term | None:
        """`∃ e, multiple = k * e` as `k ∣ multiple`. For a natural e, neither may be negative."""
        if not isinstance(product, Apply) or product.sign != "*" or own.type not in ("ℕ", "ℤ"):
            return None
        rest = tuple(one for one in product.args if one != Variable(own.name))
        factor = rest[0] if len(rest) == 1 else Apply("*", rest)
        if len(rest) != len(product.args) - 1 or any(Variable(own.name) in walk(one) for one in (multiple, factor)):
            return None
        allowed = ("ℕ",) if own.type == "ℕ" else ("ℕ", "ℤ")
        if any(number_type(one, self.types) not in allowed for one in (multiple, factor)):
            return None
        return Apply("∣", (factor, multiple))


def _parts(sign: str, term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, Apply) and term.sign == sign else (term,)
