"""A damaged session over HTTP: said to be one, and not to be asked again in a moment."""

from __future__ import annotations

import pytest
import redis

from parley.bus import Draft
from parley.bus.contract.keys import Keys
from parley.bus.entries import Message
from tests.support.doors.doors import doors
from tests.support.logs.logs import opened


@pytest.mark.parametrize("part", ["meta", "log"])
async def test_a_damaged_session_is_told_as_such(redis_url: str, part: str) -> None:
    """500 `damaged` with its name and the cure, for readers and writers; others are served."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        bus = d.deps.backend.bus
        for session in ("ill", "well"):
            await bus.open(session, opened())
            message = Message(participant="ana", content="Good morning.")
            await bus.publish(session, [Draft("m1", message)])
        key = getattr(Keys(1).of("ill"), part)
        with redis.Redis.from_url(redis_url) as raw:
            raw.delete(key)
            raw.set(key, "garbage")
        post = {"as": "ana", "content": "Is anybody here?"}
        for session in ("ill", "well"):
            path = f"/v1/sessions/{session}"
            answers = [await operator.get(f"{path}/memory"), await operator.get(f"{path}/minutes")]
            answers.append(await operator.post(f"{path}/messages", json=post))
            for answer in answers:
                if session == "well":
                    assert answer.is_success, answer.text
                    continue
                problem = answer.json()
                assert (problem["status"], problem["type"]) == (500, "urn:parley:problem:damaged")
                assert "'ill'" in problem["detail"]
                assert "Retry-After" not in answer.headers
