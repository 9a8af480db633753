"""Stage (iv): the same theorem in another form, by statement trees, with Lean's kernel where there is one.

Every row's tree is made from its text (`lexical_trees`) and compared by a key without order (`trees`). With a checker,
rows that the text does not settle are elaborated, and so are the items that they could be: equal kernel types, or equal
up to order, are a hit whatever notation says it. Lean costs some 15 ms a statement, so only rows are looked at that use
the same numerals, number systems and kinds of relations as some item. What that can lose: a statement whose twin hides
a numeral in a definition, writes it in another base, or says `Dvd.dvd 2 n` where the other says `2 ∣ n`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pythagoras.corpus.decontamination.kernel_trees import kernel_tree
from pythagoras.corpus.decontamination.lexical_trees import lexical_tree
from pythagoras.corpus.decontamination.trees import order_free_key
from pythagoras.corpus.decontamination.views import Hit, Item, View, definitions
from pythagoras.corpus.normal import alpha_words
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, statement_of
from pythagoras.errors import InputError
from pythagoras.lean import headers
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.wire import NO_PROGRAMS, Limits

_ALIKE = {
    **{"ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat", "ℝ": "Real", "ℂ": "Complex"},
    **dict.fromkeys(("Nat", "Int", "Rat", "Real", "Complex"), ""),
    **dict.fromkeys(("<", ">"), "<"),
    **dict.fromkeys(("≤", "≥"), "≤"),
    **dict.fromkeys(("=", "≠"), "="),
    **dict.fromkeys(("∣", "∤"), "∣"),
    **{"↔": "↔", "∃": "∃", "∨": "∨", "∑": "∑", "∏": "∏", "^": "^", "%": "%", "/": "/", "≡": "≡"},
}
"""What counts beside numerals, by what it is the same as."""
_LIMITS = Limits(timeout_s=20)

Signature: TypeAlias = frozenset[str]
Keys: TypeAlias = frozenset[str]
Statement: TypeAlias = Formalisation | Instance


def signature(alpha: str) -> Signature:
    """What two forms of one theorem have in common, cheaply: its numerals and kinds of relations, each counted once."""
    found = set()
    for word in alpha_words(alpha):
        if word.isdigit():
            found.add(word)
        elif word in _ALIKE:
            found.add(_ALIKE[word] or word)
    return frozenset(found)


def lexical_key(alpha: str) -> str:
    """Equal for statements that are the same up to order, by their texts."""
    return order_free_key(lexical_tree(alpha))


@dataclass(frozen=True, slots=True)
class _Known:
    """An item with a statement."""

    label: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class _Question:
    """A statement on a header."""

    statement: Statement
    header: str


class StructureStage:
    """Equal statement trees; with a checker, equal kernel types as well."""

    def __init__(self, items: Sequence[Item], checker: Checker | None = None) -> None:
        self._checker = checker
        self._lexical: dict[str, str] = {}
        self._by_signature: dict[Signature, list[_Known]] = defaultdict(list)
        for item in items:
            if isinstance(item.view.record, Formalisation | Instance) and item.view.formal:
                known = _Known(item.label, item.view.record)
                self._by_signature[signature(item.view.statement)].append(known)
                if key := lexical_key(item.view.formal):
                    self._lexical.setdefault(key, item.label)
        self._item_keys: dict[tuple[str, str], Keys] = {}
        """What Lean made of an item on a header, by label and header."""
        self._closed: set[str] = set()
        """Headers that the checker does not have."""
        self.counts = Counter[str]()

    def find(self, rows: Sequence[View]) -> list[Hit | None]:
        hits: list[Hit | None] = [None] * len(rows)
        unsettled: list[tuple[int, Statement, list[_Known]]] = []
        for number, row in enumerate(rows):
            candidates = self._by_signature.get(signature(row.statement)) if row.formal else None
            if candidates is None:
                continue
            self.counts["alike"] += 1
            label = self._lexical.get(lexical_key(row.formal))
            if label is not None:
                hits[number] = Hit(Reason.STRUCTURE, label, 1.0, "same statement tree up to names, order and notation")
            elif isinstance(row.record, Formalisation | Instance):
                unsettled.append((number, row.record, candidates))
        if self._checker is not None and unsettled:
            self._ask(self._checker, unsettled, hits)
        return hits

    def notes(self) -> Iterator[str]:
        """What Lean was asked, and what it could not be asked."""
        if self._checker is None:
            yield "structure: compared by text, without Lean"
            return
        yield f"structure: {self.counts['elaborated']} statements elaborated, items among them"
        if self.counts["Lean broke down"]:
            yield f"structure: Lean broke down over {self.counts['Lean broke down']}, which were compared by text only"
        for header in sorted(self._closed):
            yield f"structure: this Lean has no header {header!r}; its rows were compared by text only"

    def _ask(
        self, checker: Checker, unsettled: Sequence[tuple[int, Statement, list[_Known]]], hits: list[Hit | None]
    ) -> None:
        """Compare by what Lean makes of them. Items are elaborated once for each header that rows stand on."""
        for header in sorted({statement.header for _, statement, _ in unsettled} - self._closed):
            here = [one for one in unsettled if one[1].header == header]
            items = {item.label: item for _, _, candidates in here for item in candidates}
            new = [item for label, item in items.items() if (label, header) not in self._item_keys]
            asked = [_Question(item.statement, header) for item in new]
            try:
                found = list(self._keys(checker, asked))
                self._item_keys |= {(item.label, header): keys for item, keys in zip(new, found, strict=True)}
                wanted = [one for one in here if any(self._item_keys[item.label, header] for item in one[2])]
                own = self._keys(checker, [_Question(statement, header) for _, statement, _ in wanted])
                for (number, _, candidates), keys in zip(wanted, own, strict=True):
                    same = next((item for item in candidates if keys & self._item_keys[item.label, header]), None)
                    if same is not None:
                        hits[number] = Hit(Reason.STRUCTURE, same.label, 1.0, "same kernel type up to order")
            except InputError:  # the checker has no such header; texts have been compared
                self._closed.add(header)

    def _keys(self, checker: Checker, questions: Sequence[_Question]) -> Iterator[Keys]:
        """What Lean makes of each; nothing where it takes it for no statement, or breaks down."""
        for question, checked in zip(questions, checker.check(map(_check, questions)), strict=True):
            self.counts["elaborated"] += 1
            if checked.status is Status.HOST_FAILURE:
                self.counts["Lean broke down"] += 1
            yield _kernel_keys(question, checked)


def _check(question: _Question) -> Check:
    statement = question.statement
    text = statement.text if isinstance(statement, Formalisation) else statement.statement
    # Mathlib's headers differ in what they open only: there a statement stands on its own, whichever it is asked for.
    own_header = statement.header == question.header or (_imports(statement.header) and _imports(question.header))
    context = statement.context if own_header else definitions(statement.context)
    before = f"{context}\n\n" if context else ""
    return Check(
        f"{before}{text} := sorry\n",
        statement.header if own_header else question.header,
        _LIMITS,
        refuse=NO_PROGRAMS,
        holes=tuple(_holes(statement)),
    )


def _imports(header_id: str) -> bool:
    return headers.header(header_id).has_imports


def _holes(statement: Statement) -> Iterable[str]:
    if "sorry" not in statement.context:
        return ()
    try:
        return statement_of(statement).answers
    except InputError:
        return ()


def _kernel_keys(question: _Question, checked: Checked) -> Keys:
    answer = checked.answer
    if answer is None or answer.errors or answer.interrupted or answer.refused is not None:
        return frozenset()
    theorem = next((one for one in reversed(answer.declarations) if one.kind == "theorem"), None)
    if theorem is None:
        return frozenset()
    tree = None if theorem.type is None or definitions(question.statement.context) else kernel_tree(theorem.type)
    # Names of own definitions stand in the tree, so it tells nothing where there are any; the key looks into them.
    order_free = order_free_key(tree) if tree is not None else ""
    return frozenset({theorem.type_key, order_free} - {""})
