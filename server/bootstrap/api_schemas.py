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
    from parley.server.http import http_app
    from parley.server.http.documents import asyncapi

    row = http_app.openapi_document() if which == "openapi" else asyncapi.asyncapi_document()
    return orjson.dumps(row, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
