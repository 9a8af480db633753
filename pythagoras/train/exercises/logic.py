"""Exercises in logic: from the goal backwards, a connective at a time; what is missing becomes a hypothesis.

Atoms are propositions, relations of numbers, or predicates of one. Every way of using a hypothesis occurs: as it is, a
part of it, applied to others, by cases, through an equivalence, at a value, with its witness taken out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random

from pythagoras.train.exercises.exercise import Exercise, bullet, indented, pick, tactics

_SIGNS = {"and": "∧", "or": "∨", "imp": "→", "iff": "↔"}
_BINDING = {"and": 35, "or": 30, "imp": 25, "iff": 20}
"""How tightly each holds its sides, as Lean has it."""
_DEEPEST = 3
_CLOSED_CHANCE = 0.3
"""Of a proof by `grind` alone, which proves all of these (400 of 400 that it was asked about)."""
_POOLS = (
    ("h₁", "h₂", "h₃", "h₄", "h₅", "h₆"),
    ("h", "h'", "hx", "hy", "hx'", "hy'"),
    ("ha", "hb", "hc", "hd", "he", "hf"),
)


@dataclass(frozen=True, slots=True)
class Formula:
    """An atom with its text, or a connective with its sides."""

    kind: str
    text: str = ""
    sides: tuple[Formula, ...] = ()
    at: str = ""
    """The number that a predicate is said of; the atom's text ends in it."""


