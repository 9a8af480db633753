"""Planted contamination: every plant is found by the stage that is meant for it, and clean rows are left alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import pythagoras.lean
from pythagoras.corpus.decontamination import templates
from pythagoras.corpus.decontamination.structure import lexical_key
from pythagoras.corpus.decontamination.sweep import DecontaminationSettings, Sweep
from pythagoras.corpus.decontamination.templates import skeleton
from pythagoras.corpus.decontamination.views import items_of
from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Attempt, Formalisation, Instance, Problem, Provenance, Record, Tier
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.evaluate.corebench import items as corebench
from pythagoras.lean.statements import parse_statement, statement_from_row
from tests.unit import plants
from tests.unit.planted_problems import PROBLEMS

BENCH = Path(pythagoras.lean.__file__).parent / "data" / "bench_proofs.jsonl"
DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = ("minif2f_valid.jsonl", "putnambench_lean4.jsonl")
needs_data = pytest.mark.skipif(not (DATA / FILES[0]).exists(), reason="needs the benchmarks in ../shared/data")

MEANT_FOR = {
    "renamed variables": "surface",
    "reformatted": "surface",
    "swapped hypotheses": "structure",
    "restated": "structure",
}
"""The stage that must find each kind of plant, working alone."""


@cache
def own_benchmark() -> tuple[Record, ...]:
    """Problems written for these tests, and CoreBench with its proofs."""
    written = [
        Formalisation(problem.name, problem.statement, "written", docstring=problem.informal) for problem in PROBLEMS
    ]
    return (*written, *corebench.as_instances(corebench.load()))


@cache
def published_benchmarks() -> tuple[Record, ...]:
    """Every fifth item of MiniF2F-valid and PutnamBench; neither has informal texts here."""
    rows = [(file, json.loads(line)) for file in FILES for line in (DATA / file).read_text("utf-8").splitlines()[::5]]
    found = [(file, statement_from_row(row, header="mathlib")) for file, row in rows]
    return tuple(
        Formalisation(one.name, one.text, file.partition(".")[0], header="mathlib", context=one.context)
        for file, one in found
    )


@cache
def planted(benchmark: tuple[Record, ...], kind: str) -> dict[str, Formalisation]:
    """A changed copy of each statement that can be changed so, by the label of the original."""
    found: dict[str, Formalisation] = {}
    for record in benchmark:
        assert isinstance(record, Formalisation | Instance)
        text = record.text if isinstance(record, Formalisation) else record.statement
        changed = plants.KINDS[kind](plants.parsed(text))
        if changed is not None:
            label = f"{record.source}/{record.name}"
            found[label] = Formalisation(
                f"row_{len(found)}", changed, "rows", header=record.header, context=record.context
            )
    return found


def sweep(benchmark: Sequence[Record], *stages: str, discount: bool = True, all_hits: bool = False) -> Sweep:
    return Sweep(benchmark, DecontaminationSettings(stages=stages, discount=discount, all_hits=all_hits))


@cache
def tree_keys(benchmark: tuple[Record, ...]) -> dict[str, str]:
    return {item.label: lexical_key(item.view.formal) for item in items_of(benchmark)}


def missed(benchmark: tuple[Record, ...], kind: str, *, discount: bool = True) -> list[str]:
    """Labels of the originals whose copies are not found, or are found as others. A twin of the original will do."""
    rows = planted(benchmark, kind)
    twins = tree_keys(benchmark)
    found = sweep(benchmark, MEANT_FOR[kind], discount=discount).hits(list(rows.values()))
    return [
        label for label, hits in zip(rows, found, strict=True) if [twins[hit.item] for hit in hits] != [twins[label]]
    ]


@pytest.mark.parametrize("kind", MEANT_FOR)
def test_every_plant_is_found_by_its_stage(kind: str) -> None:
    assert len(planted(own_benchmark(), kind)) >= 60
    assert missed(own_benchmark(), kind) == []


@needs_data
@pytest.mark.parametrize("kind", MEANT_FOR)
def test_every_plant_of_published_benchmarks_is_found_by_its_stage(kind: str) -> None:
    assert len(planted(published_benchmarks(), kind)) >= 70
    assert missed(published_benchmarks(), kind) == []


def test_statements_with_additions_share_n_grams() -> None:
    """Plain n-grams find all of them. The discount gives up short ones, which have nothing rare in them."""
    rows = planted(own_benchmark(), "extended")
    plain = sweep(own_benchmark(), "ngram", discount=False).hits(list(rows.values()))
    assert all(plain)
    telling = sweep(own_benchmark(), "ngram").hits(list(rows.values()))
    assert sum(map(bool, telling)) >= 0.9 * len(rows)


def test_a_sentence_of_a_benchmark_inside_another_text_is_found() -> None:
    rows = [
        Problem(f"Here is a riddle that I heard yesterday. {problem.informal} Explain every step!", "rows")
        for problem in PROBLEMS
        if len(problem.informal.split()) >= 14
    ]
    assert len(rows) >= 20
    assert all(sweep(own_benchmark(), "ngram").hits(rows))


# --- proofs -------------------------------------------------------------------------------------


def test_every_copied_skeleton_is_found() -> None:
    proofs = [record for record in own_benchmark() if isinstance(record, Instance) and tells(record.proof)]
    rows = [
        replace(record, statement=f"theorem row_{number} : {number} = {number}", informal="", proof=changed)
        for number, record in enumerate(proofs)
        if (changed := plants.copied_proof(record.proof)) != record.proof
    ]
    assert len(rows) >= 60
    found = sweep(own_benchmark(), "template").hits(rows)
    assert [row.proof for row, hits in zip(rows, found, strict=True) if not hits] == []
    assert {hit.reason for hits in found for hit in hits} == {Reason.PROOF_TEMPLATE}


def test_short_proofs_tell_nothing() -> None:
    proof = "by\n  intro x\n  simp\n  omega"
    instance = Instance("t", "theorem t : 1 = 1", proof, "rows", Tier.EASY, verified=True)
    found = sweep([instance], "template")
    assert found.hits([replace(instance, name="copy")]) == [[]]
    assert "0 of 1 proofs" in " ".join(found.report().notes)


def test_a_benchmark_without_proofs_says_so() -> None:
    formal = Formalisation("t", "theorem t : 1 = 1", "bench")
    assert "nothing to compare with" in " ".join(sweep([formal], "template").report().notes)


# --- clean rows ---------------------------------------------------------------------------------


def test_clean_rows_are_left_alone() -> None:
    """Generated problems and Lean's own bench: other statements in the same style."""
    bench = [(row["name"], row["code"]) for row in map(json.loads, BENCH.read_text("utf-8").splitlines())]
    clean = [Formalisation(name, text, "clean") for name, code in bench if (text := statement_text(code))]
    clean += [drawn.formalisation for drawn in generate(1_000, seed=5)]
    whole = sweep(own_benchmark(), "surface", "ngram", "structure", "template", all_hits=True)
    whole.learn(clean)
    dropped = [decision for decision in whole.decide(clean) if isinstance(decision, Dropped)]
    report = whole.report()
    print(f"{len(dropped)} of {len(clean)} clean rows dropped {dict(whole.tally)}; plain n-grams: {report.ngram_plain}")
    assert len(dropped) <= 0.02 * len(clean)
    assert report.ngram_plain >= 0.8 * len(clean)  # why the discount is there


