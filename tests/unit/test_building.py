"""A whole build in a world of sums: where each problem ends, that all is counted, and that nothing held out gets in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.files import read_records
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Instance,
    Judgement,
    Problem,
    Provenance,
    Record,
    Rejected,
    Tier,
    record_id,
    settings_text,
)
from pythagoras.corpus.rows import from_line, to_line
from pythagoras.corpus.stages import Dropped
from pythagoras.corpus.store import Store
from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.pipeline import building
from pythagoras.pipeline.building import Built, build
from pythagoras.pipeline.case import settings_of
from pythagoras.pipeline.held_out import HeldOut
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.run_folder import opened
from pythagoras.pipeline.stage_runner import COSTLY_ROWS, read_costs
from tests.pipeline_fakes import WORDS, FakeTools, a_recipe, digest, text, told_again


def made(folder: Path, recipe: Recipe, engine: Any = None, **more: Any) -> Built:
    return build(recipe, folder, engine or InlineEngine(), tools=FakeTools(), **more)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("sums")
    return made(folder / "run", a_recipe(folder))


def of(store: Store, kind: type[Any]) -> list[Any]:
    return list(read_records(store.folder, kind.__name__.lower()))


# --- the funnel -----------------------------------------------------------------------------------


def test_every_row_is_kept_or_dropped_for_a_reason_and_its_record_is_there(built: Built) -> None:
    reasons = {reason.value for reason in Reason}
    assert len(built.funnel) == len(built.stages) == 24
    for name, store in built.stages.items():
        step = store.manifest.funnel[-1]
        rejected = of(store, Rejected)
        assert step.stage == name
        assert set(step.dropped) <= reasons
        assert sum(step.dropped.values()) == len(rejected) == step.read - step.kept
        assert all(record_id(from_line(each.row)) == each.record for each in rejected)
        kept = {kind: store.rows(kind) for kind in ("instance", "formalisation", "problem")}
        assert sum(kept.values()) == step.kept


def test_stages_read_what_those_before_them_kept(built: Built) -> None:
    step = {step.stage: step for step in built.funnel}
    for before, after in (
        ("hard-source", "formalise-originals"), ("source", "formalise-medium"), ("formalise-medium", "apart-medium"),
        ("apart-medium", "prove-medium"), ("distil", "new-easy"), ("new-easy", "formalise-easy"),
        ("apart-easy", "prove-easy"), ("vary", "new-hard"), ("new-hard", "formalise-hard"),
        ("apart-hard", "prove-hard"), ("gather", "dedup"), ("dedup", "leaks"),
    ):  # fmt: skip
        assert step[after].read == step[before].kept, after
    assert step["distil"].read == 4 * step["examine"].kept
    assert step["vary"].read == 4 * step["hard-source"].kept
    assert step["gather"].read == sum(step[f"prove-{tier.value}"].kept for tier in Tier if tier is not Tier.ALF)
    assert step["train"].kept + step["validation"].kept == step["leaks"].kept
    assert step["apart-refused"].read == step["formalise-medium"].dropped["refused by Lean"]
    assert step["examine"].read == step["apart-refused"].kept + step["prove-medium"].dropped["not proved"]


def test_each_problem_ends_where_its_word_says(built: Built) -> None:
    ended: dict[str, set[str]] = {word: set() for word in WORDS}
    for name in ("source", "formalise-medium", "prove-medium"):
        for rejected in of(built.stages[name], Rejected):
            record = from_line(rejected.row)
            told = record.text if isinstance(record, Problem) else record.docstring  # type: ignore[union-attr]
            ended[told.partition(", ")[2].rstrip(".")].add(rejected.reason)
    assert ended == {
        "": {"in a harder tier"},
        "plain": set(),
        "second": set(),
        "never": {"not proved"},
        "unwritten": {"not formalised"},
        "refused": {"refused by Lean"},
        "unread": {"not read back"},
        "otherwise": {"not aligned"},
        "dies": {"no verdict"},
        "barren": {"not proved"},
    }
    assert built.stages["distil"].manifest.funnel[-1].dropped == {"not distilled": 8}


def test_a_rejection_tells_what_was_wrong(built: Built) -> None:
    rejected = {each.reason: each.detail for each in of(built.stages["formalise-medium"], Rejected)}
    assert rejected["not formalised"] == "can't: it is beyond me"
    assert rejected["refused by Lean"].startswith("unsolved goals: the statement is no Lean")
    assert rejected["not aligned"] == "another total"
    proofs = {each.reason: each.detail for each in of(built.stages["prove-medium"], Rejected)}
    assert proofs == {"not proved": "unsolved goals", "no verdict": "the host died"}


def test_tallies_name_faults_errors_and_groups(built: Built) -> None:
    tally = {step.stage: step.tally for step in built.funnel}
    assert tally["formalise-medium"]["fault/formalise/can't"] == 2
    assert tally["formalise-medium"]["read/topic/sums"] == 19
    assert tally["prove-medium"]["error/unsolved goals"] == 2 * 4  # two attempts each
    assert tally["prove-medium"]["recovered/unsolved goals"] == tally["prove-medium"]["proved/attempt/1"] == 2
    assert tally["prove-medium"]["kept/source/made"] == 5
    assert tally["examine"]["class/unsolved goals"] == 6
    assert tally["examine"]["level/formalisation"] == 2
    assert tally["prove-easy"]["read/origin/rubric:small"] == tally["prove-easy"]["kept/origin/rubric:small"] > 0


# --- records --------------------------------------------------------------------------------------


def test_an_instance_has_proof_reasoning_and_where_it_comes_from(built: Built) -> None:
    formalised = {record_id(goal): goal for goal in of(built.stages["formalise-medium"], Formalisation)}
    problems = {record_id(problem): problem for problem in of(built.stages["source"], Problem)}
    for instance in of(built.stages["prove-medium"], Instance):
        assert (instance.proof, instance.verified, instance.tier) == ("by simp", True, Tier.MEDIUM)
        assert instance.reasoning == "It is a sum, so computing it is enough."
        goal = formalised[instance.provenance.parent]
        assert (goal.name, goal.text, goal.docstring) == (instance.name, instance.statement, instance.informal)
        assert problems[goal.problem].text == instance.informal
        assert goal.name == f"problem_{goal.problem[:16]}"
        assert settings_of(goal)["read_back"].startswith("Prove that")


def test_a_second_attempt_is_made_only_where_the_first_failed(built: Built) -> None:
    attempts: dict[str, list[int]] = {}
    for attempt in of(built.stages["prove-medium"], Attempt):
        attempts.setdefault(attempt.formalisation, []).append(attempt.number)
    assert sorted(map(tuple, attempts.values())) == [(0,)] * 3 + [(0, 1)] * 8
    judged = {judgement.submission for judgement in of(built.stages["prove-medium"], Judgement)}
    assert judged == {attempt.submission for attempt in of(built.stages["prove-medium"], Attempt)}


def test_no_record_tells_how_long_it_took(built: Built) -> None:
    for store in built.stages.values():
        for kind in (Attempt, Judgement):
            assert all(record.milliseconds == 0 for record in of(store, kind))


def test_what_is_distilled_is_easy_and_names_its_failure(built: Built) -> None:
    failed = {record_id(goal) for goal in of(built.stages["examine"], Formalisation)}
    problems = of(built.stages["new-easy"], Problem)
    assert problems
    for problem in problems:
        assert (problem.tier, problem.provenance.parent in failed) == (Tier.EASY, True)
        assert problem.provenance.maker in ("rubric:large", "rubric:small")
        assert settings_of(problem)["solution"].startswith("Start with")
    tiers = {instance.tier for store in (built.train, built.validation) for instance in of(store, Instance)}
    assert tiers == {Tier.EASY, Tier.MEDIUM, Tier.HARD}


def test_relatives_are_on_the_same_side(built: Built) -> None:
    train, validation = (
        {settings_of(instance)["root"] for instance in of(store, Instance)} for store in (built.train, built.validation)
    )
    assert train
    assert validation
    assert not train & validation


def test_costs_stand_beside_the_records(built: Built) -> None:
    costs = read_costs(built.folder)
    assert costs["prove-medium"]["rows"] == 11
    assert costs["prove-medium"]["prover_attempts"] == 3 + 2 * 8
    assert costs["prove-medium"]["lean_checks"] > 19
    assert costs["formalise-medium"]["formalise_generated_tokens"] == 3 * 19
    assert costs["distil"]["distil_small_s"] == pytest.approx(0.5 * 12)
    assert all(cost["wall_s"] > 0 for cost in costs.values())


def test_the_funnel_is_a_file(built: Built) -> None:
    told = json.loads((built.folder / "funnel.json").read_text())
    assert [stage["stage"] for stage in told["stages"]] == list(built.stages)
    assert all(stage["read"] == stage["kept"] + sum(stage["dropped"].values()) for stage in told["stages"])
    assert told["corpus"]["train"].keys() == {"easy", "medium", "hard"}
    assert told["held_out"] == {"problem": 11, "formalisation": 11}


# --- what is held out -----------------------------------------------------------------------------


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


# --- the folder -----------------------------------------------------------------------------------


class Interrupted(Exception):
    pass


class Failing(InlineEngine):
    """Ends everything after so many items."""

    def __init__(self, items: int) -> None:
        self.left = items

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        for result in super().map(job, items):
            if self.left == 0:
                raise Interrupted
            self.left -= 1
            yield result


def test_a_build_that_is_interrupted_again_and_again_ends_the_same(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=WORDS * 4)
    made(tmp_path / "whole", recipe)
    times = 0
    while True:
        try:
            made(tmp_path / "cut", recipe, Failing(COSTLY_ROWS + 7 + times))
        except Interrupted:
            times += 1
            continue
        break
    assert times > 3
    assert digest(tmp_path / "cut") == digest(tmp_path / "whole")


def test_a_finished_build_is_not_done_again(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    made(tmp_path / "run", recipe)
    before = digest(tmp_path / "run")
    told: list[tuple[str, int, int, int]] = []
    made(tmp_path / "run", recipe, Failing(0), on_progress=lambda *progress: told.append(progress))
    assert digest(tmp_path / "run") == before
    assert [stage for stage, *_ in told] == [step["stage"] for step in json.loads(_funnel(tmp_path / "run"))["stages"]]


def _funnel(folder: Path) -> str:
    return (folder / "funnel.json").read_text()


def test_another_recipe_is_refused_in_one_line(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    other = recipe.model_copy(update={"prover": recipe.prover.model_copy(update={"attempts": 3})})
    with pytest.raises(InputError, match=r"another recipe \(prover.attempts: 2 there, 3 now\): choose another folder$"):
        made(tmp_path / "run", other)


def test_how_long_lean_may_take_is_part_of_the_recipe(tmp_path: Path) -> None:
    made(tmp_path / "run", a_recipe(tmp_path))
    with pytest.raises(InputError, match=r"lean.timeout_s: 60.0 there, 5.0 now"):
        made(tmp_path / "run", a_recipe(tmp_path, lean={"timeout_s": 5}))


def test_a_recipe_may_replace_another_until_something_is_done(tmp_path: Path) -> None:
    first, second = a_recipe(tmp_path), a_recipe(tmp_path, seed=2)
    for recipe in (first, second):
        with opened(tmp_path / "run", recipe):
            (tmp_path / "run" / "stages").mkdir(exist_ok=True)
    made(tmp_path / "run", second)
    with pytest.raises(InputError, match=r"another recipe \(seed: 2 there, 0 now\)"):
        made(tmp_path / "run", first)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"finish": {"linkage": "pairs", "against": []}}, "did you mean 'pair'"),
        ({"finish": {"embedder": "statik", "against": []}}, "did you mean 'static'"),
        ({"lean": {"backend": "embeded"}}, "did you mean 'embedded'"),
        ({"lean": {"header": "cor"}}, "did you mean 'core'"),
        ({"prover": {"prompt": "pythagora"}}, "did you mean 'pythagoras'"),
        ({"source": {"count": 3, "families": ["parity-sumz"]}}, "no family is called"),
        ({"source": {"files": ["none.jsonl"]}}, "none.jsonl is not there"),
        ({"roles": {"vary": {"backend": "endpoint", "model": "m"}}}, "set roles.vary.url"),
        ({"roles": {"align": {"backend": "local"}}}, "set roles.align.model"),
        ({"prover": {"backend": "replay"}}, "set prover.recording"),
    ],
)
def test_what_can_not_be_built_is_told_before_a_folder_is_claimed(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        made(tmp_path / "run", a_recipe(tmp_path, **change))
    assert not (tmp_path / "run").exists()


def test_another_recording_is_another_input(tmp_path: Path) -> None:
    recording = tmp_path / "said.jsonl"
    recording.write_text("{}")
    recipe = a_recipe(tmp_path, roles={"formalise": {"backend": "replay", "recording": recording}})
    made(tmp_path / "run", recipe)
    recording.rename(tmp_path / "moved.jsonl")
    moved = recipe.roles.formalise.model_copy(update={"recording": tmp_path / "moved.jsonl"})
    recipe = recipe.model_copy(update={"roles": recipe.roles.model_copy(update={"formalise": moved})})
    made(tmp_path / "run", recipe)
    (tmp_path / "moved.jsonl").write_text("{} {}")
    with pytest.raises(InputError, match="recording of formalise"):
        made(tmp_path / "run", recipe)


def test_a_finished_build_does_not_read_what_is_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = a_recipe(tmp_path)
    made(tmp_path / "run", recipe)
    monkeypatch.setattr(building, "held_out", None)
    made(tmp_path / "run", recipe)


def test_what_a_stopped_run_took_is_in_its_costs(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    assert read_costs(tmp_path / "run")["formalise-originals"]["formalise_requests"] == 3
    made(tmp_path / "run", recipe)
    costs = read_costs(tmp_path / "run")["formalise-originals"]
    assert (costs["formalise_requests"], costs["rows"]) == (3 + 11, 11)


def test_a_model_that_moved_is_the_same_recipe(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(3))
    moved = recipe.roles.vary.model_copy(update={"url": "http://elsewhere", "concurrency": 3})
    made(tmp_path / "run", recipe.model_copy(update={"roles": recipe.roles.model_copy(update={"vary": moved})}))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else than a build"):
        made(tmp_path / "run", a_recipe(tmp_path))


def test_a_kill_before_anything_was_written_is_no_hindrance(tmp_path: Path) -> None:
    for folder in (tmp_path / "run", tmp_path / "run" / "stages" / "01-hard-source"):
        folder.mkdir(parents=True)
    (tmp_path / "run" / "stages" / "01-hard-source" / "manifest.json.tmp").write_text("{")
    with pytest.raises(InputError, match="something else than a build"):
        made(tmp_path / "run", a_recipe(tmp_path))  # a folder `stages` without a recipe is not ours
    (tmp_path / "run" / "recipe.json").write_text(a_recipe(tmp_path).model_dump_json())
    made(tmp_path / "run", a_recipe(tmp_path))
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "recipe.json.tmp").write_text("{")
    made(tmp_path / "new", a_recipe(tmp_path))
    assert digest(tmp_path / "new").keys() == digest(tmp_path / "run").keys()
    assert not list(tmp_path.rglob("*.tmp"))


def test_progress_tells_each_stage_from_where_it_stopped(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=("plain", "second") * 50, hard=0)
    with pytest.raises(Interrupted):
        made(tmp_path / "run", recipe, Failing(COSTLY_ROWS + 10))
    stages: list[tuple[str, int | None]] = []
    told: list[tuple[str, int, int, int]] = []
    made(
        tmp_path / "run",
        recipe,
        on_stage=lambda stage, total: stages.append((stage, total)),
        on_progress=lambda *progress: told.append(progress),
    )
    assert ("formalise-medium", 200) in stages
    own = [progress for stage, *progress in told if stage == "formalise-medium"]
    assert own[0] == [COSTLY_ROWS, COSTLY_ROWS, 0]
    assert own[-1] == [200, 200, 0]


# --- machines, benchmarks, sources ----------------------------------------------------------------


class GivingUp(InlineEngine):
    """Loses every tenth item."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        with job.open() as handle:
            for number, item in enumerate(items):
                yield job.give_up(item, "3 workers ended") if number % 10 == 9 else handle(item)


