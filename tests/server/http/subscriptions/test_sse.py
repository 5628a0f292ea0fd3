"""Sessions as server-sent events: what a client hears, how it resumes, how it ends."""

from __future__ import annotations

import asyncio
import json
import socket
from urllib.parse import urlsplit

import anyio
import pytest
import redis
import structlog
from anyio.streams.buffered import BufferedByteReceiveStream

from parley.bus import Bus
from tests.support.doors.doors import Standing, doors
from tests.support.doors.sse import seq_of, streamed
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.rooms import publish_message
from tests.support.sessions.sessions import discuss, whole
from tests.support.sessions.talks import forget_after, message_draft

PATH = "/v1/sessions/s/events"


async def begun(d: Standing, count: int = 5) -> str:
    """A session of `count` messages; a reader's token for it."""
    await discuss(d.deps.backend.bus, "s", count)
    return d.token("ana", session="s")


async def test_the_stream_starts_with_hello_and_goes_on_from_now(redis_url: str) -> None:
    """Without a cursor only what is still to come is told, at once, with its facts."""
    async with doors(redis_url) as d, streamed(d.url, PATH, await begun(d)) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        hello = await stream.next()
        assert (hello.event, hello.id) == ("hello", None)
        info = await d.deps.backend.bus.info("s")
        assert hello.data == {
            "type": "hello", "session": "s", "seq": 6, "n": 5, "status": "open",
            "incarnation": info.incarnation, "you": {"name": "ana", "role": "person"},
            "after": 6, "cursor": f"6-{(await d.deps.backend.bus.read('s', 5))[0].mark}",
        }  # fmt: skip
        await publish_message(d.deps.backend.bus, "s", "bo", "I propose we paint the pier.")
        entry = await stream.next()
        (record,) = await d.deps.backend.bus.read("s", 6)
        assert (entry.event, entry.id) == ("entry", f"7-{record.mark}")
        assert entry.data["entry"]["content"] == "I propose we paint the pier."
        assert entry.data["facts"][0]["kind"] == "proposal.made"


@pytest.mark.parametrize("how", ["after", "header"])
async def test_it_resumes_behind_the_cursor_without_gap_or_duplicate(
    redis_url: str, how: str
) -> None:
    """`Last-Event-ID` outranks `after`; each entry comes once, whatever comes meanwhile."""
    async with doors(redis_url) as d:
        token = await begun(d, 30)
        query = "?after=11" if how == "after" else "?after=3"
        (eleventh,) = await d.deps.backend.bus.read("s", 10, count=1)
        headers = {"Last_Event_ID": f"11-{eleventh.mark}"} if how == "header" else {}
        async with streamed(d.url, PATH + query, token, **headers) as stream:
            await discuss(d.deps.backend.bus, "s", 10, first=31)
            assert (await stream.next()).data["after"] == 11
            ids = [seq_of(await stream.next()) for _ in range(30)]
    assert ids == list(range(12, 42))


async def test_a_cursor_of_another_past_resumes_nothing(redis_url: str) -> None:
    """The log went back while the server was away, and grew beyond the cursor by other entries."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await discuss(bus, "s", 60)
        async with doors(redis_url) as d:
            token = d.token("ana", session="s")
            async with streamed(d.url, PATH + "?after=40", token) as stream:
                cursor = (await stream.take(2))[-1].id or ""
        assert cursor.partition("-")[0] == "41"
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "s", seq=20, n=19)
        await bus.publish("s", [message_draft(1000 + k) for k in range(40)])
        async with doors(redis_url) as d:
            for last, event_name in ((cursor, "reset"), ("41", "reset")):
                async with streamed(d.url, PATH, token, Last_Event_ID=last) as stream:
                    assert [event.event for event in await stream.take(2)] == ["hello", event_name]
            for last, event in ((cursor, "reset"), ("99-9f3c07aa", "reset"), ("41", "entry")):
                async with streamed(d.url, f"{PATH}?after={last}", token) as stream:
                    assert (await stream.take(2))[-1].event == event
            same, newest = [f"{row.seq}-{row.mark}" for row in await bus.read("s", 40)][::19]
            async with streamed(d.url, PATH, token, Last_Event_ID=same) as stream:
                assert seq_of((await stream.take(2))[-1]) == 42
            async with streamed(d.url, PATH, token, Last_Event_ID=cursor) as stream:
                hello, reset = await stream.take(2)
                assert hello.data["cursor"] == reset.id == reset.data["cursor"] == newest


async def test_the_cursor_of_a_number_is_checked_like_any_other(redis_url: str) -> None:
    """Who begins behind a seq, and hears nothing, keeps a cursor that another past refuses."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await discuss(bus, "s", 60)
        async with doors(redis_url) as d:
            token = d.token("ana", session="s")
            async with streamed(d.url, PATH + "?after=40&show=floor", token) as stream:
                cursor = (await stream.next()).data["cursor"]
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "s", seq=20, n=19)
        await bus.publish("s", [message_draft(1000 + k) for k in range(40)])
        async with doors(redis_url) as d:
            for headers, query in (({"Last_Event_ID": cursor}, ""), ({}, f"?after={cursor}")):
                async with streamed(d.url, PATH + query, token, **headers) as stream:
                    assert [event.event for event in await stream.take(2)] == ["hello", "reset"]


