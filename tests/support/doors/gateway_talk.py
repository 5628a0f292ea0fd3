"""A session on the doors, for tests that talk in it over HTTP."""

from __future__ import annotations

from typing import Any, Final

import httpx2

from tests.support.doors.doors import Standing
from tests.support.sessions.rooms import SILENT_MS

NAME: Final = "harbour"
PATH: Final = f"/v1/sessions/{NAME}"


async def begin(d: Standing, **settings: Any) -> None:
    """Have the session on the server; where it has a floor, nobody counts as silent there."""
    if "floor" in settings:
        settings["floor"] = {"evaluation_ms": SILENT_MS, **settings["floor"]}
    async with d.client(d.operator()) as operator:
        body = {"session": NAME, "settings": settings}
        assert (await operator.post("/v1/sessions", json=body)).status_code == 201


def slug(answer: httpx2.Response) -> str:
    """Which problem an answer is."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return str(answer.json()["type"]).removeprefix("urn:parley:problem:")
