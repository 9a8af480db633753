"""What is said of numbers: relations in signs and in words, remainders, divisors, extremes, digits, maps."""

from __future__ import annotations

from pythagoras.language.english_terms import Terms
from pythagoras.language.english_words import MAPS, PROPERTIES, RELATIONS, SIGN_OF
from pythagoras.language.meaning import Apply, Bind, Call, Cast, Number, Term, Typed, Variable

_COMPARED = {
    ("equal", "to"): "=", ("different", "from"): "≠", ("greater", "than", "or", "equal", "to"): "≥",
    ("less", "than", "or", "equal", "to"): "≤", ("greater", "than"): ">", ("larger", "than"): ">",
    ("bigger", "than"): ">", ("less", "than"): "<", ("smaller", "than"): "<", ("at", "least"): "≥",
    ("at", "most"): "≤", ("strictly", "greater", "than"): ">", ("strictly", "less", "than"): "<",
}  # fmt: skip
_EXTREMES = {"least": "least", "smallest": "least", "greatest": "greatest", "largest": "greatest"}
_SIGNED = frozenset(("positive", "negative", "nonnegative", "non-negative", "nonzero", "non-zero"))


class Relations(Terms):
    """A reader of what is said about numbers and functions."""

    def relation(self) -> Term:
        """A subject and what is said about it."""
        if self.word == "the" and self.words[self.at + 1] == "function" and self.words[self.at + 2] == "from":
            return self._map_is(self._function())
        if self.words[self.at + 1] == "is" and self.words[self.at + 2] in MAPS:
            return self._map_is(Variable(self.name()))
        subject = self.term()
        word = self.word
        if word in RELATIONS:
            return self._chain(subject)
        if word == "and" or word == ",":
            several = self.attempt(lambda: self._several(subject))
            if several is not None:
                return several
        else:
            found = self._said_of(subject)
            if found is not None:
                return found
        match subject:
            case Variable(name) if self.is_proposition(name):
                return subject
            case Call(function=Variable(name)) if self.is_proposition(name):
                return subject
        raise self.stuck("expected what is said about this")

    def is_proposition(self, name: str) -> bool:
        """What is not introduced yet may be one; that is settled when everything is read."""
        return self.scope.get(name, "Prop").endswith("Prop")

    def bound_behind(self, variables: tuple[Typed, ...]) -> tuple[Term, ...]:
        """`≥ 2` directly behind the name of a variable: `an integer x ≥ 2`."""
        if self.word not in RELATIONS or len(variables) != 1:
            return ()
        self.at -= 1
        return (self.relation(),)

    def _chain(self, left: Term) -> Term:
        """`a < b`, `0 < x ≤ 5`."""
        parts: list[Term] = []
        while self.word in RELATIONS:
            sign = self.word
            self.at += 1
            right = self.term()
            parts.append(Apply(sign, (left, right)))
            left = right
        return conjunction(*parts)

    def _said_of(self, subject: Term) -> Term | None:
        match self.word:
            case "is":
                self.at += 1
                return self._is(subject)
            case "are":
                return self._digits_are(subject)
            case "equals":
                self.at += 1
                return Apply("=", (subject, self.term()))
            case "divides" | "∣":
                self.at += 1
                return Apply("∣", (subject, self.term()))
            case "∤":
                self.at += 1
                return Apply("not", (Apply("∣", (subject, self.term())),))
            case "exceeds":
                self.at += 1
                return Apply(">", (subject, self.term()))
            case "leaves":
                return self._leaves(subject)
            case "never":
                self.at += 1
                return self._leaves(subject, never=True)
            case "≡":
                return self._congruence_sign(subject)
            case "has":
                self.at += 1
                return self._has(subject)
            case "does":
                return self._does_not(subject)
        return None

    def _does_not(self, subject: Term) -> Term:
        self.expect("does", "not")
        if self.accept("divide"):
            return Apply("not", (Apply("∣", (subject, self.term())),))
        if self.accept("equal"):
            return Apply("≠", (subject, self.term()))
        if self.accept("exceed"):
            return Apply("≤", (subject, self.term()))
        if self.word == "leave":
            return self._leaves(subject, never=True)
        raise self.stuck('expected "divide"')

    def _leaves(self, subject: Term, never: bool = False) -> Term:
        """`leaves remainder 3 when divided by 7`, `leaves remainder 0 or 1 when divided by 4`."""
        if not self.accept_one("leaves", "leave"):
            raise self.stuck('expected "leaves"')
        self.accept("a")
        self.expect("remainder")
        self.accept("of")
        values = [self.symbolic()]
        while self.word in (",", "or"):
            joined = self.accept_one(",", "or")
            values.append(self.symbolic())
            if joined == "," and self.word not in (",", "or"):
                raise self.stuck('a list without "or"')
        if not (self.accept("when", "divided", "by") or self.accept("on", "division", "by")):
            raise self.stuck('expected "when divided by"')
        remainder = Apply("%", (subject, self.symbolic()))
        parts = tuple(Apply("≠" if never else "=", (remainder, value)) for value in values)
        return parts[0] if len(parts) == 1 else Apply("and" if never else "or", parts)

    def _has(self, subject: Term) -> Term:
        """`has exactly 4 positive divisors`."""
        self.accept("exactly")
        count = self.symbolic()
        self.accept("positive")
        self.expect("divisors")
        return Apply("=", (Apply("card", (Apply("divisors", (subject,)),)), count))

    def _congruence_sign(self, left: Term) -> Term:
        self.expect("≡")
        right = self.symbolic()
        bracket = self.accept_one("(", "[")
        if not self.accept_one("mod", "modulo", "MOD", "ZMOD"):
            raise self.stuck('expected "mod"')
        modulus = self.symbolic()
        if bracket:
            self.expect({"(": ")", "[": "]"}[bracket])
        return Apply("≡", (left, right, modulus))

    def _is(self, subject: Term) -> Term:
        if self.accept("not"):
            return self._is_not(subject)
        if self.word == "the" and self.words[self.at + 1] in _EXTREMES and self.words[self.at + 2] != "common":
            return self._extreme(subject)
        found = self._is_quality(subject)
        if found is not None:
            return found
        value = self.term()
        if self.accept("times"):  # "4 times an integer"
            self.accept_one("a", "an")
            kind, adjectives, plural = self.number_kind()
            if adjectives or plural:
                raise self.stuck("expected a kind of number")
            other = Typed(self.fresh("e"), kind)
            return Bind("∃", (other,), Apply("=", (subject, Apply("*", (value, Variable(other.name))))))
        return Apply("=", (subject, value))

    def _is_not(self, subject: Term) -> Term:
        found = self._is_quality(subject)
        return Apply("≠", (subject, self.term())) if found is None else Apply("not", (found,))

    def _is_quality(self, subject: Term) -> Term | None:
        """`even`, `congruent to 3 modulo 7`, `at least 5`, `a multiple of 4`; None if a term follows."""
        word = self.word
        behind = self.words[self.at + 1]
        if word in PROPERTIES:
            self.at += 1
            return Apply(PROPERTIES[word], (subject,))
        if word in ("a", "an") and behind in PROPERTIES and self.words[self.at + 2] in ("number", "integer"):
            self.at += 3
            return Apply(PROPERTIES[behind], (subject,))
        if word in _SIGNED:
            self.at += 1
            return _signed(word, subject)
        if word in ("true", "false") and self._is_claim(subject):
            self.at += 1
            return subject if word == "true" else Apply("not", (subject,))
        if self.accept("congruent", "to"):
            other = self.term()
            self.expect("modulo")
            return Apply("≡", (subject, other, self.symbolic()))
        if self.accept("divisible", "by") or self.accept("a", "multiple", "of"):
            return Apply("∣", (self.term(), subject))
        if self.accept("a", "divisor", "of") or self.accept("a", "factor", "of"):
            return Apply("∣", (subject, self.term()))
        if self.accept("coprime", "to") or self.accept("relatively", "prime", "to"):
            return Apply("coprime", (subject, self.term()))
        for phrase, sign in _COMPARED.items():
            if word == phrase[0] and self.accept(*phrase):
                return Apply(sign, (subject, self.term()))
        return None

    def _is_claim(self, subject: Term) -> bool:
        match subject:
            case Variable(name) | Call(function=Variable(name)):
                return self.is_proposition(name)
        return False

    def _extreme(self, value: Term) -> Term:
        """`is the least natural number x such that ...`, `is the least value that ... takes for rational numbers x`."""
        self.expect("the")
        sign = _EXTREMES[self.word]
        self.at += 1
        if self.accept("value", "that"):
            return Apply(sign, (self._values(), value))
        outer, it = self.scope, self.it
        variables, said = self.kind_and_names()
        if len(variables) != 1:
            raise self.stuck("expected one variable")
        self.scope = {**outer, variables[0].name: variables[0].type}
        parts = [*said, *self.bound_behind(variables)]
        if self.accept("such", "that") or self.accept("with"):
            parts += split(self.condition())
        if self.accept("that"):
            quality = self._said_of(Variable(variables[0].name))
            if quality is None:
                raise self.stuck("expected what is said about it")
            parts.append(quality)
        if not parts:
            raise self.stuck('expected "such that"')
        self.scope, self.it = outer, it
        return Apply(sign, (Bind("set", variables, conjunction(*parts)), value))

    def _values(self) -> Term:
        expression = self.symbolic()
        self.expect("takes", "for")
        variables, said = self.kind_and_names()
        value = Typed(self.fresh("y"), variables[0].type)
        equation = Apply("=", (Variable(value.name), expression))
        return Bind("set", (value,), Bind("∃", variables, conjunction(*said, equation)))

    def _digits_are(self, subject: Term) -> Term:
        """`the digits of 105 in base 4 are 1, 2, 2, 1, the least significant first`."""
        self.expect("are")
        if not (isinstance(subject, Apply) and subject.sign == "digits"):
            raise self.stuck('expected "is"')
        digits = [self.symbolic()]
        while self.word in (",", "and") and self.words[self.at + 1].isdigit():
            self.at += 1
            digits.append(self.symbolic())
        if self.accept(",", "the", "most", "significant", "first"):
            digits.reverse()
        else:
            self.expect(",", "the", "least", "significant", "first")
        return Apply("=", (subject, Apply("list", tuple(digits))))

    # --- several subjects, functions ---------------------------------------------------------------

    def _several(self, first: Term) -> Term:
        """`A and B are coprime`, `A and B leave the same remainder when divided by 7`."""
        subjects = [first]
        while self.accept(","):
            subjects.append(self.term())
        self.expect("and")
        subjects.append(self.term())
        if self.accept("leave", "the", "same", "remainder", "when", "divided", "by"):
            modulus = self.symbolic()
            return self._of_two("=", [Apply("%", (one, modulus)) for one in subjects])
        self.expect("are")
        if self.accept("coprime") or self.accept("relatively", "prime"):
            self.accept("to", "each", "other")
            return self._of_two("coprime", subjects)
        if self.accept("not", "coprime"):
            return Apply("not", (self._of_two("coprime", subjects),))
        if self.accept("congruent", "modulo"):
            return self._of_two("≡", subjects, self.symbolic())
        if self.accept("equal"):
            return self._of_two("=", subjects)
        if self.accept("different"):
            return self._of_two("≠", subjects)
        if self.accept("not", "both"):
            return Apply("not", (conjunction(*self._all(subjects)),))
        self.accept_one("both", "all")
        return conjunction(*self._all(subjects))

    def _of_two(self, sign: str, subjects: list[Term], *more: Term) -> Term:
        if len(subjects) != 2:
            raise self.stuck("what is said of each two of these is not certain")
        return Apply(sign, (*subjects, *more))

    def _all(self, subjects: list[Term]) -> list[Term]:
        """The same quality for each of them."""
        word = self.word
        if word in PROPERTIES:
            self.at += 1
            return [Apply(PROPERTIES[word], (one,)) for one in subjects]
        if word in _SIGNED:
            self.at += 1
            return [_signed(word, one) for one in subjects]
        if self.accept("divisible", "by") or self.accept("multiples", "of"):
            divisor = self.symbolic()
            return [Apply("∣", (divisor, one)) for one in subjects]
        raise self.stuck("expected what is said about these")

    def of_both(self) -> Term:
        """`both x and y are odd`, `neither x nor y is odd`, `at least one of x and y is even`."""
        if self.accept("both"):
            subjects = [self.term()]
            self.expect("and")
            subjects.append(self.term())
            self.expect("are")
            return conjunction(*self._all(subjects))
        if self.accept("neither"):
            subjects = [self.term()]
            self.expect("nor")
            subjects.append(self.term())
            self.expect("is")
            return Apply("not", (Apply("or", tuple(self._all(subjects))),))
        self.expect("at", "least", "one", "of")
        subjects = [self.term()]
        while self.accept(",") or self.accept("and"):
            subjects.append(self.term())
        self.expect("is")
        return Apply("or", tuple(self._all(subjects)))

    def _map_is(self, function: Term) -> Term:
        self.expect("is")
        word = self.word
        if word not in MAPS:
            raise self.stuck("expected what is said about this function")
        self.at += 1
        return Apply(word, (function,))

    def _function(self) -> Term:
        """`the function from the integers to the integers that sends x to 6x + 26`."""
        self.expect("the", "function")
        kind = self.function_type()
        self.expect("that", "sends")
        name = self.name()
        self.expect("to")
        source, _, target = kind.partition(" → ")
        outer = self.scope
        self.scope = {**outer, name: source}
        body = self.symbolic()
        self.scope = outer
        return Bind("fun", (Typed(name, source),), Cast(target, body))


def conjunction(*parts: Term) -> Term:
    """All of them, as one."""
    return parts[0] if len(parts) == 1 else Apply("and", parts)


def split(claim: Term) -> tuple[Term, ...]:
    """The parts of a conjunction."""
    return claim.args if isinstance(claim, Apply) and claim.sign == "and" else (claim,)


def _signed(word: str, subject: Term) -> Term:
    return Apply(SIGN_OF[word.replace("-", "")], (subject, Number(0)))
