"""Solutions in words: a claim about numbers worked out step by step, as one would on paper.

Each step is a calculation that was done exactly; a claim that does not come out true has no solution. Claims about
infinitely many numbers are none of this module's business (see `general`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pythagoras.language.changes.terms import numeral, unfolded
from pythagoras.language.evaluate import value
from pythagoras.language.exact import Unknown, Value
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Number, Term
from pythagoras.language.spoken import say_term

MOST_STEPS = 14
BIGGEST = 10**9
"""Numbers beyond this are nobody's easy problem."""
_LONGEST_SUM = 12
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "^", "%", "neg", "abs", "min", "max"})
_NAMED = frozenset({"gcd", "lcm", "fib", "choose", "factorial", "totient", "card", "list_sum"})
_SYMBOLS = frozenset({"=", "≠", "<", "≤", ">", "≥"})


class NotWorked(Exception):
    """It is false, or there are no steps for it."""


class Working:
    """The steps of one solution. `values` are those of variables and functions, by name."""

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self.values = dict(values or {})
        self.steps: list[str] = []

    def say(self, step: str) -> None:
        if step not in self.steps:
            self.steps.append(step)

    # --- numbers -----------------------------------------------------------------------------

    def number(self, term: Term) -> Value:
        """What a term comes to; its steps are written down."""
        found = self._value(term)
        match term:
            case Number():
                return found
            case Cast(_, inner):
                return self.number(inner)
            case Apply("neg", (Number(),)) | Apply("/", (Number(), Number())):
                return found
            case Apply(sign, args) if sign in _ARITHMETIC:
                parts = tuple(numeral(self.number(arg)) for arg in args)
                self.say(_is(Apply(sign, parts), found))
            case Apply("gcd", args):
                self._euclid(*(self.number(arg) for arg in args))
            case Apply("lcm", args):
                first, second = (self.number(arg) for arg in args)
                self._multiple(first, second, found)
            case Apply(sign, args) if sign in _NAMED:
                parts = tuple(arg if _is_collection(arg) else numeral(self.number(arg)) for arg in args)
                self.say(_is(Apply(sign, parts), found))
            case Bind("∑" | "∏"):
                self._sum(term, found)
            case Call(function, args):
                places = tuple(numeral(self.number(arg)) for arg in args)
                self.say(f"By the definition, {say_term(Call(function, places))} = {said(found)}.")
            case _:
                self.say(_is(term, found))
        return found

    def _sum(self, term: Bind, found: Value) -> None:
        assert term.domain is not None
        members = list(self._value(term.domain))
        if len(members) <= _LONGEST_SUM:
            name = term.variables[0].name
            terms = [value(term.body, {**self.values, name: member}) for member in members]
            kind, verb = ("terms", "add up to") if term.sign == "∑" else ("factors", "multiply to")
            if len(terms) > 1:
                self.say(f"The {kind} are {', '.join(map(said, terms))}, which {verb} {said(found)}.")
                return
        self.say(_is(term, found))

    def _euclid(self, a: int, b: int) -> int:
        """Divide with remainder until there is none."""
        first, second = sorted((abs(a), abs(b)), reverse=True)
        while second:
            self.say(f"{first} = {second} · {first // second} + {first % second}.")
            first, second = second, first % second
        self.say(f"The last divisor, {first}, is the greatest common divisor of {said(a)} and {said(b)}.")
        return first

    def _multiple(self, a: int, b: int, found: int) -> None:
        divisor = self._euclid(a, b)
        self.say(f"So the least common multiple is {_factor(a)} · {_factor(b)} / {divisor} = {said(found)}.")

    def _value(self, term: Term) -> Value:
        try:
            found = value(term, self.values)
            if isinstance(found, int | Fraction) and abs(found.numerator) > BIGGEST:
                raise NotWorked("the numbers are too large")
            return found
        except (Unknown, TypeError, ValueError, ArithmeticError) as error:
            raise NotWorked(str(error)) from None

    # --- relations ---------------------------------------------------------------------------

    def show(self, goal: Term) -> None:
        """Write down why the goal is true. Raises NotWorked when it is not, or when that needs more than numbers."""
        goal = unfolded(goal)
        match goal:
            case Apply("and", parts):
                for part in parts:
                    self.show(part)
            case Apply("or", parts):
                self.show(self._first_true(parts))
            case Apply("not", (Apply("∣", (divisor, number)),)):
                self._divides(self.number(divisor), self.number(number), wanted=False)
            case Apply("not", (Apply(sign, args),)) if sign in ("even", "odd"):
                self.show(Apply("odd" if sign == "even" else "even", args))
            case Apply("∣", (divisor, number)):
                self._divides(self.number(divisor), self.number(number), wanted=True)
            case Apply("≡", (left, right, modulus)):
                self._congruent(self.number(left), self.number(right), self.number(modulus))
            case Apply(("even" | "odd") as sign, (number,)):
                self._parity(self.number(number), sign)
            case Apply("coprime", (left, right)):
                self.show(Apply("=", (Apply("gcd", (left, right)), Number(1))))
            case Apply("=", (left, right)) if _is_collection(left) or _is_collection(right):
                self._collections(left, right)
            case Apply(sign, (left, right)) if sign in _SYMBOLS:
                self._compared(sign, left, right)
            case _:
                raise NotWorked(f"no steps for {say_term(goal)}")

    def _first_true(self, parts: tuple[Term, ...]) -> Term:
        for part in parts:
            try:
                Working(self.values).show(part)
            except NotWorked:
                continue
            return part
        raise NotWorked("none of the alternatives holds")

    def _compared(self, sign: str, left: Term, right: Term) -> None:
        a, b = self.number(left), self.number(right)
        true = {"=": a == b, "≠": a != b, "<": a < b, "≤": a <= b, ">": a > b, "≥": a >= b}[sign]
        if not true:
            raise NotWorked(f"{said(a)} {sign} {said(b)} is false")
        if sign == "=":
            self.say(f"So both sides are {said(a)}.")
        else:
            self.say(f"So the left side is {said(a)}, the right side is {said(b)}, and {said(a)} {sign} {said(b)}.")

    def _collections(self, left: Term, right: Term) -> None:
        a, b = list(self._value(left)), list(self._value(right))
        if a != b:
            raise NotWorked("the collections differ")
        match left, right:
            case Apply("digits", (base, number)), _:
                self._digits(self.number(base), self.number(number))
            case _:
                self.say(f"Both are {', '.join(map(said, a)) or 'empty'}.")

    def _digits(self, base: int, number: int) -> None:
        while number:
            quotient, digit = divmod(number, base)
            self.say(f"{number} = {base} · {quotient} + {digit}.")
            number = quotient
        self.say("The remainders, in this order, are the digits.")

    def _divides(self, divisor: Value, number: Value, *, wanted: bool) -> None:
        if not isinstance(divisor, int) or not isinstance(number, int) or divisor == 0:
            raise NotWorked("no integers to divide")
        rest = number % abs(divisor)
        quotient = (number - rest) // divisor
        if wanted is not (rest == 0):
            raise NotWorked(f"{divisor} and {number} are not so")
        if wanted:
            self.say(f"Since {number} = {_factor(divisor)} · {_factor(quotient)}, {divisor} divides {number}.")
        else:
            self.say(
                f"Since {number} = {_factor(divisor)} · {_factor(quotient)} + {rest}, {divisor} does not divide it."
            )

    def _congruent(self, left: Value, right: Value, modulus: Value) -> None:
        self.say(f"The difference is {said(left)} - {_factor(right)} = {said(left - right)}.")
        self._divides(modulus, left - right, wanted=True)

    def _parity(self, number: Value, sign: str) -> None:
        if not isinstance(number, int) or number % 2 != (sign == "odd"):
            raise NotWorked(f"{number} is not {sign}")
        half = f"2 · {_factor(number // 2)}{' + 1' if sign == 'odd' else ''}"
        self.say(f"Since {number} = {half}, {number} is {sign}.")


def said(number: Value) -> str:
    """A number in a solution."""
    fraction = Fraction(number)
    return str(fraction.numerator) if fraction.denominator == 1 else f"{fraction.numerator}/{fraction.denominator}"


def _factor(number: Value) -> str:
    return said(number) if number >= 0 else f"({said(number)})"


def _is(term: Term, found: Value) -> str:
    words = say_term(term)
    link = "is" if " " in words and not words[0].isdigit() and words.startswith("the ") else "="
    return f"{words[0].upper()}{words[1:]} {link} {said(found)}." if link == "is" else f"{words} = {said(found)}."


def _is_collection(term: Term) -> bool:
    return (isinstance(term, Apply) and term.sign in ("range", "icc", "divisors", "digits", "list")) or (
        isinstance(term, Bind) and term.sign in ("filter", "set")
    )
