"""Propositional and monadic logic. Truth tables decide; formulas are drawn until one has the truth that is asked for.

A table is a number: bit k tells the value in row k, and bit i of k that of atom i.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family
from pythagoras.corpus.generator.surface import Said, draft, pick

TOPIC = "propositional logic"

_LETTERS = (("p", "q", "r", "s"), ("a", "b", "c", "d"), ("P", "Q", "R", "S"), ("A", "B", "C", "D"))
_WORDS = {"∧": "and", "∨": "or", "→": "implies", "↔": "if and only if"}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula over numbered atoms, as its sign and parts; an atom has no sign."""

    sign: str
    parts: tuple[Formula, ...] = ()
    atom: int = 0

    def table(self, atoms: int) -> int:
        rows = (1 << (1 << atoms)) - 1
        if self.sign == "":
            return sum(1 << row for row in range(1 << atoms) if row >> self.atom & 1)
        tables = [part.table(atoms) for part in self.parts]
        match self.sign:
            case "¬":
                return rows & ~tables[0]
            case "∧":
                return tables[0] & tables[1]
            case "∨":
                return tables[0] | tables[1]
            case "→":
                return rows & ~tables[0] | tables[1]
        return rows & ~(tables[0] ^ tables[1])

    def atoms(self) -> set[int]:
        return {self.atom} if self.sign == "" else set().union(*(part.atoms() for part in self.parts))

    def said(self, names: tuple[str, ...], inside: bool = True) -> Said:
        """In Lean and in words, in brackets where it is part of something and not an atom."""
        if self.sign == "":
            return Said(names[self.atom], names[self.atom])
        parts = [part.said(names) for part in self.parts]
        if self.sign == "¬":
            lean, words = f"¬{parts[0].lean}", f"not {parts[0].words}"
            return Said(lean, f"({words})" if inside else words)
        lean = f"{parts[0].lean} {self.sign} {parts[1].lean}"
        words = f"{parts[0].words} {_WORDS[self.sign]} {parts[1].words}"
        return Said(f"({lean})", f"({words})") if inside else Said(lean, words)


def _formula(rng: Random, atoms: int, depth: int) -> Formula:
    if depth == 0 or rng.random() < 0.15:
        one = Formula("", (), rng.randrange(atoms))
        return Formula("¬", (one,)) if rng.random() < 0.25 else one
    sign = pick(rng, ("∧", "∨", "→", "→", "∧", "∨", "↔", "¬"))
    if sign == "¬":
        return Formula("¬", (_formula(rng, atoms, depth - 1),))
    while True:
        left, right = _formula(rng, atoms, depth - 1), _formula(rng, atoms, depth - 1)
        if left not in (right, _not(right)):
            return Formula(sign, (left, right))


def _all_occur(atoms: int, *formulas: Formula) -> bool:
    return len(set().union(*(one.atoms() for one in formulas))) == atoms


def entailment(rng: Random, level: int, false: bool) -> Draft:
    """Premises from which the conclusion follows, or does not."""
    atoms = level + 1
    names = pick(rng, _LETTERS)[:atoms]
    rows = (1 << (1 << atoms)) - 1
    while True:
        count = (1 if level == EASY else 2) + (rng.random() < 0.5)
        premises = [_formula(rng, atoms, 1 if level == EASY else rng.randint(1, 2)) for _ in range(count)]
        allowed = rows
        for one in premises:
            allowed &= one.table(atoms)
        goal = _formula(rng, atoms, 1 if level == EASY else 2)
        table = goal.table(atoms)
        interesting = allowed not in (0, rows) and table not in (0, rows) and goal not in premises
        if interesting and (allowed & ~table == 0) != false and _all_occur(atoms, *premises, goal):
            break
    given = [Said(one.said(names, False).lean, one.said(names).words) for one in premises]
    return draft(rng, ((names, "Prop"),), given, goal.said(names, False), false=false)


def equivalence_of_formulas(rng: Random, level: int, false: bool) -> Draft:
    """Two formulas with one truth table; in the false case they differ somewhere."""
    atoms = 2 if level == EASY else 3
    names = pick(rng, _LETTERS)[:atoms]
    rows = (1 << (1 << atoms)) - 1
    while True:
        left = _formula(rng, atoms, 3 if level > MEDIUM else 2)
        right = _rewritten(rng, left, level)
        if false:
            right = _bent(rng, right)
        table = left.table(atoms)
        if (
            left != right
            and table not in (0, rows)
            and (right.table(atoms) == table) != false
            and _all_occur(atoms, left)
        ):
            break
    if rng.random() < 0.5:
        left, right = right, left
    first, second = left.said(names), right.said(names)
    claim = Said(f"{first.lean} ↔ {second.lean}", f"{first.words} if and only if {second.words}")
    return draft(rng, ((names, "Prop"),), [], claim, false=false)


def _not(one: Formula) -> Formula:
    return one.parts[0] if one.sign == "¬" else Formula("¬", (one,))


