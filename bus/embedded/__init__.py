"""Redis servers that Parley starts itself: a data directory's own, or one of this process.

`embedded_server` holds `serve`, which is all that others need. Imports the errors of the
bus and how tasks are ended, nothing else of Parley.
"""

from parley.bus.embedded.embedded_server import Mode, Server, serve

__all__ = ["Mode", "Server", "serve"]
