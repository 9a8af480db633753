"""Goals as Lean prints them, taken apart: named hypotheses, what is to be proved, and the statement that both make.

What a goal needs of its context is told here, too: what its proof names where it uses nothing else, or else all that
shares variables with it. Other hypotheses go only when numbers are found that satisfy them: then they can't be what
the goal's truth rests on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from pythagoras.alf.mutations.outlines import names_in, outline
from pythagoras.alf.reals import rational
from pythagoras.alf.traces import SEES_ONLY_NAMES, Step
from pythagoras.alf.variants import Made
from pythagoras.language.changes.simpler import worth_posing
from pythagoras.language.changes.terms import tidied
from pythagoras.language.evaluate import example, holds
from pythagoras.language.lean_reader import read_goal
from pythagoras.language.meaning import (
    Apply,
    Bind,
    Call,
    Cast,
    Claim,
    Number,
    Term,
    Variable,
    children,
    free_variables,
    walk,
)
from pythagoras.language.reading import NotRead
from pythagoras.lean.tokens import tokens

_INACCESSIBLE = re.compile(r"✝([⁰¹²³⁴⁵⁶⁷⁸⁹]*)")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NOT_LEAN = re.compile(r"[?][\w.]|⋯|✝|\bsorry\b|<failed")
"""What Lean prints and does not read, or no statement may have: open metavariables, proofs left out."""
_RELATIONS = frozenset({"=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "⊆", "↔", "∧", "∨", "¬", "∀", "∃", "≡", "|"})
_DATA = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Prop", "Type", "Bool", "Set", "Finset", "List", "Multiset", "Fin"})
_OF_NUMBERS = frozenset(["=", "≠", "<", "≤", ">", "≥", "∣", "≡", "≡ℤ", "even", "odd", "abs", "min", "max"])
_SHARING = frozenset(["+", "-", "*", "/", "%", "neg", "abs", "min", "max"])
"""Signs whose arguments are of one type."""
_UNTOLD = re.compile(r"[0-9↑{|∃∑∏∫⨆⨅⋃⋂]|\bfun\b|λ")
"""What a text that is not taken apart may have without a type."""
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a goal: names of one type."""

    names: tuple[str, ...]
    type: str
    value: str = ""
    """Of a `let` variable."""

    @property
    def is_data(self) -> bool:
        """Whether it is a variable and no hypothesis."""
        line = tokens(self.type)
        return bool(line) and line[0].text.lstrip("(") in _DATA and not any(one.text in _RELATIONS for one in line)

    def __str__(self) -> str:
        return f"{' '.join(self.names)} : {self.type}" + (f" := {self.value}" if self.value else "")


@dataclass(frozen=True, slots=True)
class State:
    """A goal."""

    entries: tuple[Entry, ...]
    target: str

    def __str__(self) -> str:
        return "\n".join([*map(str, self.entries), f"⊢ {self.target}"])

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for entry in self.entries for name in entry.names)

    def having(self, entries: Iterable[Entry]) -> State:
        """The same goal in another context."""
        return State(tuple(entries), self.target)

    def aiming(self, target: str) -> State:
        """Another goal in the same context."""
        return State(self.entries, target)

    @property
    def statement(self) -> str:
        """As it stands behind a theorem's name."""
        binders = [f"({entry})" for entry in self.entries]
        return " ".join([*binders, ":", self.target])


@lru_cache(maxsize=4096)
def read_state(text: str) -> State | None:
    """The first goal of a print; None where it can't be a statement."""
    plain = _INACCESSIBLE.sub(lambda found: f"_{found[1].translate(_DIGITS) or 0}", text)
    lines: list[str] = []
    for line in plain.splitlines():
        if line.startswith("case ") and not lines:
            continue
        if not line.strip():
            break
        if line[0].isspace() and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    if not lines or not lines[-1].startswith("⊢") or _NOT_LEAN.search(plain):
        return None
    entries = [_entry(line) for line in lines[:-1]]
    names = [name for entry in entries if entry is not None for name in entry.names]
    if None in entries or len(set(names)) < len(names):
        return None
    return State(tuple(entry for entry in entries if entry is not None), lines[-1][1:].strip())


def _entry(line: str) -> Entry | None:
    names, _, behind = line.partition(" : ")
    kind, _, value = behind.partition(" := ")
    return Entry(tuple(names.split()), kind.strip(), value.strip()) if kind else None


def meaning(state: State) -> Claim | None:
    """What the goal says; None where the language has no sign for something in it, or a type is not told."""
    try:
        claim = read_goal(rational(str(state)))
    except NotRead:
        return None
    parts = (part for term in (*claim.hypotheses, claim.goal) for part in walk(term))
    return None if any(map(_may_be_a_root, parts)) else claim


def _may_be_a_root(term: Term) -> bool:
    """Whether it is `x ^ (1 / 2)`: the exponent is a natural number, or a real one whose type is not printed."""
    return (
        isinstance(term, Apply)
        and term.sign == "^"
        and any(isinstance(part, Apply) and part.sign == "//" for part in walk(term.args[1]))
    )


