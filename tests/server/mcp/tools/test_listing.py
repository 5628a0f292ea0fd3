"""Which sessions an agent is told of, and which it need not name."""

from __future__ import annotations

from parley.bus.entries import SessionOpened
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
        async with over_http(d, d.token("ana", role="agent", session="harbour")) as ana:
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