# --- the sweep ----------------------------------------------------------------------------------


def row_of(text: str, **fields: str) -> Formalisation:
    return Formalisation("row", text, "rows", **fields)  # type: ignore[arg-type]


def test_a_dropped_row_says_stage_item_and_evidence() -> None:
    problem = PROBLEMS[0]
    copy = row_of("theorem x (b a : ℤ) (hb : b + a = 40) (ha : b - a = 12) : b = 26")
    clean = row_of("theorem x (p q : Prop) (h : p → q) : ¬ q → ¬ p")
    kept, dropped = sweep(own_benchmark(), "surface", "ngram").decide([clean, copy])
    assert kept is clean
    assert isinstance(dropped, Dropped)
    assert (dropped.record, dropped.reason, dropped.score) == (copy, Reason.SURFACE_HASH, 1.0)
    assert dropped.other == f"written/{problem.name}"
    assert "+ #1 = 40" in dropped.detail


def test_all_hits_and_the_first_hit() -> None:
    copy = row_of(PROBLEMS[0].statement, docstring=PROBLEMS[0].informal)
    stages = ("surface", "ngram", "structure")
    assert [hit.reason for hit in sweep(own_benchmark(), *stages).hits([copy])[0]] == [Reason.SURFACE_HASH]
    full = sweep(own_benchmark(), *stages, all_hits=True)
    assert [hit.reason for hit in full.hits([copy])[0]] == [Reason.SURFACE_HASH, Reason.NGRAM, Reason.STRUCTURE]
    report = full.report()
    assert (report.rows, report.dropped) == (1, 1)
    assert [full.tally[reason] for reason in ("surface hash", "n-gram", "structure")] == [1, 1, 1]


