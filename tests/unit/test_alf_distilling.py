"""Mutation and self-distillation as runs: every row ends kept or with a reason, and a kill costs nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.alf import corpus as distillation
from pythagoras.alf.auditing import audit, sampled
from pythagoras.alf.corpus import Verification, distil
from pythagoras.alf.diversity import diversity, measured
from pythagoras.alf.making import mutate
from pythagoras.cli.alf import _show_distilled
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.files import read_records
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, Rejected, Tier, record_id, settings_of
from pythagoras.corpus.stages import run_stage
from pythagoras.corpus.store import Store
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Request, Sample
from tests.alf_fakes import FakeLean, ScriptedProver, first_letters, pair, variant
from tests.unit.builds import Failing, Interrupted
from tests.unit.corpora import instance

WORDS = ("simp", "omega", "wrong", "mute", "cut", "sorry", "h₂")
VARIANTS = [variant(number, WORDS[number % len(WORDS)]) for number in range(140)]


def stored(folder: Path, records: Iterable[Any]) -> Path:
    run_stage(records, folder, stage="made", settings={}, inputs={})
    return folder


def of(store: Store | Path, kind: str) -> list[Any]:
    return list(read_records(store if isinstance(store, Path) else store.folder, kind))


# --- self-distillation ----------------------------------------------------------------------------


def test_one_proof_a_variant_and_the_aligned_ones_stay(tmp_path: Path) -> None:
    prover = ScriptedProver()
    made = distil([stored(tmp_path / "variants", VARIANTS)], tmp_path / "run", prover)
    assert prover.asked == len(VARIANTS)
    draw, gathered = made.funnel
    assert (draw.read, draw.kept) == (140, 60)
    assert draw.dropped == {Reason.NO_VERDICT: 20, Reason.NOT_ALIGNED: 60}
    assert draw.tally == {
        "fault/a name that nobody introduced": 20,
        "fault/a word that no proof may have": 20,
        "fault/cut off at the limit of tokens": 20,
    }
    assert gathered.kept == 60
    kept: list[Instance] = of(made.corpus, "instance")
    assert {(each.tier, each.verified) for each in kept} == {(Tier.ALF, False)}
    assert kept[0].proof == "by simp"
    assert (kept[0].provenance.parent, kept[0].provenance.maker) == ("parent-0", "count")
    assert settings_of(kept[0])["category"] == "simplification"
    assert len(of(tmp_path / "run/stages/01-draw", "attempt")) == 120  # all that was written, whatever became of it
    assert made.costs["draw"]["prover_attempts"] == 120
    assert made.diversity[0].distinct == 60


class _Counted(ScriptedProver):
    """Tells samplers apart by what they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.goals: list[str] = []

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        for sample in super().sample(requests):
            self.goals.append(sample.request.goal.name)
            yield sample


