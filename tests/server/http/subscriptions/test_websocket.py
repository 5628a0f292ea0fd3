"""Sessions over a WebSocket: hear and publish on one connection, and what ends it."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
import redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from parley.bus import Bus
from parley.server.http.live.session_channel import SessionChannel
from parley.server.http.transport import websocket_connection
from parley.server.http.transport.websocket_connection import WebSocketConnection
from tests.support.doors.doors import Standing, doors
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.rooms import publish_message
from tests.support.sessions.sessions import discuss, whole
from tests.support.sessions.talks import forget_after, message_draft


@dataclass(frozen=True, slots=True)
class Socket:
    """An open connection that speaks JSON; `hello` is what it began with."""

    raw: ClientConnection
    hello: dict[str, Any]

    async def ask(self, **frame: Any) -> dict[str, Any]:
        await self.say(**frame)
        return await self.next()

    async def say(self, **frame: Any) -> None:
        await self.raw.send(json.dumps(frame))

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(PATIENCE):
            row: dict[str, Any] = json.loads(await self.raw.recv())
            return row

    async def until(self, kind: str) -> dict[str, Any]:
        while (frame := await self.next())["type"] != kind:
            pass
        return frame

    async def code(self) -> int:
        """The code it was closed with, once it is."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.next()
        assert self.raw.close_code is not None
        return self.raw.close_code


@asynccontextmanager
async def connected(
    d: Standing, token: str | None, query: str = "", **given: Any
) -> AsyncIterator[Socket]:
    url = d.url.replace("http", "ws", 1) + "/v1/sessions/s/ws" + query
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with connect(
        url,
        additional_headers=headers,
        subprotocols=[Subprotocol("parley.v1")],
        max_size=1 << 25,
        open_timeout=PATIENCE,
        **given,
    ) as raw:
        yield Socket(raw, json.loads(await raw.recv()))


async def begun(d: Standing, count: int = 5, **more: Any) -> str:
    await discuss(d.deps.backend.bus, "s", count)
    return d.token("ana", session="s", **more)


async def test_it_says_hello_and_speaks_our_protocol(redis_url: str) -> None:
    """The subprotocol only where it was offered: another answer breaks a client."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            assert ana.raw.subprotocol == "parley.v1"
            assert (ana.hello["type"], ana.hello["seq"], ana.hello["n"]) == ("hello", 6, 5)
            assert await ana.ask(type="ping") == {"type": "pong"}
        url = d.url.replace("http", "ws", 1) + "/v1/sessions/s/ws"
        bearer = {"Authorization": f"Bearer {token}"}
        async with connect(url, additional_headers=bearer, open_timeout=PATIENCE) as plain:
            assert plain.subprotocol is None


async def test_a_cursor_of_another_past_resumes_nothing(redis_url: str) -> None:
    """The log went back while the server was away, and grew beyond the cursor by other entries."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        # who leaves with entries unread waits that long for the server's goodbye
        leaving: dict[str, Any] = {"close_timeout": 0.5}
        async with doors(redis_url) as d, connected(d, await begun(d, 60), **leaving) as ana:
            now = (await ana.ask(type="subscribe"))["cursor"]
            await ana.ask(type="subscribe", after=40)
            cursor = (await ana.next())["cursor"]
        assert [text.partition("-")[0] for text in (now, cursor)] == ["61", "41"]
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "s", seq=20, n=19)
        await bus.publish("s", [message_draft(1000 + k) for k in range(40)])
        stood = (await bus.read("s", 40, to=41))[0].mark
        async with (
            doors(redis_url) as d,
            connected(d, d.token("ana", session="s"), **leaving) as ana,
        ):
            for after in (cursor, now):
                begins = await ana.ask(type="subscribe", after=after)
                reset = await ana.next()
                assert (reset["type"], reset["seq"]) == ("reset", 60)
                assert begins["cursor"] == reset["cursor"]
            for after in (41, "41", f"41-{stood}"):
                await ana.say(type="subscribe", after=after)
                assert (await ana.until("subscribed"))["after"] == 41
                assert (await ana.next())["seq"] == 42
            for rubbish in ("41-", "garbage", str(2**64), 2**64, -1):
                await ana.say(type="subscribe", after=rubbish)
                refused = await ana.until("nack")
                assert refused["problem"]["type"] == "urn:parley:problem:invalid"


