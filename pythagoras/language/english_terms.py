"""Terms in words: "the greatest common divisor of 4s and 9t", "6 times the sum of (k + 1) for k from 0 to n".

Signs bind tighter than words: in "the factorial of k + 5 plus 1" the factorial is of k + 5. Where even so two ways of
reading are common ("3 times x + 1"), none is taken.
"""

from __future__ import annotations

from pythagoras.language.english_signs import ATOM, OPEN, PRODUCT, SUM, Signs
from pythagoras.language.english_tokens import Tokens
from pythagoras.language.meaning import Apply, Bind, Call, Number, Term, Typed, Variable

_CLOSING = frozenset(("is", "are", "equals", "=", "≠", "<", "≤", ">", "≥", "divides", "leaves"))
_TO_THE_POWER = ["to", "the", "power"]
_OF_TWO = {"gcd": "gcd", "lcm": "lcm", "difference": "-", "quotient": "/", "minimum": "min", "maximum": "max"}
_POWERS = {"square": 2, "cube": 3}


class Terms(Signs):
    """A reader of terms."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self.it = ""
        """What "its" refers to."""
        self.fibonacci = ""
        """The letter that the text uses for the Fibonacci numbers."""

    def condition(self, commas: bool = True) -> Term:
        """What stands behind "such that": for the reader of formulas, who builds on this one."""
        raise NotImplementedError

    # --- words ---------------------------------------------------------------------------------

    def term(self) -> Term:
        """Products in words, with "plus" and "minus" between them; these may be set off by commas."""
        left = self.worded_product()
        while True:
            apart = self.word == "," and self.words[self.at + 1] in ("plus", "minus", "times")
            operation = self.words[self.at + apart]
            if operation not in ("plus", "minus") and not (apart and operation == "times"):
                return left
            multiplied_sum = operation == "times" and self.shape == SUM
            self.at += 1 + apart
            right = self.worded_product()
            if multiplied_sum or (operation != "plus" and self.shape == SUM):
                raise self.stuck(f'what belongs to "{operation}" is not certain: brackets are missing')
            left = Apply({"plus": "+", "minus": "-", "times": "*"}[operation], (left, right))
            self.shape = SUM
            if apart and self.word == "," and self.words[self.at + 1] in _CLOSING:
                self.at += 1

    def worded_product(self) -> Term:
        left = self.worded_factor()
        while True:
            if self.word == "times" and not self.article_next(1):
                sign = "*"
                self.at += 1
            elif self.word == "divided" and self.words[self.at + 1] == "by":
                sign = "/"
                self.at += 2
            else:
                return left
            if self.shape >= OPEN:
                raise self.stuck("what is multiplied or divided is not certain: brackets are missing")
            right = self.worded_factor()
            if self.shape == SUM or (sign == "/" and self.shape > ATOM):
                raise self.stuck("what is multiplied or divided is not certain: brackets are missing")
            left = Apply(sign, (left, right))
            self.shape = max(self.shape, PRODUCT)

    def worded_factor(self) -> Term:
        if (self.word in ("the", "its", "twice") and self.words[self.at + 1] != "number") or self._counts():
            base = self._phrase()
            self.shape = OPEN if self.shape >= OPEN else PRODUCT
        else:
            self.accept("the", "number")  # "the number 28"
            base = self.symbolic()
        while self.word in ("squared", "cubed", "factorial") or self.words[self.at : self.at + 3] == _TO_THE_POWER:
            if self.shape != ATOM:
                raise self.stuck("what is raised to a power is not certain: brackets are missing")
            if self.accept("squared"):
                base = Apply("^", (base, Number(2)))
            elif self.accept("cubed"):
                base = Apply("^", (base, Number(3)))
            elif self.accept("factorial"):
                base = Apply("factorial", (base,))
            else:
                self.at += len(_TO_THE_POWER)
                self.accept("of")
                base = Apply("^", (base, self.symbolic()))
                if self.shape != ATOM:
                    raise self.stuck("where the exponent ends is not certain: brackets are missing")
            self.shape = PRODUCT
        return base

    def _counts(self) -> bool:
        return self.words[self.at : self.at + 3] == ["the", "number", "of"]

    def _phrase(self) -> Term:
        """A term that begins with a word."""
        if self.word == "its":
            return self._digit_of_it()
        if self.accept("twice"):
            doubled = self.worded_factor()
            if self.shape == SUM:
                raise self.stuck("what is doubled is not certain: brackets are missing")
            return Apply("*", (Number(2), doubled))
        self.expect("the")
        if self.word in _OF_TWO:
            sign = _OF_TWO[self.word]
            self.at += 1
            self.expect("of")
            return Apply(sign, self._two())
        if self.accept("greatest", "common", "divisor", "of"):
            return Apply("gcd", self._two())
        if self.accept("least", "common", "multiple", "of"):
            return Apply("lcm", self._two())
        if self.accept("factorial", "of"):
            return Apply("factorial", (self.worded_factor(),))
        if self.accept("absolute", "value", "of"):
            return Apply("abs", (self.worded_factor(),))
        if self.word in _POWERS:
            exponent = _POWERS[self.word]
            self.at += 1
            self.expect("of")
            return Apply("^", (self.worded_factor(), Number(exponent)))
        if self.accept("value", "of"):
            return self.term()
        if self.accept("last", "digit", "of") or self.accept("units", "digit", "of"):
            return Apply("%", (self.worded_factor(), Number(10)))
        if self.accept("tens", "digit", "of"):
            return self._tens_digit(self.worded_factor())
        if self.accept("fibonacci", "number"):
            return self._fibonacci_number()
        if self.accept("remainder"):
            return self._remainder()
        if self.accept("integer", "part", "of"):
            return self._integer_part()
        if self.accept("digits", "of"):
            number = self.worded_factor()
            return Apply("digits", (self._base(), number))
        if self.accept("sum", "of"):
            return self._sum()
        if self.accept("product", "of"):
            return self._folded("∏", "*")
        if self.accept("number", "of"):
            return self._number_of()
        if self.is_kind():
            return self._the_integer()
        raise self.stuck("expected a number or an expression")

    def _the_integer(self) -> Term:
        """`integer 5`, `rational number x`, if x is one; that is the same as the number without these words."""
        kind, adjectives, plural = self.number_kind()
        found = self.symbolic()
        known = isinstance(found, Number) or (isinstance(found, Variable) and self.scope.get(found.name) == kind)
        if adjectives or plural or not known:
            raise self.stuck("what is said here of the number is not certain")
        return found

    def _two(self) -> tuple[Term, Term]:
        """`4s + 16t and 8s + 36t`."""
        first = self.worded_factor()
        self.expect("and")
        return first, self.worded_factor()

    def _remainder(self) -> Term:
        if self.accept("when"):
            number = self.worded_factor()
            self.expect("is", "divided", "by")
            return Apply("%", (number, self.symbolic()))
        self.expect("of")
        number = self.worded_factor()
        if not (
            self.accept("on", "division", "by") or self.accept("when", "divided", "by") or self.accept_one("modulo")
        ):
            raise self.stuck('expected "on division by"')
        return Apply("%", (number, self.symbolic()))

    def _base(self) -> Term:
        return self.symbolic() if self.accept("in", "base") else Number(10)

    def _integer_part(self) -> Term:
        match self.symbolic():
            case Apply("/", (number, divisor)):
                return Apply("//", (number, divisor))
        raise self.stuck("the integer part of what is no quotient")

    def _digit_of_it(self) -> Term:
        self.expect("its")
        if not self.it:
            raise self.stuck('"its" refers to nothing')
        self.shape = ATOM
        if self.accept("tens", "digit"):
            return self._tens_digit(Variable(self.it))
        if self.accept("units", "digit") or self.accept("last", "digit"):
            return Apply("%", (Variable(self.it), Number(10)))
        raise self.stuck("expected a digit")

    def _tens_digit(self, number: Term) -> Term:
        return Apply("%", (Apply("//", (number, Number(10))), Number(10)))

    def _fibonacci_number(self) -> Term:
        """`F(21)`, which makes F the letter of the Fibonacci numbers."""
        letter = self.word
        found = self.symbolic()
        if not isinstance(found, Call) or len(found.args) != 1 or letter in self.scope:
            raise self.stuck("expected a Fibonacci number like F(7)")
        self.fibonacci = letter
        return found

    # --- sums, products and counts ---------------------------------------------------------------

    def _sum(self) -> Term:
        if self.accept("the", "digits", "of"):
            number = self.worded_factor()
            return Apply("list_sum", (Apply("digits", (self._base(), number)),))
        if self.accept("the", "positive", "divisors", "of") or self.accept("the", "divisors", "of"):
            index = Typed(self.fresh("d"), "ℕ")
            return Bind("∑", (index,), Variable(index.name), Apply("divisors", (self.symbolic(),)))
        return self._folded("∑", "+")

    def _folded(self, binder: str, operation: str) -> Term:
        """`T over all ...`, `T for i from a to b`, or `A and B`."""
        body = self.worded_factor()
        if self.word in ("over", "for"):
            index, domain = self._span()
            self.shape = SUM
            return Bind(binder, (index,), body, domain)
        parts = [body]
        while self.accept(","):
            parts.append(self.worded_factor())
        self.expect("and")
        parts.append(self.worded_factor())
        self.shape = SUM
        total = parts[0]
        for part in parts[1:]:
            total = Apply(operation, (total, part))
        return total

    def _span(self) -> tuple[Typed, Term]:
        """What an index runs over."""
        if self.accept("over", "all"):
            if self.accept("positive", "divisors") or self.accept("divisors"):
                index = self.name()
                self.expect("of")
                return Typed(index, "ℕ"), Apply("divisors", (self.symbolic(),))
            self.expect("natural", "numbers")
            index = self.name()
            return Typed(index, "ℕ"), self._interval()
        self.expect("for")
        self.accept("all", "natural", "numbers")
        index = self.name()
        return Typed(index, "ℕ"), self._interval()

    def _interval(self) -> Term:
        """`below n`, or `from a to b` with or without `both included`."""
        if self.accept("below"):
            return Apply("range", (self.symbolic(),))
        self.expect("from")
        low = self.symbolic()
        self.expect("to")
        high = self.symbolic()
        if not self.accept(",", "both", "included", ","):
            self.accept(",", "both", "included")
        if low == Number(0):
            return Apply("range", (self._one_more(high),))
        if not isinstance(low, Number) or any(sign in ("-", "neg") for sign in _signs(low)):
            raise self.stuck("an interval that begins with an expression can be empty in an unclear way")
        return Apply("icc", (low, high))

    def _one_more(self, high: Term) -> Term:
        match high:
            case Number():
                return Number(high.value + 1)
            case Apply(sign="-", args=(below, Number(1))):
                return below
            case Apply() if any(sign in ("-", "neg") for sign in _signs(high)):
                raise self.stuck("the end of the interval may be negative")
        return Apply("+", (high, Number(1)))

    def _number_of(self) -> Term:
        if self.accept("ways", "to", "choose"):
            chosen = self.symbolic()
            if not (self.accept("out", "of") or self.accept("from")):
                raise self.stuck('expected "out of"')
            return Apply("choose", (self.symbolic(), chosen))
        if self.accept("positive", "divisors", "of") or self.accept("divisors", "of"):
            return Apply("card", (Apply("divisors", (self.symbolic(),)),))
        if self.word == "positive" and self.words[self.at + 1] == "divisors":
            return Apply("card", (self._counted_divisors(),))
        parity = self.words[self.at] if self.words[self.at] in ("even", "odd") else ""
        if parity and self.words[self.at + 1] in ("positive", "divisors"):
            self.at += 1
            self.accept("positive")
            self.expect("divisors", "of")
            index = Typed(self.fresh("d"), "ℕ")
            divisors = Apply("divisors", (self.symbolic(),))
            return Apply("card", (Bind("filter", (index,), Apply(parity, (Variable(index.name),)), divisors),))
        if self.accept("natural", "numbers", "below"):
            return self._coprime_below()
        return Apply("card", (self.counted(),))

    def counted(self) -> Term:
        """`natural numbers x from 51 to 72, both included, such that ...`."""
        self.expect("natural", "numbers")
        name = self.name()
        return self._filtered(name, self._interval())

    def _counted_divisors(self) -> Term:
        """`positive divisors d of 300 such that ...`."""
        self.expect("positive", "divisors")
        name = self.name()
        self.expect("of")
        return self._filtered(name, Apply("divisors", (self.symbolic(),)))

    def _filtered(self, name: str, domain: Term) -> Term:
        self.expect("such", "that")
        outer = self.scope
        self.scope = {**outer, name: "ℕ"}
        body = self.condition()
        self.scope = outer
        if self.word == "," and self.words[self.at + 1] in _CLOSING:
            self.at += 1
        self.shape = OPEN
        return Bind("filter", (Typed(name, "ℕ"),), body, domain)

    def _coprime_below(self) -> Term:
        """`260 that are coprime to 260`."""
        bound = self.symbolic()
        self.expect("that", "are", "coprime", "to")
        other = self.symbolic()
        if other == bound:
            return Apply("totient", (bound,))
        index = Typed(self.fresh("k"), "ℕ")
        body = Apply("coprime", (Variable(index.name), other))
        return Apply("card", (Bind("filter", (index,), body, Apply("range", (bound,))),))

    def fresh(self, wanted: str) -> str:
        """A name that the text does not use."""
        names = (name for name in (wanted, *"kjidetcnmxyzabpqrsuvw") if name not in self.words)
        return next(names, f"{wanted}'")


def _signs(term: Term) -> set[str]:
    match term:
        case Apply():
            return {term.sign}.union(*map(_signs, term.args))
    return set()