@dataclass(slots=True)
class _Theorem:
    """What is being made."""

    rng: Random
    atoms: tuple[Formula, ...]
    names: list[str]
    """Not used yet; when there are none left, numbers come."""
    hypotheses: list[tuple[str, str]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def fresh(self) -> str:
        return self.names.pop(0) if self.names else f"h{next(self.numbers)}"

    def given(self, text: str) -> str:
        """The name of a hypothesis that says this."""
        for name, there in self.hypotheses:
            if there == text:
                return name
        name = self.fresh()
        self.hypotheses.append((name, text))
        return name


Context = dict[str, Formula]
"""What is at hand, by its text, under its name."""


def logic(rng: Random) -> Exercise:
    """A theorem of logic."""
    binders, atoms = _atoms(rng)
    theorem = _Theorem(rng, atoms, list(pick(rng, _POOLS)))
    goal = _formula(rng, atoms, pick(rng, (0, 1, 1, 2)))
    lines = _proved(theorem, goal, {}, 0)
    hypotheses = tuple(f"({name} : {text})" for name, text in theorem.hypotheses)
    said = _shown(goal)
    if rng.random() < _CLOSED_CHANCE:
        return Exercise((*binders, *hypotheses), said, tactics("grind"))
    if len(lines) == 1 and lines[0].startswith("exact ") and rng.random() < 0.4:
        return Exercise((*binders, *hypotheses), said, lines[0].removeprefix("exact "))
    return Exercise((*binders, *hypotheses), said, tactics(*lines))


def _atoms(rng: Random) -> tuple[tuple[str, ...], tuple[Formula, ...]]:
    """Binders, and the atoms over them."""
    shape = rng.random()
    if shape < 0.45:
        names = pick(rng, ("pqrs", "abcd", "PQRS"))[: rng.randint(3, 4)]
        return (f"({' '.join(names)} : Prop)",), tuple(Formula("atom", name) for name in names)
    kind = pick(rng, ("ℕ", "ℤ"))
    x, y, z = tuple(pick(rng, ("abc", "xyz", "mnk", "nmk")))
    if shape < 0.75:
        signs = [pick(rng, ("≤", "<", "=", "∣", "≠")) for _ in range(3)]
        pairs = rng.sample([(x, y), (y, z), (x, z), (y, x), (z, "5"), (x, "0"), (y, f"{z} + 1"), (f"{x} + {y}", z)], 3)
        texts = [f"{left} {sign} {right}" for (left, right), sign in zip(pairs, signs, strict=True)]
        texts.append(f"{pick(rng, ('Even', 'Odd'))} {x}")
        return (f"({x} {y} {z} : {kind})",), tuple(Formula("atom", text) for text in texts)
    predicates = pick(rng, ("PQR", "pqr", "STU"))
    at = pick(rng, (x, x, "0", "3", f"({x} + 1)"))
    names = f"({x} {y} : {kind}) " if x in at else ""
    binders = (f"{names}({' '.join(predicates)} : {kind} → Prop)",)
    return binders, tuple(Formula("atom", f"{name} {at}", at=at) for name in predicates)


def _formula(rng: Random, atoms: tuple[Formula, ...], depth: int) -> Formula:
    if depth == 0:
        return pick(rng, atoms)
    kind = pick(rng, ("and", "and", "or", "imp", "imp", "iff", "not", "exists"))
    if kind == "exists":
        inner = pick(rng, atoms)
        return Formula("exists", sides=(inner,)) if inner.at else inner
    if kind == "not":
        return Formula("not", sides=(pick(rng, atoms),))
    left, right = (_formula(rng, atoms, pick(rng, (0, depth - 1))) for _ in range(2))
    return left if left == right else Formula(kind, sides=(left, right))


def _shown(formula: Formula, least: int = 0) -> str:
    """As Lean writes it; in parentheses where its surroundings hold tighter than `least` allows."""
    match formula.kind:
        case "atom":
            return formula.text
        case "not":
            inner = _shown(formula.sides[0])
            return f"¬({inner})" if " " in inner else f"¬{inner}"
        case "exists":
            return _inside(f"∃ t, {_of(formula.sides[0], 't')}", least > 0)
    own = _BINDING[formula.kind]
    left, right = formula.sides
    beyond = 0 if formula.kind == "iff" else 1
    text = f"{_shown(left, own + 1)} {_SIGNS[formula.kind]} {_shown(right, own + 1 - beyond)}"
    return _inside(text, least > own)


def _inside(text: str, wanted: bool) -> str:
    return f"({text})" if wanted else text


def _of(atom: Formula, value: str) -> str:
    """The predicate of an atom, said of another value."""
    return f"{atom.text.removesuffix(atom.at)}{value}"


def _proved(theorem: _Theorem, goal: Formula, at_hand: Context, depth: int) -> list[str]:
    """Lines that prove the goal."""
    rng = theorem.rng
    for name, formula in at_hand.items():
        if formula == goal and rng.random() < 0.8:
            return [pick(rng, (f"exact {name}", f"exact {name}", "assumption"))]
    match goal.kind:
        case "and":
            parts = [_proved(theorem, side, at_hand, depth + 1) for side in goal.sides]
            terms = [term for lines in parts if (term := _term(lines)) is not None]
            if len(terms) == 2 and rng.random() < 0.7:
                return [f"exact ⟨{', '.join(terms)}⟩"]
            return ["constructor", *bullet(parts[0]), *bullet(parts[1])]
        case "or":
            side = rng.randrange(2)
            lines = _proved(theorem, goal.sides[side], at_hand, depth + 1)
            term = _term(lines)
            if term is not None and rng.random() < 0.6:
                return [f"exact Or.{('inl', 'inr')[side]} {_argument(term)}"]
            return [("left", "right")[side], *lines]
        case "imp":
            return _introduced(theorem, goal.sides[0], goal.sides[1], at_hand, depth)
        case "iff":
            left, right = goal.sides
            there = _introduced(theorem, left, right, at_hand, depth)
            back = _introduced(theorem, right, left, at_hand, depth)
            return ["constructor", *bullet(there), *bullet(back)]
        case "not":
            name = theorem.fresh()
            inner = _shown(goal.sides[0], 26)
            other = _other(theorem, goal.sides[0])
            leads = theorem.given(f"{inner} → {_shown(other, 25)}")
            wrong = theorem.given(_shown(Formula("not", sides=(other,))))
            return [
                f"intro {name}",
                pick(rng, (f"exact {wrong} ({leads} {name})", f"exact absurd ({leads} {name}) {wrong}")),
            ]
        case "exists":
            return _exists(theorem, goal, at_hand, depth)
    return _atom(theorem, goal, at_hand, depth)


def _introduced(theorem: _Theorem, left: Formula, right: Formula, at_hand: Context, depth: int) -> list[str]:
    name = theorem.fresh()
    if left.kind == "and" and theorem.rng.random() < 0.6:
        parts = theorem.fresh(), theorem.fresh()
        inner = at_hand | dict(zip(parts, left.sides, strict=True))
        begin = (
            [f"rintro ⟨{', '.join(parts)}⟩"]
            if theorem.rng.random() < 0.5
            else [f"intro {name}", f"obtain ⟨{', '.join(parts)}⟩ := {name}"]
        )
        return [*begin, *_proved(theorem, right, inner, depth + 1)]
    return [f"intro {name}", *_proved(theorem, right, at_hand | {name: left}, depth + 1)]


def _exists(theorem: _Theorem, goal: Formula, at_hand: Context, depth: int) -> list[str]:
    (atom,) = goal.sides
    if theorem.rng.random() < 0.4:
        other = _other(theorem, atom)
        some = theorem.given(f"∃ t, {_of(other, 't')}")
        every = theorem.given(f"∀ t, {_of(other, 't')} → {_of(atom, 't')}")
        name = theorem.fresh()
        return [f"obtain ⟨t, {name}⟩ := {some}", f"exact ⟨t, {every} t {name}⟩"]
    lines = _proved(theorem, atom, at_hand, depth + 1)
    value = atom.at.strip("()")
    term = _term(lines)
    if term is not None and theorem.rng.random() < 0.6:
        return [f"exact ⟨{value}, {term}⟩"]
    return [
        pick(theorem.rng, (f"refine ⟨{value}, ?_⟩", f"exists {value}")) if term is None else f"refine ⟨{value}, ?_⟩",
        *lines,
    ]


def _atom(theorem: _Theorem, goal: Formula, at_hand: Context, depth: int) -> list[str]:
    """A hypothesis that gives the goal, and the proof of what that one needs."""
    rng = theorem.rng
    said = goal.text
    if depth >= _DEEPEST:
        return [f"exact {theorem.given(said)}"]
    other = _other(theorem, goal)
    shown = _shown(other, 26)
    way = rng.random()
    if way < 0.2:
        name = theorem.given(said)
        return [pick(rng, (f"exact {name}", "assumption"))]
    if way < 0.38:
        name = theorem.given(f"{said} ∧ {shown}" if (first := rng.random() < 0.5) else f"{shown} ∧ {said}")
        if rng.random() < 0.6:
            return [f"exact {name}.{pick(rng, ('1', 'left') if first else ('2', 'right'))}"]
        parts = (theorem.fresh(), "_") if first else ("_", theorem.fresh())
        return [f"obtain ⟨{', '.join(parts)}⟩ := {name}", f"exact {parts[0] if first else parts[1]}"]
    if way < 0.62:
        if goal.at and rng.random() < 0.6:
            name = theorem.given(f"∀ t, {_of(other, 't')} → {_of(goal, 't')}")
            value = goal.at
            return _applied(theorem, f"{name} {value}", other, at_hand, depth)
        return _applied(theorem, theorem.given(f"{shown} → {said}"), other, at_hand, depth)
    if way < 0.78:
        name = theorem.given(f"{said} ↔ {shown}")
        lines = _proved(theorem, other, at_hand, depth + 1)
        if (term := _term(lines)) is not None and rng.random() < 0.6:
            return [f"exact {name}.{pick(rng, ('2', 'mpr'))} {_argument(term)}"]
        return [f"rw [{name}]", *lines]
    if way < 0.9:
        third = _other(theorem, other)
        name = theorem.given(f"{shown} ∨ {_shown(third, 26)}")
        left = theorem.given(f"{shown} → {said}")
        right = theorem.given(f"{_shown(third, 26)} → {said}")
        case = theorem.fresh()
        if rng.random() < 0.25:
            return [f"exact {name}.elim {left} {right}"]
        return [f"rcases {name} with {case} | {case}", f"· exact {left} {case}", f"· exact {right} {case}"]
    name, wrong = theorem.given(shown), theorem.given(_shown(Formula("not", sides=(other,))))
    return [pick(rng, (f"exact absurd {name} {wrong}", "contradiction", f"exact ({wrong} {name}).elim"))]


def _applied(theorem: _Theorem, function: str, needed: Formula, at_hand: Context, depth: int) -> list[str]:
    lines = _proved(theorem, needed, at_hand, depth + 1)
    if (term := _term(lines)) is not None and theorem.rng.random() < 0.6:
        return [f"exact {function} {_argument(term)}"]
    if len(lines) > 1 and theorem.rng.random() < 0.5:
        name = theorem.fresh()
        return [f"have {name} : {_shown(needed)} := by", *indented(lines), f"exact {function} {name}"]
    return [f"apply {function}", *lines]


def _other(theorem: _Theorem, than: Formula) -> Formula:
    """Another atom."""
    return pick(theorem.rng, [atom for atom in theorem.atoms if atom != than])


def _term(lines: list[str]) -> str | None:
    """The term that proves a goal by itself."""
    return lines[0].removeprefix("exact ") if len(lines) == 1 and lines[0].startswith("exact ") else None


def _argument(term: str) -> str:
    return f"({term})" if " " in term and not term.startswith("⟨") else term