def written(state: State) -> Made | None:
    """The goal as a variant: its meaning, or else its text where that says the types of all its numbers.

    None also for what is not worth a theorem: comparisons of numerals.
    """
    claim = meaning(state)
    if claim is not None:
        terms = tuple(map(tidied, (*claim.hypotheses, claim.goal)))
        used = frozenset[str]().union(*map(free_variables, terms))
        variables = tuple(variable for variable in claim.variables if variable.name in used)
        return Claim(variables, terms[:-1], terms[-1]) if variables or worth_posing(terms[-1]) else None
    data = [entry for entry in state.entries if entry.is_data]
    names = frozenset(name for entry in data for name in entry.names)
    stated = [state.target, *(entry.type for entry in state.entries if not entry.is_data)]
    is_told = len({entry.type for entry in data}) == 1 and all(_is_told(outline(one), names) for one in stated)
    return state.statement if is_told else None


def _is_told(term: Term, names: frozenset[str]) -> bool:
    """Whether a term that Lean has printed is the same to Lean when it reads it.

    A print has numerals, and variables of `∃`, without their types. Lean gives numbers that are calculated with, or
    compared, the type of a variable among them; where none is, they would be natural numbers, and `x ^ (1 / 2)` be 1.
    """
    match term:
        case Variable(name):
            return name in names or not _UNTOLD.search(name)
        case Cast(""):
            return False
        case Bind(sign, variables, _, domain):
            by_type = all(one.type != "_" for one in variables)
            if not by_type and not (sign in ("∑", "∏") and isinstance(domain, Apply) and domain.sign == "range"):
                return False
            names |= {one.name for one in variables}
        case Apply("^", (base, exponent)):
            return _is_told(base, names) and _is_told(exponent, names) and _has_leaf(exponent, names)
        case Apply(sign, args) if sign in _OF_NUMBERS:
            return all(_is_told(one, names) for one in args) and any(_has_leaf(one, names, plain=False) for one in args)
        case Call(_, args):
            return all(_is_told(one, names) and _has_leaf(one, names) for one in args)
    return all(_is_told(one, names) for one in children(term))


def _has_leaf(term: Term, names: frozenset[str], *, plain: bool = True) -> bool:
    """Whether a variable tells the type of a number; `plain`: or it is a numeral alone, the same in every type."""
    match term:
        case Number():
            return plain
        case Variable(name) | Call(Variable(name)):
            return name in names or name.startswith("Real.")
        case Apply("^", (base, _)):
            return _has_leaf(base, names, plain=False)
        case Apply(sign, args) if sign in _SHARING:
            return any(_has_leaf(one, names, plain=False) for one in args)
    return False


# --- the context that a goal needs ---------------------------------------------------------------


def named_by(steps: Sequence[Step], text: str = "") -> frozenset[str] | None:
    """The names that a proof mentions; None where one of its tactics may use hypotheses that it does not name."""
    written = [text, *(step.text for step in steps)]
    if any(step.kind not in SEES_ONLY_NAMES for step in steps) or any(map(_looks_around, written)):
        return None
    return names_in(" ".join(written))


def _looks_around(text: str) -> bool:
    """Whether it has `simp [*]`, `at *`, `‹p›`, or a tactic for side conditions in it."""
    return re.search(r"\[\s*\*|,\s*\*\s*[,\]]|\bat\s+\*|‹|\bdisch", text) is not None


def needed(state: State, named: Collection[str] | None, rng: Random) -> State:
    """The goal with the part of its context that it needs, given what its proof names."""
    kept = {*names_in(state.target), *(named or ())} & state.names
    if not kept and _is_true(state.target):
        return state.having(())
    kept = _closed(state, kept, reaching=named is None)
    small = state.having(part for entry in state.entries if (part := _part(entry, kept)) is not None)
    return small if named is not None or _can_go(state, small, rng) else state


def _closed(state: State, kept: set[str], *, reaching: bool) -> set[str]:
    """With the variables of what is kept; where it is `reaching`, also with all hypotheses that have one of them."""
    before: set[str] = set()
    while kept != before:
        before = set(kept)
        for entry in state.entries:
            mentioned = names_in(f"{entry.type} {entry.value}") & state.names
            reached = reaching and not entry.is_data and (not mentioned or bool(mentioned & kept))
            if reached:
                kept |= {*entry.names}
            if kept & {*entry.names}:
                kept |= mentioned
    return kept


def _part(entry: Entry, kept: Collection[str]) -> Entry | None:
    names = tuple(name for name in entry.names if name in kept)
    return Entry(names, entry.type, entry.value) if names else None


def _can_go(state: State, small: State, rng: Random) -> bool:
    """Whether numbers satisfy all hypotheses that would be left out."""
    gone = [entry for entry in state.entries if not entry.is_data and not small.names & {*entry.names}]
    if not gone:
        return True
    data = [entry for entry in state.entries if entry.is_data]
    claim = meaning(State((*data, *gone), "True"))
    return claim is not None and example(Claim(claim.variables, claim.hypotheses, _TRUE), rng, _TRIES) is not None


def _is_true(target: str) -> bool:
    """Of a goal without variables: whether it can be worked out."""
    claim = meaning(State((), target))
    return claim is not None and holds(claim, {}) is True


_TRUE = Apply("true", ())
