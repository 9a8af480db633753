"""Self-distillation before the real Lean: what mutation makes is elaborated, audited, and verified adaptively."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from pythagoras.alf.auditing import audit
from pythagoras.alf.corpus import Verification, distil
from pythagoras.alf.judging import Ending, judged
from pythagoras.alf.making import mutate
from pythagoras.alf.mutating import learned_mutator
from pythagoras.alf.mutations.operators import OPERATORS
from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Formalisation, Instance, settings_of
from pythagoras.corpus.stages import run_stage
from pythagoras.generate.portfolio import Portfolio
from pythagoras.lean.pool import Checker, LeanPool
from pythagoras.lean.wire import Limits
from tests.unit.corpora import instance

SEED = [
    instance("theorem a (n : ℕ) (h₁ : n > 5) : n ≥ 3", name="a", proof="by omega"),
    instance("theorem b (a b : ℤ) (h₁ : a + b = 7) (h₂ : a - b = 1) : a = 4 ∧ b = 3", name="b", proof="by omega"),
    instance("theorem c (n : ℕ) (h₁ : n % 4 = 3) : n % 2 = 1", name="c", proof="by\n  have h := h₁\n  omega"),
    instance("theorem d (x : ℕ) (h₁ : 3 ∣ x) : x % 3 = 0", name="d", proof="by omega"),
]


@dataclass(frozen=True)
class Shared:
    """The tests' own pool, wherever a Lean is to be opened."""

    pool: LeanPool
    limits: Limits = Limits(timeout_s=20)

    def open(self) -> nullcontext[Checker]:
        return nullcontext(self.pool)


def test_every_ending_of_a_pair_is_told(pool: LeanPool) -> None:
    pairs = [
        SEED[0],
        instance("theorem a (n : ℕ) (h₁ : n > 5) : n ≥ 7", name="a", proof="by omega"),
        instance("theorem a (n : ℕ) (h₁ : n > x) : n ≥ 3", name="a", proof="by omega"),
        instance(SEED[0].statement, name="a", proof="by exact helper", context="theorem helper : 1 = 1 := rfl"),
        instance(
            SEED[0].statement, name="a", proof="by\n  have := helper\n  omega", context="theorem helper : 1 = 1 := rfl"
        ),
        instance(SEED[0].statement, name="a", proof="by sorry"),
    ]
    found = judged(pairs, pool, Limits(timeout_s=20))
    assert [each.ending for each in found] == [
        Ending.PASSED, Ending.PROOF, Ending.STATEMENT, Ending.PROOF, Ending.PASSED, Ending.PROOF
    ]  # fmt: skip
    assert all(each.seconds > 0 for each in found[:5])


def test_from_statements_to_a_corpus_that_lean_has_looked_at(pool: LeanPool, tmp_path: Path) -> None:
    run_stage(SEED, tmp_path / "seed", stage="made", settings={}, inputs={})
    lean = Shared(pool)
    made = mutate(
        [tmp_path / "seed"],
        tmp_path / "mutated",
        lambda parents: learned_mutator(OPERATORS, parents, 0, refute=True),
        settings={},
        tracing=lean,
        elaborating=lean,
    )
    mutation, elaboration, last = made.funnel
    assert mutation.read == 5 * len(SEED)
    assert elaboration.read == mutation.kept
    assert last.kept >= 8
    variants = list(read_records(made.variants.folder, "formalisation"))
    assert all(isinstance(each, Formalisation) and len(settings_of(each)["type"]) == 64 for each in variants)

    prover = Portfolio(("omega",))
    found = distil([made.variants.folder], tmp_path / "pairs", prover)
    told = audit([found.corpus.folder], tmp_path / "audit", lean)
    assert told.sampled == told.population == len(variants)
    assert told.failures.get(Ending.STATEMENT.value, 0) == 0  # Lean took all of them before
    assert told.overall.passed > 0
    assert told.lean_s > 0

    verification = Verification(lean, budget=1.0, target=0.95)
    checked = distil([made.variants.folder], tmp_path / "checked", prover, verification=verification)
    kept = [each for each in read_records(checked.corpus.folder, "instance") if isinstance(each, Instance)]
    assert len(kept) == told.overall.passed  # so few are all audited
    assert all(each.verified for each in kept)
