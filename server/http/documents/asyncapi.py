"""AsyncAPI of the live streams and of the bus, made from entries, facts and frames. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from parley.bus.contract.keys import SESSION_ID
from parley.bus.entries import KINDS
from parley.server.basics.version import version
from parley.server.http.bodies.row_models import row_model
from parley.server.http.bodies.session_responses import ReceiptRow, VoteRow
from parley.server.http.live.cursors import CURSOR_PATTERN
from parley.server.http.problems.problem_details import SCHEMA
from parley.server.http.subscriptions.websocket_messages import (
    Ping,
    Publish,
    Subscribe,
    Unsubscribe,
)
from parley.server.rows.item_shapes import DecisionRow, ProposalRow

Tree = dict[str, Any]

_SCHEMAS: Final = "#/components/schemas/"
_MESSAGES: Final = "#/components/messages/"
_CLIENT: Final[dict[str, type[BaseModel]]] = {
    "subscribe": Subscribe, "unsubscribe": Unsubscribe, "publish": Publish, "ping": Ping,
}  # fmt: skip

_WHOLE: Final[Tree] = {"type": "integer", "minimum": 0}
_TEXT: Final[Tree] = {"type": "string"}
_CURSOR: Final[Tree] = {
    "type": "string", "pattern": CURSOR_PATTERN,
    "description": "where to go on from, as `after`: seq and mark of the entry",
}  # fmt: skip
_REF: Final[Tree] = {"type": ["string", "null"], "description": "of the publish; null: of none"}
_YOU: Final[Tree] = {
    "type": "object", "required": ["name", "role"], "properties": {"name": _TEXT, "role": _TEXT},
}  # fmt: skip

# Rows that OpenAPI names as well. A fact names its item by handle: of each first letter, its row.
_ITEM_ROWS: Final[Mapping[str, type[BaseModel]]] = {
    "P": row_model(ProposalRow), "D": row_model(DecisionRow), "V": VoteRow,
}  # fmt: skip

# Of each frame: what it says, and its members.
_STREAM: Final[dict[str, tuple[str, Tree]]] = {
    "hello": (
        "First on every connection: the session as it stands, and who you are.",
        {
            "session": _TEXT, "seq": _WHOLE, "n": _WHOLE, "status": _TEXT, "incarnation": _TEXT,
            "you": _YOU, "after": _WHOLE, "cursor": _CURSOR,
        },
    ),
    "entry": (
        "An entry of the log, with the facts that it gave.",
        {
            "seq": _WHOLE, "n": _WHOLE, "id": _TEXT,
            "t": {**_WHOLE, "description": "when it was received, in milliseconds since 1970"},
            "entry": {"$ref": f"{_SCHEMAS}Entry"},
            "facts": {"type": "array", "items": {"$ref": f"{_SCHEMAS}Fact"}},
            "unreadable": {"const": True}, "cursor": _CURSOR,
        },
    ),
    "reset": (
        "The log was replaced, redacted or went back: read it again; what follows comes after seq.",
        {"seq": _WHOLE, "n": _WHOLE, "cursor": _CURSOR},
    ),
    "dropped": (
        "You did not read; resume after that.", {"reason": {"const": "slow"}, "after": _WHOLE},
    ),
    "expired": ("The token is over.", {"reason": {"const": "token"}}),
    "bye": ("The stream ends.", {"reason": {"enum": ["shutdown", "gone"]}}),
}  # fmt: skip
_EVENTS: Final[dict[str, tuple[str, Tree]]] = {
    **_STREAM,
    "beat": (
        "Every four seconds where `beats` is asked for: whether Redis takes what is written, and "
        "who followed the session and does no more.",
        {"redis": {"type": "boolean"}, "away": {"type": "array", "items": _TEXT}},
    ),
}
_OPTIONAL: Final = {
    "hello": frozenset({"after", "cursor"}),
    "entry": frozenset({"facts", "unreadable"}),
}
_SOCKET: Final[dict[str, tuple[str, Tree]]] = {
    "subscribed": ("Entries after `after` follow.", {"after": _WHOLE, "cursor": _CURSOR}),
    "unsubscribed": ("No more entries follow.", {}),
    "ack": (
        "What was published, in its order.",
        {"ref": _TEXT, "receipts": {"type": "array", "items": {"$ref": f"{_SCHEMAS}ReceiptRow"}}},
    ),
    "nack": (
        "Nothing was published; the problem says why.",
        {"ref": _REF, "problem": {"$ref": f"{_SCHEMAS}Problem"}},
    ),
    "pong": ("Answers a ping.", {}),
}


@cache
def asyncapi_document() -> Tree:
    """The whole document."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Parley, live",
            "version": version(),
            "description": "Sessions as they happen: one event an entry, with the facts it gave.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": _channels(),
        "operations": _operations(),
        "components": {
            "schemas": _schemas(),
            "messages": _messages(),
            "parameters": {"session": {"description": f"id of the session: {SESSION_ID.pattern}"}},
            "securitySchemes": _SECURITY,
        },
    }


