"""The envelope of a message over HTTP, held to its form before the protocol reads it.

What the protocol's own reading refuses it would quote; so nothing that it would refuse
gets there.
"""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests.message_requests import check_content_type


async def check_envelope(scope: Scope, receive: Receive) -> Receive:
    """A `receive` that gives the body again.

    Raises `Problem` `media-type` and `malformed`, and `ClientDisconnect`.
    """
    request = Request(scope, receive)
    check_content_type(request)
    body = await request.body()
    try:
        tree = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Problem("malformed") from None
    if not is_message(tree):
        raise Problem("malformed", detail="The body is not one message of JSON-RPC 2.0.")
    return _again(body, receive)


def is_message(tree: Any) -> bool:
    """Whether it is a request or a notification of JSON-RPC 2.0."""
    if not isinstance(tree, dict) or tree.get("jsonrpc") != "2.0":
        return False
    if not tree.keys() <= {"jsonrpc", "id", "method", "params"}:
        return False
    own = tree.get("id", 0)
    return (
        isinstance(tree.get("method"), str)
        and isinstance(tree.get("params", {}), dict)
        and isinstance(own, (str, int))
        and not isinstance(own, bool)
    )


def _again(body: bytes, receive: Receive) -> Receive:
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again
