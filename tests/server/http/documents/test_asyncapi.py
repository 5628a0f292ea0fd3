"""The description of the streams: whole, kept in docs, and true of what is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pydantic
import pytest

from parley.bus.entries import KINDS, Message
from parley.memory.state.item_state import Fact
from parley.server.http.documents.asyncapi import asyncapi_document
from parley.server.http.http_app import openapi_document
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.live.frames import Frame, entry_frame, reset_frame
from parley.server.http.subscriptions.subscription_start import LAST_WORDS, closing_frame
from tests.server.http.subscriptions.test_websocket import begun, connected
from tests.support.doors.doors import doors
from tests.support.logs.logs import numbered

GOLDEN = Path(__file__).parents[4] / "docs" / "asyncapi.json"


def refs(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if isinstance(ref := tree.get("$ref"), str):
            yield ref
        for value in tree.values():
            yield from refs(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from refs(value)


def check(text: str | bytes) -> str:
    """That a frame is as its message says; its type."""
    tree = orjson.loads(text)
    schema = {**asyncapi_document()["components"]["messages"][tree["type"]]["payload"]}
    schema["components"] = {"schemas": asyncapi_document()["components"]["schemas"]}
    jsonschema.Draft202012Validator(schema).validate(tree)
    kind: str = tree["type"]
    return kind


@pytest.mark.skipif(
    pydantic.version.version_short() in {"2.12", "2.13"},
    reason="pydantic before 2.14 says less of a dataclass in a schema; it checks the same",
)
def test_docs_hold_the_document() -> None:
    """`parley schema asyncapi > docs/asyncapi.json` after a change that is meant."""
    kept = json.loads(GOLDEN.read_text(encoding="utf-8"))
    made = json.loads(json.dumps(asyncapi_document()))
    for document in (kept, made):
        del document["info"]["version"]
    assert kept == made


def test_every_reference_leads_somewhere() -> None:
    """In channels, operations, messages and schemas."""
    for ref in set(refs(asyncapi_document())):
        at: Any = asyncapi_document()
        for step in ref.removeprefix("#/").split("/"):
            at = at[step]


def test_rows_are_the_schemas_of_openapi() -> None:
    """By the same names and alike: items that facts are about, sides, receipts and problems."""
    live = asyncapi_document()["components"]["schemas"]
    routes = openapi_document()["components"]["schemas"]
    both = live.keys() & routes.keys()
    assert {
        "ProposalRow", "DecisionRow", "SideRow", "VoteRow", "Tally", "Evidence", "EndingRow",
        "ReceiptRow", "Problem",
    } <= both  # fmt: skip
    assert {name: live[name] for name in both} == {name: routes[name] for name in both}
    rows = live["Fact"]["properties"]["ref"]["x-rows"]
    assert {at.rpartition("/")[2] for at in rows.values()} == {
        "ProposalRow", "DecisionRow", "VoteRow",
    }  # fmt: skip


def test_every_kind_of_entry_has_a_schema() -> None:
    """And no other."""
    entry = asyncapi_document()["components"]["schemas"]["Entry"]
    assert entry["x-kinds"].keys() == KINDS.keys()


def test_what_streams_say_of_themselves_is_as_described() -> None:
    """Each last word, a reset, an entry with its facts, and one that cannot be read."""
    record = numbered([Message(participant="ana", content="Hello.", act="ask", to=("bo",))])[0]
    fact = Fact("proposal.made", "P1", 1, {"start": 0})
    frames: list[Frame] = [
        reset_frame(StreamCursor(3), 2), entry_frame(record, [fact]),
        entry_frame(record, []).bare,
        *(closing_frame(why, 5) for why in LAST_WORDS),
    ]  # fmt: skip
    assert {check(frame.data) for frame in frames} == {
        "reset",
        "entry",
        "dropped",
        "expired",
        "bye",
    }


async def test_what_a_socket_says_is_as_described(redis_url: str) -> None:
    """Of every type that it answers with."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            seen = {check(json.dumps(ana.hello))}
            asked: list[dict[str, Any]] = [
                {"type": "subscribe"},
                {"type": "ping"},
                {"type": "publish", "ref": "c", "entries": [{"content": 5}]},
                {"type": "unsubscribe"},
                {"type": "publish", "ref": "c", "entries": [{"content": "Hello."}]},
                {"type": "nonsense"},
            ]
            for row in asked:
                seen.add(check(json.dumps(await ana.ask(**row))))
    assert seen == {"hello", "subscribed", "unsubscribed", "pong", "ack", "nack"}


async def test_it_is_served_to_anyone(redis_url: str) -> None:
    """Without a token."""
    async with doors(redis_url) as d, d.client() as nobody:
        answer = await nobody.get("/asyncapi.json")
        assert answer.status_code == 200
        assert answer.json() == json.loads(json.dumps(asyncapi_document()))