def test_what_ends_workers_is_dropped_without_a_verdict(tmp_path: Path) -> None:
    built = made(tmp_path / "run", a_recipe(tmp_path), GivingUp())
    rejected = [each for store in built.stages.values() for each in of(store, Rejected)]
    given_up = [each for each in rejected if each.detail == "3 workers ended"]
    assert len(given_up) > 5
    assert {each.reason for each in given_up} == {"no verdict"}
    for store in built.stages.values():
        step = store.manifest.funnel[-1]
        assert step.read == step.kept + sum(step.dropped.values())


class Breaking(InlineEngine):
    """Ends with every batch that has a certain row in it."""

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        with job.open() as handle:
            for item in items:
                bad = any("7 + 2 = 9" in getattr(row, "text", "") for row in item)  # type: ignore[attr-defined]
                yield job.give_up(item, "3 workers ended") if bad else handle(item)


PARTS = ("formalise", "informalise", "align", "distil_large", "distil_small", "vary")
MODEL = {"backend": "endpoint", "url": "http://localhost", "model": "m", "concurrency": 8}


def test_a_row_that_ends_workers_takes_no_other_with_it(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, words=("plain",) * 10, hard=0, roles=dict.fromkeys(PARTS, MODEL))
    built = made(tmp_path / "run", recipe, Breaking())
    step = built.stages["formalise-medium"].manifest.funnel[-1]
    assert step.dropped == {"no verdict": 1}
    assert step.tally["read/topic/sums"] == step.read == 20
    assert [problem.problem for problem in of(built.stages["formalise-medium"], Formalisation)] == [
        record_id(problem) for problem in of(built.stages["source"], Problem) if "7 + 2" not in problem.text[:16]
    ]


