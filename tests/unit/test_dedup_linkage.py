"""Who stays: union-find, the paper's rule and the direct one, against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus import linkage
from pythagoras.corpus.linkage import LINKAGES, Links
from pythagoras.corpus.neighbours import Pairs
from pythagoras.errors import InputError

ROWS = 30
EDGES = st.sets(
    st.tuples(st.integers(0, ROWS - 1), st.integers(0, ROWS - 1)).filter(lambda pair: pair[0] != pair[1]), max_size=60
)


def batches(edges: set[tuple[int, int]] | list[tuple[int, int]], size: int = 4) -> list[Pairs]:
    listed = list(edges)
    return [
        Pairs(
            np.array([one for one, _ in listed[start : start + size]], np.int32),
            np.array([two for _, two in listed[start : start + size]], np.int32),
            np.ones(len(listed[start : start + size]), np.float32),
        )
        for start in range(0, len(listed), size)
    ]


def neighbours_of(edges: set[tuple[int, int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {row: set() for row in range(ROWS)}
    for one, two in edges:
        found[one].add(two)
        found[two].add(one)
    return found


def component(row: int, near: dict[int, set[int]]) -> set[int]:
    seen, waiting = {row}, [row]
    while waiting:
        for other in near[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def run(rule: str, edges: set[tuple[int, int]], flush: int = 6) -> Links:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkage, "_FLUSH_PAIRS", flush)
        return LINKAGES[rule](batches(edges), ROWS)


@given(edges=EDGES)
def test_cluster_keeps_the_first_of_everything_connected(edges: set[tuple[int, int]]) -> None:
    near = neighbours_of(edges)
    links = run("cluster", edges)
    assert links.survivor.tolist() == [min(component(row, near)) for row in range(ROWS)]
    for row in range(ROWS):
        assert (links.near[row] == row) if links.survivor[row] == row else (links.near[row] in near[row])


@given(edges=EDGES)
def test_pair_drops_the_lower_of_every_pair(edges: set[tuple[int, int]]) -> None:
    near = neighbours_of(edges)
    links = run("pair", edges)
    for row in range(ROWS):
        assert (links.survivor[row] != row) == any(other < row for other in near[row])
        assert links.survivor[links.survivor[row]] == links.survivor[row] in component(row, near)


@given(edges=EDGES)
def test_direct_drops_a_row_only_for_a_near_one_that_stays(edges: set[tuple[int, int]]) -> None:
    near = neighbours_of(edges)
    links = run("direct", edges)
    kept = {row for row in range(ROWS) if links.survivor[row] == row}
    for row in range(ROWS):
        if row in kept:
            assert not near[row] & kept
        else:
            assert links.survivor[row] == min(near[row] & kept) < row


@given(edges=EDGES, rule=st.sampled_from(sorted(LINKAGES)))
def test_the_order_of_pairs_and_their_ends_do_not_matter(edges: set[tuple[int, int]], rule: str) -> None:
    turned = {(two, one) for one, two in edges}
    assert np.array_equal(run(rule, edges).survivor, LINKAGES[rule](batches(sorted(turned)), ROWS).survivor)


def test_what_the_rules_disagree_about() -> None:
    def kept(rule: str, edges: set[tuple[int, int]]) -> list[int]:
        links = run(rule, edges)
        return [row for row in range(3) if links.survivor[row] == row]

    chain = {(0, 1), (1, 2)}
    assert [kept(rule, chain) for rule in ("cluster", "pair", "direct")] == [[0], [0], [0, 2]]
    valley = {(0, 2), (1, 2)}
    assert [kept(rule, valley) for rule in ("cluster", "pair", "direct")] == [[0], [0, 1], [0, 1]]


def test_a_long_chain_is_one_cluster() -> None:
    rows = 5_000
    order = np.random.default_rng(0).permutation(rows)
    links = LINKAGES["cluster"](batches(list(zip(order[1:], order[:-1], strict=True)), 100), rows)
    assert not links.survivor.any()


def test_too_many_pairs_to_hold_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkage, "MOST_PAIRS", 2)
    with pytest.raises(InputError, match=r"more than 2 pairs .* raise tau, or use `cluster`"):
        LINKAGES["direct"](batches([(0, 1), (1, 2), (2, 3)]), 4)
