"""What a failed attempt died of, and whether an easier problem can be made from that.

`examine` reads a judgement: root cause, class, level, what merely follows, and the goal at the place of the root. Lean
is asked once more where its messages do not show that goal. `actionable` says which failures distillers get.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pythagoras.corpus.records import Attempt, Formalisation, Judgement
from pythagoras.lean.diagnostics import Diagnosis, Diagnostic, ErrorClass, Level, diagnose
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.verdict import Reason
from pythagoras.lean.wire import PROOFS_ONLY, Answer, Limits, Message, Position, Tactic

Size = Literal["large", "small"]
_PARSE = re.compile(r"unexpected |expected (?!type|struct)|unterminated|unknown tactic", re.IGNORECASE)
_REFUTED = re.compile(r"tactic [`'‘]decide[`'’] proved that the proposition\b.*\bis false", re.IGNORECASE | re.DOTALL)
_DATA = re.compile(r"[^:]+ : (?:ℕ|ℤ|ℚ|Prop|[^=<>≤≥≠∣∧∨∃∀]* → [^=<>≤≥≠∣∧∨∃∀]*)")
_STATES = re.compile(r"(?:have|suffices)?\s*[\w'₀-₉]*\s*:(?!=)(?P<type>(?:(?!:=).)+?)\s*:=\s*(?!by\b)", re.DOTALL)
"""A step that states what it proves, by a term."""
_DUMP = re.compile(r"\n\[grind\] |\nwhere\n ")
"""Where messages begin to show a tactic's inner state, which is long and of no use to a distiller."""
_LONGEST_ERROR = 1_500
_MOST_ERRORS = 5


class Why(StrEnum):
    """Whether a failure is actionable, and why: a closed list."""

    # actionable: the error has a place in the mathematics
    GOAL_LEFT = "a goal is left over"
    """Something was done, and the message shows what is still to be proved."""
    STEP_FAILED = "a step fails on a known goal"
    """A tactic, a type, a name, a field or an instance is wrong where the goal is known. What Lean gives up for want of
    heartbeats counts as well: the step is known, and an easier one of its kind helps."""
    STATEMENT_WRONG = "the statement is malformed"
    """An error of formalisation that names what is wrong; distillers aim at the notion behind it."""
    # not actionable
    NO_VERDICT = "there is no verdict"
    """The machine failed. It says nothing about the attempt."""
    PROVED = "it is proved"
    TIMED_OUT = "the clock ended it"
    """No error, so no place where it failed."""
    NOT_CHECKED = "Lean was not asked"
    """Refused by the gate, empty, or too long: there is no error of Lean's."""
    NO_ERROR = "Lean reports no error"
    """It proves something else, or rests on a forbidden axiom."""
    NOT_PARSED = "it does not parse"
    """The text breaks off or is no Lean: what comes after the slip was never looked at."""
    REFUTED = "Lean refutes the goal"
    """The goal is false; nothing true is a step of it."""
    NO_GOAL = "no goal is known at the place"
    """Such as a tactic that finds nothing left to do."""
    DEAD_END = "False is left, from no hypothesis"
    NOTHING_DONE = "the whole problem is left"
    """The attempt did not change the goal, and no step of it fails: to distil it is to invent."""


_ACTIONABLE = frozenset({Why.GOAL_LEFT, Why.STEP_FAILED, Why.STATEMENT_WRONG})


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt, examined."""

    formalisation: Formalisation
    judgement: Judgement
    proof: str
    """What was judged, from `:=` on. Empty when Lean was not asked."""
    diagnosis: Diagnosis | None = None
    """None without errors of Lean's."""
    goal: str = ""
    """The goal at the place of the root error, hypotheses first, as Lean shows it."""
    step: str = ""
    """The step that failed, as it stands in the proof."""

    @property
    def root(self) -> Diagnostic | None:
        return self.diagnosis.root if self.diagnosis is not None else None

    @property
    def category(self) -> ErrorClass:
        return self.root.error if self.root is not None else ErrorClass.OTHER

    @property
    def level(self) -> Level:
        found = self.diagnosis.level if self.diagnosis is not None else None
        return found or Level.PROOF


