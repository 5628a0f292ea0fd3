"""By which names the server is called, and from whose pages."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from parley.server.basics.errors import Misuse
from parley.server.settings.serve_settings import ServeSettings

HERE: Final = ("localhost", "127.0.0.1", "[::1]")
_PORTS: Final = {"http": 80, "https": 443}
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MCP: Final = "/mcp"  # a page elsewhere could read what it streams
SHOWN: Final = "X-Request-Id, Retry-After, RateLimit-Remaining"
CACHED_SECONDS: Final = 600


class OriginRules:
    """Host and Origin rules for a server bound to `port`."""

    def __init__(self, serve: ServeSettings, port: int) -> None:
        """Raises `Misuse` for a `serve.public` or an origin that is no URL."""
        self._serve, self._port = serve, port
        public = [_origin(url, "serve.public") for url in serve.public]
        own = list(HERE) if _is_wildcard(serve.host) else [*HERE, _bracketed(serve.host)]
        self._own = tuple(dict.fromkeys(
            [*public, *(_written("http", host, port) for host in own)]
        ))  # fmt: skip
        foreign = (_origin(url, "serve.origins") for url in serve.origins)
        self._allowed = tuple(dict.fromkeys([*self._own, *foreign]))
        self._hosts = tuple(dict.fromkeys(host for own in self._own for host in _hosts(own)))

    @property
    def url(self) -> str:
        """Where a person reaches it: the first of `serve.public`, else the bound address."""
        if self._serve.public:
            return self._own[0]
        host = "127.0.0.1" if _is_wildcard(self._serve.host) else self._serve.host
        return f"http://{_bracketed(host)}:{self._port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Values of `Host` that are answered."""
        return self._hosts

    @property
    def allowed(self) -> tuple[str, ...]:
        """Values of `Origin` that may call: the server's own, and `serve.origins`."""
        return self._allowed

    def is_host(self, host: str) -> bool:
        """Whether a request may name it as `Host`, in any case of letters."""
        return host.lower() in self._hosts

    def is_own(self, origin: str) -> bool:
        """Whether it is the server's own origin, which a cookie needs."""
        return origin.lower() in self._own

    def is_allowed(self, origin: str) -> bool:
        """Whether it is the server's own or one of `serve.origins`."""
        return origin.lower() in self._allowed


def _origin(url: str, setting: str) -> str:
    """The origin of a URL as browsers write it. Raises `Misuse`."""
    try:
        parts = urlsplit(url.strip().lower())
        port, host = parts.port, (parts.hostname or "").encode("idna").decode()
    except ValueError:
        parts, port, host = urlsplit(""), None, ""
    extra = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in _PORTS or not host or extra:
        raise Misuse(f"{setting}: {url!r} is no address such as https://parley.example.org")
    return _written(parts.scheme, _bracketed(host), port)


def _written(scheme: str, host: str, port: int | None) -> str:
    tail = "" if port in (None, _PORTS[scheme]) else f":{port}"
    return f"{scheme}://{host.lower()}{tail}"


def _hosts(origin: str) -> Iterator[str]:
    """What `Host` says on the way to `origin`."""
    scheme, _, host = origin.partition("://")
    yield host
    if not host.rpartition("]")[2].count(":"):
        yield f"{host}:{_PORTS[scheme]}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