def test_both_n_gram_rates_are_in_the_tally_also_when_nothing_is_found() -> None:
    empty = sweep(own_benchmark(), "ngram")
    empty.decide([row_of("theorem x : True")])
    rates = {name: count for name, count in empty.tally.items() if name.startswith("n-gram ")}
    assert rates == {"n-gram rows": 1, "n-gram plain": 0, "n-gram discounted": 0}


def test_decisions_do_not_depend_on_order_or_batches() -> None:
    rows = [row for kind in MEANT_FOR for row in planted(own_benchmark(), kind).values()][::7]
    one = sweep(own_benchmark(), "surface", "ngram", "structure")
    one.learn(rows)
    other = sweep(own_benchmark(), "surface", "ngram", "structure")
    other.learn(reversed(rows))
    together = one.hits(rows)
    alone = [other.hits([row])[0] for row in reversed(rows)]
    assert together == alone[::-1]


def test_what_is_common_in_the_rows_says_nothing() -> None:
    """Hypotheses that hundreds of different problems begin with are no evidence once the rows were counted."""
    start = "theorem t (x y : ℤ) (h₀ : 3 * x + 5 * y = 41)"
    item = row_of(f"{start} (h₁ : 2 * x - 7 * y = 6) (h₂ : x % 4 = y) : x = 8 ∨ y = 2")
    others = [row_of(f"{start} : x * x * {number} ∣ y ^ {number} + {number}") for number in range(300)]
    row = row_of(f"{start} (h₁ : 2 * x - 7 * y = 6) : x = 9 ∧ 0 < y")
    fresh, learned = (Sweep([item], DecontaminationSettings(stages=("ngram",), learn_share=1.0)) for _ in range(2))
    learned.learn(others)
    assert not any(fresh.hits(others))
    assert fresh.hits([row])[0]
    assert not learned.hits([row])[0]
    assert learned.hits([item])[0]


@cache
def clean_rows() -> tuple[Formalisation, ...]:
    return tuple(drawn.formalisation for drawn in generate(20_000, seed=11))


