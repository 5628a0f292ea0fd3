"""A port that stays one's own while nobody listens there."""

from __future__ import annotations

import socket


def reserved() -> socket.socket:
    """Bound to a port of this machine until it is closed, and listening to nobody.

    The system gives that port to nobody who asks for any; a server of ours that asks
    for this very one may listen there, as often as it likes.
    """
    reservation = socket.socket()
    reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reservation.bind(("127.0.0.1", 0))
    return reservation
