"""Rules in the roles of formaliser, informaliser and judge of alignment; the judge measured as a judge."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pythagoras.corpus.generator.families import FAMILIES
from pythagoras.corpus.generator.family import LEVELS, Draft, write_statement
from pythagoras.language.lean_reader import read_lean
from pythagoras.language.lean_writer import write_lean
from pythagoras.language.reading import NotRead
from pythagoras.pipeline.roles.align import Aligned
from pythagoras.pipeline.roles.role import Fault, Refused, RoleName, Task
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.rules.player import RulesPlayer
from tests.unit.mutations import MUTATIONS, is_renaming, wrong
from tests.unit.role_tasks import FIELDS

PROBLEM = "Let n be a natural number such that n leaves remainder 3 when divided by 5. Prove that n ≥ 3."
STATEMENT = "theorem answer (n : ℕ) (h₁ : n % 5 = 3) : n ≥ 3"


def played(role: RoleName, **fields: str) -> object:
    """What the role's parser makes of what the rules answer."""
    (written,) = RulesPlayer(role).write([Task(fields)])
    return ROLES[role].read(written)


def drawn() -> list[tuple[str, Random, Draft]]:
    """A problem of every family at every level."""
    found = []
    for name, family in FAMILIES.items():
        for level in LEVELS:
            rng = Random(f"{name} {level}")
            found.append((name, rng, family.draw(rng, level, False)))
    return found


def test_a_problem_becomes_a_statement() -> None:
    assert played(RoleName.FORMALISE, problem=PROBLEM, name="answer", header="") == STATEMENT


def test_a_statement_becomes_a_problem() -> None:
    text = played(RoleName.INFORMALISE, statement=STATEMENT)
    assert isinstance(text, str)
    assert played(RoleName.ALIGN, problem=PROBLEM, read_back=text, statement="") == Aligned(True, "")


@pytest.mark.parametrize(
    ("read_back", "discrepancy"),
    [
        ("Let n be an integer. Suppose that n leaves remainder 3 when divided by 5. Prove that n ≥ 3.", "another type"),
        ("Let n be a natural number. Prove that n ≥ 3.", "a hypothesis is missing"),
        ("Let n be a natural number. Suppose that n ≡ 3 (mod 5). Prove that n > 3.", "another goal"),
        ("Let n be a natural number. Suppose that n ≡ 3 (mod 6). Prove that n ≥ 3.", "6 in place of 5"),
    ],
)
def test_the_discrepancy_is_named(read_back: str, discrepancy: str) -> None:
    verdict = played(RoleName.ALIGN, problem=PROBLEM, read_back=read_back, statement=STATEMENT)
    assert isinstance(verdict, Aligned)
    assert not verdict.same
    assert discrepancy in verdict.discrepancy


@pytest.mark.parametrize(
    ("role", "fields"),
    [
        (RoleName.FORMALISE, {"problem": "Prove the Riemann hypothesis.", "name": "answer", "header": ""}),
        (RoleName.INFORMALISE, {"statement": "theorem t (x : ℝ) : x = x"}),
        (RoleName.INFORMALISE, {"statement": "theorem t (a b : ℕ) : a - b + b = a"}),  # stops at 0
        (RoleName.ALIGN, {"problem": "Prove the Riemann hypothesis.", "read_back": PROBLEM, "statement": ""}),
        (RoleName.ALIGN, {"problem": PROBLEM, "read_back": "It is about numbers.", "statement": ""}),
    ],
)
def test_what_the_rules_do_not_reach_they_say(role: RoleName, fields: dict[str, str]) -> None:
    refused = played(role, **fields)
    assert isinstance(refused, Refused)
    assert refused.fault is Fault.CAN_NOT
    assert refused.detail


@pytest.mark.parametrize("role", list(RoleName))
def test_every_role_has_rules(role: RoleName) -> None:
    player = RulesPlayer(role)
    tasks = [Task(FIELDS[role], number) for number in range(2)]
    answers = [written.text for written in player.write(tasks)]
    assert len(answers) == 2
    assert all(answers)
    assert answers == [written.text for written in player.write(tasks)]
    assert (player.name, dict(player.settings)) == ("rules", {"backend": "rules"})


def test_faithful_statements_are_kept() -> None:
    """The generator's own Lean, which the rules that read its English never saw, and what those rules write."""
    for name, rng, draft in drawn():
        formalised = played(RoleName.FORMALISE, problem=draft.text, name="t", header="")
        for statement in (write_statement(draft, "t", rng), formalised):
            assert isinstance(statement, str), (name, statement, draft.text)
            text = played(RoleName.INFORMALISE, statement=statement)
            assert isinstance(text, str), (name, text, statement)
            verdict = played(RoleName.ALIGN, problem=draft.text, read_back=text, statement=statement)
            assert verdict == Aligned(True, ""), (name, draft.text, text)


def test_wrong_statements_are_discarded() -> None:
    """Twenty kinds of wrong ones. Not one is kept, and few for another reason than that they say something else."""
    judged: Counter[str] = Counter()
    not_judged: Counter[str] = Counter()
    for name, rng, draft in drawn()[::2]:  # all families
        faithful = read_lean(write_statement(draft, "t", rng))
        for kind in MUTATIONS:
            planted = wrong(faithful, kind, rng)
            if planted is None:
                continue
            try:
                statement = write_lean(planted, "t")
            except NotRead:  # it means nothing, such as an exponent that is no natural number
                continue
            text = played(RoleName.INFORMALISE, statement=statement)
            if not isinstance(text, str):
                not_judged[kind] += 1
                continue
            verdict = played(RoleName.ALIGN, problem=draft.text, read_back=text, statement=statement)
            if isinstance(verdict, Refused):
                not_judged[kind] += 1
            elif verdict == Aligned(True, ""):
                assert is_renaming(faithful, planted), (name, kind, draft.text, statement)
            else:
                judged[kind] += 1
    assert judged.total() > 700
    assert min(judged[kind] for kind in MUTATIONS) >= 2
    assert not_judged.total() < judged.total() / 50, not_judged
