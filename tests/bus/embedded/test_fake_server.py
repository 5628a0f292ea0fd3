"""Where the fake server stands in for a real one, it must behave like one."""

from __future__ import annotations

import pytest
import redis

from tests.support.servers.servers import StartServer, fake_installed


@pytest.mark.skipif(not fake_installed(), reason="fakeredis is not installed")
def test_an_error_reply_leaves_the_connection_open(start_server: StartServer) -> None:
    """NOSCRIPT is an answer like any other; the next command finds the same connection."""
    server = start_server("fake")
    pool = redis.ConnectionPool.from_url(server.url, max_connections=1, retry=None)
    with redis.Redis(connection_pool=pool) as client:
        name = "one connection"
        client.client_setname(name)
        with pytest.raises(redis.exceptions.NoScriptError):
            client.evalsha("0" * 40, 0)
        assert client.client_getname() == name
    pool.disconnect()