def _swap(one: Formula) -> Formula:
    return Formula(one.sign, (one.parts[1], one.parts[0]))


def _contrapose(one: Formula) -> Formula:
    return Formula("→", (_not(one.parts[1]), _not(one.parts[0])))


def _as_disjunction(one: Formula) -> Formula:
    return Formula("∨", (_not(one.parts[0]), one.parts[1]))


def _both_ways(one: Formula) -> Formula:
    return Formula("∧", (Formula("→", one.parts), Formula("→", (one.parts[1], one.parts[0]))))


def _de_morgan(one: Formula) -> Formula:
    other = "∨" if one.sign == "∧" else "∧"
    return Formula("¬", (Formula(other, (_not(one.parts[0]), _not(one.parts[1]))),))


_LAWS: dict[str, tuple[Callable[[Formula], Formula], ...]] = {
    "∧": (_swap, _de_morgan),
    "∨": (_swap, _de_morgan),
    "→": (_contrapose, _as_disjunction),
    "↔": (_swap, _both_ways),
}


def _rewritten(rng: Random, one: Formula, level: int) -> Formula:
    """The same by laws of logic, at the top and, at higher levels, below."""
    if one.sign == "":
        return Formula("¬", (Formula("¬", (one,)),)) if rng.random() < 0.1 else one
    parts = tuple(_rewritten(rng, part, level) if rng.random() < 0.3 * level else part for part in one.parts)
    changed = Formula(one.sign, parts)
    if one.sign == "¬" or rng.random() < 0.2:
        return changed
    return pick(rng, _LAWS[one.sign])(changed)


def _bent(rng: Random, one: Formula) -> Formula:
    """Another sign, or a negation, at one place."""
    if one.sign in ("", "¬") or rng.random() < 0.2:
        return _not(one)
    if rng.random() < 0.5:
        return Formula(pick(rng, [sign for sign in "∧∨→↔" if sign != one.sign]), one.parts)
    return Formula(one.sign, (_bent(rng, one.parts[0]), one.parts[1]))


_Quantified = tuple[str, Formula, bool]
"""A quantifier, what it ranges over, and whether all of it is negated."""


def quantified(rng: Random, level: int, false: bool) -> Draft:
    """Properties under quantifiers. What holds depends on which combinations of properties occur: all are tried."""
    atoms = 2 if level < 3 else 3
    names = pick(rng, (("P", "Q", "R"), ("A", "B", "C"), ("p", "q", "r")))[:atoms]
    while True:
        premises = [_quantifier(rng, atoms, level) for _ in range(1 if level == EASY else 2)]
        goal = _quantifier(rng, atoms, level)
        if goal in premises or not _all_occur(atoms, *(one[1] for one in premises), goal[1]):
            continue
        if _verdict(premises, goal, atoms) is (not false) and _verdict([], goal, atoms) is False:
            break
    x, kind = pick(rng, ("x", "n", "y", "k")), pick(rng, ("ℕ", "ℤ"))
    noun = "a natural number" if kind == "ℕ" else "an integer"

    def say(one: _Quantified) -> Said:
        quantifier, body, negated = one
        lean = f"{quantifier} {x} : {kind}, {body.said(tuple(f'{name} {x}' for name in names), False).lean}"
        words = body.said(tuple(f"{name}({x})" for name in names)).words
        every = f"for every {noun.partition(' ')[2]} {x}, {words}"
        text = every if quantifier == "∀" else f"there is {noun} {x} with {words}"
        return Said(f"¬ ({lean})", f"it is not true that ({text})") if negated else Said(lean, text)

    given = [say(one) for one in premises]
    if len(given) > 1:  # else "and" would seem to stand under the first quantifier
        given = [Said(one.lean, f"({one.words})") for one in given]
    return draft(rng, ((names, f"{kind} → Prop"),), given, say(goal), false=false)


def _quantifier(rng: Random, atoms: int, level: int) -> _Quantified:
    body = _formula(rng, atoms, 1 if level < 3 else rng.randint(1, 2))
    return pick(rng, ("∀", "∃")), body, level > EASY and rng.random() < 0.25


def _verdict(premises: list[_Quantified], goal: _Quantified, atoms: int) -> bool | None:
    """Whether the goal follows; None where the premises exclude each other. A world is a set of rows that occur."""
    tests = [(quantifier, body.table(atoms), negated) for quantifier, body, negated in (*premises, goal)]
    possible = False
    for world in range(1, 1 << (1 << atoms)):
        *given, claimed = ((not world & ~t if q == "∀" else bool(world & t)) != negated for q, t, negated in tests)
        if all(given):
            possible = True
            if not claimed:
                return False
    return True if possible else None


FAMILIES = (
    Family("entailment", TOPIC, entailment),
    Family("equivalence_of_formulas", TOPIC, equivalence_of_formulas),
    Family("quantified", TOPIC, quantified),
)
