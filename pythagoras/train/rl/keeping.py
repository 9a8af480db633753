"""Proofs that were found on the way: a store of instances and of the judgements about them, a piece a step.

They are the model's own and verified, so they belong to the tier `alf`. The same proof of the same statement is kept
once. A step that a kill made necessary twice has its piece already, and most often finds the same proofs; where a clock
made it find others, they get a piece of their own, and those of the first time stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pythagoras.corpus.files import read_records
from pythagoras.corpus.judgements import judgement, submission_id
from pythagoras.corpus.proofs import context_in, has_body, proof_in, reasoning_in
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Provenance, Record, Tier, record_id, settings_of, settings_text
from pythagoras.corpus.store import Step, StoreWriter
from pythagoras.lean.verifier import Judged
from pythagoras.train.rl.rollouts import Rollout, Task, Trial

STAGE = "rl"
_INHERITED = ("origin", "root", "type")
"""What a proof's provenance has from its statement's: which problems are relatives."""


@dataclass(slots=True)
class Keeper:
    """Writes proofs down. The store is open."""

    writer: StoreWriter
    maker: str
    """The model's name."""
    run: str
    lean_version: str
    known: dict[str, int] = field(default_factory=dict)
    """Ids of the instances that are there, with the steps that found them."""

    def resume(self, folder: Path) -> None:
        """Learn what is there already."""
        if self.writer.pieces:
            found = read_records(folder, "instance", partial=True)
            self.known = {record_id(record): settings_of(record)["step"] for record in found}

    def keep(self, step: int, before: int, trials: Sequence[Trial]) -> int:
        """Write a step's proofs down, behind `before` pieces; returns how many the store has of this step."""
        records: dict[str, list[Record]] = {}  # by the instance's id
        dropped: Counter[str] = Counter()
        for task, rollout, judged in (rated for trial in trials for rated in _rated(trial)):
            reason = self._take(task, rollout, judged, step, records)
            if reason is not None:
                dropped[reason.value] += 1
        new = {name: pair for name, pair in records.items() if name not in self.known}
        written = [record for pair in new.values() for record in pair]
        if self.writer.pieces == before:
            rollouts = sum(len(trial.drawn.rollouts) for trial in trials)
            self.writer.write_piece(written, Step(STAGE, rollouts, dict(dropped)))
        elif new:  # a kill came between the step's piece and its checkpoint
            self.writer.write_piece(written, Step(STAGE, len(new)))
        self.known |= dict.fromkeys(new, step)
        return sum(found == step for found in self.known.values())

    def _take(
        self, task: Task, rollout: Rollout, judged: Judged | None, step: int, records: dict[str, list[Record]]
    ) -> Reason | None:
        if judged is None or judged.verdict is None:
            return Reason.NO_VERDICT
        if not judged.verdict.proved:
            return Reason.NOT_PROVED
        assert judged.assembly is not None
        if not has_body(judged.assembly):
            return Reason.UNREADABLE
        instance = self._instance(task, rollout, judged, step)
        name = record_id(instance)
        if name in records or self.known.get(name, step) < step:
            return Reason.SAME_TEXT
        submission = submission_id(task.id, task.statement, rollout.text)
        records[name] = [instance, judgement(submission, replace(judged, seconds=0.0), self.lean_version)]
        return None

    def _instance(self, task: Task, rollout: Rollout, judged: Judged, step: int) -> Instance:
        goal = task.goal
        assert judged.assembly is not None
        settings = {
            **{name: value for name, value in settings_of(goal).items() if name in _INHERITED},
            "stage": STAGE,
            "step": step,
            "seed": rollout.seed,
            "submission": submission_id(task.id, task.statement, rollout.text),
        }
        return Instance(
            name=goal.name,
            statement=goal.text,
            proof=proof_in(judged.assembly),
            source=goal.source,
            tier=Tier.ALF,
            verified=True,
            reasoning=reasoning_in(rollout.text, task.statement),
            informal=goal.docstring,
            header=goal.header,
            context=context_in(judged.assembly, task.statement),
            topic=goal.topic,
            provenance=Provenance(task.id, self.maker, settings_text(settings), self.run),
        )


def _rated(trial: Trial) -> Iterable[tuple[Task, Rollout, Judged | None]]:
    return ((trial.drawn.task, rollout, trial.verdicts.get(rollout.text)) for rollout in trial.drawn.rollouts)
