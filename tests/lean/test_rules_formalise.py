"""What the rules formalise, in real Lean: it elaborates, under the name that was asked for."""

from __future__ import annotations

from random import Random

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS
from pythagoras.lean.pool import Check, LeanPool
from pythagoras.pipeline.roles.role import RoleName, Task
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.rules.player import RulesPlayer

BATCH = 20


def test_formalised_statements_elaborate(pool: LeanPool) -> None:
    """A problem of every family, true and false ones, level by level."""
    tasks = []
    for number, (name, family) in enumerate(FAMILIES.items()):
        draft = family.draw(Random(name), LEVELS[number % len(LEVELS)], number % 2 == 1)
        tasks.append(Task({"problem": draft.text, "name": f"formal_{name}", "header": ""}))
    statements = [ROLES[RoleName.FORMALISE].read(written) for written in RulesPlayer(RoleName.FORMALISE).write(tasks)]
    assert _declared(pool, statements) == {task.fields["name"] for task in tasks}


def _declared(pool: LeanPool, statements: list[object]) -> set[str]:
    assert all(isinstance(one, str) for one in statements), statements
    batches = [statements[at : at + BATCH] for at in range(0, len(statements), BATCH)]
    declared: set[str] = set()
    for result in pool.check(Check("\n\n".join(f"{one} := by\n  sorry" for one in batch)) for batch in batches):
        assert result.answer is not None
        assert not result.answer.errors, [message.data for message in result.answer.errors]
        declared |= {one.name for one in result.answer.declarations}
    return declared & {f"formal_{name}" for name in FAMILIES}
