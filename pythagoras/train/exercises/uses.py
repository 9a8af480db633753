"""Exercises about a theorem of the library: its statement under another name, proved by it or by a single tactic.

Variables get other names or values, hypotheses may stand behind the colon, an equation may be turned round; the proof
is one of the ways to name the theorem.
"""

from __future__ import annotations

import re
from random import Random

from pythagoras.lean.statements import Binder
from pythagoras.train.exercises.exercise import Exercise, pick, tactics
from pythagoras.train.library import LibraryTheorem

_NUMBERS = frozenset("ℕℤℚ")
_LETTERS = ("abcdefg", "xyzwuvt", "mnklijt", "nmkjtsr", "pqrstuv")
_RELATIONS = (" = ", " ≠ ", " ≤ ", " < ", " ≥ ", " > ", " ∣ ", " ∧ ", " ∨ ", " ↔ ", "¬")
_VALUE_CHANCE, _TURNED_CHANCE, _PREMISE_CHANCE = 0.15, 0.15, 0.3
_CLOSED_CHANCE = 0.5
"""Of a proof by a single tactic that does not name the theorem, where there is one."""


def use(rng: Random, theorem: LibraryTheorem) -> Exercise:
    """A theorem that follows from this one."""
    changes, values = _changes(rng, theorem)
    binders = tuple(filter(None, (_changed(binder, changes, values) for binder in theorem.binders)))
    goal = _put(theorem.goal, changes)
    if theorem.closers and rng.random() < _CLOSED_CHANCE:
        return Exercise(binders, goal, tactics(pick(rng, theorem.closers)))
    term = " ".join((theorem.name, *(changes.get(name, name) for name in theorem.arguments)))
    sides = goal.split(" = ")
    if len(sides) == 2 and all(map(_is_plain, sides)) and rng.random() < _TURNED_CHANCE:
        return Exercise(binders, f"{sides[1]} = {sides[0]}", pick(rng, (f"({term}).symm", f"by exact ({term}).symm")))
    last = _last_hypothesis(theorem)
    if last is not None and rng.random() < _PREMISE_CHANCE:
        said = _put(last.type, changes)
        premise = f"({said})" if any(sign in said for sign in "→↔∀∃") else said
        inner = f"({goal})" if "↔" in goal else goal
        return Exercise(binders[:-1], f"{premise} → {inner}", tactics(f"intro {last.names[0]}", f"exact {term}"))
    return Exercise(binders, goal, pick(rng, _ways(theorem, goal, term)))


def _ways(theorem: LibraryTheorem, goal: str, term: str) -> list[str]:
    """Proofs of what the theorem says. Some of the shorter ones may fail: what they leave is not looked at."""
    given = [name for binder in _hypotheses(theorem) for name in binder.names]
    ways = [term, tactics(f"exact {term}"), tactics(f"exact {term}"), tactics(f"have h : {goal} := {term}", "exact h")]
    ways.append(tactics(f"apply {theorem.name} <;> assumption" if given else f"apply {theorem.name}"))
    if "→" not in goal:
        ways.append(tactics(f"simp [{', '.join((theorem.name, *given))}]"))
        if " = " in goal and all(map(_is_plain, goal.split(" = "))):
            ways.append(tactics(f"rw [{term}]"))
        if goal.count("↔") == 1 and not any(sign in goal for sign in "∀∃"):
            ways.append(tactics("constructor", f"· exact ({term}).1", f"· exact ({term}).2"))
    return ways


def _changes(rng: Random, theorem: LibraryTheorem) -> tuple[dict[str, str], frozenset[str]]:
    """New names and values for variables, and which of them have values.

    A numeral is a natural number to Lean unless something says otherwise, so others do not get one.
    """
    letters = iter(pick(rng, _LETTERS))
    changes: dict[str, str] = {}
    values: set[str] = set()
    renames = rng.random() < 0.5
    can_have_values = not any(binder.type in ("ℤ", "ℚ") for binder in theorem.binders)
    words = set(re.findall(r"\w+", " ".join((theorem.goal, *(binder.type for binder in theorem.binders)))))
    for binder in theorem.binders:
        for name in binder.names:
            if binder.type not in _NUMBERS or len(name) > 1 or not name.isascii():
                continue
            if rng.random() < _VALUE_CHANCE and can_have_values:
                changes[name] = str(rng.randint(0, 12))
                values.add(name)
            elif renames and (new := next((letter for letter in letters if letter not in words), None)):
                changes[name] = new
    return changes, frozenset(values)


def _changed(binder: Binder, changes: dict[str, str], values: frozenset[str]) -> str:
    """The binder in the new words; empty where all that it binds has values."""
    names = [name for name in binder.names if name not in values]
    if binder.names and not names:
        return ""
    opening, closing = binder.text[0], binder.text[-1]
    said = _put(binder.type, changes)
    return (
        f"{opening}{' '.join(changes.get(name, name) for name in names)} : {said}{closing}"
        if names
        else f"{opening}{said}{closing}"
    )


def _put(text: str, changes: dict[str, str]) -> str:
    return re.sub(r"(?<![\w.'])[a-z](?![\w'])(\.)?", lambda found: _value(found[0], changes), text)


def _value(word: str, changes: dict[str, str]) -> str:
    """A variable's new text; a value before a dot is put into parentheses."""
    name = word.removesuffix(".")
    new = changes.get(name, name)
    return f"({new})." if word.endswith(".") and new.isdigit() else new + word.removeprefix(name)


def _last_hypothesis(theorem: LibraryTheorem) -> Binder | None:
    """What may stand behind the colon: a single hypothesis at the end of the binders."""
    last = theorem.binders[-1] if theorem.binders else None
    can_move = last in _hypotheses(theorem) and last.kind == "explicit" and len(last.names) == 1
    return last if can_move else None


def _hypotheses(theorem: LibraryTheorem) -> tuple[Binder, ...]:
    return tuple(
        binder
        for binder in theorem.binders
        if binder.kind != "instance" and any(sign in f" {binder.type} " for sign in _RELATIONS)
    )


def _is_plain(side: str) -> bool:
    return not any(sign in side for sign in "∀∃∧∨→↔=,¬≤<")