@pytest.mark.parametrize("last", [str(2**64), "garbage", "-1", "4", "4-", "4-XYZ", "1" * 5000])
async def test_what_is_no_id_of_an_event_begins_anew(redis_url: str, last: str) -> None:
    """The client hears `reset`: from now on alone would leave a gap that nothing tells of."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with streamed(d.url, PATH, token, Last_Event_ID=last) as stream:
            assert [event.event for event in await stream.take(2)] == ["hello", "reset"]


async def test_it_tells_the_log_as_it_stands(redis_url: str) -> None:
    """From 0 on, every entry of every kind, as it was read."""
    async with doors(redis_url) as d:
        token = await begun(d, 9)
        records = await whole(d.deps.backend.bus, "s")
        async with streamed(d.url, PATH + "?after=0&facts=false", token) as stream:
            await stream.next()
            for record in records:
                event = await stream.next()
                assert event.data["seq"] == record.seq
                assert event.data["id"] == record.id
                assert "facts" not in event.data


async def test_a_group_can_be_asked_for(redis_url: str) -> None:
    """`show=messages` leaves out the rest."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with streamed(d.url, PATH + "?after=0&show=messages", token) as stream:
            assert [event.event for event in await stream.take(6)] == ["hello"] + ["entry"] * 5
            assert all(event.data["entry"]["kind"] == "message" for event in stream.seen[1:])


async def test_a_wish_that_cannot_be_met_is_a_problem(redis_url: str) -> None:
    """Before the stream begins, so that a client is told by the status."""
    wishes = {
        "?after=99": "not-yet", "?after=-1": "invalid", "?after=12345678901234567": "invalid",
        "?show=gossip": "invalid", "?facts=perhaps": "invalid",
    }  # fmt: skip
    async with doors(redis_url) as d:
        token = await begun(d)
        for query, slug in wishes.items():
            async with streamed(d.url, PATH + query, token) as refused:
                assert refused.status == 422
                assert json.loads(refused.body)["type"] == f"urn:parley:problem:{slug}"
        assert len(d.deps.streams) == 0


async def test_a_session_that_is_not_there_is_a_404(redis_url: str) -> None:
    """And nothing is left behind."""
    async with doors(redis_url) as d:
        path = "/v1/sessions/nowhere/events"
        async with streamed(d.url, path, d.token("ana")) as refused:
            assert refused.status == 404
        assert d.deps.channels.current("nowhere") is None


async def test_a_cursor_of_a_longer_log_begins_anew(redis_url: str) -> None:
    """A page that reconnects after the log went back cannot do anything with a refusal."""
    async with doors(redis_url) as d:
        token = await begun(d)
        (second,) = await d.deps.backend.bus.read("s", 1, to=2)
        of_another: list[tuple[dict[str, str], str]] = [
            ({"Last_Event_ID": "99"}, ""),
            ({}, "?after=2&incarnation=other"),
            ({"Last_Event_ID": f"2-{second.mark}"}, "?incarnation=other"),
        ]
        for headers, query in of_another:
            async with streamed(d.url, PATH + query, token, **headers) as stream:
                hello, reset = await stream.take(2)
                assert hello.event == "hello"
                assert (reset.event, seq_of(reset), reset.data["seq"]) == ("reset", 6, 6)
        async with streamed(d.url, PATH, token, Last_Event_ID="rubbish") as stream:
            assert (await stream.next()).data["after"] == 6


