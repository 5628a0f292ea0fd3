"""The minutes of a session, as data or as a page to hand on."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any, Final, Literal

from fastapi import APIRouter, Response

from bus.entries import PRIMARY, Record
from memory.state import Memory
from server.asking import entries
from server.gateway.answers_read import Row
from server.gateway.doors import Doors, DoorsOf, SessionId
from server.gateway.identity import Reader
from server.gateway.problems import problems
from server.gateway.reading import At, check

router = APIRouter()

Form = Literal["json", "md", "html", "text"]

_TYPES: Final[dict[str, str]] = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    **problems("no-session", "not-yet"),
    200: {
        "model": Row,
        "content": {
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
            "text/plain": {"schema": {"type": "string"}},
        },
    },
}


@router.get("/v1/sessions/{session}/minutes", responses=_ANSWERS)
async def get_minutes(
    session: SessionId, caller: Reader, doors: DoorsOf, at: At = None, format: Form = "json"
) -> Response:
    """What a session came to: decisions, open proposals, who moved, action candidates, evidence.

    Markdown, HTML and plain text come as a file.
    """
    body = await page(doors, session, at, format)
    headers = {}
    if format != "json":
        ending = "txt" if format == "text" else format
        headers["Content-Disposition"] = f'attachment; filename="minutes-{session}.{ending}"'
    return Response(body, headers=headers, media_type=_TYPES[format])


async def page(doors: Doors, session: str, at: int | None, format: Form) -> bytes:
    """The minutes as a file. Raises `SessionNotFound`, `NotYet`.

    Kept until the log moves, and a few are made at once: they take seconds of a long session.
    """
    info = await doors.held.bus.info(session)
    check(info, at)
    n = info.n if at is None else at
    upto = ("head", info.head) if n == info.n else ("n", n)  # entries without an n may still come
    key = ("minutes", session, info.incarnation, len(info.skips), upto, format)
    if (kept := doors.views.get(key)) is None:
        async with doors.making:
            if (kept := doors.views.get(key)) is None:
                made = await _made(doors, session, n, format)
                kept = await asyncio.to_thread(zlib.compress, made, 1)
                doors.views.put(key, kept)
    return await asyncio.to_thread(zlib.decompress, kept)


async def _made(doors: Doors, session: str, n: int, format: Form) -> bytes:
    memory = await doors.moments.at(session, n)  # its own copy: it is read in a thread
    log = entries(doors.held.bus, session, memory.seq)
    said = [record async for record in log if record.entry.kind in PRIMARY]
    return await asyncio.to_thread(_rendered, memory, said, session, format)


def _rendered(memory: Memory, said: list[Record], session: str, format: Form) -> bytes:
    from server.minutes.forms import render
    from server.minutes.report import report

    return render(report(memory, said, session), format)
