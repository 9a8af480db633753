"""Self-distillation from variants to a corpus for continued training: draw, align, verify where asked, gather.

    folder/stages/    draw (pairs and attempts); with a budget also audit and check
    folder/corpus/    pairs that are kept, and proofs that reinforcement learning found
    folder/report.json

By default no Lean is asked: pairs are kept when they are aligned (`aligning`), and `alf audit` says what they are
worth. With a budget, a part of the pairs is audited first, and Lean's time goes where that says failures are
(`adaptive`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from pythagoras.alf import adaptive
from pythagoras.alf.adaptive import Checking, Plan, make_plan
from pythagoras.alf.auditing import ROWS_AT_ONCE as JUDGED_AT_ONCE
from pythagoras.alf.auditing import Report, limits_told, read_audit, report, run_audit
from pythagoras.alf.distilling import ROWS_AT_ONCE, Distilling
from pythagoras.alf.diversity import Diversity, diversity
from pythagoras.alf.judging import Lean
from pythagoras.alf.run_folder import CORPUS, REPORT, opened
from pythagoras.corpus.files import fingerprint, read_items, read_records
from pythagoras.corpus.goals import without_proof
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Formalisation, Instance, record_id
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.corpus.store import Step, Store, write_json
from pythagoras.engine.inline import InlineEngine
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Sampler
from pythagoras.pipeline.stage_runner import OnProgress, OnStage, StageRunner, read_costs


@dataclass(frozen=True, slots=True)
class Verification:
    """Adaptive verification, where it is asked for."""

    lean: Lean
    budget: float = adaptive.BUDGET
    """Share of what full verification would take, the audit included."""
    target: float = adaptive.TARGET
    """Share of right pairs that is wanted."""
    sample: int = 2_000
    """Pairs that are audited for it at most."""

    def __post_init__(self) -> None:
        if not 0 < self.budget <= 1:
            raise InputError(f"a budget of {self.budget} is none: give a share of full verification, such as 0.25")
        if not 0 < self.target < 1:
            raise InputError(f"a target of {self.target} is none: give a share below 1, such as 0.95")

    @property
    def settings(self) -> dict[str, Any]:
        limits = limits_told(self.lean.limits)
        return {"budget": self.budget, "target": self.target, "sample": self.sample, "limits": limits}


@dataclass(frozen=True, slots=True)
class Verified:
    """What adaptive verification came to."""

    audit: Report
    plan: Plan
    lean_s: float
    """What it took, the audit included."""
    ways: Mapping[str, int]
    """How many pairs were audited, believed, checked, left out, and out of budget."""

    @property
    def share(self) -> float:
        """Of what full verification would have taken."""
        full = self.audit.lean_s_in_full
        return self.lean_s / full if full else 0.0

    @property
    def lean_s_saved(self) -> float:
        return self.audit.lean_s_in_full - self.lean_s

    def as_dict(self) -> dict[str, Any]:
        """For JSON. What is saved stands beside what was taken in all, so the audit does not say its own."""
        return {
            "audit": {name: value for name, value in self.audit.as_dict().items() if name != "lean_s_saved"},
            "plan": self.plan.as_dict(),
            "ways": dict(self.ways),
            "lean_s": self.lean_s,
            "lean_s_saved": self.lean_s_saved,
            "share_of_full": self.share,
        }


@dataclass(frozen=True, slots=True)
class Distilled:
    """A finished self-distillation."""

    corpus: Store
    funnel: tuple[Step, ...]
    diversity: list[Diversity]
    costs: Mapping[str, Mapping[str, float]]
    verified: Verified | None = None


def distil(
    variants: Sequence[Path],
    folder: Path,
    prover: Sampler,
    *,
    seed: int = 0,
    proofs: Sequence[Path] = (),
    verification: Verification | None = None,
    overwrite: bool = False,
    on_stage: OnStage = lambda stage, total: None,
    on_progress: OnProgress = lambda stage, read, kept, dropped: None,
) -> Distilled:
    """Have a prover prove variants, and gather what it is to be trained on; or go on with it. Raises InputError.

    `variants` may also be corpora that nobody mutated: then it is plain self-distillation, for comparison.
    `proofs` are corpora of verified proofs that join the pairs: those that reinforcement learning found.
    """
    drawing = {"prover": {"name": prover.name, **prover.settings}, "seed": seed}
    settings = drawing | {"verification": None if verification is None else verification.settings}
    inputs = {str(path): fingerprint(path) for path in (*variants, *proofs)}
    total = sum(1 for _ in _goals(variants))
    if not total:
        raise InputError(f"there are no statements in {', '.join(map(str, variants))}: name others")
    for path in proofs:
        if path.exists() and not any(isinstance(item, Instance) for item in _proofs([path])):
            raise InputError(f"{path} has no verified proof: name a run of `train rl`, or leave --proofs out")
    if verification is not None:
        adaptive.demand_audit(total, verification.sample, verification.budget)
    with opened(folder, "self-distillation", settings, inputs, overwrite=overwrite):
        runner = StageRunner(folder, InlineEngine(), on_stage, on_progress)
        pairs = runner.map(
            "draw",
            Distilling(prover, seed),
            lambda: _goals(variants),
            total,
            settings=drawing,
            inputs={str(path): fingerprint(path) for path in variants},
            batch=ROWS_AT_ONCE,
        )
        checked = None if verification is None else _verify(runner, folder, pairs, verification, seed)
        kept = pairs if checked is None else checked[0]
        corpus = runner.sift(
            "corpus",
            lambda: _gathered(_pairs(kept), proofs),
            settings={},
            inputs={"pairs": kept.fingerprint, **{str(path): fingerprint(path) for path in proofs}},
            folder=folder / CORPUS,
        )
        costs = read_costs(folder)
        verified = None
        if checked is not None:
            spent = sum(costs[stage].get("lean_s", 0.0) for stage in ("audit", "check"))
            verified = Verified(checked[1], checked[2], spent, _ways(checked[0]))
        found = Distilled(corpus, runner.funnel, diversity(_pairs(corpus)), costs, verified)
        write_json(folder / REPORT, _told(found))
    return found


def _verify(
    runner: StageRunner, folder: Path, pairs: Store, wanted: Verification, seed: int
) -> tuple[Store, Report, Plan]:
    """Audit some pairs, plan, and check what the plan says."""
    count = adaptive.audit_size(pairs.rows("instance"), wanted.sample, wanted.budget)
    inputs = {"draw": pairs.fingerprint}
    audit = run_audit(runner, lambda: _pairs(pairs), wanted.lean, count=count, seed=seed, inputs=inputs, purpose="plan")
    audited = read_audit(audit)
    known = {record_id(each.pair): each for each in audited}
    others = [pair for pair in _pairs(pairs) if record_id(pair) not in known]
    plan = make_plan(audited, others, budget=wanted.budget, target=wanted.target, limits=wanted.lean.limits)
    checked = runner.map(
        "check",
        Checking(wanted.lean, plan, known, read_costs(folder).get("check", {}).get("lean_s", 0.0)),
        lambda: _pairs(pairs),
        pairs.rows("instance"),
        settings=wanted.settings,  # the plan follows from the audit
        inputs={**inputs, "audit": audit.fingerprint},
        batch=JUDGED_AT_ONCE,
    )
    return checked, report(audited, pairs.rows("instance")), plan


def _ways(checked: Store) -> dict[str, int]:
    tally = checked.manifest.funnel[-1].tally
    return {name.removeprefix("way/"): count for name, count in tally.items() if name.startswith("way/")}


def _gathered(pairs: Iterable[Instance], proofs: Sequence[Path]) -> Iterator[Item]:
    """Pairs and proofs, each once. A proof that nobody verified does not belong to them."""
    seen: set[str] = set()
    for item in chain(pairs, _proofs(proofs)):
        if not isinstance(item, Instance):
            yield item
            continue
        own = record_id(item)
        yield Dropped(item, Reason.SAME_TEXT, own) if own in seen else item
        seen.add(own)


def _proofs(paths: Sequence[Path]) -> Iterator[Item]:
    for item in read_items(paths, "instance"):
        if isinstance(item, Instance) and not item.verified:
            yield Dropped(item, Reason.NO_VERDICT, detail="it is not verified")
        else:
            yield item


def _told(found: Distilled) -> dict[str, Any]:
    return {
        "funnel": [step.as_dict() for step in found.funnel],
        "diversity": [asdict(one) for one in found.diversity],
        "costs": {stage: dict(costs) for stage, costs in found.costs.items()},
        "verification": None if found.verified is None else found.verified.as_dict(),
    }


def _goals(paths: Sequence[Path]) -> Iterator[Formalisation]:
    """The statements of corpora; of one with proofs, its statements without them."""
    for path in paths:
        for record in read_records(path):
            if isinstance(record, Instance):
                yield without_proof(record)
            elif isinstance(record, Formalisation):
                yield record
            else:
                raise InputError(f"{path} has no statements in Lean: name what `alf mutate` wrote")


def _pairs(store: Store) -> Iterator[Instance]:
    for record in read_records(store.folder, "instance"):
        assert isinstance(record, Instance)
        yield record
