"""Claims inside of sentences: relations in signs and words, lists with "and" and "or", quantifiers, equivalences.

"and" and "or" are not mixed without brackets, neither are chains of "implies". A quantifier in front ("for every n,")
reaches as far as it can; one behind ("for every n") belongs to what stands right before it, or to the whole list if
its variable occurs earlier in that and is nowhere else introduced. "there is" reaches to the next "if and only if".
"""

from __future__ import annotations

from pythagoras.language.english_cursor import Group
from pythagoras.language.english_relations import Relations, conjunction, split
from pythagoras.language.english_sense import Behind, implication, replaced
from pythagoras.language.english_words import LETTERS, PROVE, RELATIONS
from pythagoras.language.meaning import Apply, Bind, Call, Number, Term, Typed, Variable, free_variables, walk

_EVERY = frozenset(("every", "all", "each", "any"))
_AFTER_COMMA = frozenset(
    ("then", "where", "is", "are", "equals", "plus", "times", "minus", "there", "both", "if", *RELATIONS, *PROVE)
)
"""Behind a comma, these do not go on with a list."""
_GOING_ON = frozenset(("is", "are", "equals", "divides", "leaves", "plus", "minus", "times", *RELATIONS, *"+-·/^!∣≡"))
"""Behind brackets, these show that a number was in them."""
_FORMULA_WORDS = frozenset(
    ("or", "not", "implies", "if", "is", "are", "divides", "divide", "leaves", "leave", "equals", "there", "it")
) | frozenset("=≠<≤>≥∣∤≡→↔")


