"""`/api/ladder`: what provers solve at which cost, from a file that `pythagoras eval ladder` made."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fastapi import APIRouter, HTTPException
from pydantic import Field

from pythagoras.evaluate.ladder import Ladder, read_ladder, reported
from pythagoras.web.wire import Strict, refusals

HOW = "there is no ladder yet: make one with `pythagoras eval ladder RUN... -o FILE`, and name it with --ladder FILE"


class ReportedTold(Strict):
    """What others report. Nothing here was measured by us."""

    system: str
    benchmark: str
    n: int
    share: float
    table: str = Field(description="Label of the paper's table, figure or section.")
    copied: bool = Field(description="Whether the paper has it from others; if not, its authors measured it.")


class LadderTold(Strict):
    """The ladder, and beside it what others report."""

    ladder: Ladder
    reported: tuple[ReportedTold, ...]


def ladder_routes(path: Path | None) -> APIRouter:
    router = APIRouter(prefix="/api", tags=["ladder"], responses=refusals())

    @router.get("/ladder")
    async def ladder() -> LadderTold:
        """What provers solve at which cost; 404 says how to make a ladder where there is none."""
        if path is None or not path.exists():
            raise HTTPException(404, HOW)
        found = await asyncio.to_thread(read_ladder, path)
        beside = (
            ReportedTold(
                system=one.system,
                benchmark=one.benchmark,
                n=one.n,
                share=one.share,
                table=one.table,
                copied=one.copied,
            )
            for one in reported(found)
        )
        return LadderTold(ladder=found, reported=tuple(beside))

    return router