async def test_the_cursor_of_a_number_is_checked_like_any_other(redis_url: str) -> None:
    """Who begins behind a seq, and hears nothing, keeps a cursor that another past refuses."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        async with doors(redis_url) as d, connected(d, await begun(d, 60)) as ana:
            await publish_message(bus, "s", "bo", "Nobody is told of this one.")
            await ana.ask(type="subscribe", after=61, show=["floor"])
            cursor = (await ana.ask(type="subscribe", after=61, show=["floor"]))["cursor"]
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "s", seq=20, n=19)
        await bus.publish("s", [message_draft(1000 + k) for k in range(50)])
        async with doors(redis_url) as d, connected(d, d.token("ana", session="s")) as ana:
            await ana.ask(type="subscribe", after=cursor)
            assert (await ana.next())["type"] == "reset"


async def test_it_subscribes_from_a_cursor_and_anew(redis_url: str) -> None:
    """Each entry once; a second subscription replaces the first; unsubscribing ends it."""
    async with doors(redis_url) as d:
        token, bus = await begun(d, 10), d.deps.backend.bus
        async with connected(d, token) as ana:
            assert (await ana.ask(type="subscribe", after=4))["after"] == 4
            await publish_message(bus, "s", "bo", "I propose we paint the pier.")
            heard = [await ana.next() for _ in range(8)]
            assert [row["seq"] for row in heard] == list(range(5, 13))
            assert heard[-1]["facts"][0]["kind"] == "proposal.made"
            again = await ana.ask(type="subscribe", after=11, show=["messages"], facts=False)
            (eleventh,) = await bus.read("s", 10, to=11)
            assert again == {"type": "subscribed", "after": 11, "cursor": f"11-{eleventh.mark}"}
            last = await ana.next()
            assert last["seq"] == 12
            assert "facts" not in last
            assert await ana.ask(type="unsubscribe") == {"type": "unsubscribed"}
            await publish_message(bus, "s", "bo", "Unheard.")
            assert await ana.ask(type="ping") == {"type": "pong"}
            assert (await ana.ask(type="subscribe"))["after"] == 13
            refused = await ana.ask(type="subscribe", after=99)
            assert refused["problem"]["type"] == "urn:parley:problem:not-yet"
            await ana.ask(type="subscribe", after=2, incarnation="another")
            assert (await ana.next())["type"] == "reset"


async def test_a_subscription_that_dies_ends_the_connection(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an error that nobody foresaw: the client is not left to wait for what never comes."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            monkeypatch.setattr(SessionChannel, "listen", _fail)
            await ana.say(type="subscribe")
            assert await ana.code() == 1006  # cut off, as where any request fails
        await wait_until(lambda: len(d.deps.streams) == 0)


def _fail(*_: object) -> None:
    raise ValueError("nobody foresaw it")


async def test_what_is_published_is_acknowledged_in_order(redis_url: str) -> None:
    """More than are in hand at once: the rest waits in the socket, and nothing is lost."""
    async with doors(redis_url) as d:
        token, bus = await begun(d), d.deps.backend.bus
        async with connected(d, token) as ana:
            refs = [f"c{k}" for k in range(60)]
            for ref in refs:
                await ana.say(type="publish", ref=ref, entries=[{"content": f"{ref}."}])
            acks = [await ana.next() for _ in refs]
            assert [(row["type"], row["ref"]) for row in acks] == [("ack", ref) for ref in refs]
            assert [row["receipts"][0]["seq"] for row in acks] == list(range(7, 67))
        participants = {record.entry.participant for record in (await whole(bus, "s"))[6:]}  # type: ignore[union-attr]
        assert participants == {"ana"}


async def test_what_is_refused_is_said_so_with_its_ref(redis_url: str) -> None:
    """The problem is that of `POST …/entries`; the connection goes on."""
    async with doors(redis_url) as d:
        token = await begun(d)
        observer = d.token("eye", role="observer", session="s")
        async with connected(d, token) as ana, connected(d, observer) as eye:
            refusals = {
                "not-your-name": [{"content": "Hello.", "participant": "bo"}],
                "invalid": [{"content": "Fine."}, {"content": 5}],
            }
            for slug, entries in refusals.items():
                nack = await ana.ask(type="publish", ref=slug, entries=entries)
                assert (nack["type"], nack["ref"]) == ("nack", slug)
                assert nack["problem"]["type"] == f"urn:parley:problem:{slug}"
            nack = await eye.ask(type="publish", ref="x", entries=[{"content": "Psst."}])
            assert nack["problem"]["type"] == "urn:parley:problem:forbidden"
            await d.deps.backend.bus.close("s", "done")
            nack = await ana.ask(type="publish", ref="late", entries=[{"content": "Late."}])
            assert nack["problem"]["type"] == "urn:parley:problem:closed"
        assert (await d.deps.backend.bus.info("s")).head == 7


async def test_over_its_rate_a_publish_is_refused_with_a_time(redis_url: str) -> None:
    """And nothing of it lands."""
    now = time.time()
    async with doors(redis_url, clock=lambda: now, rate=1) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            entries = [{"content": f"{k}"} for k in range(9)]
            assert (await ana.ask(type="publish", ref="many", entries=entries))["type"] == "ack"
            nack = await ana.ask(type="publish", ref="more", entries=entries)
            assert nack["problem"]["type"] == "urn:parley:problem:rate"
            assert nack["problem"]["retry_after"] > 0
        assert (await d.deps.backend.bus.info("s")).head == 15


async def test_three_frames_that_cannot_be_read_end_it(redis_url: str) -> None:
    """Two are forgiven. Nothing of them is sent back."""
    async with doors(redis_url) as d, connected(d, await begun(d)) as ana:
        for rubbish in ("{", "{'type':'marker-7'}"):
            await ana.raw.send(rubbish)
            nack = await ana.next()
            assert (nack["type"], nack["ref"]) == ("nack", None)
            assert nack["problem"]["type"] == "urn:parley:problem:malformed"
            assert "marker" not in json.dumps(nack)
        await ana.raw.send('{"type":"ping"')
        assert await ana.code() == 1008


async def test_a_frame_of_another_form_is_told_what_is_wrong_with_it(redis_url: str) -> None:
    """Its field and its ref, as a request is told; it was read, and ends nothing."""
    frames: tuple[tuple[Any, str | None, str | None, str], ...] = (
        ({"type": "marker-7"}, None, "type", "union_tag_invalid"),
        ({}, None, "type", "union_tag_not_found"),
        (["marker-7"], None, None, "model_attributes_type"),
        ({"type": "publish", "ref": 5, "entries": [{}]}, None, "ref", "string_type"),
        ({"type": "publish", "ref": "a", "entries": []}, "a", "entries", "too_short"),
        ({"type": "publish", "ref": "a", "entries": [1]}, "a", "entries.0", "dict_type"),
        ({"type": "subscribe", "marker-7": 1}, None, None, "extra_forbidden"),
    )
    async with doors(redis_url) as d, connected(d, await begun(d)) as ana:
        for frame, ref, field, fault in frames:
            await ana.raw.send(json.dumps(frame))
            nack = await ana.next()
            assert (nack["type"], nack["ref"]) == ("nack", ref)
            problem = nack["problem"]
            assert problem["type"] == "urn:parley:problem:invalid"
            assert (problem.get("field"), problem["fault"]) == (field, fault)
            assert "marker" not in json.dumps(nack)
        assert await ana.ask(type="ping") == {"type": "pong"}


async def test_other_ends_have_codes_of_their_own(redis_url: str) -> None:
    """Binary frames, frames too long, a token that is over, a session that is gone."""
    async with doors(redis_url, body_bytes=1 << 16) as d:
        token, bus = await begun(d), d.deps.backend.bus
        async with connected(d, token) as ana:
            await ana.raw.send(b"\x00")
            assert await ana.code() == 1003
        async with connected(d, token) as ana:
            await ana.raw.send("x" * (1 << 17))
            assert await ana.code() == 1009
        async with connected(d, d.token("ana", session="s", seconds=1.1)) as ana:
            assert (await ana.next())["type"] == "expired"
            assert await ana.code() == 4401
        async with connected(d, token) as ana:
            await ana.ask(type="subscribe")
            await bus.remove("s")
            assert await ana.next() == {"type": "bye", "reason": "gone"}
            assert await ana.code() == 4404
        await wait_until(lambda: len(d.deps.streams) == 0)


async def test_a_closing_server_says_bye(redis_url: str) -> None:
    """With 1001, subscribed or not."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana, connected(d, token) as bo:
            await bo.ask(type="subscribe")
            d.deps.closing.set()
            for socket in (ana, bo):
                assert await socket.next() == {"type": "bye", "reason": "shutdown"}
                assert await socket.code() == 1001