class Formulas(Relations):
    """A reader of claims."""

    def formula(self) -> Term:
        """An equivalence, an implication, or what these are made of."""
        left = self._implication()
        if self._accept_iff():
            right = self._implication()
            if self._iff_next():
                raise self.stuck("which equivalence comes first is not certain: brackets are missing")
            return self._with_quantifier_behind("iff", [left, right])
        if self.word == "if" or self.accept("whenever") or self.accept(",", "provided", "that"):
            self.accept("if")
            return Apply("implies", (self.listed(), left))
        return left

    def condition(self, commas: bool = True) -> Term:
        return self.listed(commas)

    def _iff_next(self) -> bool:
        return self.word in ("↔", "iff") or self.words[self.at : self.at + 4] == ["if", "and", "only", "if"]

    def _accept_iff(self) -> bool:
        return (
            self.accept("if", "and", "only", "if")
            or self.accept("iff")
            or self.accept("↔")
            or self.accept("exactly", "when")
        )

    def _implication(self) -> Term:
        if self.word == "if":
            premise, conclusion = self.if_then()
            return Apply("implies", (premise, conclusion))
        left = self.listed()
        if not (self.accept("implies") or self.accept("→")):
            return left
        self.accept("that")
        right = self.listed()
        if self.word in ("implies", "→"):
            raise self.stuck("which implication comes first is not certain: brackets are missing")
        return self._with_quantifier_behind("implies", [left, right])

    def if_then(self) -> tuple[Term, Term]:
        """`if A, then B`."""
        self.expect("if")
        premise = self.formula()
        self.accept(",")
        self.expect("then")
        return premise, self.formula()

    def listed(self, commas: bool = True) -> Term:
        """`A`, `A and B`, `A, B and C`, `A or B`, `A, B or C`."""
        parts = [self.claim()]
        joined = ""
        listing = False
        while True:
            start = self.at
            comma = commas and self.word == "," and self.words[self.at + 1] not in _AFTER_COMMA
            if comma:
                self.at += 1
            word = self.accept_one("and", "or")
            if comma and word and self.word in PROVE:  # ", and show that"
                self.at = start
                break
            if not comma and not word:
                break
            if word and joined and word != joined:
                raise self.stuck('"and" and "or" are mixed without brackets')
            joined, listing = word or joined, not word
            parts.append(self.claim())
        if listing:
            raise self.stuck('a list without "and" or "or"')
        return parts[0] if len(parts) == 1 else self._with_quantifier_behind(joined, parts)

    def _with_quantifier_behind(self, sign: str, parts: list[Term]) -> Term:
        """A quantifier at the end belongs to the whole list if its variables occur before it, introduced nowhere."""
        last = parts[-1]
        if isinstance(last, Behind):
            before = frozenset[str]().union(*map(free_variables, parts[:-1]))
            if any(one.name in before and one.name not in self.scope for one in last.variables):
                return Behind(last.sign, last.variables, Apply(sign, (*parts[:-1], last.body)), said=last.said)
        return Apply(sign, tuple(parts))

    # --- a single claim ------------------------------------------------------------------------

    def claim(self) -> Term:
        """Something without "and", "or", "implies" at its top, and perhaps a quantifier behind it."""
        found = self._plain_claim()
        while self.word == "for" and self.words[self.at + 1] in (*_EVERY, "some"):
            found = self._quantifier_behind(found)
        if (
            self.word == ","
            and self.words[self.at + 1] == "for"
            and self.words[self.at + 2] in _EVERY
            and self._ends_with_quantifier()
        ):
            self.at += 1
            found = self._quantifier_behind(found)
        return found

    def _ends_with_quantifier(self) -> bool:
        """Whether behind the comma there is a quantifier, and then the sentence ends."""
        at, scope = self.at, self.scope
        self.at += 3
        ends = self.attempt(self.kind_and_names) is not None and self.word in (".", "", ")")
        self.at, self.scope = at, scope
        return ends

    def _quantifier_behind(self, body: Term) -> Term:
        self.expect("for")
        if self.accept("some"):
            (variables, said) = self.kind_and_names() if self.is_kind() else self._bounded(body)
            said = (*said, *self._restriction(variables))
            return Behind("∃", variables, body, said=said)
        outer = self.scope
        variables, said = self.quantified()
        self.scope = outer
        return Behind("∀", variables, body, said=said)

    def _bounded(self, body: Term) -> Group:
        """`k < 6`, where only what is done with k says of which type it is."""
        name = self.word
        relation = self.claim()
        for term in walk(body):
            match term:
                case Call(function=Variable(function), args=(Variable(argument),)) if argument == name:
                    kind = self.scope.get(function, "").partition(" → ")[0]
                    if kind:
                        return (Typed(name, kind),), (relation,)
        raise self.stuck(f"of which kind {name} is, is not said")

    def quantified(self) -> Group:
        """Behind `for`: `every integer x`, `all integers x and y with x < y`, several of these with "and" between."""
        variables: tuple[Typed, ...] = ()
        said: tuple[Term, ...] = ()
        while True:
            if not self.accept_one(*_EVERY):
                raise self.stuck('expected "every" or "all"')
            own, known = self._members() or self.kind_and_names()
            self.scope = {**self.scope, **{one.name: one.type for one in own}}
            variables, said = (*variables, *own), (*said, *known, *self._restriction(own))
            if not (self.word == "and" and self.words[self.at + 1] in _EVERY):
                return variables, said
            self.at += 1

    def _members(self) -> Group | None:
        """`x, y ∈ ℤ`."""
        return self.attempt(self.members) if self.is_name(self.word) else None

    def members(self) -> Group:
        names = self.names()
        self.expect("∈")
        if self.word not in LETTERS:
            raise self.stuck("expected ℕ, ℤ or ℚ")
        self.at += 1
        kind = LETTERS[self.words[self.at - 1]]
        return tuple(Typed(name, kind) for name in names), ()

    def _restriction(self, variables: tuple[Typed, ...]) -> tuple[Term, ...]:
        """`with x < y`, `such that ...`, `≥ 2`, directly behind the names."""
        outer = self.scope
        self.scope = {**outer, **{one.name: one.type for one in variables}}
        found: Term | None = None
        if self.word in RELATIONS and len(variables) == 1:
            self.at -= 1
            found = self.claim()
        elif self.accept("with") or self.accept("such", "that"):
            found = self.condition(commas=False)
        self.scope = outer
        return () if found is None else split(found)

    def _plain_claim(self) -> Term:
        word = self.word
        if word == "(" and self._brackets_claim():
            return self.attempt(self._in_brackets) or self.relation()
        match word:
            case "not":
                self.at += 1
                return Apply("not", (self._negated(),))
            case "it":
                return self._it_is()
            case "there":
                return self._there()
            case "for":
                return self._for_every()
            case "if":
                return Apply("implies", self.if_then())
            case "both" | "neither" | "at":
                return self.of_both()
            case "either":
                self.at += 1
                first = self.claim()
                self.expect("or")
                return Apply("or", (first, self.claim()))
        return self.relation()

    def _negated(self) -> Term:
        """What "not" belongs to: something in brackets or a proposition, else it would not be certain."""
        if self.word == "(" or self.word == "not":
            return self._plain_claim()
        name = self.word
        if self.is_name(name) and self.is_proposition(name):
            return self.relation()
        raise self.stuck("what is negated is not certain: brackets are missing")

    def _in_brackets(self) -> Term:
        self.expect("(")
        found = self.formula()
        self.expect(")")
        if self.word in _GOING_ON:
            raise self.stuck("expected a number in these brackets")
        return found.joined() if isinstance(found, Behind) else found

    def _brackets_claim(self) -> bool:
        """Whether these brackets seem to hold a claim, not a term: something is said in them, and not in a count."""
        depth, at = 0, self.at
        counted = self.words[at + 1 : at + 4] == ["the", "number", "of"]
        while True:
            word = self.words[at]
            depth += (word == "(") - (word == ")")
            if depth == 0 or not word:
                return False
            if counted and word == "such":
                return False
            if word in _FORMULA_WORDS or self.scope.get(word, "").endswith("Prop"):
                return True
            if word == "for" and self.words[at + 1] in (*_EVERY, "some"):
                return True
            at += 1

    def _it_is(self) -> Term:
        """`it is not the case that A`."""
        if self.accept("it", "is", "not", "the", "case", "that") or self.accept("it", "is", "not", "true", "that"):
            bracketed = self.word == "("
            found = self.claim()
            if not bracketed and self.word in ("and", "or"):
                raise self.stuck("how far the negation reaches is not certain: brackets are missing")
            return Apply("not", (found,))
        self.expect("it", "is", "true", "that")
        return self.claim()

    def _for_every(self) -> Term:
        outer = self.scope
        self.expect("for")
        variables, said = self.quantified()
        if not self.accept(","):
            self.accept(":")
        self.scope = {**outer, **{one.name: one.type for one in variables}}
        body = self.formula()
        self.scope = outer
        return Bind("∀", variables, implication(said, body))

    # --- there is -------------------------------------------------------------------------------

    def _there(self) -> Term:
        self.expect("there")
        if self.accept("does", "not", "exist") or self.accept("do", "not", "exist"):
            self.accept_one("a", "an", "any")
            return Apply("not", (self._exists("∃"),))
        if not self.accept_one("is", "are", "exists", "exist"):
            raise self.stuck('expected "is" or "are"')
        if self.accept("no"):
            return Apply("not", (self._exists("∃"),))
        if self.accept("exactly", "one") or self.accept("a", "unique") or self.accept("precisely", "one"):
            return self._exists("∃!")
        if self.accept("exactly"):
            count = self.symbolic()
            return Apply("=", (Apply("card", (self.counted(),)), count))
        self.accept_one("a", "an", "some")
        return self._exists("∃")

    def _exists(self, sign: str) -> Term:
        outer, it = self.scope, self.it
        variables, said = self.kind_and_names()
        said = (*said, *self.bound_behind(variables))
        self.scope = {**outer, **{one.name: one.type for one in variables}}
        self.it = variables[0].name if len(variables) == 1 else ""
        parts: tuple[Term, ...] = ()
        if self.accept("such", "that") or self.accept("with") or self.accept("for", "which"):
            self.accept(",")
            parts = split(self.listed())
        elif not said:
            raise self.stuck('expected "such that"')
        self.scope, self.it = outer, it
        body = conjunction(*said, *parts)
        if len(variables) > 1 and sign == "∃!":
            raise self.stuck("exactly one of several numbers is not certain")
        return Bind(sign, variables, _of_two_digits(variables[0].name, body))


def _of_two_digits(name: str, body: Term) -> Term:
    """The tens digit of a number that is said to be at most 99 is all that is left of it without its last digit."""
    number = Variable(name)
    bounds = (
        Apply("≤", (number, Number(99))),
        Apply("≥", (Number(99), number)),
        Apply("<", (number, Number(100))),
        Apply(">", (Number(100), number)),
    )
    if not any(part in bounds for part in split(body)):
        return body
    tens = Apply("//", (number, Number(10)))
    return replaced(body, Apply("%", (tens, Number(10))), tens)
