"""Types of parsed terms, found as Lean's elaborator finds them, and what depends on them.

In sums, products and relations Lean casts the leaves to the largest type among them; arguments get the type that the
function wants; numerals and variables without a type take what is left, at last ℕ. So it is settled which division a
`/` is. Subtraction in ℕ stops at 0 in Lean and nowhere else; it is read only where `subtraction` sees that it does not
get there. Casts stay where the text has them and they change something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pythagoras.language.lean_text import term_text
from pythagoras.language.meaning import (
    BINDERS,
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
)
from pythagoras.language.reading import NotRead
from pythagoras.language.subtraction import Known

ORDER = {"ℕ": 0, "ℤ": 1, "ℚ": 2}
TREE = frozenset({"+", "-", "*", "/", "//", "%", "neg"})
"""Signs whose arguments share one type with each other, and with the relation they stand in. `^` has it on the left."""
ORDERED = frozenset({"=", "≠", "<", "≤", ">", "≥", "∣"})
NATURAL = frozenset({"fib", "choose", "factorial", "totient"})
_MOST_STEPS = 20_000
COLLECTIONS = frozenset({"range", "icc", "divisors", "digits", "list"})


@dataclass(slots=True, eq=False)
class Cell:
    """A type that may not be known yet. `least` is what it is at least: behind `↑` there is no ℕ."""

    known: str = ""
    least: str = "ℕ"
    same: Cell | None = None

    def root(self) -> Cell:
        cell = self
        while cell.same is not None:
            cell = cell.same
        return cell

    @property
    def type(self) -> str:
        root = self.root()
        return root.known or root.least


Entry = tuple[Cell, ...]
"""A variable's type: one cell, or those of a function's arguments and value."""
Scope = Mapping[str, Entry]


def _entry(kind: str) -> Entry:
    return tuple(map(Cell, kind.split(" → "))) if kind else (Cell(),)


def settle(parsed: Claim, *, shown: bool = False) -> Claim:
    """The claim with its types and divisions settled.

    What Lean has `shown` says less than what it reads: a type that nothing tells is not ℕ there, but not known.
    """
    finder = _Types(shown)
    scope = {variable.name: _entry(variable.type) for variable in parsed.variables}
    for term in (*parsed.hypotheses, parsed.goal):
        finder.proposition(term, scope)
    known = Known().given(*parsed.hypotheses)
    settled = tuple(finder.settled(term, known) for term in parsed.hypotheses)
    typed = tuple(finder.typed(one.name, scope[one.name]) for one in parsed.variables)
    return Claim(typed, settled, finder.settled(parsed.goal, known))


@dataclass(slots=True)
class _Types:
    shown: bool
    cells: dict[int, Cell] = field(default_factory=dict)
    """Of signs of arithmetic, by identity: the type that they work in."""
    own: dict[int, Cell] = field(default_factory=dict)
    """Of casts: the type of what is cast."""
    entries: dict[int, list[Entry]] = field(default_factory=dict)
    """Of binders: the types of their variables."""
    steps: int = 0

    # --- propositions ------------------------------------------------------------------------

    def proposition(self, term: Term, scope: Scope) -> None:
        match term:
            case Apply("and" | "or" | "not" | "implies" | "iff" | "true" | "false"):
                for arg in term.args:
                    self.proposition(arg, scope)
            case Apply():
                self.relation(term, scope)
            case Bind("∀" | "∃" | "∃!"):
                self.proposition(term.body, self.inside(term, scope))
            case Let():
                self.proposition(term.body, self.named(term, scope))
            case Variable() | Call():
                if self.value(term, scope).root().known != "Prop":
                    raise NotRead(f"not a proposition: {term_text(term)}")
            case _:
                raise NotRead(f"not a proposition: {term_text(term)}")

    def relation(self, term: Apply, scope: Scope) -> None:
        sign, args = term.sign, term.args
        if sign in ORDERED and sign in "=≠" and any(self.is_collection(arg) for arg in args):
            self.join(self.elements(arg, scope) for arg in args)
        elif sign in ORDERED and sign in "=≠" and any(self.is_function(arg, scope) for arg in args):
            first, second = (self.function(arg, scope) for arg in args)
            for one, other in zip(first, second, strict=True):
                self.join((one, other))
        elif sign in ORDERED:
            self.tree(args, scope)
        elif sign in ("≡", "≡ℤ"):
            self.tree(args, scope, "ℕ" if sign == "≡" else "ℤ")
        elif sign in ("even", "odd"):
            self.tree(args, scope)
        elif sign in ("coprime", "prime"):
            for arg in args:
                self.tree((arg,), scope, "ℕ")
        elif sign == "∈":
            self.join((self.number(args[0], scope), self.elements(args[1], scope)))
        elif sign in ("least", "greatest"):
            self.join((self.elements(args[0], scope), self.number(args[1], scope)))
        elif sign in ("injective", "surjective", "bijective"):
            self.function(args[0], scope)
        else:
            raise NotRead(f"not a proposition: {term_text(term)}")

    # --- binders -----------------------------------------------------------------------------

    def inside(self, bind: Bind, scope: Scope) -> Scope:
        """The scope of a binder's body."""
        entries = [_entry(variable.type) for variable in bind.variables]
        self.entries[id(bind)] = entries
        return {**scope, **{one.name: entry for one, entry in zip(bind.variables, entries, strict=True)}}

    def over(self, bind: Bind, scope: Scope) -> Scope:
        """The same, where the variable runs over a domain."""
        assert bind.domain is not None
        elements = self.elements(bind.domain, scope)
        inner = self.inside(bind, scope)
        self.join((elements, self.entries[id(bind)][0][0]))
        return inner

    def named(self, let: Let, scope: Scope) -> Scope:
        entry = _entry(let.variable.type)
        if len(entry) > 1 or entry[0].known == "Prop":
            raise NotRead(f"a named function: {let.variable.name}")
        self.entries[id(let)] = [entry]
        self.join((entry[0], self.tree((let.value,), scope, let.variable.type)))
        return {**scope, let.variable.name: entry}

    # --- numbers -----------------------------------------------------------------------------

    def number(self, term: Term, scope: Scope) -> Cell:
        return self.tree((term,), scope)

    def tree(self, terms: Sequence[Term], scope: Scope, wanted: str = "") -> Cell:
        """The common type of these terms, which all get it; `wanted` is what stands around them asks for."""
        nodes: list[Term] = []
        leaves: list[Cell] = []
        for term in terms:
            self.gather(term, scope, nodes, leaves)
        cell = self.join([*leaves, Cell(wanted)] if wanted else leaves)
        if wanted and cell.root().known != wanted:
            raise NotRead(f"{term_text(terms[0])} is not of type {wanted}")
        if any(isinstance(node, Apply) and node.sign == "neg" for node in nodes):
            _not_natural(cell)
        for node in nodes:
            self.cells[id(node)] = cell
        return cell

    def gather(self, term: Term, scope: Scope, nodes: list[Term], leaves: list[Cell]) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:  # what is cast is looked at twice, and casts stand inside of casts
            raise NotRead("casts are too deeply nested")
        match term:
            case Apply(sign) if sign in TREE:
                nodes.append(term)
                for arg in term.args:
                    self.gather(arg, scope, nodes, leaves)
            case Apply("^", (base, exponent)):
                self.gather(base, scope, nodes, leaves)
                self.tree((exponent,), scope, "ℕ")
            case _:
                leaves.append(self.leaf(term, scope))

    def leaf(self, term: Term, scope: Scope) -> Cell:
        match term:
            case Number():
                return Cell()
            case Variable() | Call():
                cell = self.value(term, scope)
                if cell.root().known == "Prop":
                    raise NotRead(f"a proposition where a number should be: {term_text(term)}")
                return cell
            case Cast():
                return self.cast(term, scope)
            case Apply("min" | "max"):
                return self.tree(term.args, scope)
            case Apply("abs"):
                return _not_natural(self.tree(term.args, scope))
            case Apply("gcd" | "lcm"):
                self.tree(term.args, scope)
                return Cell("ℕ")
            case Apply(sign) if sign in NATURAL:
                for arg in term.args:
                    self.tree((arg,), scope, "ℕ")
                return Cell("ℕ")
            case Apply("card" | "list_sum"):
                self.elements(term.args[0], scope)
                return Cell("ℕ")
            case Bind("∑" | "∏"):
                return self.number(term.body, self.over(term, scope))
            case Let():
                return self.number(term.body, self.named(term, scope))
        raise NotRead(f"not a number: {term_text(term)}")

    def cast(self, term: Cast, scope: Scope) -> Cell:
        if term.type not in ("", *ORDER):
            raise NotRead(f"a cast to {term.type}")
        own = self.number(term.term, scope)
        was = own.root().known
        self.own[id(term)] = own if isinstance(term.term, Variable) else Cell(was)
        if not term.type:
            self.cells[id(term)] = Cell("", "ℚ" if was == "ℤ" else "ℤ")
            return self.cells[id(term)]
        return self.tree((term.term,), scope, term.type) if was != term.type else own

    def value(self, term: Term, scope: Scope) -> Cell:
        """The type of a variable, or of a function at its arguments."""
        if isinstance(term, Variable):
            entry = scope.get(term.name)
            if entry is None:
                raise NotRead(f"{term.name!r} is not known")
            if len(entry) > 1:
                raise NotRead(f"the function {term.name} without an argument")
            return entry[0]
        assert isinstance(term, Call)
        *wanted, value = self.function(term.function, scope)
        if len(wanted) != len(term.args):
            raise NotRead(f"another number of arguments than {term_text(term.function)} has: {term_text(term)}")
        for cell, arg in zip(wanted, term.args, strict=True):
            if cell.root().known:
                self.tree((arg,), scope, cell.root().known)
            else:
                self.join((cell, self.number(arg, scope)))
        return value

    def is_function(self, term: Term, scope: Scope) -> bool:
        return (isinstance(term, Bind) and term.sign == "fun") or (
            isinstance(term, Variable) and len(scope.get(term.name, ())) > 1
        )

    def function(self, term: Term, scope: Scope) -> Entry:
        match term:
            case Variable() if len(scope.get(term.name, ())) > 1:
                return scope[term.name]
            case Bind("fun"):
                inner = self.inside(term, scope)
                return (*(entry[0] for entry in self.entries[id(term)]), self.number(term.body, inner))
        raise NotRead(f"not a function: {term_text(term)}")

    # --- collections -------------------------------------------------------------------------

    def is_collection(self, term: Term) -> bool:
        return (isinstance(term, Apply) and term.sign in COLLECTIONS) or (
            isinstance(term, Bind) and term.sign in ("set", "filter")
        )

    def elements(self, term: Term, scope: Scope) -> Cell:
        """The type of a collection's elements."""
        match term:
            case Apply("range" | "divisors" | "digits"):
                for arg in term.args:
                    self.tree((arg,), scope, "ℕ")
                return Cell("ℕ")
            case Apply("icc" | "list"):
                return self.join([self.number(arg, scope) for arg in term.args]) if term.args else Cell()
            case Bind("filter"):
                inner = self.over(term, scope)
                self.proposition(term.body, inner)
                return inner[term.variables[0].name][0]
            case Bind("set"):
                inner = self.inside(term, scope)
                self.proposition(term.body, inner)
                return inner[term.variables[0].name][0]
        raise NotRead(f"not a collection: {term_text(term)}")

    def join(self, cells: Iterable[Cell]) -> Cell:
        """The largest of the types; those not known become it."""
        roots = [cell.root() for cell in cells]
        known = max((root.known for root in roots if root.known), key=lambda kind: ORDER.get(kind, 3), default="")
        if known not in ("", *ORDER):
            raise NotRead(f"numbers and {known} in one relation")
        open_roots = [root for root in roots if not root.known]
        least = max((root.least for root in open_roots), key=ORDER.__getitem__, default="ℕ")
        result = Cell(known if known and ORDER[known] >= ORDER[least] else "", least)
        for root in open_roots:
            if root is not result and root.same is None:
                root.same = result
        return result

    # --- what follows from the types ---------------------------------------------------------

    def settled(self, term: Term, known: Known) -> Term:
        match term:
            case Apply("-" | "neg" | "/" | "%"):
                return self.arithmetic(term, known)
            case Apply("≡ℤ"):
                return Apply("≡", tuple(self.settled(arg, known) for arg in term.args))
            case Apply("and"):
                inside = known.given(*term.args)
                return Apply("and", tuple(self.settled(arg, inside) for arg in term.args))
            case Apply("implies", (premise, conclusion)):
                return Apply("implies", (self.settled(premise, known), self.settled(conclusion, known.given(premise))))
            case Apply():
                return Apply(term.sign, tuple(self.settled(arg, known) for arg in term.args))
            case Call():
                return Call(self.settled(term.function, known), tuple(self.settled(arg, known) for arg in term.args))
            case Cast():
                inner = self.settled(term.term, known)
                kind = self.cell_of_cast(term)
                own = self.own[id(term)].type
                return inner if kind == own else Cast(kind, inner)
            case Bind():
                return self.settled_bind(term, known)
            case Let():
                (entry,) = self.entries[id(term)]
                value = self.settled(term.value, known)
                inside = known.where(term.variable.name, value)
                variable = self.typed(term.variable.name, entry)
                return Let(variable, value, self.settled(term.body, inside))
        return term

    def typed(self, name: str, entry: Entry) -> Typed:
        if self.shown and not all(cell.root().known for cell in entry):
            raise NotRead(f"the type of {name} is not shown")
        return Typed(name, " → ".join(cell.type for cell in entry))

    def cell_of_cast(self, term: Cast) -> str:
        return term.type or self.cells[id(term)].type

    def settled_bind(self, term: Bind, known: Known) -> Term:
        assert term.sign in BINDERS
        names = [variable.name for variable in term.variables]
        variables = tuple(map(self.typed, names, self.entries[id(term)]))
        inside = known.without(names)
        domain = None if term.domain is None else self.settled(term.domain, known)
        if domain is not None:
            inside = inside.given(Apply("∈", (Variable(names[0]), domain)))
        return Bind(term.sign, variables, self.settled(term.body, inside), domain)

    def arithmetic(self, term: Apply, known: Known) -> Term:
        kind = self.cells[id(term)].type
        args = tuple(self.settled(arg, known) for arg in term.args)
        if term.sign == "/" and self.shown and not self.cells[id(term)].root().known:
            raise NotRead(f"the type of a division is not shown: {term_text(term)}")
        if term.sign == "/" and kind != "ℚ":
            return Apply("//", args)
        if term.sign == "%" and kind == "ℚ":
            raise NotRead(f"a remainder of rational numbers: {term_text(term)}")
        if term.sign == "neg" and kind == "ℕ":
            raise NotRead(f"a negative natural number: {term_text(term)}")
        if term.sign == "-" and kind == "ℕ" and not known.at_least(*args):
            raise NotRead(f"a subtraction of natural numbers that may stop at 0: {term_text(term)}")
        return Apply(term.sign, args)


def _not_natural(cell: Cell) -> Cell:
    """What can be negative is an integer where nothing else is said of it."""
    root = cell.root()
    if not root.known and root.least == "ℕ":
        root.least = "ℤ"
    return cell
