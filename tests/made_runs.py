"""Runs that nobody ran: folders of attempts and judgements with known outcomes, to analyse and report on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pythagoras.corpus.records import Attempt, Formalisation, Judgement, Provenance, Rejected, Remark, record_id
from pythagoras.evaluate.journal import Journal
from pythagoras.evaluate.running.protocols import Part, Protocol
from pythagoras.evaluate.runs import (
    ATTEMPTS,
    GOALS,
    JUDGEMENTS,
    UNFIT,
    BenchmarkInfo,
    LeanInfo,
    Manifest,
    SamplerInfo,
    write_manifest,
    write_records,
)

DOMAINS = ("imo_{year}_p{k}", "amc12a_{year}_p{k}", "aime_{year}_p{k}", "mathd_algebra_{k}", "mathd_numbertheory_{k}")
MORE_DOMAINS = ("algebra_sum{k}", "numbertheory_prm{k}", "induction_step{k}")
ERRORS = {
    "tactic failure": "omega could not prove the goal:\na possible counterexample may satisfy the constraints",
    "unsolved goals": "unsolved goals\nn : ℕ\nh₀ : n % 5 = 3\n⊢ 2 * n % 5 = 1",
    "type mismatch": "Type mismatch\n  h₀\nhas type\n  n % 5 = 3\nbut is expected to have type\n  n % 5 = 4",
    "unknown name": "Unknown identifier `Nat.foo_bar`",
    "other": "unexpected token 'end'; expected term",
}

WORDS = (
    *[
        "we",
        "know",
        "that",
        "the",
        "remainder",
        "of",
        "n",
        "modulo",
        "five",
        "is",
        "three",
        "so",
        "twice",
        "this",
        "is",
        "one",
        "more",
        "than",
        "a",
        "multiple",
    ],
    *[
        "first",
        "let",
        "us",
        "think",
        "about",
        "how",
        "omega",
        "would",
        "decide",
        "such",
        "linear",
        "constraints",
        "over",
        "natural",
        "numbers",
    ],
    *[
        "hence",
        "from",
        "hypothesis",
        "h₀",
        "there",
        "must",
        "exist",
        "some",
        "k",
        "with",
        "n",
        "=",
        "5",
        "*",
        "k",
        "+",
        "3",
        "and",
        "therefore",
        "2",
        "*",
        "n",
        "=",
        "10",
        "*",
        "k",
        "+",
        "6",
    ],
    *[
        "wait,",
        "induction",
        "might",
        "also",
        "work",
        "here:",
        "base",
        "case",
        "trivial;",
        "inductive",
        "step",
        "needs",
        "rewriting,",
        "then",
        "simp",
    ],
    *[
        "case",
        "analysis",
        "whether",
        "even",
        "odd",
        "prime",
        "divides",
        "contradiction",
        "suppose",
        "otherwise",
        "because",
        "lemma",
        "gives",
    ],
)
"""What reasoning is made of."""


def made_goals(count: int, source: str = "minif2f/test") -> tuple[Formalisation, ...]:
    """Statements with MiniF2F's kind of names, all domains among them."""
    patterns = DOMAINS + MORE_DOMAINS
    names = [patterns[at % len(patterns)].format(year=1960 + at % 60, k=at) for at in range(count)]
    return tuple(
        Formalisation(
            name=name,
            text=f"theorem {name} (n : ℕ) (h₀ : n % {at + 2} = 1) : (n + {at}) % {at + 2} = {(at + 1) % (at + 2)}",
            source=source,
            docstring=f'Show that <b>{name}</b> & "friends" hold for n ≡ 1 (mod {at + 2}).',
        )
        for at, name in enumerate(names)
    )


def mutated(goals: Sequence[Formalisation], each: int = 2) -> tuple[Formalisation, ...]:
    """Mutations of statements, in the shape in which a benchmark of them has them."""
    return tuple(
        replace(
            goal,
            name=f"{goal.name}_alf{at}",
            text=goal.text.replace(goal.name, f"{goal.name}_alf{at}").replace("n", "m"),
            source="minif2f-alf/test",
            provenance=Provenance(parent=goal.name, maker=("generalisation", "reformulation")[at % 2]),
        )
        for goal in goals
        for at in range(each)
    )