_SECURITY: Final[Tree] = {
    "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "cookie": {"type": "httpApiKey", "in": "cookie", "name": "parley"},
    "ticket": {
        "type": "httpApiKey", "in": "query", "name": "ticket",
        "description": "good once; of the WebSocket alone",
    },
}  # fmt: skip


def _channels() -> Tree:
    return {
        "events": {
            "address": "/v1/sessions/{session}/events",
            "description": (
                "Server-sent events; an event's id is its seq and mark. Starts after "
                "`Last-Event-ID`, else after `after`, else now; `show` names messages, floor, "
                "other or all; `facts=false` leaves facts out; of another `incarnation` nothing "
                "is resumed; `beats=true` has a `beat` come every four seconds."
            ),
            **_carrying(_EVENTS),
        },
        "socket": {
            "address": "/v1/sessions/{session}/ws",
            "description": "WebSocket, subprotocol parley.v1, a JSON object each text frame.",
            **_carrying({**_STREAM, **_SOCKET, **dict.fromkeys(_CLIENT)}),
            "bindings": {"ws": {"method": "GET"}},
        },
        "log": {
            "address": "parley:{b}:s:{session}:log",
            "description": "The log itself, a Redis stream; docs/wire.md has its fields.",
            **_carrying({"log": None}),
        },
    }


def _carrying(names: Tree) -> Tree:
    return {
        "parameters": {"session": {"$ref": "#/components/parameters/session"}},
        "messages": {name: {"$ref": f"{_MESSAGES}{name}"} for name in names},
    }


def _operations() -> Tree:
    secured = [{"$ref": f"#/components/securitySchemes/{name}"} for name in _SECURITY]
    return {
        "tellEvents": _operation("send", "events", _EVENTS, secured[:2]),
        "tellSocket": _operation("send", "socket", {**_STREAM, **_SOCKET}, secured),
        "heedSocket": _operation("receive", "socket", _CLIENT, secured),
        "tellLog": _operation("send", "log", {"log": None}, []),
    }


def _operation(action: str, channel: str, names: Any, security: list[Tree]) -> Tree:
    at = f"#/channels/{channel}"
    row: Tree = {
        "action": action,
        "channel": {"$ref": at},
        "messages": [{"$ref": f"{at}/messages/{name}"} for name in names],
    }
    return {**row, "security": security} if security else row


def _messages() -> Tree:
    messages = {
        name: {"name": name, "summary": says, "payload": _object(name, members)}
        for name, (says, members) in {**_EVENTS, **_SOCKET}.items()
    }
    heeded = {
        name: {
            "name": name,
            "summary": (model.__doc__ or "").partition("\n")[0],
            "payload": {"$ref": f"{_SCHEMAS}{model.__name__}"},
        }
        for name, model in _CLIENT.items()
    }
    entry = {"name": "log", "summary": "An entry.", "payload": {"$ref": f"{_SCHEMAS}Entry"}}
    return {**messages, **heeded, "log": entry}


def _object(name: str, members: Tree) -> Tree:
    properties = {"type": {"const": name}, **members}
    optional = _OPTIONAL.get(name, frozenset())
    required = [field for field in properties if field not in optional]
    return {"type": "object", "required": required, "properties": properties}


def _schemas() -> Tree:
    """Entries by their models; frames of clients; facts; the rows of OpenAPI that they mean."""
    every = (*KINDS.values(), *_CLIENT.values())
    _, tree = models_json_schema(
        [(model, "validation") for model in every], ref_template=_SCHEMAS + "{model}"
    )
    kinds = {kind: f"{_SCHEMAS}{model.__name__}" for kind, model in KINDS.items()}
    entry = {
        "description": "Told apart by `kind`; what has its default is left out. Others may come.",
        "anyOf": [*({"$ref": at} for at in kinds.values()), {"type": "object"}],
        "x-kinds": kinds,
    }
    fact = {
        "type": "object",
        "description": "What an entry changed in memory; docs/protocol.md, Facts, has the kinds.",
        "required": ["kind", "ref", "n", "data"],
        "properties": {
            "kind": _TEXT,
            "ref": {
                "type": ["string", "null"],
                "description": "handle it is about; by its first letter x-rows has the item's row,"
                " as the routes of OpenAPI give it",
                "x-rows": {
                    letter: f"{_SCHEMAS}{model.__name__}" for letter, model in _ITEM_ROWS.items()
                },
            },
            "n": _WHOLE,
            "data": {"type": "object"},
        },
    }
    named: tuple[type[BaseModel], ...] = (*_ITEM_ROWS.values(), ReceiptRow)
    _, rows = models_json_schema(
        [(model, "serialization") for model in named], ref_template=_SCHEMAS + "{model}"
    )
    return {**tree["$defs"], **rows["$defs"], "Problem": SCHEMA, "Entry": entry, "Fact": fact}
