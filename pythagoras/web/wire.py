"""What answers of the API have in common: strict models, and what is said where a request is refused."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """A part of an answer: nothing unknown, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FieldProblem(Strict):
    """What is wrong with one field of a request."""

    type: str
    loc: tuple[str | int, ...]
    msg: str


class Place(Strict):
    """Where a theorem is no Lean. Lines count from 1, columns from 0, in characters of the text that was sent."""

    line: int
    column: int
    message: str


class Refusal(Strict):
    """Why a request is refused: one line, the fields that are wrong, or the place where a theorem is no Lean."""

    detail: str | Place | tuple[FieldProblem, ...] = Field(union_mode="left_to_right")


_WHY = {
    400: "The body is no text that can be read.",
    401: "The key is missing or wrong.",
    403: "A page of another site sent this, or the server was called by a name that is not its own.",
    404: "There is no such thing.",
    408: "The body took too long to arrive.",
    413: "The body is too long.",
    422: "What was sent can't be used.",
    429: "There is more to do than can be done: try again later.",
    503: "The server is stopping.",
}


def refusals() -> dict[int | str, dict[str, Any]]:
    """For OpenAPI: how any request may be refused."""
    return {status: {"model": Refusal, "description": why} for status, why in _WHY.items()}