def examine(
    formalisation: Formalisation,
    attempt: Attempt,
    judgement: Judgement,
    checker: Checker | None = None,
    limits: Limits = Limits(),
) -> Failure:
    """Read a judgement. The checker is asked at most once, about the same text on the same header."""
    checked = judgement.checked
    stated = checked.rfind(formalisation.text.rstrip())
    proof_start = stated + len(formalisation.text.rstrip()) if stated >= 0 else 0
    proof = checked[proof_start:].strip() if checked else attempt.completion.strip()
    messages = _messages(judgement)
    if not checked or not messages:
        return Failure(formalisation, judgement, proof)
    start = _position(checked, proof_start) if stated >= 0 else None
    diagnosis = diagnose(Answer(messages=messages), checked, start)
    root = diagnosis.root
    if root is None:
        return Failure(formalisation, judgement, proof, diagnosis)
    goal, step = _shown_goal(root), ""
    asks = checker is not None and not goal and _PARSE.match(root.text) is None
    answer = _asked(checked, formalisation.header, checker, limits) if asks and checker is not None else None
    if answer is not None and (tactic := _tactic_at(root.pos, answer.tactics)) is not None:
        goal, step = _own_goal(tactic, root.pos), tactic.tactic.strip()
    return Failure(formalisation, judgement, proof, diagnosis, goal, step or _line_at(checked, root.pos))


def actionable(failure: Failure) -> tuple[bool, Why]:
    """Whether an easier problem can be made from the very place where it failed, and why (not).

    It can where Lean's error has a place in the mathematics: a goal that is left over, a step that fails on a known
    goal, or a malformed notion in the statement. It can't where the machine, the clock or the gate ended the attempt,
    where the text is no Lean, where the goal is refuted or gone, and where nothing was done.
    """
    why = _why(failure)
    return why in _ACTIONABLE, why


def _why(failure: Failure) -> Why:
    judgement, root = failure.judgement, failure.root
    if not judgement.outcome:
        return Why.NO_VERDICT
    if judgement.outcome == "proved":
        return Why.PROVED
    if judgement.outcome == "timeout" and root is None:
        return Why.TIMED_OUT
    if not judgement.checked:
        return Why.NOT_CHECKED
    if judgement.reason != Reason.LEAN_ERROR.name.lower() and root is None:
        return Why.NO_ERROR
    if root is None:
        return Why.NO_GOAL
    if _PARSE.match(root.text):
        return Why.NOT_PARSED
    if failure.level is Level.FORMALISATION:
        return Why.STATEMENT_WRONG
    if _REFUTED.match(root.text):
        return Why.REFUTED
    if not failure.goal:
        return Why.NO_GOAL
    return _of_goal(failure, root)


def _of_goal(failure: Failure, root: Diagnostic) -> Why:
    *given, target = _parts(failure.goal)
    if target == "False" and all(_DATA.fullmatch(line) for line in given):
        return Why.DEAD_END
    if root.error is not ErrorClass.UNSOLVED_GOALS:
        return Why.STEP_FAILED
    untouched = _squeezed(failure.formalisation.text).endswith(":" + _squeezed(target)) and len(target) > 0
    return Why.NOTHING_DONE if untouched else Why.GOAL_LEFT


def distil_fields(failure: Failure, number: int, size: Size) -> dict[str, str]:
    """The fields of a distiller's task."""
    return {
        "problem": failure.formalisation.docstring,
        "statement": failure.formalisation.text,
        "proof": failure.proof,
        "errors": described(failure),
        "goal": failure.goal,
        "category": failure.category.value,
        "level": failure.level.value,
        "number": str(number),
        "size": size,
    }