def test_rows_are_worked_on_side_by_side_and_end_the_same(tmp_path: Path) -> None:
    one = made(tmp_path / "one", a_recipe(tmp_path))
    many = made(tmp_path / "many", a_recipe(tmp_path, roles=dict.fromkeys(PARTS, MODEL)))
    said = many.stages["vary"].manifest.settings["roles"]["vary"]
    assert said.keys() >= {"model", "prompt"}
    assert "url" not in said
    for store, other in zip(one.stages.values(), many.stages.values(), strict=True):
        assert [shard.sha256 for shard in store.shards] == [shard.sha256 for shard in other.shards]


def test_what_a_benchmark_has_is_taken_out(tmp_path: Path) -> None:
    item = Instance("b", "theorem b (_ : plain = plain) : 11 + 2 = 13", "by rfl", "bench/test", Tier.EASY, True)
    finish = {"embedder": "none", "against": ["bench"]}
    built = made(tmp_path / "run", a_recipe(tmp_path, finish=finish), benchmarks=[item])
    step = built.stages["decontaminate"].manifest.funnel[-1]
    assert step.dropped == {"surface hash": 1}
    assert step.tally["rows"] == step.read
    (rejected,) = of(built.stages["decontaminate"], Rejected)
    assert from_line(rejected.row).informal == text(11, 2, "plain")  # type: ignore[union-attr]


def test_benchmarks_that_a_recipe_names_must_be_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cleaned of bench, and 0 items were given"):
        made(tmp_path / "run", a_recipe(tmp_path, finish={"embedder": "none", "against": ["bench"]}))


def test_rows_that_can_not_be_read_are_counted(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, hard=0)
    with (tmp_path / "medium.jsonl").open("a") as file:
        file.write('{"kind": "problem", "text": 3}\n')
    built = made(tmp_path / "run", recipe)
    step = built.funnel[0]
    assert (step.read, step.kept, step.dropped) == (21, 20, {"unreadable": 1})


def test_without_a_hard_source_there_is_no_hard_tier(tmp_path: Path) -> None:
    built = made(tmp_path / "run", a_recipe(tmp_path, hard=0))
    assert "vary" not in built.stages
    assert built.held_out.kinds == ()
    assert {instance.tier for instance in of(built.train, Instance)} == {Tier.MEDIUM, Tier.EASY}
