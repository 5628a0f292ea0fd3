"""HEAD: what GET would say, without its body."""

from __future__ import annotations

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin
from tests.support.servers.patience import wait_until

PATHS = ("/", "/healthz", "/static/app.js", "/v1/sessions", PATH, f"{PATH}/export",
         f"{PATH}/minutes", "/v1/sessions/nowhere", "/nowhere")  # fmt: skip


async def test_a_head_is_that_of_what_is_asked_for(redis_url: str) -> None:
    """As probes and caches ask for it, and everybody's rights hold."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator, d.client() as nobody:
        await begin(d)
        for client in (operator, nobody):
            for path in PATHS:
                whole, head = await client.get(path), await client.head(path)
                assert (head.status_code, head.content) == (whole.status_code, b"")
                for name in ("content-type", "content-length"):
                    assert head.headers.get(name) == whole.headers.get(name)
        refused = await operator.head("/v1/tokens")
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        refused = await operator.post("/healthz")
        assert (refused.status_code, refused.headers["allow"]) == (405, "HEAD, GET")
        assert 'method="HEAD",route="/healthz"' in (await operator.get("/metrics")).text


async def test_the_head_of_a_stream_does_not_wait_for_it(redis_url: str) -> None:
    """It would never end; and it takes no place."""
    async with doors(redis_url) as d, d.client(d.token("ana", session=NAME)) as ana:
        await begin(d)
        head = await ana.head(f"{PATH}/events?after=0")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert (await ana.get("/v1/me")).status_code == 200
        await wait_until(lambda: len(d.deps.streams) == 0)
