"""`parley schema`: what the doors take and give, as documents."""

from __future__ import annotations

import sys
from typing import Literal

import orjson


def schema(which: Literal["openapi", "asyncapi"]) -> None:
    """Print the document as JSON."""
    sys.stdout.buffer.write(text(which))
    sys.stdout.buffer.flush()


def text(which: Literal["openapi", "asyncapi"]) -> bytes:
    """The document, indented, as docs/ holds it."""
    from parley.server.gateway import app
    from parley.server.gateway.documents import asyncapi

    found = app.document() if which == "openapi" else asyncapi.document()
    return orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
