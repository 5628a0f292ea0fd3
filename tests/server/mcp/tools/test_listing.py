"""Which sessions an agent is told of, and which it need not name."""

from __future__ import annotations

import json

from mcp_types import Tool

from parley.bus.entries import SessionOpened
from parley.server.basics import agent_verbs
from parley.server.mcp.tools import tool_registry
from parley.server.mcp.tools.tool_offer import ToolOffer
from tests.support.doors.agents import over_http, text_of
from tests.support.doors.doors import doors


async def test_a_session_that_is_not_there_yet_is_not_listed(redis_url: str) -> None:
    """A token may be made before its session is: the list is empty, as over HTTP."""
    async with (
        doors(redis_url) as d,
        over_http(d, d.token("ana", role="agent", session="harbour")) as ana,
    ):
        result = await ana.call("list_sessions")
        assert not result.is_error
        assert result.structured_content == {"sessions": []}
        await d.deps.backend.bus.open("harbour", SessionOpened(title="The harbour"))
        result = await ana.call("list_sessions")
        assert result.structured_content is not None
        (row,) = result.structured_content["sessions"]
        assert (row["session"], row["title"]) == ("harbour", "The harbour")


async def test_an_agent_of_one_session_need_not_name_it(redis_url: str) -> None:
    """The schemas say so; another session is refused as before, and opening one takes a name."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", SessionOpened(title="The harbour"))
        token = d.token("ana", role="agent", session="harbour")
        async with over_http(d, token, query="?tools=all") as ana:
            for tool in (await ana.client.list_tools()).tools:
                if tool.name in ("create_session", "list_sessions"):
                    continue
                assert tool.input_schema["properties"]["session"]["default"] == "harbour"
                assert "session" not in tool.input_schema.get("required", ())
            for name, arguments in {
                "join_session": {},
                "say": {"content": "Good morning."},
            }.items():
                result = await ana.call(name, **arguments)
                assert not result.is_error, text_of(result)
            result = await ana.call("get_context", session="elsewhere")
            assert "other-session" in text_of(result)
        async with over_http(d, d.token("ben", role="agent")) as ben:
            (say,) = (tool for tool in (await ben.client.list_tools()).tools if tool.name == "say")
            assert "session" in say.input_schema["required"]
            result = await ben.call("join_session")
            assert "session" in text_of(result)


def _characters(tools: tuple[Tool, ...]) -> int:
    """Of names, descriptions and input schemas, as a model is shown them."""
    return sum(
        len(tool.name) + len(tool.description or "") + len(json.dumps(tool.input_schema))
        for tool in tools
    )


def test_core_is_small() -> None:
    """At most nine tools in 1,500 tokens of four characters, without what they give."""
    core = tool_registry.list_tools(ToolOffer())
    assert len(core) <= 9
    assert _characters(core) <= 1_500 * 4
    assert all(tool.output_schema is None for tool in core)
    assert all(tool.output_schema for tool in tool_registry.list_tools(ToolOffer("core", True)))
    everything = tool_registry.list_tools(ToolOffer("all"))
    assert {tool.name for tool in core} < {tool.name for tool in everything}


def test_what_core_lists_is_what_its_tools_take() -> None:
    """Each argument of a verb is one of its tool, and is required there only if it is here."""
    for verb in agent_verbs.CORE:
        fields = tool_registry.BY_NAME[verb.name].args.model_fields
        listed = {argument.name: argument.required for argument in verb.arguments}
        assert listed.keys() <= fields.keys()
        required = {name for name, field in fields.items() if field.is_required()}
        assert required - {"session"} == {name for name in listed if listed[name]}


async def test_the_address_says_which_tools_are_listed(redis_url: str) -> None:
    """Core without a word; what is no choice is refused with its name."""
    async with doors(redis_url) as d:
        token = d.token("ana", role="agent", session="harbour")
        counts = {"": 9, "?tools=core": 9, "?tools=all": len(tool_registry.TOOLS)}
        for query, count in counts.items():
            async with over_http(d, token, query=query) as ana:
                assert len((await ana.client.list_tools()).tools) == count
        async with over_http(d, token) as ana:
            for tool in (await ana.client.list_tools()).tools:
                assert "session" not in tool.input_schema["properties"]
        async with d.client(token) as client:
            for query in ("tools=few", "output_schemas=1"):
                response = await client.post(f"/mcp?{query}", json={})
                assert response.status_code == 422
                assert response.json()["field"] == query.partition("=")[0]
