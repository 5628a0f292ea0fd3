"""Live streams: server-sent events and WebSocket; and the document of both."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, WebSocket
from starlette.responses import Response

from parley.server.http.documents import asyncapi
from parley.server.http.identity.authorization import Reader, RequiresRight
from parley.server.http.live.cursors import CURSOR_PATTERN, parse_cursor
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.http.subscriptions.sse import EventStream
from parley.server.http.subscriptions.subscription_start import (
    SubscriptionRequest,
    parse_groups,
)
from parley.server.http.subscriptions.websocket import WebSocketSession

router = APIRouter(tags=["live"])

SHOWN: Final = r"^(messages|floor|other|all)(,(messages|floor|other|all))*$"

Show = Annotated[str, Query(pattern=SHOWN, max_length=100, description="what to tell, by commas")]
After = Annotated[
    str | None, Query(pattern=CURSOR_PATTERN, description="cursor or seq to begin behind; now")
]
Incarnation = Annotated[
    str | None, Query(max_length=64, description="of the log that was heard; another: `reset`")
]


@router.get(
    "/v1/sessions/{session}/events",
    operation_id="follow_session",
    summary="Follow a session as server-sent events",
    response_class=Response,
    responses={
        200: {
            "description": "An event an entry; its id is its seq, `-` and a mark of the entry.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **problem_responses("no-session", "not-yet", "streams"),
    },
)
async def events(
    deps: DependenciesOf,
    caller: Reader,
    session: SessionId,
    after: After = None,
    show: Show = "all",
    facts: Annotated[bool, Query(description="whether entries bring their facts")] = True,
    incarnation: Incarnation = None,
    beats: Annotated[
        bool, Query(description="whether a `beat` comes every few seconds, beside the entries")
    ] = False,
    key: Annotated[
        str | None,
        Query(max_length=128, description="as Parley-Key, for an EventSource with a cookie"),
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="id of the event heard last; over `after`")
    ] = None,
) -> Response:
    """Every entry once and in order, with the facts that it gave."""
    resumed = parse_cursor(last_event_id)
    wish = SubscriptionRequest(
        after=resumed or parse_cursor(after), show=parse_groups(show.split(",")), facts=facts,
        incarnation=incarnation, resumed=bool(last_event_id), beats=beats,
        is_unreadable=bool(last_event_id) and not (resumed and resumed.mark),
    )  # fmt: skip
    return EventStream(deps, caller, session, wish)


@router.websocket("/v1/sessions/{session}/ws")
async def socket(
    websocket: WebSocket, deps: DependenciesOf, caller: Reader, session: SessionId
) -> None:
    """Hear and publish on one connection."""
    await WebSocketSession(websocket, deps, caller, session).run()


@router.get(
    "/asyncapi.json",
    operation_id="show_asyncapi",
    summary="Describe the live streams as AsyncAPI",
    dependencies=[Depends(RequiresRight("public"))],
    responses=problem_responses(),
)
async def described() -> dict[str, object]:
    """AsyncAPI 3.0 of the event stream and the WebSocket."""
    return asyncapi.asyncapi_document()
