"""What base models read: the same for the same seed, of every kind, and nothing that a benchmark would recognise."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.records import Instance, Tier
from pythagoras.evaluate.corebench.items import as_instances, load
from pythagoras.lean.statements import parse_statement
from pythagoras.train import text as base_text
from pythagoras.train.exercises.arithmetic import ARITHMETIC
from pythagoras.train.exercises.exercise import Exercise
from pythagoras.train.exercises.logic import logic
from pythagoras.train.exercises.uses import use
from pythagoras.train.library import as_theorem, constant_names, theorems
from pythagoras.train.text import core_texts


def without_name(text: str) -> str:
    """A theorem's text behind its name."""
    return text[text.index("theorem ") :].split(maxsplit=2)[2]


def test_the_same_seed_gives_the_same_texts() -> None:
    first = list(core_texts(60, seed=3))
    assert list(core_texts(60, seed=3)) == first
    assert list(itertools.islice(core_texts(200, seed=3), 80)) == first[:80]  # how many are wanted changes none of them
    assert list(core_texts(60, seed=4)) != first


def test_texts_of_every_kind_and_their_count() -> None:
    tally = Counter[str]()
    texts = list(core_texts(300, 0, tally=tally))
    assert tally.total() == len(texts)
    assert tally["statement"] == 300
    assert set(tally) == {"statement", "logic", "arithmetic", "use", "list", "header"}
    assert 0.38 < tally["statement"] / tally.total() < 0.46


def test_the_generators_statements_have_no_proof() -> None:
    statements = {without_name(drawn.formalisation.text) for drawn in generate(200, seed=1)}
    found = [text for text in core_texts(200, seed=1) if "theorem " in text and without_name(text) in statements]
    assert len(found) == 200
    assert not [text for text in found if ":=\n" in text or ":= by" in text]


def test_what_a_benchmark_would_recognise_is_left_out_and_counted() -> None:
    texts = list(core_texts(40, seed=0))
    target = next(drawn.formalisation for drawn in generate(40, seed=0))
    items = [Instance("bench", target.text, "by sorry", "bench", Tier.EASY, verified=False)]
    tally = Counter[str]()
    kept = list(core_texts(40, 0, items, tally))
    left_out = [text for text in texts if text not in kept]
    assert any(without_name(target.text) in text for text in left_out)
    assert tally.total() == len(texts)
    assert tally.total() - len(kept) == len(left_out)


def test_nothing_of_corebench_is_in_it() -> None:
    items = load()
    proofs = {" ".join(item.proof.split()) for item in items if len(item.proof) > 60}
    goals = {goal for item in items if len(goal := " ".join(item.statement.goal.split())) > 25}
    for text in core_texts(150, 0, as_instances(items)):
        said = " ".join(text.split())
        assert not any(proof in said for proof in proofs)
        if text.startswith("theorem ") and "\ntheorem " not in text:
            assert " ".join(parse_statement(f"{text} := sorry").goal.split()) not in goals


def test_a_text_with_the_benchmarks_mark_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = "-- CoreBench canary: never train on this"
    monkeypatch.setattr(base_text, "_declarations", lambda: (mark,))
    tally = Counter[str]()
    assert mark not in list(core_texts(100, 0, tally=tally))
    assert tally["marked"] > 0


@pytest.mark.parametrize("maker", [logic, *ARITHMETIC], ids=lambda maker: maker.__name__)
def test_exercises_can_be_read_back(maker: object) -> None:
    assert callable(maker)
    made: list[Exercise] = [maker(Random(seed)) for seed in range(50)]
    for exercise in made:
        statement = parse_statement(f"{exercise.statement('t')} := {exercise.proof}")
        assert statement.name == "t"
        assert " ".join(statement.goal.split()) == exercise.goal
    assert len({(exercise.binders, exercise.goal) for exercise in made}) > 10


def test_a_use_of_a_theorem() -> None:
    theorem = as_theorem("Nat.mod_lt (x : ℕ) {y : ℕ} (hy : 0 < y) : x % y < y")
    uses = {(use(Random(seed), theorem).statement("t"), use(Random(seed), theorem).proof) for seed in range(200)}
    plain = "theorem t (x : ℕ) {y : ℕ} (hy : 0 < y) : x % y < y"
    assert (plain, "Nat.mod_lt x hy") in uses
    assert (plain, "by exact Nat.mod_lt x hy") in uses
    assert ("theorem t (x : ℕ) {y : ℕ} : 0 < y → x % y < y", "by\n  intro hy\n  exact Nat.mod_lt x hy") in uses
    assert any("% 7 < 7" in statement and "{y" not in statement for statement, _ in uses)  # a value for a variable
    assert any("(m : ℕ) {n : ℕ} (hy : 0 < n)" in statement for statement, _ in uses)  # other names


def test_the_library_that_comes_along() -> None:
    found = theorems()
    assert len(found) > 3_000
    by_name = {theorem.name: theorem for theorem in found}
    assert len(by_name) == len(found)
    assert by_name["Nat.add_comm"].text == "Nat.add_comm (n m : ℕ) : n + m = m + n"
    assert by_name["Nat.mod_lt"].arguments == ("x", "hy")


def test_a_file_of_another_format_is_refused() -> None:
    with pytest.raises(Exception, match="another format"):
        list(constant_names(b"olean\x09" + bytes(100)))
