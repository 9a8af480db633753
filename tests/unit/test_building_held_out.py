"""What a build holds out: that it is recognised in any disguise, and that nothing of it gets into the corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pythagoras.corpus.records import (
    Formalisation,
    Instance,
    Problem,
    Provenance,
    Record,
    Rejected,
    Tier,
    record_id,
    settings_of,
    settings_text,
)
from pythagoras.corpus.rows import from_line, to_line
from pythagoras.corpus.stages import Dropped
from pythagoras.pipeline.building import Built
from pythagoras.pipeline.held_out import HeldOut
from tests.pipeline_fakes import a_recipe, text, told_again
from tests.unit.builds import made, of


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sums")
    return made(folder / "run", a_recipe(folder))


def leaks(built: Built) -> list[tuple[str, str]]:
    instances = [instance for store in (built.train, built.validation) for instance in of(store, Instance)]
    return told_again(instances, [record for kind in (Problem, Formalisation) for record in of(built.held_out, kind)])


def test_hard_originals_are_held_out_and_never_in_the_corpus(built: Built) -> None:
    originals = of(built.held_out, Problem)
    assert len(originals) == 11
    assert leaks(built) == []
    dropped = built.stages["new-hard"].manifest.funnel[-1].dropped
    assert dropped == {"held out": 9}  # the fourth variant of each is its neighbour
    hard = [instance for instance in of(built.train, Instance) if instance.tier is Tier.HARD]
    assert {settings_of(instance)["root"] for instance in hard} <= {record_id(problem) for problem in originals}


def test_a_leak_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeldOut, "decide", lambda self, items: iter(items))
    assert leaks(made(tmp_path / "run", a_recipe(tmp_path))) != []


ORIGINAL = Problem("Let x be a natural number with x > 3. Prove that x + 2 > 5.", "contest", tier=Tier.HARD)
GOAL = Formalisation(
    "t", "theorem t (x y : ℝ) (h : x > 3) (g : x < y) : 5 < x + y", "contest", problem=record_id(ORIGINAL),
    provenance=Provenance(settings=settings_text({"type": "the type of it"})),
)  # fmt: skip


def stated(statement: str, kernel_type: str = "") -> Instance:
    settings = settings_text({"type": kernel_type})
    return Instance(
        "u", f"theorem u {statement}", "by simp", "made", Tier.EASY, True, provenance=Provenance(settings=settings)
    )


@pytest.mark.parametrize(
    ("record", "same"),
    [
        (Problem("let  X be a natural number, with x > three: prove that x + 2 > 5", "made"), "text"),
        (Problem("Let $a$ be a natural number with $a > 3$. Show that $a + 2 > 5$.", "made"), "wording"),
        (Problem("Prove that n + 2 > 5 for every natural number n with n > 3.", "made"), "meaning"),
        (stated("(a b : ℝ) (hab : a > 3) (hb : a < b) : 5 < a + b"), "statement"),
        (stated("(a b : ℝ) (hb : a < b) (ha : a > 3) : 5 < a + b"), "structure"),
        (stated(": ∀ a > 3, Q a", "the type of it"), "type"),
        (Problem("Let x be a natural number with x > 4. Prove that x + 2 > 6.", "made"), ""),
        (Problem("Let x be a natural number with x < 3. Prove that x + 2 < 5.", "made"), ""),
        (stated("(a b : ℝ) (hab : a > 4) (hb : a < b) : 5 < a + b", "another"), ""),
    ],
)
def test_a_leak_is_found_by_words_by_meaning_by_statement_and_by_type(record: Record, same: str) -> None:
    held = HeldOut()
    held.add(ORIGINAL)
    held.add(GOAL)
    (decision,) = held.decide([record])
    assert getattr(decision, "detail", "") == (f"the same {same}" if same else "")
    assert getattr(decision, "other", record_id(ORIGINAL)) == record_id(ORIGINAL)


def test_other_names_are_seen_in_texts_that_nobody_can_read() -> None:
    held = HeldOut()
    held.add(Problem("Let x be a real number with x > 3. Prove that x^2 > 9.", "contest"))
    texts = ["Let y be a real number with y > 3. Prove that y^2 > 9.", "Let y be real with y > 4. Prove that y^2 > 16."]
    again, other = held.decide([Problem(text, "made") for text in texts])
    assert isinstance(again, Dropped)
    assert other == Problem(texts[1], "made")


def test_nothing_is_made_of_a_refused_statement_whose_problem_is_held_out(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    twin = Problem(f"Let y be real. {text(70, 5, 'refused')}", "made", "sums")
    for name, problem in (("medium", twin), ("hard", replace(twin, text=twin.text.replace("y", "x")))):
        with (tmp_path / f"{name}.jsonl").open("a") as file:
            file.write(f"{to_line(problem)}\n")
    built = made(tmp_path / "run", recipe)
    (rejected,) = of(built.stages["apart-refused"], Rejected)
    assert (rejected.reason, rejected.detail) == ("held out", "the same wording")
    assert from_line(rejected.row).docstring == twin.text  # type: ignore[union-attr]
    roots = {settings_of(problem)["root"] for problem in of(built.stages["distil"], Problem)}
    assert record_id(replace(twin, tier=Tier.MEDIUM)) not in roots
