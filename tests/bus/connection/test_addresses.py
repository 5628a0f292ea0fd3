"""Addresses of Redis: one server, nodes of a cluster, Sentinels."""

from __future__ import annotations

import pytest

from parley.bus.connection.addresses import hide_password, parse_address


@pytest.mark.parametrize(
    ("url", "hosts", "service"),
    [
        ("unix:///run/redis.sock", (), None),
        ("redis://", (("localhost", 6379),), None),
        ("redis://one:7000,two,[::1]:7001", (("one", 7000), ("two", 6379), ("::1", 7001)), None),
        ("redis+sentinel://one,two:26380/main", (("one", 26379), ("two", 26380)), "main"),
    ],
)
def test_an_address_names_its_hosts(
    url: str, hosts: tuple[tuple[str, int], ...], service: str | None
) -> None:
    """Ports that are not named are Redis' own, or the Sentinels'."""
    address = parse_address(url)
    assert (address.hosts, address.service) == (hosts, service)


def test_what_stands_around_the_hosts_is_for_each_of_them() -> None:
    """Name, password and options; the Sentinels' own are for them alone."""
    url = "rediss+sentinel://ana:p%40ss@one:26379/main/2?sentinel_password=w&client_name=me"
    address = parse_address(url)
    assert address.options == {
        "username": "ana", "password": "p@ss", "ssl": True, "db": 2, "client_name": "me",
    }  # fmt: skip
    assert address.sentinel_options == {"password": "w"}


@pytest.mark.parametrize(
    "url", ["http://h", "redis+other://h", "redis+sentinel://h", "redis://h:0", "redis://h/x"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """A scheme, a port or a database that there is not; Sentinels without a service."""
    with pytest.raises(ValueError, match="no "):
        parse_address(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://ana:secret@one:1,two:2/0", "redis://ana:***@one:1,two:2/0"),
        ("redis://:secret@host", "redis://:***@host"),
        ("redis+sentinel://h/main?sentinel_password=secret",
         "redis+sentinel://h/main?sentinel_password=***"),
        ("redis://host:6379/0", "redis://host:6379/0"),
    ],
)  # fmt: skip
def test_no_password_is_shown(url: str, shown: str) -> None:
    """Neither Redis' nor the Sentinels'."""
    assert hide_password(url) == shown