def test_a_run_that_was_killed_goes_on_to_the_same_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variants = stored(tmp_path / "variants", VARIANTS)
    whole = distil([variants], tmp_path / "whole", ScriptedProver())
    monkeypatch.setattr(distillation, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(distillation, "InlineEngine", lambda: Failing(9))
    with pytest.raises(Interrupted):
        distil([variants], tmp_path / "killed", ScriptedProver())
    monkeypatch.setattr(distillation, "InlineEngine", InlineEngine)
    again = _Counted()
    resumed = distil([variants], tmp_path / "killed", again)
    assert len(again.goals) == 140 - 64  # a piece was done
    assert resumed.corpus.fingerprint == whole.corpus.fingerprint
    assert resumed.funnel == whole.funnel
    finished = ScriptedProver()
    assert distil([variants], tmp_path / "killed", finished).corpus.fingerprint == whole.corpus.fingerprint
    assert finished.asked == 0


def test_other_settings_are_another_run(tmp_path: Path) -> None:
    variants = stored(tmp_path / "variants", VARIANTS[:7])
    distil([variants], tmp_path / "run", ScriptedProver())
    with pytest.raises(InputError, match=r"other settings \(settings.seed: 0 there, 1 now\)"):
        distil([variants], tmp_path / "run", ScriptedProver(), seed=1)
    distil([variants], tmp_path / "run", ScriptedProver(), seed=1, overwrite=True)
    with pytest.raises(InputError, match="no statements"):
        distil([stored(tmp_path / "none", [])], tmp_path / "other", ScriptedProver())


def test_inputs_that_are_not_there_or_would_be_lost_claim_no_folder(tmp_path: Path) -> None:
    variants = stored(tmp_path / "variants", VARIANTS[:7])
    prover = ScriptedProver()
    with pytest.raises(InputError, match="rll does not exist"):
        distil([variants], tmp_path / "run", prover, proofs=[tmp_path / "rll"])
    unverified = stored(tmp_path / "unverified", [instance("theorem s : 2 = 2", name="s", verified=False)])
    with pytest.raises(InputError, match="no verified proof"):
        distil([variants], tmp_path / "run", prover, proofs=[unverified])
    assert prover.asked == 0
    assert not (tmp_path / "run").exists()
    made = distil([variants], tmp_path / "run", prover)
    with pytest.raises(InputError, match="lies in the folder"):
        distil([made.corpus.folder], tmp_path / "run", prover, overwrite=True)
    assert len(of(made.corpus, "instance")) == 3
    with pytest.raises(InputError, match="no pairs to audit"):
        audit([stored(tmp_path / "none", [])], tmp_path / "audit", FakeLean())
    assert not (tmp_path / "audit").exists()


def test_proofs_of_reinforcement_learning_join_the_pairs(tmp_path: Path) -> None:
    found = [
        instance("theorem r : 1 = 1", name="r", tier=Tier.ALF),
        instance("theorem s : 2 = 2", name="s", verified=False),
    ]
    made = distil(
        [stored(tmp_path / "variants", VARIANTS[:7])],
        tmp_path / "run",
        ScriptedProver(),
        proofs=[stored(tmp_path / "proofs", [*found, found[0]])],
    )
    step = made.funnel[-1]
    assert (step.read, step.kept) == (6, 4)
    assert step.dropped == {Reason.NO_VERDICT: 1, Reason.SAME_TEXT: 1}
    assert [each.name for each in of(made.corpus, "instance") if each.verified] == ["r"]


def test_statements_that_nobody_mutated_can_be_distilled_for_comparison(tmp_path: Path) -> None:
    seed = [instance(f"theorem t_{at} : {at} = {at}", name=f"t_{at}") for at in range(3)]
    made = distil([stored(tmp_path / "seed", seed)], tmp_path / "run", Portfolio())
    kept = of(made.corpus, "instance")
    assert [(each.statement, each.proof) for each in kept] == [(each.statement, "by rfl") for each in seed]
    assert {each.provenance.maker for each in kept} == {"portfolio"}
    assert {each.verified for each in kept} == {False}


def test_with_a_budget_lean_is_asked_where_the_audit_says_failures_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sure = [variant(number, "simp", "sure") for number in range(300)]
    risky = [variant(number, ("simp", "wrong")[number % 2], "risky") for number in range(300, 600)]
    lean = FakeLean()
    made = distil(
        [stored(tmp_path / "variants", [*sure, *risky])],
        tmp_path / "run",
        ScriptedProver(),
        verification=Verification(lean, budget=0.4, target=0.95, sample=100),
    )
    verified = made.verified
    assert verified is not None
    assert verified.share <= 0.4
    assert verified.lean_s_saved == pytest.approx(verified.audit.lean_s_in_full - verified.lean_s)
    assert verified.audit.sampled == 100
    told = json.loads((tmp_path / "run/report.json").read_text())["verification"]
    assert (told["lean_s_saved"], "lean_s_saved" in told["audit"]) == (pytest.approx(verified.lean_s_saved), False)
    _show_distilled(made)
    shown = capsys.readouterr().out
    assert shown.count("saved") == 1
    assert f"of what all pairs would take, so {verified.lean_s_saved:,.0f} s are saved" in shown
    kept: list[Instance] = of(made.corpus, "instance")
    right = sum(each.proof == "by simp" for each in kept)
    assert right / len(kept) >= 0.95
    assert sum(each.provenance.maker == "sure" for each in kept) == 300
    assert all(each.proof == "by simp" for each in kept if each.verified)
    assert sum(each.verified for each in kept) > 50
    share = sum(each.verified for each in kept) / len(kept)
    drawn = [each.verified for each in sampled(kept, 20, 0)]
    assert sum(drawn) / 20 == pytest.approx(share, abs=0.3)  # though the plan's sample had the same seed
    check = made.funnel[2]
    assert check.read == 600 == check.kept + sum(check.dropped.values())
    ways = {name: count for name, count in check.tally.items() if name.startswith("way/")}
    assert sum(ways.values()) == 600 == sum(verified.ways.values())
    assert ways["way/audited"] == 100
    asked = len(lean.lean.asked)
    again = distil(
        [tmp_path / "variants"],
        tmp_path / "run",
        ScriptedProver(),
        verification=Verification(lean, budget=0.4, target=0.95, sample=100),
    )
    assert again.corpus.fingerprint == made.corpus.fingerprint
    assert len(lean.lean.asked) == asked


@pytest.mark.parametrize(("budget", "target"), [(0.0, 0.9), (1.5, 0.9), (0.2, 1.0), (0.2, 0.0)])
def test_impossible_wishes_are_refused(budget: float, target: float) -> None:
    with pytest.raises(InputError, match="is none"):
        Verification(FakeLean(), budget, target)


def test_a_budget_for_too_few_pairs_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    prover = ScriptedProver()
    with pytest.raises(InputError, match="pays for an audit of 17"):
        distil([stored(tmp_path / "v", VARIANTS)], tmp_path / "run", prover, verification=Verification(FakeLean()))
    assert prover.asked == 0


# --- mutation -------------------------------------------------------------------------------------

SEED = [pair(number, "same" if number % 4 == 0 else "simp", verified=True) for number in range(20)]


def test_a_row_for_every_category_of_every_statement(tmp_path: Path) -> None:
    made = mutate([stored(tmp_path / "seed", SEED)], tmp_path / "run", first_letters, settings={"a": 1}, seed=3)
    first, last = made.funnel
    assert (first.read, first.kept, first.dropped) == (100, 60, {Reason.NO_VARIANT: 40})
    assert first.tally["operator/copy"] == 5
    assert first.tally["none/reformulation/no operator applies"] == 20
    assert last.dropped == {Reason.SAME_UP_TO_NAMES: 5}
    rejected: list[Rejected] = of(made.variants, "rejected")
    assert {each.other for each in rejected} <= {record_id(each) for each in SEED}
    kept: list[Formalisation] = of(made.variants, "formalisation")
    assert len(kept) == 55
    by_id = {record_id(each): each for each in SEED}
    assert all(each.provenance.parent in by_id for each in kept)
    assert {"category", "promise", "root"} <= set(settings_of(kept[0]))
    again = mutate([tmp_path / "seed"], tmp_path / "other", first_letters, settings={"a": 1}, seed=3)
    assert again.variants.fingerprint == made.variants.fingerprint
    assert {one.mean for one in made.diversity} == {None}


def test_lean_is_asked_about_every_statement_where_that_is_wanted(tmp_path: Path) -> None:
    seed = stored(tmp_path / "seed", [pair(1), pair(2, name="x_bad", statement="theorem x_bad : 1 = 1")])
    lean = FakeLean()
    made = mutate([seed], tmp_path / "run", first_letters, settings={}, elaborating=lean)
    assert [step.stage for step in made.funnel] == ["mutate", "elaborate", "variants"]
    assert all(code.rstrip().endswith("sorry") for code in lean.lean.asked)
    assert len(lean.lean.asked) == 6
    kept = of(made.variants, "formalisation")
    assert len({settings_of(each)["type"] for each in kept}) == len(kept) == 6


def test_distances_from_the_parent_are_measured_once_and_told(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    seed = stored(tmp_path / "seed", SEED)
    made = mutate([seed], tmp_path / "run", first_letters, settings={}, seed=3, embedder=embedder)
    everything = made.diversity[0]
    assert everything.name == "all"
    assert everything.count == 55
    assert everything.parents == 20
    assert everything.mean is not None
    assert everything.low is not None
    assert everything.high is not None
    assert 0 < everything.low <= everything.mean <= everything.high <= 2
    asked = len(embedder.asked)
    run = distil([made.variants.folder], tmp_path / "pairs", Portfolio(("simp",)))
    assert run.diversity[0].mean == pytest.approx(everything.mean)
    assert len(embedder.asked) == asked


def test_names_of_theorems_are_no_distance() -> None:
    goal = Formalisation("t", "theorem t (n : ℕ) : n = n", "made")
    (found,) = measured([(replace(goal, name="u", text=goal.text.replace("m t", "m u")), goal)], FakeEmbedder())
    assert settings_of(found)["distance"] == 0.0


def test_the_parent_again_is_nearly_identical() -> None:
    near, far = variant(1), variant(2)
    told = [
        Formalisation(each.name, each.text, "made", provenance=_at(each, distance))
        for each, distance in ((near, 0.0), (far, 0.5))
    ]
    found = diversity(told)
    assert (found[0].near, found[0].mean, found[0].distinct) == (0.5, 0.25, 2)


def _at(record: Formalisation, distance: float) -> Any:
    from pythagoras.alf.diversity import with_settings

    return with_settings(record, distance=distance).provenance
