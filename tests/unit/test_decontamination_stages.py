"""The stages' own parts: n-grams against a slow and plain count, skeletons of proofs, nearest texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus.decontamination.ngrams import NgramRule, NgramTable
from pythagoras.corpus.decontamination.similarity import SimilarityStage, Taus
from pythagoras.corpus.decontamination.templates import edit_distance, skeleton
from pythagoras.corpus.decontamination.views import items_of, view_of
from pythagoras.corpus.embedding.role import Floats
from pythagoras.corpus.records import Formalisation, Problem, Record

# --- n-grams --------------------------------------------------------------------------------------

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "#0", "#1", "#2"]), max_size=12), min_size=1, max_size=6)


def grams(text: Sequence[str], n: int) -> set[tuple[object, ...]]:
    """N-grams with bound variables by their first place within."""
    windows = [text[start : start + n] for start in range(len(text) - n + 1)]
    return {tuple(window.index(word) if word[0] == "#" else word for word in window) for window in windows}


@given(TEXTS, TEXTS, st.integers(1, 4))
def test_the_table_counts_like_sets_do(items: list[list[str]], rows: list[list[str]], n: int) -> None:
    rule = NgramRule(n, least=1, least_share=0.3, most_items=1, most_rows=1.0)
    texts = {tuple(item) for item in items}
    common = {gram for item in texts for gram in grams(item, n) if sum(gram in grams(one, n) for one in texts) > 1}
    for row, found in zip(rows, NgramTable(items, rule).find(rows), strict=True):
        own = grams(row, n)
        assert (found.plain is not None) == any(own & grams(item, n) for item in items)
        shared = {number: len((own & grams(item, n)) - common) for number, item in enumerate(items)}
        rare = {number: len(grams(item, n) - common) for number, item in enumerate(items)}
        enough = {number for number, count in shared.items() if count >= max(1, 0.3 * rare[number])}
        assert (found.item in enough) if enough else found.item is None
        if found.item is not None:
            assert (found.count, found.of) == (max(shared[number] for number in enough), rare[found.item])
            assert grams(found.gram.split(), n) <= own & grams(items[found.item], n)


def test_learning_makes_common() -> None:
    table = NgramTable([list("abcde")], NgramRule(2, least=1, least_share=0.5, most_items=2, most_rows=0.01))
    assert table.find([list("abc")])[0].item == 0
    table.learn([list("abx")] * 5)
    assert table.find([list("abc")])[0].item == 0  # five rows are few
    table.learn([list("abx")] * 5)
    found = table.find([list("abc"), list("bcd")])
    assert [(one.plain, one.item) for one in found] == [(0, None), (0, 0)]


def test_rows_that_are_hits_do_not_make_their_item_common() -> None:
    table = NgramTable([list("abcde"), list("abxyz")], NgramRule(2, 1, least_share=0.5, most_items=2, most_rows=0.01))
    table.learn([list("abcdq")] * 1_000)
    first, second = table.find([list("abc"), list("abx")])
    assert first.item == 0
    assert second.item is None  # `ab` is common for the other item, which those rows are not
    assert table.copied([list("abc"), list("qrs"), list("xyz")]) == {(0, 0), (2, 1)}


# --- skeletons ------------------------------------------------------------------------------------

PROOF = """by
  have h3 : a * (a + 9) = 360 := by
    rw [← h1]; exact h2
  rcases h3 with h | ⟨x, y⟩
  · nlinarith [sq_nonneg (a - 15),
      sq_nonneg b]
  · exact foo
      bar
  cases h with
  | inl x => simp <;> ring
  | inr x =>
    exact (fun y => y x)
"""


def test_a_skeleton_has_tactics_and_shapes_but_no_names() -> None:
    assert " ".join(skeleton(PROOF).words) == (
        "by have : * ( + ) = := by rw [ ← ] exact rcases with | ⟨ , ⟩ nlinarith [ ( - ) , ] exact "
        "cases with | => simp <;> ring | => exact ( fun => )"
    )
    assert skeleton(PROOF).tactics == 10


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("by\n  intro x\n  simp\n  ring", "by intro y; simp; ring"),
        ("by\n  constructor\n  · omega\n  · simp", "by\n  constructor\n  . omega\n  . simp"),
        ("by\n  rw [foo, bar] at h", "by\n  rw [baz,\n    qux] at h₂ -- so"),
        ("by\n  norm_num [f 3]", "by\n  norm_num [g 17]"),
    ],
)
def test_layout_and_names_do_not_show(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_first_has_alternatives_that_are_tactics() -> None:
    assert skeleton("by first | simp | omega").words == ("by", "first", "|", "simp", "|", "omega")


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 7))
def test_edit_distance(one: str, other: str, most: int) -> None:
    def slow(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        change = slow(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(change, slow(i - 1, j) + 1, slow(i, j - 1) + 1)

    expected = slow(len(one), len(other))
    assert edit_distance(one, other, most) == (expected if expected <= most else None)


# --- similarity -----------------------------------------------------------------------------------


class LetterEmbedder:
    """How often each letter occurs: enough to tell which texts were compared with which."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked += texts
        counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], dtype=np.float32)
        return np.asarray(counts / np.maximum(1e-9, np.linalg.norm(counts, axis=1, keepdims=True)), dtype=np.float32)


TAUS = Taus(0.95, 0.95)
WORDED = Formalisation("worded", "theorem worded : foo = bar", "bench", docstring="abcd abcd")
WORDLESS = Formalisation("wordless", "theorem wordless : qux = zap", "bench")


@pytest.mark.parametrize(
    ("row", "item"),
    [
        (Problem("dcba", "rows"), "bench/worded"),
        (Problem("xyz", "rows"), None),
        (Formalisation("r", "theorem r : foo = bar", "rows"), "bench/worded"),
        (Formalisation("r", "theorem r : foo = bar", "rows", docstring="xyz"), None),
        (Formalisation("r", "theorem r : qux = zap", "rows", docstring="xyz"), "bench/wordless"),
    ],
)
def test_words_meet_words_and_lean_meets_lean(row: Record, item: str | None) -> None:
    (hit,) = SimilarityStage(items_of([WORDED, WORDLESS]), LetterEmbedder(), taus=TAUS).find([view_of(row)])
    assert (None if hit is None else hit.item) == item


def test_the_second_embedder_decides_about_the_near_ones() -> None:
    class Never:
        name = "never"

        def embed(self, texts: Sequence[str]) -> Floats:
            rows = np.zeros((len(texts), 4), dtype=np.float32)
            rows[:, len(texts) % 4] = 1  # items and rows point different ways
            return rows

    first = LetterEmbedder()
    stage = SimilarityStage(items_of([WORDED]), first, Never(), taus=TAUS, near=Taus(0.5, 0.5))
    near, far = Problem("abcdabcdd", "rows"), Problem("wxyz", "rows")
    assert [hit is not None for hit in SimilarityStage(items_of([WORDED]), first, taus=TAUS).find([view_of(near)])] == [
        True
    ]
    assert stage.find([view_of(near), view_of(far), view_of(near)]) == [None, None, None]
    assert stage.asked_second == 2
