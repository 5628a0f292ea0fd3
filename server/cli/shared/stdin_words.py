"""Where a command's words come from when they are not typed."""

from __future__ import annotations

import sys

from parley.server.basics.errors import Misuse


def stdin_text() -> str:
    """All of stdin without its last line feed. Raises `Misuse` for what is no UTF-8."""
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise Misuse(f"stdin is not UTF-8: {error.reason} at byte {error.start}") from None
