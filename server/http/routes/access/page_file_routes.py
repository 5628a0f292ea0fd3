"""The page and its files, and the page of the API.

The files are read once, when this module is: no request names a path that is opened. The
shell is the same for everybody and holds nothing of any session.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from parley.server.http.identity.authorization import RequiresRight
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import SessionId
from parley.server.http.transport.asgi_middleware import FOR_PAGES, OF_PAGES

router = APIRouter(
    include_in_schema=False, dependencies=[Depends(RequiresRight("public"))], tags=["pages"]
)

_SHELL_HEADERS: Final = MappingProxyType({  # said by a 304 too, which has no type to tell it by
    **OF_PAGES, "Content-Security-Policy": FOR_PAGES, "Cache-Control": "no-cache",
})  # fmt: skip
KINDS: Final = MappingProxyType({".js": "text/javascript", ".json": "application/json"})
_KEEP: Final = "max-age=300"


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent; `etag` is of its bytes."""

    body: bytes
    kind: str
    etag: str


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, File]]:
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.is_dir():
            yield from _files(file, f"{prefix}{file.name}/")
        else:
            body = file.read_bytes()
            etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
            yield prefix + file.name, File(body, _kind(file.name), etag)


def _kind(name: str) -> str:
    known = KINDS.get(name[name.rfind(".") :])
    kind = known or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


FILES: Final[Mapping[str, File]] = MappingProxyType(
    dict(_files(resources.files("parley.server") / "page"))
)


@router.get("/")
async def show_sessions(request: Request) -> Response:
    """The list of sessions."""
    return _sent(request, FILES["index.html"], _SHELL_HEADERS)


@router.get("/s/{session}")
async def show_session(request: Request, session: SessionId) -> Response:
    """One session's page; whether there is such a session, its script finds out."""
    return _sent(request, FILES["index.html"], _SHELL_HEADERS)


@router.get("/docs")
async def show_docs(request: Request) -> Response:
    """What the API offers, read from its own description."""
    return _sent(request, FILES["docs.html"], _SHELL_HEADERS)


@router.get("/static/{path:path}")
async def show_file(request: Request, path: str) -> Response:
    """A file of the page by its name."""
    if path not in FILES or path.endswith(".html"):
        raise Problem("not-found")
    return _sent(request, FILES[path], {"Cache-Control": _KEEP})


def _sent(request: Request, file: File, headers: Mapping[str, str]) -> Response:
    """The file, or 304 to who has it already."""
    given = {**headers, "ETag": file.etag}
    known = request.headers.get("if-none-match", "")
    if file.etag in (word.strip().removeprefix("W/") for word in known.split(",")):
        return Response(status_code=304, headers=given)
    return Response(file.body, media_type=file.kind, headers=given)
