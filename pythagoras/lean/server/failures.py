"""What clients are told when a request can't be answered: one line, and never what they sent."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import JSONResponse, Response

from pythagoras.errors import InputError
from pythagoras.lean.server.door import overloaded
from pythagoras.lean.server.turns import Overloaded


def tell_failures(app: FastAPI) -> None:
    """Let an application answer in these words."""
    app.add_exception_handler(Overloaded, _overloaded)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(InputError, _unusable)
    app.add_exception_handler(Exception, _broken)


async def _overloaded(_: Request, error: Exception) -> Response:
    assert isinstance(error, Overloaded)
    return overloaded(error)


async def _invalid(_: Request, error: Exception) -> Response:
    """FastAPI's own answer, without the copy of what was sent: that may be megabytes."""
    assert isinstance(error, RequestValidationError)
    told = [{key: problem[key] for key in ("type", "loc", "msg") if key in problem} for problem in error.errors()]
    return JSONResponse({"detail": told}, 422)


async def _unusable(_: Request, error: Exception) -> Response:
    """What was sent can't be used: a statement that is none, a header that this Lean has not got."""
    return JSONResponse({"detail": str(error)}, 422)


async def _broken(_: Request, error: Exception) -> Response:
    """A failure of ours. The server's log has the rest."""
    return JSONResponse({"detail": f"the server failed ({type(error).__name__}): its log says more"}, 500)
