"""Where Redis is: one server, several of a cluster, or what a Sentinel names. Pure.

    redis://host:6379/0                         one server; unix:///path
    redis://one:6379,two:6379                   nodes of a cluster: whichever answers tells the rest
    redis+sentinel://one:26379,two:26379/main   the primary that the Sentinels call `main`

With `rediss` in place of `redis`, over TLS.

Name and password stand before the hosts, options behind `?`: `db` (Sentinel's is `/main/2`),
`client_name`, `password_file` (its first line is the password), `ssl_…`, and for Sentinels that ask
who comes `sentinel_username` and `sentinel_password`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

Host = tuple[str, int]

PORT: Final = 6379
SENTINEL_PORT: Final = 26379
_PLACES: Final = re.compile(r"[^/?#]*")  # of a URL: what stands before its path
_BRACKETED: Final = re.compile(r"\[[^][]+\](?::.*)?")
_SECRET: Final = "sentinel_password"  # noqa: S105 - the name of an option
_TLS: Final = (
    "ssl_ca_certs", "ssl_ca_path", "ssl_ca_data", "ssl_cert_reqs", "ssl_certfile",
    "ssl_check_hostname", "ssl_keyfile", "ssl_password",
)  # fmt: skip
_OWN: Final = ("db", "client_name", "password_file", "sentinel_username", _SECRET)


@dataclass(frozen=True, slots=True)
class Address:
    """Where Redis is: `hosts`, of a unix socket its `path`; `service` is what Sentinels call it."""

    url: str = field(repr=False)
    hosts: tuple[Host, ...]
    service: str | None = None
    path: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)  # by redis-py's names
    sentinel_options: Mapping[str, Any] = field(default_factory=dict, repr=False)


def parse_address(url: str) -> Address:
    """The address that `url` names. Raises `ValueError`, saying what is wrong with it."""
    parts = _split(url)
    options: dict[str, Any] = dict(_options(parts.query))
    scheme, _, kind = parts.scheme.partition("+")
    is_socket = parts.scheme == "unix"
    if not is_socket and (scheme not in ("redis", "rediss") or kind not in ("", "sentinel")):
        raise ValueError(f"no scheme {parts.scheme!r}")
    who, _, places = parts.netloc.rpartition("@")
    port = SENTINEL_PORT if kind else PORT
    hosts = () if is_socket else tuple(_host(place, port) for place in places.split(","))
    service, path = (None, "" if is_socket else parts.path) if not kind else _service(parts.path)
    name, _, password = who.partition(":")
    sentinel = {
        key.removeprefix("sentinel_"): options.pop(key) for key in _OWN[3:] if key in options
    }
    options |= {"username": unquote(name) or None, "password": unquote(password) or None}
    options |= {"ssl": True} if scheme == "rediss" else {}
    if (db := path.strip("/") or options.get("db")) is not None:
        options["db"] = _whole(str(db))
    socket = unquote(parts.path) if is_socket else None
    return Address(url, hosts, service, socket, options, sentinel)


def hide_password(url: str) -> str:
    """`url` without its passwords."""
    try:
        parts = _split(url)
    except ValueError:
        return "what PARLEY_REDIS holds"  # where a password stands in it, nobody can say
    who, at, place = parts.netloc.rpartition("@")
    name, colon, _ = who.partition(":")
    query = parts.query
    if _SECRET in query:
        pairs = [(key, "***" if key == _SECRET else value) for key, value in parse_qsl(query)]
        query = urlencode(pairs, safe="*/")
    if not colon and query == parts.query:
        return url
    hidden = f"{name}:***" if colon else name
    return urlunsplit(parts._replace(netloc=f"{hidden}{at}{place}", query=query))


def _split(url: str) -> SplitResult:
    """As `urlsplit`, which from Python 3.13 on takes brackets around the first host alone."""
    scheme, colon, rest = url.partition("://")
    places = _PLACES.match(rest)
    if not colon or places is None:
        return urlsplit(url)
    parts = urlsplit(f"{scheme}://{rest[places.end() :]}")
    return parts._replace(netloc=places[0])


def _options(query: str) -> list[tuple[str, str]]:
    """Raises `ValueError` for an option that there is not."""
    pairs = parse_qsl(query, keep_blank_values=True)
    for name, _ in pairs:
        if name not in (*_OWN, *_TLS):
            raise ValueError(f"no option {name!r}: only {', '.join((*_OWN, *_TLS))} may follow '?'")
    return pairs


def _host(place: str, port: int) -> Host:
    if ("[" in place or "]" in place) and not _BRACKETED.fullmatch(place):
        raise ValueError(f"no host {place!r}")
    name, colon, number = place.rpartition(":")
    if not colon or place.endswith("]"):
        name, number = place, str(port)
    name = name.strip("[]") or "localhost"
    if not number.isdigit() or not 0 < int(number) < 65536:
        raise ValueError(f"no port {number!r}")
    return name, int(number)


def _service(path: str) -> tuple[str, str]:
    service, _, db = path.strip("/").partition("/")
    if not service:
        raise ValueError("it names no service; write redis+sentinel://host:26379/SERVICE")
    return unquote(service), db


def _whole(number: str) -> int:
    if not number.isdigit():
        raise ValueError(f"no database {number!r}")
    return int(number)
