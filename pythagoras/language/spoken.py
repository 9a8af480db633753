"""Meanings to English: a problem in fixed words and the usual signs, with brackets wherever two readings are possible.

The wording is one, not varied as the generator's is, and lies within what `read_english` reads. What reads like a
phrase inside of a formula ("the sum of ...") stands in brackets there. Casts are not said.
"""

from __future__ import annotations

from collections.abc import Sequence

from pythagoras.language.bounds import within_the_stack
from pythagoras.language.lean_text import term_text
from pythagoras.language.letters import LETTER, lettered
from pythagoras.language.meaning import (
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
    free_variables,
    substitute,
    walk,
)
from pythagoras.language.reading import NotRead

NOUNS = {"ℕ": "natural number", "ℤ": "integer", "ℚ": "rational number", "Prop": "proposition"}
_SYMBOLS = frozenset({"=", "≠", "<", "≤", ">", "≥"})
_LOOSE = frozenset({"and", "or", "not", "implies", "iff"})
_ARTICLE = {"a": "an", "e": "an", "i": "an", "o": "an", "u": "an"}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
"""How tight a written term is."""
_PHRASES = frozenset({"gcd", "lcm", "choose", "%", "//", "card", "digits"})


@within_the_stack
def say(claim: Claim) -> str:
    """The problem in words. NotRead for what there are no words for."""
    claim = lettered(claim)
    sentences: list[str] = []
    if claim.variables:
        sentences.append(f"Let {_introduced(claim.variables)}.")
    if claim.hypotheses:
        said = [_hypothesis(term, len(claim.hypotheses) > 1) for term in claim.hypotheses]
        sentences.append(f"Suppose that {_listed(said)}.")
    lets, goal = _named_values(claim.goal)
    if lets:
        sentences.append(f"{_put(lets)}.")
    sentences.append(f"Prove that {_formula(goal)}{_fibonacci(claim)}.")
    return " ".join(sentences)


@within_the_stack
def say_term(term: Term) -> str:
    """A number or a formula by itself."""
    return _formula(term) if _is_formula(term) else _side(term)


# --- kinds ---------------------------------------------------------------------------------------


def _groups(variables: Sequence[Typed]) -> list[tuple[list[str], str]]:
    groups: list[tuple[list[str], str]] = []
    for variable in variables:
        if groups and groups[-1][1] == variable.type:
            groups[-1][0].append(variable.name)
        else:
            groups.append(([variable.name], variable.type))
    return groups


def _introduced(variables: Sequence[Typed]) -> str:
    return " and let ".join(
        f"{_listed(names)} be {_many(kind) if len(names) > 1 else _one(kind)}" for names, kind in _groups(variables)
    )


def _kind(kind: str) -> tuple[str, str]:
    """The noun, and what stands behind the names: `function`, `from the integers to the integers`."""
    if kind in NOUNS:
        return NOUNS[kind], ""
    source, _, target = kind.partition(" → ")
    if source not in NOUNS or target not in NOUNS:
        raise NotRead(f"no word for the type {kind}")
    if target == "Prop":
        return "property", f" of {NOUNS[source]}s"
    return "function", f" from the {NOUNS[source]}s to the {NOUNS[target]}s"


def _one(kind: str) -> str:
    noun, rest = _kind(kind)
    return f"{_ARTICLE.get(noun[0], 'a')} {noun}{rest}"


def _many(kind: str) -> str:
    noun, rest = _kind(kind)
    return f"{_plural(noun)}{rest}"


def _plural(noun: str) -> str:
    return "properties" if noun == "property" else f"{noun}s"


def _every(names: Sequence[str], kind: str) -> str:
    noun, rest = _kind(kind)
    return f"for {'every' if len(names) == 1 else 'all'} {_of(noun, names)}{rest}"


def _there(names: Sequence[str], kind: str, exactly_one: bool) -> str:
    noun, rest = _kind(kind)
    if exactly_one:
        if len(names) > 1:
            raise NotRead("no words for exactly one pair of numbers")
        return f"there is exactly one {_of(noun, names)}{rest}"
    article = f"is {_ARTICLE.get(noun[0], 'a')}" if len(names) == 1 else "are"
    return f"there {article} {_of(noun, names)}{rest}"


def _of(noun: str, names: Sequence[str]) -> str:
    return f"{noun if len(names) == 1 else _plural(noun)} {_listed(names)}"


