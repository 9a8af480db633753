"""The sentences of a problem: what is introduced, what is supposed, what is asked for, what is to be shown."""

from __future__ import annotations

from collections.abc import Iterator

from pythagoras.language.english_cursor import Group
from pythagoras.language.english_formulas import Formulas
from pythagoras.language.english_relations import split
from pythagoras.language.english_sense import replaced, sensible
from pythagoras.language.english_tokens import Tokens
from pythagoras.language.english_words import ADJECTIVES, FIND, PROVE, RELATIONS
from pythagoras.language.meaning import Apply, Call, Claim, Let, Number, Term, Typed, Variable, walk
from pythagoras.language.reading import NotRead

_SUPPOSE = (
    ("suppose",), ("assume",), ("suppose", "further"), ("assume", "further"), ("suppose", "also"), ("assume", "also"),
    ("we", "are", "told"), ("we", "are", "given"), ("we", "know"), ("it", "is", "known"), ("it", "is", "given"),
)  # fmt: skip
_OPENINGS = frozenset(
    ("let", "put", "if", "given", "assuming", "for", "", *PROVE, *(one[0] for one in (*FIND, *_SUPPOSE)))
)


class Sentences(Formulas):
    """A reader of whole problems."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self.variables: list[Typed] = []
        self.hypotheses: list[Term] = []
        self.lets: list[tuple[Typed, Term]] = []
        self.goal: Term | None = None
        self.asked: list[Term] = []

    def begins_with_sentence(self) -> bool:
        """Whether the text opens as problems do that are no stories."""
        return self.word in _OPENINGS or self.words[:2] == ["what", "is"]

    def problem(self) -> Claim:
        while self.goal is None:
            if not self.word:
                raise self.stuck("nothing is claimed")
            self._sentence()
        if self.word:
            raise self.stuck("nothing is expected behind the claim")
        goal = self.goal
        self._check_asked(goal)
        for variable, value in reversed(self.lets):
            goal = Let(variable, value, goal)
        return sensible(Claim(tuple(self.variables), tuple(self.hypotheses), goal))

    def _sentence(self) -> None:
        if self.word == "let":
            self._let()
        elif self.word == "put":
            self._put()
        elif self.word == "what":
            self._question()
        elif self.word == "if":
            self.expect("if")
            self._premises()
            self.accept(",")
            self._claimed()
        elif self.word == "given" or self.word == "assuming":
            self.at += 1
            self.accept("that")
            self._premises()
            if self.accept(","):
                self._claimed()
            else:
                self._end()
        elif self.word == "for":
            self.expect("for")
            self.introduce(self.quantified())
            if not self.accept(","):
                self.accept(":")
            self._claimed()
        elif any(self.accept(*phrase) for phrase in reversed(_SUPPOSE)):
            self.accept("that")
            self._premises()
            self._end()
        else:
            self._claimed()

    def _end(self) -> None:
        if not self.accept(".") and self.word:
            raise self.stuck("expected the end of the sentence")

    def introduce(self, group: Group) -> None:
        variables, said = group
        self.variables += variables
        self.hypotheses += said
        self.scope = {**self.scope, **{one.name: one.type for one in variables}}

    def _suppose(self, claim: Term) -> None:
        self.hypotheses += split(claim)

    def _premises(self) -> None:
        """What is supposed; `n is an odd integer` introduces n if nothing else did."""
        if self.is_name(self.word) and self.word not in self.scope:
            group = self.attempt(self._introducing)
            if group is not None:
                self.introduce(group)
                if self.accept("such", "that") or self.accept("with") or self.accept("and"):
                    self._suppose(self.formula())
                return
        self._suppose(self.formula())

    def _introducing(self) -> Group:
        names = self.names()
        if not self.accept_one("is", "are"):
            raise self.stuck("expected what the names stand for")
        if (self.word in ADJECTIVES and len(names) == 1) or any(name in self.scope for name in names):
            raise self.stuck("expected a kind of number")
        return self.introduced()(names)

    def _let(self) -> None:
        """`Let x and y be integers and let f be a function ... such that ...`."""
        self.expect("let")
        while True:
            group = self.attempt(self.members)
            if group is None:
                group = self._named()
            self.introduce(group)
            if not (self.accept("and", "let") or self.accept(",", "and", "let")):
                break
        if self.accept("such", "that") or self.accept("with"):
            self._suppose(self.formula())
        self._end()

    def _named(self) -> Group:
        """`x and y be integers`, `n ≥ 2 be an integer`."""
        names = self.names()
        bound: tuple[Term, ...] = ()
        if len(names) == 1 and self.word in RELATIONS:
            sign = self.word
            self.at += 1
            bound = (Apply(sign, (Variable(names[0]), self.symbolic())),)
        self.expect("be")
        variables, said = self.introduced()(names)
        return variables, (*said, *bound)

    def _put(self) -> None:
        """`Put total = 3 · 16 and bill = total - 6, where total and bill are natural numbers`: values with names."""
        self.expect("put")
        values: dict[str, Term] = {}
        while True:
            name = self.word
            if not name.replace("_", "").isalnum() or name[0].isdigit() or name in self.scope:
                raise self.stuck("expected a new name")
            self.at += 1
            self.expect("=")
            values[name] = self.term()
            self.scope = {**self.scope, name: "ℚ"}
            if not (self.accept("and") or (self.words[self.at + 1] != "where" and self.accept(","))):
                break
        self.expect(",", "where")
        for kind, names in self._kinds_of_values(values):
            self.lets += [(Typed(name, kind), values[name]) for name in names]
        if [variable.name for variable, _ in self.lets] != list(values):
            raise self.stuck("of which kinds the values are is not certain")
        self._end()

    def _kinds_of_values(self, values: dict[str, Term]) -> Iterator[tuple[str, list[str]]]:
        while True:
            names = self.names()
            if not self.accept_one("is", "are") or not set(names) <= set(values):
                raise self.stuck("expected of which kind the values are")
            variables, said = self.introduced()(names)
            if said:
                raise self.stuck("expected a kind of number")
            yield variables[0].type, names
            if not (self.accept("and") or self.accept(",")):
                return

    # --- what is to be shown ---------------------------------------------------------------------

    def _claimed(self) -> None:
        """`Show that ...`, `Find ..., and show that ...`."""
        self.accept("then")
        if any(self.accept(*phrase) for phrase in FIND):
            self.asked.append(self.term())
            while (self.word == "and" and self.words[self.at + 1] not in PROVE) or self._more_asked():
                self.at += 1
                self.asked.append(self.term())
            self.accept(",")
            self.expect("and")
        if self.word not in PROVE:
            raise self.stuck('expected a sentence that begins with "Let", "Suppose", "Show that" or the like')
        self.at += 1
        self.expect("that")
        if self.accept("the", "answer", "to", "the", "following", "question", "is"):
            self._answer_before_question()
            return
        if self.accept(",", "for"):
            self.introduce(self.quantified())
            if not self.accept(","):
                self.expect(":")
        elif self.accept("the", "following", "holds", "for"):
            self.introduce(self.quantified())
            self.expect(":")
        if self.word == "if":
            premise, self.goal = self.if_then()
            self._suppose(premise)
        else:
            self.goal = self.formula()
        while self.accept(",", "where") or self.accept("where"):
            self.read_where()
        self._end()

    def _question(self) -> None:
        """`What is ...? Show that the answer is ...`."""
        self.expect("what", "is")
        asked = self.term()
        self.expect("?")
        if self.word not in PROVE:
            raise self.stuck('expected "Show that"')
        self.at += 1
        if not (self.accept("that", "the", "answer", "is") or self.accept("that", "it", "is")):
            raise self.stuck('expected "that the answer is"')
        self.goal = Apply("=", (asked, self.term()))
        self._end()

    def _answer_before_question(self) -> None:
        answer = self.term()
        self.expect(":", "what", "is")
        self.goal = Apply("=", (self.term(), answer))
        self.expect("?")

    def _more_asked(self) -> bool:
        """A comma that goes on with what is asked for, as in `x, y and z`."""
        return self.word == "," and self.words[self.at + 1] != "and"

    def _check_asked(self, goal: Term) -> None:
        """What is to be found must be what the claim is about."""
        for asked in self.asked:
            if isinstance(asked, Number) or not any(
                part == asked or _same_remainder(part, asked) for part in walk(goal)
            ):
                raise NotRead("what is to be found is not what the claim is about")

    def read_where(self) -> None:
        """`where n is a natural number`, `where F(0) = 0 and F(1) = 1`."""
        if self.words[self.at + 1] == "(" and (
            self.word == self.fibonacci or (self.word not in self.scope and "fibonacci" in self.words)
        ):
            self._fibonacci_clause()
            return
        self.introduce(self._introducing())
        if self.accept("such", "that") or self.accept("with"):
            self._suppose(self.formula())

    def _fibonacci_clause(self) -> None:
        """`F(0) = 0, F(1) = 1, F(2) = 1 and so on are the Fibonacci numbers`."""
        letter = self.word
        values: list[int] = []
        while self.word == letter:
            at = len(values)
            self.expect(letter, "(", str(at), ")", "=", str(min(at, 1)) if at < 3 else self.word)
            values.append(at)
            if not self.accept(","):
                self.accept("and")
        if len(values) < 2:
            raise self.stuck("the first two Fibonacci numbers are not said")
        if self.accept("so", "on"):
            self.accept_one("are")
            self.expect("the", "fibonacci", "numbers")
        elif not self.fibonacci:
            raise self.stuck("expected the Fibonacci numbers")
        self.goal = _with_fibonacci(self.goal, letter) if self.goal else None
        self.hypotheses = [_with_fibonacci(one, letter) for one in self.hypotheses]
        self.lets = [(variable, _with_fibonacci(value, letter)) for variable, value in self.lets]


def _same_remainder(part: Term, asked: Term) -> bool:
    """A congruence says what a remainder is."""
    match part, asked:
        case Apply("≡", (number, _, modulus)), Apply("%", (asked_number, asked_modulus)):
            return number == asked_number and modulus == asked_modulus
    return False


def _with_fibonacci(term: Term, letter: str) -> Term:
    for part in walk(term):
        match part:
            case Call(function=Variable(name), args=(argument,)) if name == letter:
                return _with_fibonacci(replaced(term, part, Apply("fib", (argument,))), letter)
    return term
