"""A record and its facts as it goes to clients, encoded once for all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
import orjson

from parley.bus.entries import Record
from parley.memory.state.item_state import Fact
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.live.visible_entries import as_shown

Group = Literal["messages", "floor", "other"]

_FLOOR: Final = ("floor.", "participant.", "spend.")


class Frame:
    """One event of a stream. Each form of it is made when it is first asked for, and kept.

    `group` None goes to everybody. A frame with `seq` 0 moves nobody's cursor. `mark` is
    that of the entry at `seq`, where the frame is of one.
    """

    __slots__ = ("_bare", "_cut", "_sse", "_ws", "data", "event", "group", "mark", "seq")

    def __init__(
        self,
        event: str,
        seq: int,
        group: Group | None,
        data: bytes,
        cut: int | None = None,
        mark: str = "",
    ) -> None:
        self.event, self.seq, self.group, self.data, self.mark = event, seq, group, data, mark
        self._cut = cut  # where its facts begin; None: it has none
        self._sse: bytes | None = None
        self._ws: str | None = None
        self._bare: Frame | None = None

    @property
    def cursor(self) -> StreamCursor:
        """What a client that heard it goes on from."""
        return StreamCursor(self.seq, self.mark)

    @property
    def sse(self) -> bytes:
        """The whole event of an event stream."""
        if self._sse is None:
            id_line = b"id: %s\n" % str(self.cursor).encode() if self.seq else b""
            self._sse = b"%sevent: %s\ndata: %s\n\n" % (id_line, self.event.encode(), self.data)
        return self._sse

    @property
    def ws(self) -> str:
        """The text of a WebSocket frame."""
        if self._ws is None:
            self._ws = self.data.decode()
        return self._ws

    @property
    def bare(self) -> Frame:
        """The frame without facts."""
        if self._cut is None:
            return self
        if self._bare is None:
            data = self.data[: self._cut] + b"}"
            self._bare = Frame(self.event, self.seq, self.group, data, mark=self.mark)
        return self._bare


class _Beat(Frame):
    """A comment: it keeps a connection open and says nothing."""

    __slots__ = ()

    @property
    def sse(self) -> bytes:
        return b":\n\n"


BEAT: Final = _Beat("", 0, None, b"{}")


def entry_frame(record: Record, facts: Sequence[Fact]) -> Frame:
    """An entry with the facts that it gave."""
    try:
        cursor = str(StreamCursor(record.seq, record.mark))
        head = orjson.dumps({**as_shown(record, facts), "cursor": cursor})
        tail = b',"facts":%s}' % msgspec.json.encode(facts)
    except (TypeError, UnicodeEncodeError):  # text that is not UTF-8, written past our doors
        head, tail = _unreadable(record), b',"facts":[]}'
    group = group_of_kind(record.entry.kind)
    return Frame("entry", record.seq, group, head[:-1] + tail, len(head) - 1, record.mark)


def group_of_kind(kind: str) -> Group:
    """What a client asks for by `show` to be told of entries of that kind."""
    if kind in ("message", "message.edited"):
        return "messages"
    return "floor" if kind.startswith(_FLOOR) else "other"


def notice_frame(event: str, /, **members: Any) -> Frame:
    """What the server says about the stream."""
    return Frame(event, 0, None, orjson.dumps({"type": event, **members}))


def reset_frame(cursor: StreamCursor, n: int) -> Frame:
    """What was heard does not stand: a client goes on from `cursor`, where entry `n` is."""
    row = {"type": "reset", "seq": cursor.seq, "n": n, "cursor": str(cursor)}
    return Frame("reset", cursor.seq, None, orjson.dumps(row), mark=cursor.mark)


def _unreadable(record: Record) -> bytes:
    row = {"type": "entry", "seq": record.seq, "n": record.n, "id": _utf8(record.id)}
    entry = {"kind": _utf8(record.entry.kind)}
    tail = {"cursor": str(StreamCursor(record.seq, record.mark))}
    return orjson.dumps(
        {**row, "t": record.received_ms, "entry": entry, "unreadable": True, **tail}
    )


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