async def test_what_is_refused_before_it_opens_is_a_status(redis_url: str) -> None:
    """No token, another session's, no session, a foreign page: never an open socket."""
    async with doors(redis_url) as d:
        token = await begun(d)
        elsewhere = d.token("ana", session="other")
        cases: list[tuple[str | None, dict[str, str], int]] = [
            (None, {}, 401),
            (elsewhere, {}, 403),
            (token, {"origin": "https://evil.example"}, 403),
        ]
        for given, more, status in cases:
            with pytest.raises(InvalidStatus) as refused:
                async with connected(d, given, **more):
                    pass
            assert refused.value.response.status_code == status
            body = json.loads(refused.value.response.body or b"{}")
            assert body["status"] == status
        await d.deps.backend.bus.remove("s")
        with pytest.raises(InvalidStatus) as refused:
            async with connected(d, token):
                pass
        assert refused.value.response.status_code == 404
        assert len(d.deps.streams) == 0


async def test_a_ticket_opens_one_socket(redis_url: str) -> None:
    """A browser cannot send a header: it asks for a ticket, which is good once."""
    async with doors(redis_url) as d:
        token = await begun(d)
        claims = d.deps.keyring.verify(token, d.deps.clock())
        ticket = d.deps.tickets.issue(claims)
        async with connected(d, None, f"?ticket={ticket}") as ana:
            assert ana.hello["you"] == {"name": "ana", "role": "person"}
        with pytest.raises(InvalidStatus):
            async with connected(d, None, f"?ticket={ticket}"):
                pass


