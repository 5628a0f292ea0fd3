"""The forms that minutes are handed on in. Pure."""

from __future__ import annotations

from typing import Any, Literal

import orjson

from parley.server.render.minutes import minutes_html, minutes_markdown, minutes_text

Form = Literal["text", "md", "html", "json"]


def render(row: dict[str, Any], form: Form) -> bytes:
    """A report in one of its forms."""
    match form:
        case "md":
            return minutes_markdown.render(row).encode()
        case "html":
            return minutes_html.render(row).encode()
        case "text":
            return minutes_text.render(row).encode()
    return orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS) + b"\n"
