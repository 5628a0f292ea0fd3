"""One server of an address, how one logs in there, and what it may say of TLS."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from parley.bus.connection.addresses import parse_address
from parley.bus.connection.server_address import sentinel_at, server_at


@pytest.mark.parametrize(
    ("url", "fields"),
    [
        ("redis://", {"host": ("localhost", 6379), "path": None, "database": 0}),
        ("redis://h:1/3", {"host": ("h", 1), "database": 3}),
        ("redis://h/3?db=4", {"database": 3}),
        ("redis://[::1]:7", {"host": ("::1", 7)}),
        ("redis://ana:a%2Fb@h", {"username": "ana", "password": "a/b"}),
        ("redis://:b@h?client_name=me", {"username": None, "password": "b", "client_name": "me"}),
        ("unix:///a%20b/s?db=2", {"path": "/a b/s", "database": 2}),
        ("unix://:b@/s", {"path": "/s", "password": "b"}),
    ],
)
def test_a_server_is_read_in_its_parts(url: str, fields: dict[str, Any]) -> None:
    """Percent signs stand for what an address cannot hold itself."""
    server = server_at(parse_address(url))
    assert {name: getattr(server, name) for name in fields} == fields
    assert server.tls is None


def test_each_host_has_what_stands_around_them() -> None:
    """And a Sentinel what is its own, but for TLS, which is everybody's."""
    cluster = parse_address("rediss://ana:p%40ss@one,two:1?ssl_cert_reqs=none")
    node = server_at(cluster, ("::1", 2))
    assert (node.host, node.login) == (("::1", 2), [("AUTH", "ana", "p@ss")])
    assert node.tls is not None
    url = "rediss+sentinel://ana:b@one/main/2?sentinel_password=w"
    sentinel = sentinel_at(parse_address(url), ("one", 26379))
    assert sentinel.login == [("AUTH", "w")]
    assert sentinel.tls is not None


@pytest.mark.parametrize(
    ("url", "commands"),
    [
        ("redis://h", []),
        ("redis://:b@h", [("AUTH", "b")]),
        ("redis://ana:b@h/3", [("AUTH", "ana", "b"), ("SELECT", "3")]),
        ("redis://h?client_name=me", [("CLIENT", "SETNAME", "me")]),
    ],
)
def test_what_logs_in_there_follows_from_it(url: str, commands: list[tuple[str, ...]]) -> None:
    """Nothing is sent that the address does not name."""
    assert server_at(parse_address(url)).login == commands


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("rediss://h?ssl_colour=red", "no option"),
        ("rediss://h?ssl_cert_reqs=maybe", "ssl_cert_reqs is one of"),
        ("rediss://h?ssl_ca_certs=/none", "cannot be read"),
        ("rediss://h?ssl_certfile=/none", "cannot be read"),
    ],
)
def test_tls_that_cannot_be_had_is_refused_with_its_reason(url: str, reason: str) -> None:
    """Before anything is tried."""
    with pytest.raises(ValueError, match=reason):
        server_at(parse_address(url))


def test_a_certificate_is_checked_unless_the_address_says_otherwise() -> None:
    """With the name in it; without checks there is still nobody who reads along."""
    usual, weak, nameless = (
        server_at(parse_address(f"rediss://h{query}")).tls
        for query in ("", "?ssl_cert_reqs=none", "?ssl_check_hostname=false")
    )
    assert usual is not None
    assert weak is not None
    assert nameless is not None
    assert (usual.verify_mode, usual.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert (weak.verify_mode, weak.check_hostname) == (ssl.CERT_NONE, False)
    assert (nameless.verify_mode, nameless.check_hostname) == (ssl.CERT_REQUIRED, False)
