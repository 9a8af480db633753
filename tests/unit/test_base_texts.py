"""What base models read: the same for the same seed, of every kind, and nothing that a benchmark would recognise."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from pythagoras.corpus.generator.generate import generate
from pythagoras.corpus.normal import alpha_key
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
    assert 0.32 < tally["statement"] / tally.total() < 0.40


def statements_in(texts: Iterable[str]) -> dict[str, str]:
    """By its key, each statement of the generator that a text shows."""
    found = (text[text.index("theorem ") :] for text in texts if "theorem " in text and ":=" not in text)
    return {alpha_key(text): text for text in found if "\ntheorem " not in text}


def test_the_generators_statements_have_no_proof() -> None:
    own = {without_name(drawn.formalisation.text) for drawn in generate(200, seed=1 + base_text._STREAM)}
    found = [text for text in core_texts(200, seed=1) if "theorem " in text and without_name(text) in own]
    assert len(found) == 200
    assert not [text for text in found if ":=\n" in text or ":= by" in text]


def test_they_are_others_than_those_of_a_corpus_with_the_same_seed() -> None:
    corpus = {alpha_key(drawn.formalisation.text) for drawn in generate(400, seed=1)}
    own = statements_in(core_texts(400, seed=1)).keys()
    assert len(own) > 300
    assert len(own & corpus) < 20  # small families have few to choose from


def test_what_is_to_stay_apart_is_left_out_and_counted() -> None:
    own = list(statements_in(core_texts(60, seed=1)))
    tally = Counter[str]()
    left = statements_in(core_texts(60, 1, tally=tally, apart=frozenset(own[:5]))).keys()
    assert left == set(own[5:])
    assert tally["apart"] == 5


def test_what_a_benchmark_would_recognise_is_left_out_and_counted() -> None:
    texts = list(core_texts(40, seed=0))
    target = next(drawn.formalisation for drawn in generate(40, seed=base_text._STREAM))
    items = [Instance("bench", target.text, "by sorry", "bench", Tier.EASY, verified=False)]
    tally = Counter[str]()
    kept = list(core_texts(40, 0, items, tally))
    left_out = [text for text in texts if text not in kept]
    assert any(without_name(target.text) in text for text in left_out)
    assert tally.total() == len(texts)
    assert tally.total() - len(kept) == len(left_out)


@pytest.mark.parametrize("kind", ["list", "header"])
def test_theorems_in_lists_and_in_the_header_are_looked_at_as_well(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_text, "_SHARES", {"statement": 1, kind: 9})
    texts = list(core_texts(30, seed=0))
    target = next(text for text in texts if text.startswith("theorem ") and "=" in text).split("\n")[0].split(" :=")[0]
    renamed = f"theorem bench {without_name(target)}"
    items = [Instance("bench", renamed, "by sorry", "bench", Tier.EASY, verified=False)]
    kept = list(core_texts(30, 0, items))
    assert target in "\n".join(texts)
    assert target not in "\n".join(kept)


def test_corebench_is_found_among_the_texts_without_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    items = list(as_instances(load()))
    texts_of = [f"theorem planted {without_name(item.statement)} := by\n  sorry" for item in items[:40]]
    planted = tuple(base_text._declaration(text, is_theorem=True) for text in texts_of)
    monkeypatch.setattr(base_text, "_SHARES", {"statement": 1, "header": 9})
    monkeypatch.setattr(base_text, "_declarations", lambda: planted)
    tally = Counter[str]()
    texts = list(core_texts(20, 0, items, tally))
    assert not [text for text in texts if "planted " in text]
    assert "header" not in tally
    assert tally.total() - len(texts) > 100  # what was drawn of them


def test_a_text_with_the_benchmarks_mark_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = "-- CoreBench canary: never train on this"
    monkeypatch.setattr(base_text, "_declarations", lambda: (((), mark),))
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
