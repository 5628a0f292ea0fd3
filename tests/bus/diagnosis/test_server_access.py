"""What `parley doctor` says of a Redis that others can use."""

from __future__ import annotations

from contextlib import closing

import pytest

from parley.bus.diagnosis.server_access import examine_access
from tests.support.servers.ports import reserved
from tests.support.servers.servers import RedisServer, StartServer

PASSWORD = "sesame-and-more"


async def test_a_server_without_a_password_is_open_to_this_machine(
    start_server: StartServer,
) -> None:
    """The password in the address does not make it closed: nobody is asked for it."""
    with closing(reserved()) as reservation:
        port = reservation.getsockname()[1]
        server = start_server(options={"port": str(port), "bind": "127.0.0.1"})
        await _examine(server, port)


async def _examine(server: RedisServer, port: int) -> None:
    for url in (f"redis://127.0.0.1:{port}/0", f"redis://localhost:{port}"):
        access = await examine_access(url)
        assert access.state == "local"
        assert "set requirepass" in access.finding
    with server.client() as raw:
        raw.config_set("requirepass", PASSWORD)
    access = await examine_access(f"redis://:{PASSWORD}@127.0.0.1:{port}/0")
    assert access.state == "closed"
    assert PASSWORD not in access.finding
    assert (await examine_access(server.url)).state == "closed"


@pytest.mark.parametrize("password", ["change-me", "Password", "redis"])
async def test_a_password_out_of_an_example_is_none(password: str) -> None:
    """It is not even tried."""
    access = await examine_access(f"redis://:{password}@redis.example:6379/0")
    assert (access.state, "stands in examples" in access.finding) == ("open", True)
    assert f":{password}@" not in access.finding
