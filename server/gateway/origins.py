"""By which names the server is called, and from whose pages."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from server.settings_serve import ServeSettings


class Origins:
    """Host and Origin rules for a server bound to `port`."""

    def __init__(self, serve: ServeSettings, port: int) -> None:
        """Raises `Misuse` for a `serve.public` or an origin that is no URL."""
        self._serve, self._port = serve, port

    @property
    def url(self) -> str:
        """Where a person reaches it: the first of `serve.public`, else the bound address."""
        host = f"[{self._serve.host}]" if ":" in self._serve.host else self._serve.host
        return self._serve.public[0] if self._serve.public else f"http://{host}:{self._port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Values of `Host` that are answered."""
        raise NotImplementedError

    @property
    def allowed(self) -> tuple[str, ...]:
        """Values of `Origin` that may call: the server's own, and `serve.origins`."""
        raise NotImplementedError

    def is_host(self, host: str) -> bool:
        raise NotImplementedError

    def is_own(self, origin: str) -> bool:
        """Whether it is the server's own origin, which a cookie needs."""
        raise NotImplementedError

    def is_allowed(self, origin: str) -> bool:
        """Whether it is the server's own or one of `serve.origins`."""
        raise NotImplementedError


class OwnHosts:
    """421 for a foreign `Host`, 403 for a foreign `Origin`; CORS for `serve.origins`."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self.app, self.origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)