async def test_a_replaced_log_is_told_on_the_open_stream(redis_url: str) -> None:
    """`reset`, with the new head as its id, and then what comes."""
    async with doors(redis_url) as d:
        token, bus = await begun(d), d.deps.backend.bus
        records = await whole(bus, "s")
        async with streamed(d.url, PATH, token) as stream:
            await stream.next()
            await bus.restore("s", records[:3], replace=True)
            reset = await stream.next()
            assert (reset.event, seq_of(reset)) == ("reset", 3)
            await publish_message(bus, "s", "bo", "Again.")
            assert seq_of(await stream.next()) == 4


async def test_a_removed_session_ends_the_stream(redis_url: str) -> None:
    """With a word; who comes again is told 404."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with streamed(d.url, PATH, token) as stream:
            await stream.next()
            await d.deps.backend.bus.remove("s")
            assert [(event.event, event.data["reason"]) for event in await stream.until_end()] == [
                ("bye", "gone")
            ]
        async with streamed(d.url, PATH, token) as refused:
            assert refused.status == 404


async def test_it_ends_with_the_token(redis_url: str) -> None:
    """Not at the next look: when it is over."""
    async with doors(redis_url) as d:
        await begun(d)
        token = d.token("ana", session="s", seconds=1.2)
        async with streamed(d.url, PATH, token) as stream:
            assert [event.event for event in await stream.until_end()] == ["hello", "expired"]
        await wait_until(lambda: len(d.deps.streams) == 0)


async def test_a_client_that_sends_too_long_a_body_is_seen_to_leave(redis_url: str) -> None:
    """It is streamed to all the same, and nobody reads what it sends."""
    async with doors(redis_url, body_bytes=1 << 12) as d:
        token, at = await begun(d), urlsplit(d.url)
        head = (
            f"GET {PATH} HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {token}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        assert at.hostname is not None
        assert at.port is not None
        async with await anyio.connect_tcp(at.hostname, at.port) as pipe:
            heard = BufferedByteReceiveStream(pipe)
            with anyio.fail_after(PATIENCE):
                await pipe.send(head.encode())
                await heard.receive_until(b"event: hello", 1 << 20)
                for _ in range(8):
                    await pipe.send(b"400\r\n" + b"x" * 1024 + b"\r\n")
                await publish_message(d.deps.backend.bus, "s", "bo", "Still there?")
                await heard.receive_until(b"Still there?", 1 << 20)
            assert len(d.deps.streams) == 1
        await wait_until(lambda: len(d.deps.streams) == 0)


async def test_a_closing_server_says_so_on_every_stream(redis_url: str) -> None:
    """And ends within a moment, however many are open."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with streamed(d.url, PATH, token) as first, streamed(d.url, PATH, token) as other:
            await first.next()
            await other.next()
            d.deps.closing.set()
            for stream in (first, other):
                (bye,) = await stream.until_end()
                assert (bye.event, bye.data["reason"]) == ("bye", "shutdown")
            async with streamed(d.url, PATH, token) as late:
                assert late.status == 503


async def test_a_client_that_does_not_read_is_dropped_and_holds_up_nobody(redis_url: str) -> None:
    """It is told where to resume once it reads again; others hear all at once."""
    async with doors(redis_url, slow_seconds=2) as d:
        token, bus = await begun(d), d.deps.backend.bus
        loop, slow = asyncio.get_running_loop(), await _deaf(d.url, token)
        async with streamed(d.url, PATH, token) as quick:
            await quick.next()
            await wait_until(lambda: len(d.deps.streams) == 2)
            for number in range(40):
                await publish_message(bus, "s", "bo", f"{number} " + "x" * 200_000)
                assert (await quick.next()).data["seq"] == 7 + number
        channel = d.deps.channels.channel("s")
        await wait_until(lambda: not channel._live)
        heard = b""
        with slow:
            while b"event: dropped" not in heard[-400:]:
                heard += await asyncio.wait_for(loop.sock_recv(slow, 1 << 20), PATIENCE)
        after = json.loads(heard[heard.rindex(b"data: ") + 6 :].split(b"\n")[0])["after"]
        assert f"id: {after}-".encode() in heard
        assert f"id: {after + 1}-".encode() not in heard
        await wait_until(lambda: len(d.deps.streams) == 0)


