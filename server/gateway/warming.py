"""What a process works out once, worked out before somebody waits for it.

The framework prepares a router when it is first asked for, and the description of the API is
made for the first refusal that names a field.
"""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI

from server.gateway.answering import matching, own_names

NOWHERE: Final = {"type": "http", "method": "GET", "path": "/-", "headers": (), "root_path": ""}


def warm(app: FastAPI) -> None:
    """Some tenths of a second; from a thread, nobody else waits for it."""
    matching(app.routes, NOWHERE)
    own_names(app)
