"""A statement that Lean refuses: where, and what it says."""

from __future__ import annotations

from pythagoras.errors import HostDied, InputError
from pythagoras.lean.pool import Check, Checked, Status
from pythagoras.lean.wire import Answer, Message, Position

_SHOWN = 160


class StatementRefused(InputError):
    """What is to be proved is no Lean."""

    def __init__(self, line: int, column: int, message: str) -> None:
        """Lines count from 1, columns from 0, as Lean counts."""
        said = (message.splitlines() or [""])[0]
        said = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
        super().__init__(f"not Lean, in line {line}, column {column + 1}: {said}: correct it there")
        self.line = line
        self.column = column
        self.message = message
        """All that Lean says about it."""


def sound(checked: Checked, last: Position | None = None) -> Answer:
    """What Lean said to a text that is taken for granted. Raises StatementRefused, and HostDied where it said nothing.

    Errors behind `last` do not count.
    """
    answer = checked.answer
    if answer is None:
        raise HostDied(f"Lean broke down over the statement ({checked.failure}): try again, or run `pythagoras doctor`")
    if answer.refused is not None:
        raise InputError(
            f"the text has {answer.refused.syntax}, which nothing may have that is to be judged: leave it out"
        )
    errors = [error for error in answer.errors if last is None or _before(error, last)]
    if errors:
        place = _visible(checked.check.code, errors[0].pos)
        raise StatementRefused(place.line, place.column, errors[0].data)
    if checked.status is Status.TIMEOUT:
        raise InputError(
            f"Lean did not finish with the statement in {_limit(checked.check):g} s: give it more, or say less"
        )
    return answer


def _limit(check: Check) -> float:
    return check.limits.timeout_s


def _visible(code: str, place: Position) -> Position:
    """Lean's parser stops behind the last word that it could read; what it could not read stands behind the blanks."""
    lines = code.split("\n")
    rest = lines[place.line - 1][place.column :] if place.line <= len(lines) else ""
    blanks = len(rest) - len(rest.lstrip()) if rest.strip() else 0
    return Position(line=place.line, column=place.column + blanks)


def _before(message: Message, last: Position) -> bool:
    return (message.pos.line, message.pos.column) <= (last.line, last.column)
