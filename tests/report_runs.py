"""A run for the report's tests: attempts that are the same, that have no verdict, and that would like to be markup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pythagoras.corpus.records import Attempt, Formalisation, Judgement, Remark, record_id
from pythagoras.evaluate.journal import Journal
from pythagoras.evaluate.runs import ATTEMPTS, JUDGEMENTS, read_manifest, write_manifest
from tests.made_runs import made_goals, make_run

HOSTILE = (
    "</script><script>window.pwned = 1</script>"
    '<img src="x" onerror="window.pwned = 2"><svg onload="window.pwned = 3"></svg>'
    "<!-- <script> \u2028\u2029 ]]> &lt;b&gt; {title} ${1} `x` \\u003c \x00 "
    "\u202egnp.exe\u202c \u2066x\u2069 \ufeff\u200b 𝔸"
)
HOSTILE_NAME = "algebra_\"'><img src=x onerror=window.pwned=4>\u202e"
LONG = 1_000_000


def hostile_run(folder: Path, label: str = "hostile <b>&") -> Path:
    """Four problems with two attempts at least: proved and repeated, failed at known places, hostile, unfit.

    Problem 0: 5 attempts, of which 3 have the same Lean, which is proved, and 2 others the same, which fails.
    Problem 1: 4 attempts, one each: an error at a known place, no proof, an empty completion, no verdict.
    Problem 2: 2 attempts in hostile text, one of a million characters; their verdicts and the paper's rule disagree.
    Problem 3: unfit, without attempts.
    """
    goals = list(made_goals(4))
    goals[2] = replace(goals[2], name=HOSTILE_NAME, text=f"theorem x : 1 = 1 /- {HOSTILE} -/", docstring=HOSTILE)
    make_run(folder, [[], [], [], []], goals, label=label, unfit=(3,), n=5)
    manifest = read_manifest(folder)
    sampler = manifest.samplers[0].model_copy(update={"settings": {"prompt": HOSTILE}})
    write_manifest(folder, manifest.model_copy(update={"samplers": (sampler,)}))
    with Journal(folder / ATTEMPTS, "attempt") as attempts, Journal(folder / JUDGEMENTS, "judgement") as judgements:
        for judged in _judgements(goals):
            judgements.append(judged)
        for attempt in _attempts(goals):
            attempts.append(attempt)
    return folder


PLACED = "theorem x (𝕜 n : ℕ) : 𝕜 = n := by\n  have h : 𝕜 = 𝕜 := rfl\n  omega\n"
"""In its second line stands 𝕜, which is one character for Lean and two for JavaScript."""


def _judgements(goals: list[Formalisation]) -> list[Judgement]:
    statement = goals[0].text
    error = Remark("error", 2, 15, "this is wrong\nand why", 2, 16)
    over_lines = Remark("warning", 2, 2, "these lines", 3, 7)
    outside = Remark("error", 99, 0, "nowhere")
    return [
        Judgement(
            "same-proof", "proved", "holds", paper_rule=True, checked=f"{statement} := by omega", milliseconds=12
        ),
        Judgement(
            "same-error", "rejected", "lean_error", "line 2", "tactic failure", False, PLACED, (error,), (), "4.28.0"
        ),
        Judgement(
            "placed", "rejected", "lean_error", "line 2", "type mismatch", False, PLACED, (error, over_lines, outside)
        ),
        Judgement("none", "rejected", "no_proof", paper_rule=False),
        Judgement("empty", "rejected", "no_proof", paper_rule=False),
        Judgement(
            "hostile", "rejected", "statement_changed", HOSTILE, "", True, HOSTILE, (Remark("error", 1, 0, HOSTILE),)
        ),
        Judgement("long", "timeout", "time_limit", paper_rule=False, checked="x" * LONG),
    ]


def _attempts(goals: list[Formalisation]) -> list[Attempt]:
    wanted = [
        (0, "same-proof", "first"),
        (0, "same-error", "second"),
        (0, "same-proof", "third"),
        (0, "same-proof", "fourth"),
        (0, "same-error", "fifth"),
        (1, "placed", "plan\n```lean4\n```"),
        (1, "none", "I give up."),
        (1, "empty", ""),
        (1, "not-judged", "by simp"),
        (2, "hostile", HOSTILE),
        (2, "long", "y" * LONG),
    ]
    numbers = {goal: 0 for goal, _, _ in wanted}
    found = []
    for goal, submission, completion in wanted:
        found.append(
            Attempt(
                formalisation=record_id(goals[goal]),
                completion=completion,
                number=numbers[goal],
                submission=submission,
                finish="length" if submission == "long" else "stop",
                prompt_tokens=100,
                generated_tokens=10 + numbers[goal],
                milliseconds=5.0,
            )
        )
        numbers[goal] += 1
    return found