async def test_a_client_that_does_not_read_is_closed(redis_url: str) -> None:
    """With 4408, told where to resume; nobody else waits."""
    async with doors(redis_url, slow_seconds=2) as d:
        token, bus = await begun(d), d.deps.backend.bus
        small = socket.socket()
        small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        host, port = d.url.removeprefix("http://").split(":")
        small.connect((host, int(port)))
        async with connected(d, token, sock=small, max_queue=1) as slow, connected(d, token) as ana:
            await slow.ask(type="subscribe")
            await ana.ask(type="subscribe")
            for number in range(40):
                await publish_message(bus, "s", "bo", f"{number} " + "x" * 200_000)
                assert (await ana.next())["seq"] == 7 + number
            channel = d.deps.channels.channel("s")
            await wait_until(lambda: len(channel._live) == 1)
            dropped = await slow.until("dropped")
            assert dropped["reason"] == "slow"
            assert dropped["after"] < 46
            assert await slow.code() == 4408


# -- what the protocol itself lets a client do -----------------------------------------


async def test_whoever_pings_and_does_not_read_is_not_read(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers are not heaped up; once they are read, it goes on."""
    monkeypatch.setattr(websocket_connection, "FRAMES_AT_ONCE", 1 << 30)  # it is not closed first
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token, ping_interval=None) as ana:
            pipe = ana.raw.transport
            pipe.pause_reading()
            (own,) = (
                connection
                for connection in d.deps.open_connections
                if isinstance(connection, WebSocketConnection)
            )
            flood = frame(9, b"x" * 125) * 8_000

            async def is_full() -> bool:
                pipe.write(flood)
                return not own.transport.is_reading()

            await wait_until(is_full)
            assert own.transport.get_write_buffer_size() < 1 << 20
            pipe.resume_reading()
            assert await ana.ask(type="ping") == {"type": "pong"}


async def test_a_message_may_come_in_ever_so_many_pieces(redis_url: str) -> None:
    """They are one message in the end, and no heap of pieces until then."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            pieces = (bytes([byte]) for byte in b'"type": "ping"}')
            whole = [frame(1, b"{", fin=False)]
            whole += [frame(0, b"", fin=False) + frame(0, data, fin=False) for data in pieces]
            for _ in range(2):
                ana.raw.transport.write(b"".join([*whole, frame(0, b"")]))
                assert await ana.next() == {"type": "pong"}
            ana.raw.transport.write(b"".join(whole) + b"".join(whole[1:]) * 99)
            (own,) = (
                connection
                for connection in d.deps.open_connections
                if isinstance(connection, WebSocketConnection)
            )
            await (await ana.raw.ping())  # all of it was read
            assert len(own.frames) == 1


async def test_text_that_is_no_text_is_the_clients_fault_alone(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is closed with the code for it, and nothing is written into the log."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            ana.raw.transport.write(frame(1, b"\xff"))
            assert await ana.code() == 1007
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []


def frame(kind: int, data: bytes, *, fin: bool = True) -> bytes:
    """As a client writes one, masked with zeros."""
    return bytes([fin << 7 | kind, 0x80 | len(data), 0, 0, 0, 0]) + data


async def test_an_act_on_what_is_not_there_is_a_nack(redis_url: str) -> None:
    """With the row at fault; what rows before it make is there, and what is none of it is not."""
    async with doors(redis_url) as d:
        token = await begun(d)
        async with connected(d, token) as ana:
            rows = [
                {"content": "I propose we paint the pier.", "id": "mine"},
                {"content": "Yes.", "act": "support", "re": "P1"},
                {"content": "Yes.", "act": "support", "re": "mine"},
                {"content": "No.", "act": "oppose", "re": "P99"},
            ]
            nack = await ana.ask(type="publish", ref="1", entries=rows)
            assert (nack["type"], nack["problem"]["field"]) == ("nack", "entries.3.re")
            assert nack["problem"]["type"] == "urn:parley:problem:no-item"
            ack = await ana.ask(type="publish", ref="2", entries=rows[:3])
            assert (ack["type"], len(ack["receipts"])) == ("ack", 3)
            n = ack["receipts"][-1]["n"]
            ahead = [{"content": "Yes.", "act": "support", "re": n + 1}]
            nack = await ana.ask(type="publish", ref="3", entries=ahead)
            assert nack["problem"]["type"] == "urn:parley:problem:no-message"
