"""Reformulations of sums and products over ranges: other indices, another order, a term apart.

For meanings only: they rest on what the ends are, and on subtraction that does not stop at 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from pythagoras.alf.mutations.places import replaced, rewriting
from pythagoras.alf.mutations.sequents import Scope, reformulation
from pythagoras.language.changes.terms import tidied
from pythagoras.language.meaning import Apply, Bind, Number, Term, Variable, free_variables, substitute, walk

_ONE = Number(1)


def _reindexed(term: Term, scope: Scope) -> Iterator[Term]:
    if not scope.is_exact:
        return
    match term:
        case Bind("∑" | "∏", (own,), body, Apply("icc", (Number(1), end))) if own.type == "ℕ":
            later = tidied(substitute(body, {own.name: Apply("+", (Variable(own.name), _ONE))}))
            yield Bind(term.sign, (own,), later, Apply("range", (end,)))
        case Bind("∑" | "∏", (own,), body, Apply("icc", (Number(0), end))) if own.type == "ℕ":
            yield Bind(term.sign, (own,), body, Apply("range", (_increased(end),)))
        case Bind("∑" | "∏", (own,), body, Apply("range", (end,))):
            earlier = _earlier(body, own.name)
            if earlier is not None:
                yield Bind(term.sign, (own,), earlier, Apply("icc", (_ONE, end)))
            if (last := _decreased(end)) is not None:
                yield Bind(term.sign, (own,), body, Apply("icc", (Number(0), last)))


def _earlier(body: Term, name: str) -> Term | None:
    """With i in the place of i + 1; None where i stands in another way."""
    mark = Variable("#")
    marked = replaced(body, Apply("+", (Variable(name), _ONE)), mark)
    if mark not in walk(marked) or name in free_variables(marked):
        return None
    return replaced(marked, mark, Variable(name))


def _reversed(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Bind("∑", (own,), body, Apply("range", (end,))) if scope.is_exact and own.name in free_variables(body):
            last = _decreased(end)
            if last is None:
                last = Apply("-", (end, _ONE))
            back = Apply("-", (last, Variable(own.name)))
            yield Bind("∑", (own,), substitute(body, {own.name: back}), term.domain)


def _term_apart(term: Term, scope: Scope) -> Iterator[Term]:
    match term:
        case Bind("∑" | "∏", (own,), body, Apply("range", (end,))) if scope.is_exact:
            last = _decreased(end)
            if last is not None and last != Number(0):
                shorter = Bind(term.sign, (own,), body, Apply("range", (last,)))
                yield Apply(_joining(term), (shorter, substitute(body, {own.name: last})))
        case Bind("∑" | "∏", (own,), body, Apply("icc", (Number(start), Number(end)))) if (
            scope.is_exact and start < end
        ):
            shorter = Bind(term.sign, (own,), body, Apply("icc", (Number(start + 1), Number(end))))
            yield Apply(_joining(term), (substitute(body, {own.name: Number(start)}), shorter))


def _apart(term: Term, scope: Scope) -> Iterator[Term]:
    """A sum of sums, or of multiples."""
    match term:
        case Bind("∑", (own,), Apply("+" | "-" as sign, (left, right)), domain) if scope.is_exact:
            yield Apply(sign, (Bind("∑", (own,), left, domain), Bind("∑", (own,), right, domain)))
        case Bind("∑", (own,), Apply("*", (factor, body)), domain) if scope.is_exact:
            if own.name not in free_variables(factor):
                yield Apply("*", (factor, Bind("∑", (own,), body, domain)))


def _joining(term: Bind) -> str:
    return "+" if term.sign == "∑" else "*"


def _increased(end: Term) -> Term:
    return tidied(Apply("+", (end, _ONE))) if not isinstance(end, Number) else Number(end.value + 1)


def _decreased(end: Term) -> Term | None:
    """One less, where that is seen to be a natural number."""
    match end:
        case Number(value) if value > 0:
            return Number(value - 1)
        case Apply("+", (rest, Number(1))):
            return rest
        case Apply("+", (rest, Number(value))) if value > 1:
            return Apply("+", (rest, Number(value - 1)))
    return None


OPERATORS = (
    reformulation("reindexed_sum", "a sum runs over `Finset.range n` or from 1 to n", rewriting(_reindexed)),
    reformulation("reversed_sum", "a sum begins with its last term", rewriting(_reversed)),
    reformulation("term_apart", "the last or first term of a sum stands by itself", rewriting(_term_apart)),
    reformulation("sum_apart", "a sum of sums is two sums, a factor stands before it", rewriting(_apart)),
)
