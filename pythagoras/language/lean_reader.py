"""Lean to meanings: statements as people, models and the generator write them, and goals as Lean's messages show them.

What has no sign among the meanings (ℝ, sets as variables, `if`) is a NotRead with the words. Names of hypotheses are
not kept. Quantifiers and premises at the front of the goal count as variables and hypotheses, as far as that keeps
their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pythagoras.errors import InputError
from pythagoras.language.bounds import bounded, short, within_the_stack
from pythagoras.language.lean_terms import parse_term, parse_type
from pythagoras.language.lean_types import settle
from pythagoras.language.lean_writer import Written
from pythagoras.language.meaning import Apply, Bind, Claim, Term, Typed, Variable
from pythagoras.language.reading import NotRead
from pythagoras.lean.statements import Binder, Statement, parse_statement


@within_the_stack
def read_lean(statement_text: str) -> Claim:
    """The meaning of the (last) theorem of a Lean text, with or without its proof."""
    try:
        return read_statement(parse_statement(statement_text))
    except InputError as error:
        raise NotRead(str(error)) from error


@within_the_stack
def read_statement(statement: Statement) -> Claim:
    """The meaning of a theorem that has been taken apart."""
    if statement.context.strip():
        raise NotRead("the theorem rests on other commands before it")
    short(statement.text)
    variables: list[Typed] = []
    hypotheses: list[Term] = []
    for binder in statement.binders:
        _bind(binder, variables, hypotheses)
    before = statement.text.removesuffix(statement.goal).rpartition("\n")[2]
    indented = " " * len(before) + statement.goal  # what follows a `let` is told from it by its column
    return _claim(variables, hypotheses, parse_term(indented, _names(variables)))


@within_the_stack
def read_written(written: Written) -> Claim:
    """The meaning of what a writer wrote: that of its theorem, without taking that apart again."""
    names = _names(written.variables)
    goal = "\n".join((*written.lets, written.goal))
    return _claim(
        written.variables, [parse_term(one, names) for one in written.hypotheses], parse_term(short(goal), names)
    )


@within_the_stack
def read_goal(goal_state: str) -> Claim:
    """The meaning of the first goal of a state: hypotheses line by line, then `⊢` and what is to be proved."""
    variables: list[Typed] = []
    hypotheses: list[Term] = []
    *lines, goal = _entries(short(goal_state))
    for line in lines:
        names, _, behind = line.partition(" : ")
        if not behind:
            raise NotRead(f"no hypothesis: {line!r}")
        written, _, value = behind.partition(" := ")
        kind = parse_type(written)
        if kind is None:
            hypotheses.append(parse_term(behind, _names(variables)))
            continue
        variables += [Typed(name, kind) for name in names.split()]
        if value:
            hypotheses.append(Apply("=", (Variable(names.strip()), parse_term(value, _names(variables)))))
    return _claim(variables, hypotheses, parse_term(goal, _names(variables)), shown=True)


def _bind(binder: Binder, variables: list[Typed], hypotheses: list[Term]) -> None:
    if binder.kind == "instance":
        raise NotRead(f"an instance: {binder.text}")
    if not binder.type:
        raise NotRead(f"a variable without a type: {binder.text}")
    kind = parse_type(binder.type)
    if kind is None:
        hypotheses += [parse_term(binder.type, _names(variables))] * len(binder.names)
    else:
        variables += [Typed(name, kind) for name in binder.names]


def _names(variables: Sequence[Typed]) -> list[str]:
    return [variable.name for variable in variables]


def _claim(variables: Sequence[Typed], hypotheses: Sequence[Term], goal: Term, *, shown: bool = False) -> Claim:
    """Moves what stands at the front of the goal to the front of the claim."""
    bound, given = list(variables), list(hypotheses)
    if len(set(_names(bound))) < len(bound):
        raise NotRead("two variables have the same name")
    while True:
        match goal:
            case Bind("∀", more, body) if not given and not {*_names(more)} & {*_names(bound)}:
                bound += more
                goal = body
            case Apply("implies", (premise, conclusion)):
                given.append(premise)
                goal = conclusion
            case _:
                read = bounded(Claim(tuple(bound), tuple(given), goal))  # before anything else goes through it
                return settle(read, shown=shown)


# --- goals ---------------------------------------------------------------------------------------

_INACCESSIBLE = re.compile(r"✝([⁰¹²³⁴⁵⁶⁷⁸⁹]*)")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def _entries(state: str) -> list[str]:
    """The hypotheses of the first goal, each on one line, and what is to be proved."""
    text = _INACCESSIBLE.sub(lambda found: f"_{found[1].translate(_DIGITS) or 0}", state)
    entries: list[str] = []
    for line in text.splitlines():
        if line.startswith("case ") or (not line.strip() and not entries):
            continue
        if not line.strip():
            break
        if line[0].isspace() and entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line.strip())
    if not entries or not entries[-1].startswith("⊢"):
        raise NotRead("no goal: there is no `⊢`")
    entries[-1] = entries[-1][1:].strip()
    return entries
