"""fakeredis behind a loopback port, as a process of its own; prints its port.

`python fake_server.py [port]`, run as a file: it imports nothing of Parley.
Keeps nothing and ends on SIGTERM.
"""

from __future__ import annotations

import io
import select
import sys
from socket import socket
from typing import TYPE_CHECKING, Any, cast

from fakeredis import TcpFakeServer
from fakeredis._clients._tcp_server import TCPFakeRequestHandler
from redis.exceptions import ResponseError

if TYPE_CHECKING:
    from typing_extensions import Buffer

VERSION = (7, 0)  # what it claims to be


class BlockingWriter(io.BufferedIOBase):
    """Writes whole replies to a socket that does not block."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection

    def write(self, data: Buffer) -> int:
        rest = memoryview(data)
        size = len(rest)
        while rest:
            try:
                rest = rest[self._connection.send(rest) :]
            except BlockingIOError:
                select.select([], [self._connection], [])
        return size


class ErrorReplyClient:
    """A client of the fake that gives an error as the reply it is."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def read_response(self) -> Any:
        try:
            return self._client.read_response()
        except ResponseError as error:
            return error


class Handler(TCPFakeRequestHandler):
    """fakeredis 2.40 makes the socket non-blocking to poll it, and then loses the
    connection at any reply larger than the socket's buffer (a batch of long
    messages to a reader that is busy). It also ends the connection at every error
    reply, and with it the rest of a pipeline."""

    def setup(self) -> None:
        super().setup()
        self.writer.writer = BlockingWriter(self.connection)
        self.current_client = cast("Any", ErrorReplyClient(self.current_client))


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0  # 0: any that is free
    server = TcpFakeServer(("127.0.0.1", port), server_version=VERSION)
    server.RequestHandlerClass = Handler
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.close()
    server.serve_forever()


if __name__ == "__main__":
    main()
