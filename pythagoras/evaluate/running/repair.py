"""What a later round of an attempt asks for: a conversation about Lean's errors, or a hole where Lean found one.

Pure functions on judgements; whoever runs a protocol asks `next_request`. The conversation is Goedel-Prover-V2's to
the letter, since provers were trained on it. Where the holes are is `pythagoras.evaluate.running.holes`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pythagoras.corpus.records import Formalisation, Judgement, Remark
from pythagoras.evaluate.running.holes import hole
from pythagoras.evaluate.running.protocols import Part
from pythagoras.generate.sampler import Hole, Request, Turn
from pythagoras.lean.verdict import Outcome

FIRST_ROUND = 0
"""What a conversation calls an attempt's first round: Goedel-Prover counts from 0, and was trained on that."""
MOST_ERRORS = 8
LINES_BEFORE = 4
MOST_LINES = 6
"""Of code between the marks, without the line that closes it."""
LONGEST_MESSAGE = 4000
LONGEST_LINE = 500
"""Characters of one message and of one stretch of a line that are shown. Goedel-Prover shows them whole."""

_TURN = (
    "The proof (Round {number}) is not correct. Following is the compilation error message, where we use "
    "<error></error> to signal the position of the error.\n\n{errors}\n\nBefore producing the Lean 4 code to formally "
    "prove the given theorem, provide a detailed analysis of the error message."
)
_TRUNCATED = "... --[Truncated]-- ..."
_WORDS = {
    "sorry": "The proof uses `sorry` or `admit`, so it proves nothing. Write a proof without gaps.",
    "axiom": "The proof declares an axiom or an opaque constant ({detail}). Prove it without.",
    "compiler": "The proof trusts the compiler ({detail}). Prove it without `native_decide` and `bv_decide`.",
    "program": "The answer has a command that runs a program or hides messages ({detail}). Leave it out.",
    "search": "The proof leaves a search to Lean ({detail}). Write down what the search shall find.",
    "option": "The answer sets an option that is not permitted ({detail}). Leave it out.",
    "too_long": "The answer is far longer than any proof ({detail}). Write a shorter one.",
    "no_proof": "There is no proof of the theorem in the answer. Write the whole theorem with its proof in one Lean 4 "
    "code block.",
    "open_answer": "The statement leaves an answer open ({detail}).",
    "time_limit": "Lean did not finish with the proof within its time. Write one whose steps take Lean less time.",
    "foreign_axiom": "The proof rests on an axiom that is not permitted ({detail}). Prove it without.",
    "not_declared": "After the answer, Lean knows no theorem of the name that was asked for ({detail}). Keep the name.",
    "not_a_theorem": "What has the theorem's name in the answer is no theorem ({detail}). State it as a theorem.",
    "statement_changed": "The answer proves another statement than the given one ({detail}). Keep the statement as it "
    "was given, and declare nothing that changes its meaning.",
    "replay_failed": "The kernel refuses the proof when it checks it again ({detail}).",
}
"""What is said where no error of Lean's says it, by the reason of the verdict."""


def next_request(
    goal: Formalisation, part: Part, rounds: Sequence[tuple[str, Judgement]], seed: int, *, number: int
) -> Request | None:
    """What the next round of an attempt asks for, or None when the attempt is over.

    `rounds` are those that it has had, one at least, the first one first: each one's completion, and what was judged of
    it. It is over when it is proved, when its rounds are used up, and when there is nothing to repair: Lean broke down,
    or there is no place for a hole. `number` is the attempt's as its sampler counts.
    """
    judged = rounds[-1][1]
    if len(rounds) >= part.rounds or judged.outcome not in (Outcome.REJECTED.value, Outcome.TIMEOUT.value):
        return None
    if part.repair == "infill":
        place = hole(judged, goal)
        if place is not None and part.widens and len(rounds) > 1:
            place = Hole(place.before, "")
        if place is None:
            return None
        return Request(goal, number, len(rounds), hole=replace(place, cut=_taken_out(judged.checked, place)), seed=seed)
    turns = (Turn(completion, reply(verdict, at)) for at, (completion, verdict) in enumerate(rounds, FIRST_ROUND))
    return Request(goal, number, len(rounds), turns=tuple(turns), seed=seed)


def _taken_out(text: str, place: Hole) -> str:
    """What a hole takes out of a text; nothing where it adds to it."""
    if not (text.startswith(place.before) and text.endswith(place.behind)):
        return ""
    return text[len(place.before) : len(text) - len(place.behind)]


def reply(judgement: Judgement, number: int) -> str:
    """The turn that answers a failed proof: Lean's errors at their places. `number` is what the round is called."""
    errors = [remark for remark in judgement.remarks if remark.severity == "error"]
    said = [_said(judgement)] if judgement.reason != "lean_error" or not errors else []
    lines = judgement.checked.replace("\r\n", "\n").split("\n")
    shown = [f"\nError Message: {message}\n" for message in said]
    room = MOST_ERRORS - len(shown)
    shown += [
        f"\nCorresponding Code:\n```lean4\n{_marked(lines, error)}\n```\n\nError Message: {_cut(error.text)}\n"
        for error in errors[:room]
    ]
    text = "".join(f"\nError {at}:\n{error}" for at, error in enumerate(shown, 1))
    if len(errors) > room:
        text += f"\n... [Omitted {len(errors) - room} more errors] ...\n"
    return _TURN.format(number=number, errors=text)


def _said(judgement: Judgement) -> str:
    words = _WORDS.get(judgement.reason, "{detail}")
    detail = _cut(" ".join(judgement.detail.split())) or judgement.reason
    return words.format(detail=detail)


def _marked(lines: Sequence[str], error: Remark) -> str:
    """The code around an error, with marks where Lean points."""
    first, column = _within(lines, error.line, error.column)
    last, end = first, len(lines[first])
    if error.end_line is not None and error.end_column is not None:
        last, end = max((first, column), _within(lines, error.end_line, error.end_column))
    shown = [_short(line) for line in lines[max(0, first - LINES_BEFORE) : first]]
    before, behind = _tail(lines[first][:column]), _short(lines[last][end:])
    if first == last:
        shown.append(f"{before}<error>{_middle(lines[first][column:end])}</error>{behind}")
    else:
        shown.append(f"{before}<error>{_short(lines[first][column:])}")
        shown += _between(lines[first + 1 : last])
        shown.append(f"{_tail(lines[last][:end])}</error>{behind}")
    shown += [_short(line) for line in lines[last + 1 : last + 2]]
    return "".join(f"{line}\n" for line in shown)


def _between(lines: Sequence[str]) -> Iterator[str]:
    """Lines that are marked from end to end; of many, the first."""
    most = MOST_LINES - 1
    yield from map(_short, lines[:most])
    if len(lines) > most:
        indent = len(lines[most - 1]) - len(lines[most - 1].lstrip(" "))
        yield ""
        yield " " * min(indent, LONGEST_LINE) + _TRUNCATED


def _within(lines: Sequence[str], line: int, column: int) -> tuple[int, int]:
    """Lean's position (columns are code points, as Python's) as indices of a place that is there."""
    row = min(max(line - 1, 0), len(lines) - 1)
    return row, min(max(column, 0), len(lines[row]))


def _cut(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]} {_TRUNCATED}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} {_TRUNCATED}"


def _tail(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{_TRUNCATED} {text[-LONGEST_LINE:]}"


def _middle(text: str) -> str:
    half = LONGEST_LINE // 2
    return text if len(text) <= LONGEST_LINE else f"{text[:half]} {_TRUNCATED} {text[-half:]}"