def _listed(words: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


# --- named values --------------------------------------------------------------------------------


def _named_values(goal: Term) -> tuple[list[Let], Term]:
    lets: list[Let] = []
    while isinstance(goal, Let):
        lets.append(goal)
        goal = goal.body
    return lets, goal


def _put(lets: Sequence[Let]) -> str:
    values = _listed([f"{let.variable.name} = {_number(let.value, _SUM)}" for let in lets])
    kinds = [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {_one(kind) if len(names) == 1 else _many(kind)}"
        for names, kind in _groups([let.variable for let in lets])
    ]
    return f"Put {values}, where {_listed(kinds)}"


# --- formulas ------------------------------------------------------------------------------------


def _is_formula(term: Term) -> bool:
    match term:
        case Apply(sign):
            return sign in _LOOSE or sign in _SYMBOLS or sign in _RELATIONS
        case Bind(sign):
            return sign in ("∀", "∃", "∃!")
    return False


def _is_composite(term: Term) -> bool:
    """Whether it is in brackets where it stands beside others."""
    match term:
        case Apply("not", (Variable() | Call(),)):
            return False  # has brackets of its own
        case Apply("least" | "greatest"):
            return True  # ends in a condition
        case Apply(sign):
            return sign in _LOOSE
        case Bind("∀" | "∃" | "∃!") | Let():
            return True
    return False


def _part(term: Term) -> str:
    """A formula beside others."""
    return f"({_formula(term)})" if _is_composite(term) else _formula(term)


def _hypothesis(term: Term, among_others: bool) -> str:
    match term:
        case Bind("∀", variables, body) if not _is_composite(body) and len(_groups(variables)) == 1:
            ((names, kind),) = _groups(variables)
            return f"{_formula(body)} {_every(names, kind)}"
    return _part(term) if among_others else _formula(term)


def _formula(term: Term) -> str:
    match term:
        case Apply("and" | "or", parts):
            return _listed([_part(part) for part in parts], term.sign)
        case Apply("implies", (premise, conclusion)):
            return f"{_part(premise)} implies {_part(conclusion)}"
        case Apply("iff", (left, right)):
            return f"{_part(left)} if and only if {_part(right)}"
        case Apply("not", (Variable() | Call() as inner,)):
            return f"(not {_formula(inner)})"
        case Apply("not", (inner,)):
            return f"it is not true that ({_formula(inner)})"
        case Apply("true" | "false"):
            return "0 = 0" if term.sign == "true" else "0 = 1"
        case Bind("∀" | "∃" | "∃!"):
            return _quantified(term)
        case Let():
            return _formula(substitute(term.body, {term.variable.name: term.value}))
        case Variable() | Call():
            return _number(term, _ATOM)
        case Apply():
            return _relation(term)
    raise NotRead(f"no words for {type(term).__name__}")


def _quantified(term: Bind) -> str:
    (names, kind), *more = _groups(term.variables)
    rest: Term = term.body
    if more:
        rest = Bind(term.sign, term.variables[len(names) :], term.body)
    if term.sign == "∀":
        return f"{_every(names, kind)}, {_part(rest)}"
    said = _formula(rest) if isinstance(rest, Apply) and rest.sign == "and" else _part(rest)
    return f"{_there(names, kind, term.sign == '∃!')} such that {said}"


def _relation(term: Apply) -> str:
    sign, args = term.sign, term.args
    match sign, args:
        case "=", (Apply("digits") as digits, Apply("list", elements)):
            shown = ", ".join(_number(element, _SUM) for element in elements)
            return f"{_side(digits)} are {shown}, the least significant first"
        case "=", (Apply("%", (number, modulus)), Number() as remainder):
            return (
                f"{_number(number, _SUM)} leaves remainder {remainder.value} when divided by {_number(modulus, _SUM)}"
            )
        case "=", (left, right) if _is_phrase(left) and not _is_phrase(right) and not _ends_open(left):
            return f"{_side(left)} is {_number(right, _SUM)}"
        case _, (left, right) if sign in _SYMBOLS:
            return f"{_number(left, _SUM)} {sign} {_number(right, _SUM)}"
        case "≡", (left, right, modulus):
            return f"{_number(left, _SUM)} is congruent to {_number(right, _SUM)} modulo {_number(modulus, _SUM)}"
        case (("injective" | "surjective" | "bijective"), (function,)):
            return f"{_function(function)} is {sign}"
        case (("least" | "greatest"), (Bind("set", (variable,), body), value)):
            noun = NOUNS[variable.type]
            said = _formula(body) if isinstance(body, Apply) and body.sign == "and" else _part(body)
            return f"{_number(value, _SUM)} is the {sign} {noun} {variable.name} such that {said}"
    if sign in _RELATIONS:
        return _RELATIONS[sign].format(*(_number(arg, _SUM) for arg in args))
    raise NotRead(f"no words for {sign!r}")


_RELATIONS = {
    **{"∣": "{} divides {}", "even": "{} is even", "odd": "{} is odd", "prime": "{} is prime"},
    **{"coprime": "{} and {} are coprime", "∈": "{} ∈ {}"},
    **dict.fromkeys(("≡", "injective", "surjective", "bijective", "least", "greatest"), ""),
}


def _function(term: Term) -> str:
    match term:
        case Variable(name):
            return name
        case Bind("fun", (variable,), body):
            target = _value_type(body, variable)
            sent = f"that sends {variable.name} to {_number(body, _SUM)}"
            return f"the function from the {NOUNS[variable.type]}s to the {NOUNS[target]}s {sent}"
    raise NotRead("no words for a function of several arguments")


def _value_type(body: Term, variable: Typed) -> str:
    """Of a function with only its own variable; what else stands in it must be of no larger type."""
    divided = any(isinstance(part, Apply) and part.sign == "/" for part in walk(body))
    casts = [part.type for part in walk(body) if isinstance(part, Cast)]
    return "ℚ" if divided else max([variable.type, *casts], key=list(NOUNS).index)


# --- numbers -------------------------------------------------------------------------------------


def _side(term: Term) -> str:
    """A term that stands by itself, where a phrase needs no brackets."""
    return _phrase(term) or _number(term, _SUM)


def _is_phrase(term: Term) -> bool:
    """Whether it is said in words. Not by saying it: what is inside would be said again at every level."""
    match term:
        case Cast(_, inner):
            return _is_phrase(inner)
        case Apply("list_sum", (collection,)):
            return isinstance(collection, Apply) and collection.sign == "digits"
        case Apply(sign):
            return sign in _PHRASES
        case Bind("∑" | "∏", (_,), _, domain):
            return domain is not None
    return False


def _ends_open(term: Term) -> bool:
    """Whether a phrase ends in a condition, so that only a bracket shows where it ends."""
    return isinstance(term, Apply) and term.sign == "card" and isinstance(term.args[0], Bind)


def _phrase(term: Term) -> str | None:
    """Terms that are said in words; None for those in signs."""
    match term:
        case Cast(_, inner):
            return _phrase(inner)
        case Apply("gcd", (left, right)):
            return f"the greatest common divisor of {_number(left, _SUM)} and {_number(right, _SUM)}"
        case Apply("lcm", (left, right)):
            return f"the least common multiple of {_number(left, _SUM)} and {_number(right, _SUM)}"
        case Apply("choose", (number, chosen)):
            return f"the number of ways to choose {_number(chosen, _SUM)} out of {_number(number, _SUM)}"
        case Apply("%", (number, modulus)):
            return f"the remainder of {_number(number, _SUM)} on division by {_number(modulus, _SUM)}"
        case Apply("//", (number, divisor)):
            return f"the integer part of {_signs(Apply('/', (number, divisor)))[0]}"
        case Apply("card", (collection,)):
            return f"the number of {_counted(collection)}"
        case Apply("list_sum", (Apply("digits") as digits,)):
            return f"the sum of {_side(digits)}"
        case Apply("digits", (base, number)):
            return f"the digits of {_number(number, _SUM)} in base {_number(base, _SUM)}"
        case Bind("∑" | "∏", (variable,), body, domain) if domain is not None:
            kind = "sum" if term.sign == "∑" else "product"
            return f"the {kind} of ({_number(body, _SUM)}) {_over(variable, domain)}"
    return None


def _over(variable: Typed, domain: Term) -> str:
    if variable.type != "ℕ":
        raise NotRead("a sum over other numbers than natural ones")
    match domain:
        case Apply("range", (end,)):
            return f"over all natural numbers {variable.name} below {_number(end, _SUM)}"
        case Apply("icc", (low, high)):
            return f"for {variable.name} from {_number(low, _SUM)} to {_number(high, _SUM)}"
        case Apply("divisors", (number,)):
            return f"over all positive divisors {variable.name} of {_number(number, _SUM)}"
    raise NotRead("no words for what the sum runs over")


def _counted(collection: Term) -> str:
    match collection:
        case Apply("divisors", (number,)):
            return f"positive divisors of {_number(number, _SUM)}"
        case Bind("filter", (variable,), body, Apply("icc", (low, high))):
            ends = f"from {_number(low, _SUM)} to {_number(high, _SUM)}, both included,"
            return f"{NOUNS[variable.type]}s {variable.name} {ends} such that {_part(body)}"
        case Bind("filter", (variable,), body, Apply("range", (end,))):
            return f"natural numbers {variable.name} below {_number(end, _SUM)} such that {_part(body)}"
        case Bind("filter", (variable,), body, Apply("divisors", (number,))):
            return f"positive divisors {variable.name} of {_number(number, _SUM)} such that {_part(body)}"
    raise NotRead("no words for what is counted")


def _number(term: Term, tight: int) -> str:
    """A term in signs, in brackets where it is looser than it must be."""
    phrase = _phrase(term)
    if phrase is not None:
        return f"({phrase})"
    text, own = _signs(term)
    return f"({text})" if own < tight else text


def _signs(term: Term) -> tuple[str, int]:
    match term:
        case Number(value):
            return str(value), _ATOM
        case Variable(name):
            return name, _ATOM
        case Cast(_, inner):
            return _signs(inner)
        case Call(Variable(name), args):
            return f"{name}({', '.join(_number(arg, _SUM) for arg in args)})", _ATOM
        case Let(variable, value, body):
            return _signs(substitute(body, {variable.name: value}))
        case Apply("+" | "-", (left, right)):
            behind = f"({_number(right, _SUM)})" if _begins_with_minus(right) else _number(right, _PRODUCT)
            return f"{_number(left, _SUM)} {term.sign} {behind}", _SUM
        case Apply("neg", (inner,)):
            return f"-{_number(inner, _POWER)}", _PRODUCT
        case Apply("*", (left, right)):
            return _product(left, right), _PRODUCT
        case Apply("/", (left, right)):
            return f"{_number(left, _PRODUCT)}/{_number(right, _POWER)}", _PRODUCT
        case Apply("^", (base, exponent)):
            return f"{_number(base, _ATOM)}^{_number(exponent, _ATOM)}", _POWER
        case Apply("factorial", (inner,)):
            return f"{_number(inner, _ATOM)}!", _POWER
        case Apply("abs", (inner,)):
            return f"|{_number(inner, _SUM)}|", _ATOM
        case Apply("min" | "max" | "totient" | "fib", args):
            name = {"totient": "φ", "fib": "F"}.get(term.sign, term.sign)
            return f"{name}({', '.join(_number(arg, _SUM) for arg in args)})", _ATOM
        case Apply("list", args):
            return f"{{{', '.join(_number(arg, _SUM) for arg in args)}}}", _ATOM
    raise NotRead(f"no words for {term_text(term)}")


def _product(left: Term, right: Term) -> str:
    first = _number(left, _PRODUCT)
    second = f"({_number(right, _SUM)})" if _begins_with_minus(right) else _number(right, _POWER)
    return f"{first}{second}" if _is_numeral(left) and _joins(right) else f"{first} · {second}"


def _is_numeral(term: Term) -> bool:
    return isinstance(term, Number) or (
        isinstance(term, Apply) and term.sign == "neg" and isinstance(term.args[0], Number)
    )


def _joins(term: Term) -> bool:
    """Whether a numeral stands before it without a sign: `3x^2`, `3f(n)`, `3(x + 1)`."""
    match term:
        case Variable(name):
            return LETTER.fullmatch(name) is not None
        case Cast(_, inner) | Apply("^", (inner, _)):
            return _joins(inner)
        case Call(function):
            return _joins(function)
        case Apply(sign):
            return sign in ("+", "-", "*", "fib")
    return False


def _begins_with_minus(term: Term) -> bool:
    match term:
        case Cast(_, inner):
            return _begins_with_minus(inner)
        case Apply("neg"):
            return True
        case Apply("*" | "/", (left, _)):
            return _begins_with_minus(left)
    return False


def _fibonacci(claim: Claim) -> str:
    terms = (*claim.hypotheses, claim.goal)
    if not any(isinstance(part, Apply) and part.sign == "fib" for term in terms for part in walk(term)):
        return ""
    if "F" in {variable.name for variable in claim.variables} or any("F" in free_variables(term) for term in terms):
        raise NotRead("F is a variable, and there are Fibonacci numbers")
    return ", where F(0) = 0, F(1) = 1, F(2) = 1 and so on are the Fibonacci numbers"
