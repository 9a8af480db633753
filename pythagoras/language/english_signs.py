"""Terms in signs: `3x^2 - 2u · v`, `f(n + 1)`, `(n + 1)!`. Where two readings are common (`1/2x`), none is taken."""

from __future__ import annotations

from fractions import Fraction

from pythagoras.language.english_cursor import Cursor
from pythagoras.language.english_tokens import Tokens
from pythagoras.language.english_words import KIND_WORDS
from pythagoras.language.meaning import Apply, Call, Number, Term, Variable

ATOM, PRODUCT, OPEN, SUM = range(4)
"""What was read last, as far as words around it care. An open one is a phrase that ends in a sum or a condition: it may
stand behind "times", but what stands behind it might belong to its end."""

_LONGEST_NUMERAL = 1000
_NOTATIONS = {"gcd": 2, "lcm": 2, "min": 2, "max": 2, "fib": 1, "φ": 1}


class Signs(Cursor):
    """A reader of terms in signs."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self.shape = ATOM
        self.letters = {word for word in self.words if len(word) == 1 and word.isalpha()}

    def term(self) -> Term:
        """What may stand in brackets: for the reader of terms in words, who builds on this one."""
        raise NotImplementedError

    def symbolic(self) -> Term:
        """A sum of products, in signs alone; words may stand in brackets."""
        total = self._product()
        shape = self.shape
        while self.word in ("+", "-"):
            sign = self.word
            self.at += 1
            total = Apply(sign, (total, self._product()))
            shape = SUM
        self.shape = shape
        return total

    def _product(self) -> Term:
        minus = self.accept("-")
        product = self._power()
        shape = self.shape
        if minus:
            product, shape = Apply("neg", (product,)), PRODUCT
        divided = False
        while True:
            word = self.word
            if word == "·":
                self.at += 1
                factor = Apply("neg", (self._power(),)) if self.accept("-") else self._power()
                product, divided = Apply("*", (product, factor)), False
            elif word == "/":
                self.at += 1
                product, divided = Apply("/", (product, self._power())), True
            elif self._juxtaposed():
                if divided:
                    raise self.stuck("what is divided is not certain: brackets are missing")
                product = Apply("*", (product, self._power()))
            else:
                break
            shape = PRODUCT
        self.shape = shape
        return product

    def _juxtaposed(self) -> bool:
        """Whether a factor follows without a sign: `3x`, `2(a + b)`, `(n + 1)(n + 2)`, `x^2(x + 1)`."""
        word, before = self.word, self.words[self.at - 1]
        if (word != "(" and not self._starts_factor(word)) or not self.is_adjacent():
            return False
        if self.article_next(0) or (word == "(" and self.words[self.at + 1] in ("mod", "modulo")):
            return False
        power = self.words[self.at - 2] == "^"
        if before.isdigit():
            if power and self.words[self.at - 3].isdigit():
                raise self.stuck("where the exponent ends is not certain: brackets are missing")
            return True
        if before in (")", "!"):
            return True
        if power and word == "(" and self.is_name(before):
            raise self.stuck("where the exponent ends is not certain: brackets are missing")
        return word == "(" and self.is_name(before)

    def _starts_factor(self, word: str) -> bool:
        return bool(word) and (self.is_name(word) or self._letters(word) != "")

    def _letters(self, word: str) -> str:
        """`xy`, where x and y are letters of the text by themselves: a product written together."""
        together = 1 < len(word) < 4 and word not in self.scope and set(word) <= self.letters
        return word if together else ""

    def _power(self) -> Term:
        base = self._base_of_power()
        while self.accept("!"):
            base = Apply("factorial", (base,))
        if self.accept("^"):
            if self._letters(self.word):
                raise self.stuck("where the exponent ends is not certain: brackets are missing")
            exponent = self._base_of_power()
            if self.accept("^"):
                exponent = Apply("^", (exponent, self._base_of_power()))
            self.shape = PRODUCT
            return Apply("^", (base, exponent))
        return base

    def _base_of_power(self) -> Term:
        word = self.word
        self.shape = ATOM
        if word.isdigit():
            if len(word) > _LONGEST_NUMERAL or (len(word) > 1 and word[0] == "0"):
                raise self.stuck("a numeral that begins with 0 or is very long")
            self.at += 1
            return Number(int(word))
        if word == "(":
            self.at += 1
            inside = self.term()
            self.expect(")")
            self.shape = ATOM
            return inside
        if word == "|":
            self.at += 1
            inside = self.symbolic()
            self.expect("|")
            self.shape = ATOM
            return Apply("abs", (inside,))
        if word in _NOTATIONS and self.words[self.at + 1] == "(" and word not in self.scope:
            return self._notation(word)
        if self.is_name(word) and not self.article_next(0):
            self.at += 1
            return self._called(word) if self.word == "(" and self._is_function(word) else Variable(word)
        if word[:1].isdigit():
            self.at += 1
            value = Fraction(word)
            return Apply("/", (Number(value.numerator), Number(value.denominator)))
        if self._letters(word):
            return self._split(word)
        raise self.stuck("expected a number or an expression")

    def _is_function(self, name: str) -> bool:
        """What is not introduced yet may be one; that is settled when everything is read."""
        return "→" in self.scope.get(name, "→")

    def _called(self, name: str) -> Term:
        return Call(Variable(name), tuple(self._arguments()))

    def _arguments(self) -> list[Term]:
        self.expect("(")
        args = [self.term()]
        while self.accept(","):
            args.append(self.term())
        self.expect(")")
        self.shape = ATOM
        return args

    def _notation(self, word: str) -> Term:
        self.at += 1
        args = self._arguments()
        if len(args) != _NOTATIONS[word]:
            raise self.stuck(f"{word} takes another number of arguments")
        return Apply("totient" if word == "φ" else word, tuple(args))

    def _split(self, word: str) -> Term:
        """`xy` is x · y; a power or an argument behind it would belong to y alone."""
        if self.words[self.at + 1] in ("^", "(", "!"):
            raise self.stuck("what the power belongs to is not certain: brackets are missing")
        self.at += 1
        self.shape = PRODUCT
        product: Term = Variable(word[0])
        for letter in word[1:]:
            product = Apply("*", (product, Variable(letter)))
        return product

    def article_next(self, ahead: int) -> bool:
        """Whether "a" or "an" is an article there, not a variable."""
        return self.words[self.at + ahead] in ("a", "an") and self.words[self.at + ahead + 1] in KIND_WORDS
