"""Which sessions an agent is told of."""

from __future__ import annotations

from parley.bus.entries import SessionOpened
from tests.support.doors.agents import over_http
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