def make_run(
    folder: Path,
    solved: Sequence[Sequence[bool]],
    goals: Sequence[Formalisation] | None = None,
    *,
    label: str = "made",
    rounds: int = 1,
    seed: int = 0,
    unfit: Sequence[int] = (),
    lean_version: str = "4.28.0",
    stop_when_solved: bool = False,
    proof_lines: int = 6,
    reasoning: int = 0,
    n: int | None = None,
) -> Path:
    """A run with these outcomes, goal by attempt; a row may be shorter than the others.

    With several rounds, a solved attempt is solved in one of them, and those before it fail. `reasoning` is how many
    characters of words stand before each proof.
    """
    goals = made_goals(len(solved)) if goals is None else goals
    dice = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    is_mutation = any(goal.provenance.parent for goal in goals)
    repair = Part(rounds=rounds, repair="turns") if rounds > 1 else Part()
    manifest = Manifest(
        label=label,
        benchmark=BenchmarkInfo(
            name=goals[0].source if goals else "empty",
            variant="minif2f-kimina",
            file="minif2f_test.jsonl",
            sha256="ab" * 32,
            items=len(goals),
            mutation=is_mutation,
        ),
        samplers=(SamplerInfo(name="made", settings={"seed": seed}),),
        protocol=Protocol(name="self-correction" if rounds > 1 else "restart", parts=(repair,)),
        lean=LeanInfo(backend="embedded", version=lean_version, header="core", timeout_s=60),
        seed=seed,
        n=n if n is not None else max(map(len, solved), default=0),
        stop_when_solved=stop_when_solved,
        started="2026-01-01T00:00:00Z",
        wall_seconds=120.0,
    )
    write_records(folder / GOALS, goals)
    refused = [Rejected(record_id(goals[at]), "eval", "refused by Lean", detail="line 1: unknown ℝ") for at in unfit]
    write_records(folder / UNFIT, refused)
    with Journal(folder / ATTEMPTS, "attempt") as attempts, Journal(folder / JUDGEMENTS, "judgement") as judgements:
        for goal, row in zip(goals, solved, strict=True):
            for number, holds in enumerate(row):
                made = dice.randint(1, rounds) if holds else rounds
                for round_ in range(made):
                    proved = holds and round_ == made - 1
                    attempt, judged = _round(goal, number, round_, proved, dice, proof_lines, lean_version)
                    if reasoning:
                        attempt = replace(attempt, completion=f"{_words(reasoning, dice)}\n\n{attempt.completion}")
                    attempts.append(attempt)
                    judgements.append(judged)
    write_manifest(folder, manifest)
    return folder


@cache
def _babble() -> str:
    """Words in any order: about as compressible as what a model writes, to a third."""
    return " ".join(random.Random(0).choices(WORDS, k=400_000))


def _words(characters: int, dice: random.Random) -> str:
    """Cut out of so much that what stands near each other in a file is not the same."""
    start = dice.randrange(len(_babble()) - characters)
    return _babble()[start : start + characters]


def _round(
    goal: Formalisation, number: int, round_: int, proved: bool, dice: random.Random, lines: int, lean_version: str
) -> tuple[Attempt, Judgement]:
    steps = [f"  have h{at} : n + {dice.randint(0, 999)} = n + {at} := by omega" for at in range(lines)]
    proof = "\n".join(["by", *steps, "  exact h₀" if proved else "  omega"])
    checked = f"{goal.text} := {proof}"
    submission = f"{dice.getrandbits(128):032x}"
    line = checked.count("\n") + 1
    error = dice.choice(list(ERRORS))
    timeout = not proved and dice.random() < 0.05
    failed = not proved and not timeout
    attempt = Attempt(
        formalisation=record_id(goal),
        completion=f"First <i>think</i> about {goal.name}.\n\n```lean4\n{checked}\n```",
        number=number,
        round=round_,
        submission=submission,
        finish="stop",
        prompt_tokens=280 + 400 * round_,
        generated_tokens=dice.randint(50, 400),
        milliseconds=dice.uniform(5, 50),
        seed=number,
    )
    judged = Judgement(
        submission=submission,
        outcome="proved" if proved else "timeout" if timeout else "rejected",
        reason="holds" if proved else "time_limit" if timeout else "lean_error",
        detail="" if not failed else f"line {line}: {ERRORS[error].splitlines()[0]}",
        error=error if failed else "",
        paper_rule=proved,
        checked=checked,
        remarks=(Remark("error", line, 2, ERRORS[error], line, 7),) if failed else (),
        axioms=("propext",) if proved else (),
        lean_version=lean_version,
        milliseconds=dice.uniform(20, 90),
    )
    return attempt, judged
