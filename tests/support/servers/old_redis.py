"""A server that says it is an old Redis, and knows no more than it takes to say so."""

from __future__ import annotations

import socketserver
import threading


class OldRedis:
    """A context manager; gives the address of one that claims to be `version`."""

    def __init__(self, version: str) -> None:
        info = f"# Server\r\nredis_version:{version}\r\nredis_mode:standalone\r\n".encode()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while words := self._command():
                    verb = words[0].upper()
                    if verb == b"PING":
                        self.wfile.write(b"+PONG\r\n")
                    elif verb == b"INFO":
                        self.wfile.write(b"$%d\r\n%s\r\n" % (len(info), info))
                    else:
                        self.wfile.write(b"-ERR unknown command `%s`, with args\r\n" % verb)

            def _command(self) -> list[bytes]:
                count = int(self.rfile.readline()[1:] or 0)
                sizes = ((int(self.rfile.readline()[1:]), self.rfile) for _ in range(count))
                return [file.read(size + 2)[:-2] for size, file in sizes]

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> str:
        self._thread.start()
        return f"redis://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
