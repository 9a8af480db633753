"""The page and its files, read once from the package. Nothing is loaded from elsewhere, and no path is made of a name.

What the report on runs has as well (colours, highlighting, elements) is taken from there.
"""

from __future__ import annotations

import hashlib
import importlib.resources
from dataclasses import dataclass

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

_REPORT = "pythagoras.evaluate.report"
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_OWN = (
    "index.html",
    "web.css",
    "icon.svg",
    "main.js",
    "api.js",
    "prove.js",
    "attempts.js",
    "runs.js",
    "corpus.js",
    "ladder.js",
)
_SHARED = ("page.css", "lean.js", "dom.js", "blocks.js", "theme.js")
_INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    media_type: str
    tag: str

    def answer(self, request: Request) -> Response:
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


def page_routes() -> APIRouter:
    """`GET /` and the files of the page."""
    files = {name: _read("pythagoras.web", f"static/{name}") for name in _OWN}
    files |= {name: _read(_REPORT, name) for name in _SHARED}
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def index(request: Request) -> Response:
        return files[_INDEX].answer(request)

    @router.get("/static/{name}")
    async def static(name: str, request: Request) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such file")
        return files[name].answer(request)

    return router


def _read(package: str, path: str) -> _File:
    content = importlib.resources.files(package).joinpath(path).read_bytes()
    tag = hashlib.sha256(content).hexdigest()[:16]
    return _File(content, _TYPES[path.rpartition(".")[2]], f'"{tag}"')
