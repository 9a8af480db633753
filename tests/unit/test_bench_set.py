"""The fixed set that measures Lean: large, varied, without repetition, and said to be right or wrong."""

from __future__ import annotations

import re
from collections import Counter

from pythagoras.lean.bench import BenchProof, bench_proofs

PROOFS = bench_proofs()
KINDS = {"calc", "cases", "decide", "exists", "grind", "induction", "omega", "simp", "slow", "wrong"}


def repeated(values: list[str]) -> list[str]:
    return [value for value, times in Counter(values).items() if times > 1]


def named(proof: BenchProof) -> str:
    """The code with the theorem's own name taken out."""
    return " ".join(re.sub(rf"\b{re.escape(proof.name)}\b", "_", proof.code).split())


def test_it_is_large() -> None:
    assert len(PROOFS) >= 300


def test_it_is_read_in_the_same_order_each_time() -> None:
    assert bench_proofs() == PROOFS


def test_names_are_unique_and_stand_in_the_code() -> None:
    assert repeated([proof.name for proof in PROOFS]) == []
    assert [proof.name for proof in PROOFS if not re.search(rf"\btheorem {re.escape(proof.name)}\b", proof.code)] == []


def test_kinds_are_known_and_each_has_many() -> None:
    kinds = Counter(proof.kind for proof in PROOFS)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 10


def test_both_verdicts_are_there() -> None:
    verdicts = Counter(proof.proved for proof in PROOFS)
    assert set(verdicts) == {True, False}
    assert min(verdicts.values()) >= 20
    assert [proof.name for proof in PROOFS if proof.kind == "wrong" and proof.proved] == []
    assert [proof.name for proof in PROOFS if "sorry" in proof.code and proof.proved] == []


def test_no_proof_stands_there_twice() -> None:
    assert repeated([named(proof) for proof in PROOFS]) == []


def test_proofs_stand_on_a_header_and_bring_none() -> None:
    assert [proof.name for proof in PROOFS if re.search(r"^\s*(import|axiom|open)\b", proof.code, re.MULTILINE)] == []
