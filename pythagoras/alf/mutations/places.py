"""Changes inside of a statement: a rewriting of terms in one place of it, in all, or at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeAlias

from pythagoras.alf.mutations.sequents import Change, Scope, Sequent
from pythagoras.language.meaning import Bind, Let, Number, Term, Variable, children, free_variables, walk, with_children

Rewrite: TypeAlias = Callable[[Term, Scope], Iterable[Term]]
"""What may stand in the place of a term."""


def rewriting(rewrite: Rewrite) -> Change:
    """The change that does it in one place, or in all of them; in the order of chance."""

    def change(found: Sequent, rng: Random) -> Iterator[Sequent]:
        return _rewritten(found, rewrite, rng)

    return change


def _rewritten(found: Sequent, rewrite: Rewrite, rng: Random) -> Iterator[Sequent]:
    scope = found.scope
    single = [found.proving(goal) for goal in rewritings(found.goal, scope, rewrite)]
    for at, one in enumerate(found.given):
        single += [found.exchanged(at, term) for term in rewritings(one.term, scope, rewrite)]
    rng.shuffle(single)
    if len(single) > 1:
        single.insert(rng.randrange(2), found.mapped(lambda term: _everywhere(term, scope, rewrite, rng)))
    yield from single


def rewritings(term: Term, scope: Scope, rewrite: Rewrite) -> Iterator[Term]:
    """The term with one place rewritten, for each place and way."""
    yield from rewrite(term, scope)
    if isinstance(term, Variable | Number):
        return
    parts, inner = children(term), scope.inside(term)
    for at, part in enumerate(parts):
        for new in rewritings(part, inner, rewrite):
            if _is_counted(term) and _has_quantifier(new):
                continue  # Lean counts only what it can decide
            yield with_children(term, (*parts[:at], new, *parts[at + 1 :]))


def _everywhere(term: Term, scope: Scope, rewrite: Rewrite, rng: Random) -> Term:
    if isinstance(term, Variable | Number):
        return term
    inner = scope.inside(term)
    changed = with_children(term, [_everywhere(part, inner, rewrite, rng) for part in children(term)])
    if _is_counted(changed) and _has_quantifier(changed):
        return term
    options = list(rewrite(changed, scope))
    return rng.choice(options) if options else changed


def _is_counted(term: Term) -> bool:
    return isinstance(term, Bind) and term.sign == "filter"


def _has_quantifier(term: Term) -> bool:
    return any(isinstance(part, Bind) and part.sign in ("∀", "∃", "∃!") for part in walk(term))


def conclusions(found: Sequent, change: Callable[[Term, Scope], Iterable[Term]]) -> Iterator[Sequent]:
    """Other goals, changed behind the named values at the front."""

    def inner(goal: Term, scope: Scope) -> Iterator[Term]:
        if isinstance(goal, Let):
            yield from (Let(goal.variable, goal.value, body) for body in inner(goal.body, scope.inside(goal)))
        else:
            yield from change(goal, scope)

    return (found.proving(goal) for goal in inner(found.goal, found.scope))


def replaced(term: Term, old: Term, new: Term) -> Term:
    """With another term in the place of every occurrence outside of what binds a variable of either."""
    if term == old:
        return new
    own = term.variables if isinstance(term, Bind) else (term.variable,) if isinstance(term, Let) else ()
    if own and {one.name for one in own} & (free_variables(old) | free_variables(new)):
        return term
    return with_children(term, [replaced(child, old, new) for child in children(term)])