@pytest.mark.parametrize("count", [60, 100, 1_000, 5_000])
def test_many_variants_of_an_item_do_not_hide_it(count: int) -> None:
    """Texts and statements built around one item: all are found among 20,000 clean rows, however many there are."""
    problem = max(PROBLEMS, key=lambda one: len(one.informal))
    statement = plants.parsed(problem.statement)
    binders = " ".join(binder.text for binder in statement.binders)
    told: list[Record] = [
        Problem(f"Riddle {n} of Anna's book. {problem.informal} Then add {n} to it.", "rows") for n in range(count // 2)
    ]
    stated: list[Record] = [
        row_of(f"theorem v{n} (k : ℕ) {binders} (hk : k = {n}) : {statement.goal}") for n in range(count - len(told))
    ]
    found = sweep(own_benchmark(), "ngram")
    found.learn([*clean_rows(), *told, *stated])
    assert all(found.hits([*told, *stated]))
    clean = found.hits(clean_rows()[:2_000])
    assert sum(map(bool, clean)) <= 0.002 * len(clean)


@pytest.mark.parametrize("count", [20, 200])
def test_variants_with_their_proofs_do_not_make_a_template_common(count: int) -> None:
    records = [record for record in own_benchmark() if isinstance(record, Instance) and tells(record.proof)]
    original = max(records, key=lambda record: len(record.statement))
    statement = plants.parsed(original.statement)
    binders = " ".join(binder.text for binder in statement.binders)
    variants = [
        replace(original, statement=f"theorem v{n} {binders} (extra : 0 < {n} + 1) : {statement.goal}", informal="")
        for n in range(count)
    ]
    others = [replace(original, statement=f"theorem o{n} : {n} < {n} + 1", informal="") for n in range(count)]
    settings = DecontaminationSettings(stages=("template",), learn_share=1.0)
    copied, shared = Sweep(own_benchmark(), settings), Sweep(own_benchmark(), settings)
    copied.learn(variants)
    assert all(copied.hits(variants))
    shared.learn(others)  # the same proof for other statements: everybody's
    assert not any(shared.hits(others))


def test_one_item_in_two_benchmarks_is_not_common() -> None:
    text = "theorem t (x : ℕ → ℤ) (h₀ : x 1 = 211) (h₁ : ∀ n ≥ 5, x n = x (n - 1) - x (n - 2)) : x 531 + x 753 = 898"
    copies = [Formalisation("t", text, f"bench_{number}") for number in range(5)]
    assert sweep(copies, "ngram").hits([row_of(text.replace("898", "899"))])[0]


def test_mutations_of_an_item_do_not_make_it_common() -> None:
    """A problem and three variants of it share their words; strangers that share them are another matter."""
    text = "theorem t (x : ℕ → ℤ) (h₀ : x 1 = 211) (h₁ : ∀ n ≥ 5, x n = x (n - 1) - x (n - 2)) : x 531 + x 753 = 898"
    copied = row_of(text.replace("898", "899"))
    for parent, is_found in (("t", True), ("", False)):
        variants = [
            Formalisation(
                f"t_alf{number}",
                text.replace("898", str(number)),
                "bench-alf",
                provenance=Provenance(parent=parent, maker="other_numbers"),
            )
            for number in range(3)
        ]
        assert bool(sweep([Formalisation("t", text, "bench"), *variants], "ngram").hits([copied])[0]) is is_found


def test_other_kinds_of_records() -> None:
    informal = Problem(PROBLEMS[3].informal.upper(), "rows")
    attempt = Attempt("0" * 32, "by simp")
    found = sweep(own_benchmark(), "surface", "ngram", "structure", "template").hits([informal, attempt])
    assert [[hit.reason for hit in hits] for hits in found] == [[Reason.SURFACE_HASH], []]


def test_wrong_use_is_told() -> None:
    with pytest.raises(InputError, match="did you mean 'surface'"):
        sweep(own_benchmark(), "surfac")
    with pytest.raises(InputError, match="needs an embedder"):
        sweep(own_benchmark(), "embedding")
    with pytest.raises(InputError, match="no statements"):
        sweep([Attempt("0" * 32, "by simp")], "surface")


def statement_text(code: str) -> str:
    try:
        return parse_statement(code).text
    except InputError:
        return ""


def tells(proof: str) -> bool:
    found = skeleton(proof)
    return found.tactics >= templates.DEFAULT.least_tactics and len(found.words) >= templates.DEFAULT.least_words