def described(failure: Failure) -> str:
    """Lean's errors in the order of the text, with what is known of each."""
    diagnosis = failure.diagnosis
    if diagnosis is None:
        return ""
    caused = {id(one.error): one for one in diagnosis.downstream}
    lines = []
    for error in diagnosis.errors[:_MOST_ERRORS]:
        note = " (root cause)" if error is diagnosis.root else ""
        if (consequence := caused.get(id(error))) is not None:
            note = f" (follows from line {consequence.cause.pos.line}: {consequence.link.value})"
        text = _DUMP.split(error.text)[0][:_LONGEST_ERROR].rstrip()
        lines.append(f"line {error.pos.line}, column {error.pos.column}{note}: {text}")
    if failure.step:
        lines.append(f"The step at the root cause is: {failure.step}")
    return "\n\n".join(lines)


# --- reading Lean's answer -----------------------------------------------------------------------


def _messages(judgement: Judgement) -> tuple[Message, ...]:
    return tuple(
        Message(
            severity="error",
            pos=Position(line=remark.line, column=remark.column),
            end_pos=(
                Position(line=remark.end_line, column=remark.end_column)
                if remark.end_line is not None and remark.end_column is not None
                else None
            ),
            data=remark.text,
        )
        for remark in judgement.remarks
        if remark.severity == "error"
    )


def _shown_goal(root: Diagnostic) -> str:
    """The goal that the message shows, unless a tactic has turned it around before it failed (`grind` does)."""
    goal = root.goals[0] if root.goals else ""
    turned = root.error is ErrorClass.TACTIC_FAILURE and _parts(goal)[-1] == "False"
    return "" if turned else goal


def _asked(checked: str, header: str, checker: Checker, limits: Limits) -> Answer | None:
    """What Lean says to the same text once more, with the goals before each tactic."""
    check = Check(checked, header, limits, tactics=True, refuse=PROOFS_ONLY)
    return next(iter(checker.check([check]))).answer


def _tactic_at(place: Position, tactics: Sequence[Tactic]) -> Tactic | None:
    """The innermost tactic around a place that has a goal; what `rw` and `simp` cite are no tactics."""
    at = (place.line, place.column)
    around = [
        tactic
        for tactic in tactics
        if (tactic.pos.line, tactic.pos.column) <= at < (tactic.end_pos.line, tactic.end_pos.column) and tactic.goals
    ]
    size = {id(tactic): len(tactic.tactic) for tactic in around}
    named = [tactic for tactic in around if re.match(r"[a-z_]\w*(?![\w.'])", tactic.tactic)]
    return min(named or around, key=lambda tactic: size[id(tactic)], default=None)


def _own_goal(tactic: Tactic, place: Position) -> str:
    """The goal that the tactic works on; of `have h : T := ...` with an error behind the `:=` that is T."""
    goal = tactic.goals.split("\n\n")[0].strip()
    states = _STATES.match(tactic.tactic)
    if states is None or (place.line, place.column) < _place_behind(tactic, states.end()):
        return goal
    return f"{goal[: goal.rfind('⊢')]}⊢ {' '.join(states['type'].split())}"


def _place_behind(tactic: Tactic, offset: int) -> tuple[int, int]:
    before = tactic.tactic[:offset]
    lines = before.count("\n")
    column = len(before) - before.rfind("\n") - 1 if lines else tactic.pos.column + offset
    return tactic.pos.line + lines, column


def _parts(goal: str) -> list[str]:
    """Hypotheses, one a line, and last the target; the name of a case is left out."""
    joined = re.sub(r"\n\s+", " ", goal)
    lines = [line.strip() for line in joined.split("\n") if line.strip() and not line.startswith("case ")]
    target = next((line.removeprefix("⊢").strip() for line in lines if line.startswith("⊢")), "")
    return [*(line for line in lines if not line.startswith("⊢")), target]


def _squeezed(text: str) -> str:
    return re.sub(r"[\s()]", "", text)


def _position(text: str, at: int) -> Position:
    return Position(line=text.count("\n", 0, at) + 1, column=at - text.rfind("\n", 0, at) - 1)


def _line_at(text: str, place: Position) -> str:
    lines = text.split("\n")
    return lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
