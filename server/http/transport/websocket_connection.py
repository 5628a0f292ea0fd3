"""A connection that became a WebSocket, with an end to what it has the server hold and do.

uvicorn reads all that one look at the socket gives in one go, some ten thousand frames,
and what the protocol itself answers (pings, pongs, pieces of a message) never comes to the
application, which could refuse it. It answers each ping though nobody reads the answers,
and keeps each fragment of a message as an object of its own.
"""

from __future__ import annotations

from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.protocol import State

from parley.server.http.state.rate_limits import TokenBucket

PIECE: Final = 2048  # bytes that are parsed in one go: some 300 of the shortest frames
FRAMES: Final = 1_000  # a second, of any kind; what the application reads is less
FRAMES_AT_ONCE: Final = 4_000
LINGER_SECONDS: Final = 2.0  # for whoever is closed for its rate to read why
RATE_CODE: Final = 4429
RATE_REASON: Final = "rate"
NO_TEXT_CODE: Final = 1007  # of RFC 6455: a text frame that is no UTF-8


class WebSocketConnection(WebSocketsSansIOProtocol):
    """Takes a piece at a time, in turns with everybody else, and no further than the
    application has read; whoever does not read what is sent is not read either."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unread = bytearray()  # came, and is not parsed
        self._has_turn = False  # to parse some of it
        self._answers_wait = False  # pongs that the client does not read
        self._refused = False  # it sent too much, and nothing of it is read any more
        self._rest: bytearray | None = None  # of a message in fragments, behind the first
        self._bucket = TokenBucket(FRAMES, FRAMES_AT_ONCE, FRAMES_AT_ONCE, self.loop.time())

    # -- what came -------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self._read_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unread.clear()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        wait = self._bucket.take(len(self.conn.events), self.loop.time())
        super().handle_events()
        if wait:
            self._refuse(RATE_CODE, RATE_REASON)

    async def receive(self) -> Any:
        message = await self.queue.get()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._take_turn()
        return message

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.close_sent:  # what comes now is looked through for the client's own goodbye
            self._take_turn()

    def _read_on(self) -> None:
        """Parse a piece of what came, and have a turn for the next once others had theirs."""
        self._has_turn = False
        if self.transport.is_closing() or self._refused:
            self._unread.clear()
            return
        if self._unread and self._may_read():
            piece = bytes(self._unread[:PIECE])
            del self._unread[:PIECE]
            super().data_received(piece)
        if self.transport.is_closing():
            return
        if self._may_read() and not self._unread:
            self.transport.resume_reading()
            return
        self.transport.pause_reading()
        if self._may_read():
            self._take_turn()

    def _may_read(self) -> bool:
        return not (self.read_paused or self._answers_wait or self._refused)

    def _take_turn(self) -> None:
        if not self._has_turn:
            self._has_turn = True
            self.loop.call_soon(self._read_on)

    def _refuse(self, code: int, reason: str) -> None:
        """Close it. It is read no more: not for its goodbye either."""
        self._refused = True
        self.transport.pause_reading()
        if self.conn.state is State.OPEN and not self.close_sent:
            self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    # -- frames ----------------------------------------------------------------------

    def handle_ping(self) -> None:
        super().handle_ping()
        self._answers_wait = not self.writable.is_set()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._answers_wait:
            self._answers_wait = False
            self._take_turn()

    def handle_cont(self, event: Frame) -> None:
        if self._rest is None:
            self._rest = bytearray()
        self._rest += event.data
        if event.fin:
            self.frames.append(bytes(self._rest))
            self._rest = None
            self.send_receive_event_to_app()

    def send_receive_event_to_app(self) -> None:
        """A message that came whole. One that is no text closes the connection, without a word
        in the log: uvicorn has a traceback for each, and another where the client said goodbye.
        """
        if self._refused:
            self.frames = []
        elif self.curr_msg_data_type == "text" and not _is_text(self.frames):
            self.frames = []
            self._refuse(NO_TEXT_CODE, "the text is not UTF-8")
        else:
            super().send_receive_event_to_app()


def _is_text(frames: list[bytes]) -> bool:
    try:
        b"".join(frames).decode()
    except UnicodeDecodeError:
        return False
    return True
