"""The forms that minutes are handed on in. Pure."""

from __future__ import annotations

from typing import Any, Literal

import orjson

from server.minutes import html, markdown, text

Form = Literal["text", "md", "html", "json"]


def render(found: dict[str, Any], form: Form) -> bytes:
    """A report in one of its forms."""
    match form:
        case "md":
            return markdown.render(found).encode()
        case "html":
            return html.render(found).encode()
        case "text":
            return text.render(found).encode()
    return orjson.dumps(found, option=orjson.OPT_NON_STR_KEYS) + b"\n"
