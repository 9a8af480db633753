"""Varied surface: the same fact in several Lean shapes and several words. Every function draws from a passed-in source.

A `Said` holds a piece of a statement twice, in Lean and in words; both say the same, sign by sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import NamedTuple, TypeVar

from pythagoras.corpus.generator.family import Draft, Variables

T = TypeVar("T")
Number = int | Fraction


class Said(NamedTuple):
    """A proposition or a term, in Lean and in words."""

    lean: str
    words: str


NOUNS = {"ℕ": "natural number", "ℤ": "integer", "ℚ": "rational number", "Prop": "proposition"}
_POOLS = ("xyzw", "abcd", "mnkl", "uvwt", "pqrs", "stuv", "xyzt", "nmkj")


def pick(rng: Random, choices: Sequence[T]) -> T:
    return choices[int(rng.random() * len(choices))]


def nonzero(rng: Random, low: int, high: int) -> int:
    """A number from low to high, but not 0."""
    value = 0
    while value == 0:
        value = rng.randint(low, high)
    return value


def off_by(rng: Random, value: int, reach: int = 3, least: int | None = None) -> int:
    """A near but different number, for false claims; not below `least`."""
    wrong = value + nonzero(rng, -reach, reach)
    return wrong if least is None or wrong >= least else value + rng.randint(1, reach)


def letters(rng: Random, count: int, avoid: str = "") -> tuple[str, ...]:
    """Names for variables, up to four."""
    free = [letter for letter in pick(rng, _POOLS) if letter not in avoid]
    if len(free) < count or rng.random() < 0.1:
        return tuple(f"{'x' if 'x' not in avoid else 'y'}{sub}" for sub in "₁₂₃₄"[:count])
    return tuple(rng.sample(free, count)) if rng.random() < 0.3 else tuple(free[:count])


def index_letter(rng: Random, *taken: str) -> str:
    """A name for the variable of a sum or a quantifier inside."""
    return pick(rng, [letter for letter in "ijkt" if letter not in taken])


# --- terms ---------------------------------------------------------------------------------------


def number(value: Number) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{value.numerator} / {value.denominator}"
    return str(int(value))


def atom(text: str) -> str:
    """In parentheses where it is more than a name or a numeral."""
    return f"({text})" if " " in text or text.startswith("-") else text


def terms(pairs: Sequence[tuple[Number, str]]) -> str:
    """A sum of coefficients times monomials; an empty monomial is 1."""
    written = ""
    for coefficient, monomial in pairs:
        if coefficient == 0:
            continue
        size = coefficient if coefficient > 0 else -coefficient
        body = number(size) if not monomial else monomial if size == 1 else f"{number(size)} * {monomial}"
        if not written:
            written = body if coefficient > 0 else f"-{body}"
        else:
            written += f" + {body}" if coefficient > 0 else f" - {body}"
    return written or "0"


def shuffled(rng: Random, pairs: Sequence[tuple[Number, str]]) -> list[tuple[Number, str]]:
    """The terms of a sum, now and then in another order, and never beginning with a minus where that can be had."""
    mixed = [pair for pair in pairs if pair[0] != 0]
    if rng.random() < 0.3:
        rng.shuffle(mixed)
    lead = next((at for at, pair in enumerate(mixed) if pair[0] > 0), 0)
    return [mixed[lead], *mixed[:lead], *mixed[lead + 1 :]] if mixed else []


def power(base: str, exponent: int) -> str:
    return "" if exponent == 0 else base if exponent == 1 else f"{base} ^ {exponent}"


def polynomial(coefficients: Sequence[Number], variable: str) -> list[tuple[Number, str]]:
    """Terms from the highest power down; coefficients are given from the constant up."""
    return [(c, power(variable, e)) for e, c in reversed(list(enumerate(coefficients)))]


_CAST = re.compile(r"\((\w+) : [ℕℤℚ]\)")
_TIMES = re.compile(r"(?<![\w^/])(\d+) \* (?=[^\W\d]|\()")


_APPLIED = re.compile(r"(?<!\w)([A-Za-z]) (\w+)")
_APPLIED_TO_TERM = re.compile(r"(?<!\w)([A-Za-z]) \(")


def math(lean: str) -> str:
    """A Lean term or relation as people write it: `3 * f (n + 1) ^ 2` is 3f(n + 1)^2. `Nat.fib` is F."""
    text = (_CAST.sub(r"\1", lean) if ":" in lean else lean).replace("Nat.fib", "F")
    text = _APPLIED_TO_TERM.sub(r"\1(", _APPLIED.sub(r"\1(\2)", text)).replace(" ^ ", "^").replace(" / ", "/")
    return _TIMES.sub(r"\1", text).replace(" * ", " · ")


# --- relations -----------------------------------------------------------------------------------

_MIRRORED = {"=": "=", "≠": "≠", "<": ">", ">": "<", "≤": "≥", "≥": "≤"}


def relation(rng: Random, left: str, sign: str, right: str) -> Said:
    """Either side first."""
    if rng.random() < 0.2:
        left, sign, right = right, _MIRRORED[sign], left
    lean = f"{left} {sign} {right}"
    return Said(lean, math(lean))


def divides(rng: Random, divisor: str, term: str, kind: str = "ℕ", alone: bool = False) -> Said:
    """`kind` is the type of both. Only what stands alone, as a hypothesis or a goal, may get a quantifier."""
    way = rng.random()
    words = math(term)
    if way < 0.6 or not divisor.isdigit():
        return Said(f"{divisor} ∣ {term}", f"{pick(rng, ('', 'the number '))}{math(divisor)} divides {words}")
    if way < 0.8:
        return Said(f"{atom(term)} % {divisor} = 0", f"{words} leaves remainder 0 when divided by {divisor}")
    if way < 0.9 or not alone:
        return Said(f"{term} ≡ 0 [{modulus_sign(kind)} {divisor}]", f"{words} is congruent to 0 modulo {divisor}")
    return Said(f"∃ e, {term} = {divisor} * e", f"{words} is {divisor} times {_article(NOUNS[kind])}")


def modulus_sign(kind: str) -> str:
    return "MOD" if kind == "ℕ" else "ZMOD"


def remainder(rng: Random, term: str, modulus: int, value: int, kind: str = "ℕ") -> Said:
    """The term leaves that remainder, from 0 to modulus - 1; in ℤ too, where `%` is never negative."""
    words = math(term)
    if rng.random() < 0.25:
        lean = f"{term} ≡ {value} [{modulus_sign(kind)} {modulus}]"
        return Said(lean, f"{words} is congruent to {value} modulo {modulus}")
    said = (
        f"{words} leaves remainder {value} when divided by {modulus}",
        f"the remainder of {words} on division by {modulus} is {value}",
    )
    return Said(f"{atom(term)} % {modulus} = {value}", pick(rng, said))


def parity(rng: Random, term: str, odd: bool) -> Said:
    words = math(term)
    way = rng.random()
    if way < 0.7:
        return Said(f"{'Odd' if odd else 'Even'} {atom(term)}", f"{words} is {'odd' if odd else 'even'}")
    if way < 0.9 or odd:
        return Said(f"{atom(term)} % 2 = {int(odd)}", f"{words} leaves remainder {int(odd)} when divided by 2")
    return Said(f"2 ∣ {term}", f"2 divides {words}")


def conjunction(rng: Random, parts: Sequence[Said], shuffle: bool = True) -> Said:
    """All of them; quantified and equivalent parts must come in parentheses."""
    mixed = list(parts)
    if shuffle and rng.random() < 0.3:
        rng.shuffle(mixed)
    return Said(" ∧ ".join(one.lean for one in mixed), listed([one.words for one in mixed]))


def disjunction(rng: Random, parts: Sequence[Said]) -> Said:
    mixed = list(parts)
    if rng.random() < 0.3:
        rng.shuffle(mixed)
    return Said(" ∨ ".join(one.lean for one in mixed), listed([one.words for one in mixed], "or"))


def equivalence(rng: Random, left: Said, right: Said) -> Said:
    """Either side first; conjunctions need no parentheses, `↔` binds weakest."""
    if rng.random() < 0.2:
        left, right = right, left
    return Said(f"{left.lean} ↔ {right.lean}", f"{left.words} if and only if {right.words}")


def listed(words: Sequence[str], last: str = "and") -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


# --- whole problems ------------------------------------------------------------------------------


def introduced(variables: Variables) -> str:
    """`x and y be integers and let n be a natural number`, as it stands behind Let."""
    return " and let ".join(f"{listed(names)} be {_kinds(len(names), kind)}" for names, kind in variables)


def _kinds(count: int, kind: str) -> str:
    noun = _function(kind) if "→" in kind else NOUNS[kind]
    return _article(noun) if count == 1 else _plural(noun)


def _plural(noun: str) -> str:
    for one, many in (("function", "functions"), ("property", "properties")):
        if noun.startswith(one):
            return noun.replace(one, many, 1)
    return f"{noun}s"


def _function(kind: str) -> str:
    source, target = kind.split(" → ")
    if target == "Prop":
        return f"property of {NOUNS[source]}s"
    return f"function from the {NOUNS[source]}s to the {NOUNS[target]}s"


def _all(variables: Variables) -> str:
    parts = []
    for names, kind in variables:
        noun = _function(kind) if "→" in kind else NOUNS[kind]
        noun = _plural(noun) if len(names) > 1 else noun
        # "function f from ...", "rational number x"
        head, rest = noun.split(" ", 1) if "→" in kind else (noun, "")
        parts.append(" ".join(filter(None, ("all" if len(names) > 1 else "every", head, listed(names), rest))))
    return listed(parts)


_PROVE = ("Prove that", "Show that", "Prove that", "Show that", "Demonstrate that", "Verify that", "Establish that")


def told(rng: Random, variables: Variables, given: Sequence[str], claim: str, ask: str = "") -> str:
    """The problem in words. `ask` is what a pupil would be asked to find."""
    prove = pick(rng, _PROVE)
    if ask and rng.random() < 0.3:
        claim_text = f"{pick(rng, ('Find', 'Determine', 'Work out'))} {ask}, and {prove[0].lower()}{prove[1:]} {claim}."
    else:
        claim_text = f"{prove} {claim}."
    if not variables:
        return f"Suppose that {listed(given)}. {claim_text}" if given else claim_text
    way = int(rng.random() * 5)
    if not given:
        if way < 2 or claim_text[0] in "FDW":
            return f"Let {introduced(variables)}. {claim_text}"
        if way < 4:
            return f"{prove}, for {_all(variables)}, {claim}."
        return f"{prove} the following holds for {_all(variables)}: {claim}."
    assumed = listed(given)
    if way == 0:
        return f"Let {introduced(variables)}. Suppose that {assumed}. {claim_text}"
    if way == 1:
        return f"Let {introduced(variables)} such that {assumed}. {claim_text}"
    if way == 2:
        return f"Let {introduced(variables)}. Assume that {assumed}. {claim_text}"
    if way == 3:
        return f"Let {introduced(variables)}. We are told that {assumed}. {claim_text}"
    return f"{prove}, for {_all(variables)}: if {assumed}, then {claim}."


def draft(
    rng: Random,
    variables: Variables,
    given: Sequence[Said],
    claim: Said,
    *,
    false: bool,
    answer: str = "",
    ask: str = "",
    keep_order: bool = False,
) -> Draft:
    """A draft told in one of the general ways; hypotheses come in any order."""
    mixed = list(given)
    if not keep_order and len(mixed) > 1 and rng.random() < 0.4:
        rng.shuffle(mixed)
    text = told(rng, variables, [one.words for one in mixed], claim.words, ask)
    return Draft(variables, tuple(one.lean for one in mixed), claim.lean, text, math(answer), not false)
