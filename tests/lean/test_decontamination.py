"""The structural stage with real Lean: kernel types say what texts do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pythagoras.corpus.decontamination.kernel_trees import kernel_tree
from pythagoras.corpus.decontamination.structure import StructureStage
from pythagoras.corpus.decontamination.trees import order_free_key
from pythagoras.corpus.decontamination.views import items_of, view_of
from pythagoras.corpus.records import Formalisation
from pythagoras.lean.pool import Check, LeanPool
from tests.unit import plants
from tests.unit.planted_problems import PROBLEMS


def formal(text: str, name: str = "row", header: str = "core", context: str = "") -> Formalisation:
    return Formalisation(name, text, "rows", header=header, context=context)


# A benchmark's statement, and the same theorem in a form that only Lean sees through.
REFORMULATED = {
    "a function written in another way": (
        "theorem item (f : ℕ → ℕ) (k : f 1 = 2) (h : f = fun x => x + 1) : f 3 = 4",
        "theorem row (f : ℕ → ℕ) (h : f = (· + 1)) (k : f 1 = 2) : f 3 = 4",
    ),
    "arguments that are written out": (
        "theorem item (n : ℕ) (h : n > 3) : max n 2 = n",
        "theorem row (m : ℕ) : 3 < m → @max ℕ _ m 2 = m",
    ),
    "a pipe": (
        "theorem item (n : ℕ) (h : n = 3) : Nat.succ (n + 1) = 5",
        "theorem row (n : ℕ) (h : n = 3) : (n + 1 |> Nat.succ) = 5",
    ),
}


@pytest.mark.parametrize("case", REFORMULATED)
def test_lean_sees_through_notation(pool: LeanPool, case: str) -> None:
    item, row = REFORMULATED[case]
    items = items_of([formal(item, "item")])
    assert StructureStage(items).find([view_of(formal(row))]) == [None]  # the text alone does not tell
    (hit,) = StructureStage(items, pool).find([view_of(formal(row))])
    assert hit is not None
    assert (hit.item, hit.detail) == ("rows/item", "same kernel type up to order")


def kernel_keys(pool: LeanPool, texts: Sequence[str]) -> list[str]:
    """Keys without order of the statements' kernel types."""
    keys = []
    for text, checked in zip(texts, pool.check(Check(f"{text} := sorry") for text in texts), strict=True):
        assert checked.answer is not None
        assert not checked.answer.errors, (text, checked.answer.errors)
        (found,) = [one.type for one in checked.answer.declarations if one.kind == "theorem"]
        tree = kernel_tree(found or "")
        assert tree is not None
        keys.append(order_free_key(tree))
    return keys


def test_kernel_types_of_plants_have_the_keys_of_their_originals(pool: LeanPool) -> None:
    """What the text says about order, signs and arrows, the kernel's types say too, and they keep problems apart."""
    originals = [problem.statement for problem in PROBLEMS]
    keys = kernel_keys(pool, originals)
    assert len(set(keys)) == len(keys)
    count = 0
    for change in (plants.renamed, plants.swapped, plants.restated):
        changed = {number: change(plants.parsed(text)) for number, text in enumerate(originals)}
        texts = {number: text for number, text in changed.items() if text is not None}
        assert kernel_keys(pool, list(texts.values())) == [keys[number] for number in texts]
        count += len(texts)
    assert count >= 60


def test_a_header_that_this_lean_lacks_is_told(pool: LeanPool) -> None:
    item, row = REFORMULATED["a pipe"]
    stage = StructureStage(items_of([formal(item, "item", header="mathlib")]), pool)
    found = stage.find([view_of(formal(row, header="mathlib")), view_of(formal(row))])
    assert [hit is not None for hit in found] == [False, True]
    assert "no header 'mathlib'" in " ".join(stage.notes())


def test_definitions_count_by_what_they_say(pool: LeanPool) -> None:
    text = "theorem {0} (n : ℕ) (h : n = 3) : {1} n = 6"
    item = formal(text.format("item", "double"), "item", context="def double (n : ℕ) : ℕ := n + n")
    same = formal(text.format("row", "twice"), context="def twice (m : ℕ) : ℕ := m + m")
    other = formal(text.format("row", "double"), context="def double (n : ℕ) : ℕ := n * n")
    found = StructureStage(items_of([item]), pool).find([view_of(same), view_of(other)])
    assert [hit is not None for hit in found] == [True, False]
