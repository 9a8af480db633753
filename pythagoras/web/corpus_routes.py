"""`/api/corpus`: which corpora there are, and their rows by page."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query

from pythagoras.corpus.records import Tier
from pythagoras.web.corpus_shelf import CorpusShelf, CorpusTold, RowsTold, Wanted, rows_of
from pythagoras.web.wire import refusals

_MOST_ROWS = 100
Word = Annotated[str, Query(max_length=200)]


def corpus_routes(shelf: CorpusShelf) -> APIRouter:
    router = APIRouter(prefix="/api/corpus", tags=["corpus"], responses=refusals())

    @router.get("")
    async def corpora() -> tuple[CorpusTold, ...]:
        """The corpora, with counts."""
        return await asyncio.to_thread(shelf.corpora)

    @router.get("/{name}/rows")
    async def rows(
        name: Annotated[str, Path(max_length=1000)],
        tier: Annotated[Tier | None, Query(description="Only this tier.")] = None,
        source: Word = "",
        topic: Word = "",
        text: Annotated[str, Query(max_length=200, description="Words that name, statement, proof or text have.")] = "",
        verified: Annotated[bool | None, Query(description="Only rows that Lean has judged proved, or others.")] = None,
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=_MOST_ROWS)] = 25,
    ) -> RowsTold:
        """Rows that fit all filters, in the corpus's order."""
        folder = await asyncio.to_thread(shelf.folder, name)
        if folder is None:
            raise HTTPException(404, "there is no such corpus")
        return await asyncio.to_thread(rows_of, folder, Wanted(tier, source, topic, text, verified), offset, limit)

    return router
