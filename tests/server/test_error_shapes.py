"""One shape of refusal on every door, held to the table of the protocol."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from parley.bus.contract import errors as bus_errors
from parley.listeners.sessions import argument_checks, turns
from parley.memory import errors as memory_errors
from parley.server.cli.command_tree import command
from parley.server.http.http_app import openapi_document
from parley.server.http.problems.problem_details import KNOWN, SCHEMA
from parley.server.http.problems.problem_types import KINDS
from parley.server.mcp.tools.tool_registry import TOOLS
from tests.support.doors.agents import over_http
from tests.support.doors.calls import Parley
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin

OPEN_TO_ALL = {"/v1/login", "/v1/visit", "/v1/sessions/{session}/visit"}
PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"


def _slugs() -> set[str]:
    text = (
        PROTOCOL.read_text(encoding="utf-8").split("### Problems")[1].split("A refusal has one")[0]
    )
    rows = [line for line in text.splitlines() if re.match(r"\| \d", line)]
    return {slug for row in rows for slug in re.findall(r"`([a-z-]+)`", row)}


def _commands(branch: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that has options of its own."""
    if not getattr(branch, "commands", None):
        yield path
    for name, below in getattr(branch, "commands", {}).items():
        yield from _commands(below, (*path, name))


def test_the_table_has_every_kind_of_problem() -> None:
    """And no other."""
    assert _slugs() == set(KINDS)


def test_every_route_answers_problems_of_one_shape() -> None:
    """Whatever goes wrong, the media type and the schema are the same."""
    document, answers = openapi_document(), 0
    shared = document["components"]["responses"]
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if int(status) < 400 or path == "/readyz":  # which is asked by a balancer
                    continue
                answers += 1
                told = shared[answer["$ref"].rsplit("/", 1)[1]] if "$ref" in answer else answer
                problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
                assert told["content"] == {"application/problem+json": problem}, (path, status)
    assert answers > 500


async def test_every_route_refuses_a_parameter_that_is_none(redis_url: str) -> None:
    """Of the address, as of the body: what is misspelt would be read past."""
    asked = 0
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as operator:
            for path, methods in openapi_document()["paths"].items():
                if not path.startswith("/v1/") or path in OPEN_TO_ALL:
                    continue
                address = re.sub(r"\{(\w+)\}", "1", path.replace("{session}", NAME))
                for method in methods:
                    refused = await operator.request(method, address, params={"sesionn": "1"})
                    asked += 1
                    assert refused.status_code == 422, (method, path, refused.text)
                    problem = refused.json()
                    assert problem["fault"] == "extra_forbidden", (method, path, problem)
                    assert problem["detail"].startswith("There is no such name here"), path
    assert asked > 60


async def test_a_misspelled_field_is_named_before_the_one_that_is_missing(redis_url: str) -> None:
    """The one is why the other is not there."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            problem = (await ana.post(f"{PATH}/messages", json={"contnt": "A lamp."})).json()
    assert problem["fault"] == "extra_forbidden"
    assert problem["detail"] == "There is no such name here; did you mean content?"


@pytest.mark.parametrize("kind", ["publish", "subscribe", "unsubscribe", "ping", "pong", None])
async def test_every_frame_of_a_socket_is_refused_in_one_shape(
    redis_url: str, kind: str | None
) -> None:
    """`nack`, with the problem that HTTP would answer with; one of no kind is told the kinds."""
    async with doors(redis_url) as d:
        await begin(d)
        url = d.url.replace("http", "ws", 1) + f"{PATH}/ws"
        bearer = {"Authorization": f"Bearer {d.token('ana', session=NAME)}"}
        protocol = [Subprotocol("parley.v1")]
        async with connect(url, additional_headers=bearer, subprotocols=protocol) as socket:
            await socket.recv()
            frame = {"type": kind, "ref": "1", "entries": [{"content": "Hi."}], "aftr": 3}
            taken = {"publish": ("ref", "entries"), "subscribe": ()}.get(kind or "", ())
            sent = {name: frame[name] for name in ("type", *taken, "aftr")}
            await socket.send(json.dumps(sent))
            answer = json.loads(await socket.recv())
    assert (answer["type"], answer["ref"]) == ("nack", "1" if kind == "publish" else None)
    problem = answer["problem"]
    assert set(SCHEMA["required"]) <= set(problem) <= set(SCHEMA["properties"])
    assert (problem["type"], problem["status"]) == ("urn:parley:problem:invalid", 422)
    if kind in ("pong", None):
        assert problem["field"] == "type"
    else:
        assert problem["fault"] == "extra_forbidden"
        assert problem["detail"].startswith("There is no such name here; ")


async def test_every_tool_refuses_an_unknown_argument_in_one_shape(redis_url: str) -> None:
    """`<slug>: <detail>`, in words of the schema: what was sent is not said back."""
    async with doors(redis_url) as d, over_http(d, d.operator()) as client:
        for tool in TOOLS:
            refused = await client.client.call_tool(tool.name, {"sesion": "harbour"})
            assert refused.is_error, tool.name
            text = str(getattr(refused.content[0], "text", ""))
            assert text.startswith("invalid: There is no such name here; "), (tool.name, text)
            assert "session" in text or not tool.in_session, (tool.name, text)


@pytest.mark.parametrize("words", list(_commands(command())), ids=" ".join)
def test_every_command_refuses_an_unknown_option_in_a_line(
    words: tuple[str, ...], parley: Parley
) -> None:
    """What is wrong, and what tells more; exit code 2."""
    ran = parley(*words, "--sesion-nam", "x")
    assert (ran.code, ran.out) == (2, "")
    line = (
        f"parley: no such option: --sesion-nam.*; 'parley {' '.join(words)} -h' tells what it takes"
    )
    assert re.fullmatch(line, ran.err.rstrip("\n")), ran.err


@pytest.mark.parametrize("room", [bus_errors, memory_errors, turns, argument_checks])
def test_every_exception_of_python_has_a_slug(room: Any) -> None:
    """Its own, or that of its parent: no refusal is told as a fault of the server."""
    classes = [thing for _, thing in inspect.getmembers(room, inspect.isclass)]
    made_here = [each for each in classes if issubclass(each, Exception)]
    assert made_here
    assert [each for each in made_here if not set(each.__mro__) & set(KNOWN)] == []
