"""A connection that became a WebSocket, with an end to what it has the server hold.

uvicorn answers each ping though nobody reads the answers, and keeps each fragment of a
message as an object of its own.
"""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame


class WebSocketConnection(WebSocketsSansIOProtocol):
    """Whoever does not read what is sent is not read either."""

    _rest: bytearray | None = None  # of a message in fragments, all that came after the first

    def handle_ping(self) -> None:
        super().handle_ping()
        if not self.writable.is_set():
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def handle_cont(self, event: Frame) -> None:
        if self._rest is None:
            self._rest = bytearray()
        self._rest += event.data
        if event.fin:
            self.frames.append(bytes(self._rest))
            self._rest = None
            self.send_receive_event_to_app()
