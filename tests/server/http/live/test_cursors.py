"""Cursors of live streams: how they are written and read."""

from __future__ import annotations

import pytest

from parley.server.http.live.cursors import StreamCursor, parse_cursor


@pytest.mark.parametrize(
    "cursor", [StreamCursor(0), StreamCursor(41), StreamCursor(41, "9f3c07aa")]
)
def test_what_is_written_is_read(cursor: StreamCursor) -> None:
    assert parse_cursor(str(cursor)) == cursor
    assert parse_cursor(cursor.seq) == StreamCursor(cursor.seq)


@pytest.mark.parametrize(
    "text", ["", "-1", "x", "41-", "41-9f3c", "41-9F3C07AA", "41-9f3c07aa0", "41\n", "٤١", "1" * 17]
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_cursor(text) is None