async def test_idle_streams_get_a_comment_now_and_then(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no proxy takes them for dead."""
    monkeypatch.setattr("parley.server.http.live.stream_limits.BEAT_SECONDS", 0.05)
    async with doors(redis_url) as d, streamed(d.url, PATH, await begun(d)) as stream:
        await stream.next()
        assert (await stream.next(beats=True)).event == ""


async def test_a_token_has_so_many_streams_and_the_server_too(redis_url: str) -> None:
    """429, with a time to come again; a place is free as soon as its client left."""
    async with doors(redis_url, streams=3) as d:
        token = await begun(d)
        async with streamed(d.url, PATH, token), streamed(d.url, PATH, token):
            async with (
                streamed(d.url, PATH, d.token("bo", session="s")),
                streamed(d.url, PATH, token) as refused,
            ):
                assert refused.status == 429
                assert "retry-after" in refused.headers
                assert json.loads(refused.body)["type"] == "urn:parley:problem:streams"
            await wait_until(lambda: len(d.deps.streams) == 2)
            async with streamed(d.url, PATH, token) as again:
                assert again.status == 200
        await wait_until(lambda: len(d.deps.streams) == 0)


async def test_what_other_processes_say_is_heard(redis_url: str) -> None:
    """Not only what came by these doors."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with streamed(d.url, PATH, token) as stream, await Bus.connect(redis_url) as other:
            await stream.next()
            await publish_message(other, "s", "bo", "From elsewhere.")
            assert (await stream.next()).data["entry"]["content"] == "From elsewhere."


async def test_streams_live_through_an_outage_of_redis(durable_server: RedisServer) -> None:
    """Nobody is told of it, and what is said afterwards is heard in its place."""
    async with doors(durable_server.url) as d:
        token, bus = await begun(d), d.deps.backend.bus
        async with streamed(d.url, PATH, token) as stream:
            await stream.next()
            with structlog.testing.capture_logs() as logged:
                durable_server.stop()
                await wait_until(lambda: "hints_lost" in [line["event"] for line in logged])
                durable_server.start()
                await wait_until(lambda: "hints_resumed" in [line["event"] for line in logged])
                await publish_message(bus, "s", "bo", "Are we back?")
                assert seq_of(await stream.next()) == 7
            assert [line["event"] for line in logged].count("hints_lost") == 1


async def test_a_client_that_never_reads_again_is_cut_off(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The word that it was dropped does not wait for it for ever: the system ends it."""
    monkeypatch.setattr("parley.server.bootstrap.http_server.STALLED_SECONDS", 0.3)
    async with doors(redis_url, slow_seconds=0.1) as d:
        token, bus = await begun(d), d.deps.backend.bus
        with await _deaf(d.url, token) as deaf:
            await wait_until(lambda: len(d.deps.streams) == 1)
            for number in range(30):
                await publish_message(bus, "s", "bo", f"{number} " + "x" * 200_000)
            await wait_until(lambda: len(d.deps.streams) == 0)
            await wait_until(lambda: not _under_way())
            assert deaf.fileno() >= 0


def _under_way() -> int:
    return sum("run_asgi" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def _deaf(url: str, token: str) -> socket.socket:
    """A client with little room, which asked for the stream and reads nothing of it."""
    at = urlsplit(url)
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(deaf, (at.hostname, at.port))
    asked = f"GET {PATH} HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
    await loop.sock_sendall(deaf, asked.encode())
    return deaf


async def test_who_asks_for_beats_hears_that_all_goes_on_and_who_is_away(redis_url: str) -> None:
    """At once and then every few seconds; an observer hears of others and is never named."""
    async with doors(redis_url) as d:
        await begun(d)
        bus, seen = d.deps.backend.bus, await d.deps.backend.bus.now_ms() - 60_000
        await bus.attend("s", {"ana", "bo"}, now_ms=seen, away_ms=0)
        eve = d.token("eve", role="observer", session="s")
        async with streamed(d.url, f"{PATH}?beats=true", eve) as stream:
            beat = (await stream.take(2))[-1]
            assert beat.data == {"type": "beat", "redis": True, "away": ["ana", "bo"]}
            assert (beat.event, beat.id) == ("beat", None)
            async with streamed(d.url, f"{PATH}?beats=true", d.token("ana", session="s")) as own:
                assert (await own.take(2))[-1].data["away"] == ["bo"]
            assert (await stream.next()).data["away"] == ["bo"]
            assert (await stream.next()).event == "beat"
