"""Messages and entries over HTTP: said once, in one's own name, found again by number."""

from __future__ import annotations

import gzip
from typing import Any

import anyio
import pytest

from parley.listeners.history import message_words
from parley.server.http.routes.talk import message_routes
from parley.server.http.tokens.bearer_tokens import Role
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.servers.patience import PATIENCE


async def test_a_message_is_said_in_the_name_of_its_token(redis_url: str) -> None:
    """With act, reference, addressees, topic and time; its row reads as it was said."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            first = await ana.post(f"{PATH}/messages", json={"content": "I propose a light."})
            assert first.status_code == 201
            receipt = first.json()
            assert (receipt["n"], receipt["duplicate"]) == (1, False)
            body = {
                "content": "Yes.", "act": "support", "re": "P1", "to": ["bo"], "topic": "light",
                "at": "2026-01-31T09:30:00Z",
            }  # fmt: skip
            second = (await ana.post(f"{PATH}/messages", json=body)).json()
            row = (await ana.get(f"{PATH}/messages/2")).json()
            assert row["id"] == second["id"]
            assert row["entry"] == row["entry"] | {"kind": "message", "participant": "ana", **body}
            answer = {"content": "It is.", "re": receipt["id"]}
            await ana.post(f"{PATH}/messages", json=answer)
            assert (await ana.get(f"{PATH}/messages/3")).json()["entry"]["re"] == 1


@pytest.mark.parametrize("role", ["person", "agent"])
@pytest.mark.parametrize(("re", "name"), [("P2", "no-item"), ("D1", "no-item"), (2, "no-message")])
async def test_a_word_on_what_is_not_there_is_refused(
    redis_url: str, role: Role, re: str | int, name: str
) -> None:
    """It would be for nothing, and nobody would hear of it; nothing lands."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", role=role, session=NAME)) as ana:
            await ana.post(f"{PATH}/messages", json={"content": "I propose a light."})
            body = {"content": "Yes.", "act": "support", "re": re}
            refused = await ana.post(f"{PATH}/messages", json=body)
            assert (refused.status_code, slug(refused)) == (404, name)
            assert (await ana.get(PATH)).json()["n"] == 1
            for there in ("P1", "p1", 1):  # as commands and tools take them
                body = {"content": "Yes.", "act": "support", "re": there}
                assert (await ana.post(f"{PATH}/messages", json=body)).status_code == 201
                rows = {"entries": [body]}
                if role == "person":
                    assert (await ana.post(f"{PATH}/entries", json=rows)).status_code == 201


async def test_the_same_key_says_it_once(redis_url: str) -> None:
    """A retry is answered with the first receipt; other words under the key are a conflict."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            key = {"Idempotency-Key": "k1"}
            body = {"content": "Once."}
            first = await ana.post(f"{PATH}/messages", json=body, headers=key)
            again = await ana.post(f"{PATH}/messages", json=body, headers=key)
            assert (first.status_code, again.status_code) == (201, 200)
            assert again.json() == {**first.json(), "duplicate": True}
            other = await ana.post(f"{PATH}/messages", json={"content": "Twice."}, headers=key)
            assert (slug(other), other.json()["seq"]) == ("conflict", first.json()["seq"])
            own = await bo.post(f"{PATH}/messages", json=body, headers=key)
            assert own.status_code == 201  # a key is one's own


@pytest.mark.parametrize(
    ("body", "status", "name", "field"),
    [
        ({}, 422, "invalid", "content"),
        ({"content": " "}, 422, "invalid", "content"),
        ({"content": 5}, 422, "invalid", "content"),
        ({"content": "x", "act": "shout"}, 422, "invalid", "act"),
        ({"content": "x", "re": 2**70}, 422, "invalid", "re"),
        ({"content": "x", "to": ["a", 7]}, 422, "invalid", "to.1"),
        ({"content": "x", "canary-key": 1}, 422, "invalid", None),
        ({"content": "x", "re": "canary-id"}, 422, "refused", None),
        ({"content": "x", "as": "canary-name"}, 403, "not-your-name", None),
    ],
)
async def test_what_is_no_message_is_refused_by_its_field(
    redis_url: str, body: dict[str, Any], status: int, name: str, field: str | None
) -> None:
    """Nothing is said, and nothing of the request is said again."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            refused = await ana.post(f"{PATH}/messages", json=body)
            assert (refused.status_code, slug(refused)) == (status, name)
            assert refused.json().get("field") == field
            assert "canary" not in refused.text
            assert (await ana.get(PATH)).json()["n"] == 0


@pytest.mark.parametrize(
    ("path", "body", "takes"),
    [
        ("", {"session": "harbour", "run": True}, "Input should be 'no', 'script' or 'model'"),
        ("/harbour/messages", {}, "Field required"),
        ("/harbour/messages", {"content": 7}, "Input should be a valid string"),
    ],
)
async def test_what_is_wrong_with_a_field_is_told_in_words(
    redis_url: str, path: str, body: dict[str, Any], takes: str
) -> None:
    """What it takes; what it was given is not said back."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as client:
            problem = (await client.post(f"/v1/sessions{path}", json=body)).json()
    assert problem["detail"] == f"A field of the request is missing or wrong. {takes}."


async def test_bytes_that_are_no_json_are_malformed(redis_url: str) -> None:
    """Likewise text that UTF-8 cannot write, and another media type."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            json = {"Content-Type": "application/json"}
            for raw in (b"{", b'{"content": "\xff"}', b'{"content": "\\ud800"}'):
                broken = await ana.post(f"{PATH}/messages", content=raw, headers=json)
                assert (broken.status_code, slug(broken)) == (400, "malformed"), raw
            form = await ana.post(f"{PATH}/messages", data={"content": "x"})
            assert (form.status_code, slug(form)) == (415, "media-type")
            packed = await ana.post(
                f"{PATH}/messages", content=gzip.compress(b'{"content": "Aye."}'),
                headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
            )  # fmt: skip
            assert (packed.status_code, slug(packed)) == (415, "media-type")


async def test_a_token_that_lists_acts_says_no_other(redis_url: str) -> None:
    """What has no act may be said; in a batch it is the same."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME, may=["support"])) as ana:
            response = await ana.post(f"{PATH}/messages", json={"content": "x", "act": "decide"})
            assert slug(response) == "act-not-allowed"
            rows = {"entries": [{"content": "x", "act": "decide"}]}
            assert slug(await ana.post(f"{PATH}/entries", json=rows)) == "act-not-allowed"
            assert (await ana.post(f"{PATH}/messages", json={"content": "x"})).status_code == 201


async def test_a_batch_lands_in_order_and_its_rows_name_each_other(redis_url: str) -> None:
    """A row's own id is what a later `re` finds; a retry changes nothing."""
    rows = [
        {"id": "a", "content": "A light?"},
        {"content": "Yes.", "re": "a", "act": "support"},
        {"kind": "step", "form": "reasoning", "content": "Looked at the pier."},
    ]
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            key = {"Idempotency-Key": "batch"}
            landed = await ana.post(f"{PATH}/entries", json={"entries": rows}, headers=key)
            assert landed.status_code == 201, landed.text
            assert [receipt["n"] for receipt in landed.json()["receipts"]] == [1, 2, 3]
            again = await ana.post(f"{PATH}/entries", json={"entries": rows}, headers=key)
            assert all(receipt["duplicate"] for receipt in again.json()["receipts"])
            entries = (await ana.get(f"{PATH}/entries", params={"after": 1})).json()["items"]
            assert [entry["entry"]["kind"] for entry in entries] == ["message", "message", "step"]
            assert entries[1]["entry"]["re"] == 1


@pytest.mark.parametrize(
    ("row", "name", "field"),
    [
        ({"content": ""}, "invalid", "entries.1.content"),
        ({"content": "x", "canary": 1}, "invalid", "entries.1"),
        ({"kind": "step", "content": "x", "form": "canary"}, "invalid", "entries.1.form"),
        ({"kind": "session.closed", "reason": "canary"}, "invalid", "entries.1.kind"),
        ({"kind": "floor.granted", "epoch": 1}, "invalid", "entries.1.kind"),
        ({"kind": "summary.made"}, "invalid", "entries.1.kind"),
        ({"content": "x", "participant": "canary"}, "not-your-name", None),
        ({"content": "x", "agent_id": "canary"}, "not-your-name", None),
        ({"kind": "item.corrected", "ref": "P1", "op": "retract", "by": "canary"},
         "not-your-name", None),
        ({"kind": "ballot.completed", "consensus": True, "content": "x"}, "forbidden", None),
        ({"kind": [], "content": "x"}, "invalid", "entries.1.kind"),
        ({"kind": "episode.opened", "episode": "phase", "title": "x"}, "forbidden", None),
        ({"content": "x", "re": "canary"}, "refused", None),
        ({"content": "x", "id": "can ary"}, "invalid", "entries.1.id"),
    ],
)  # fmt: skip
async def test_one_bad_row_keeps_all_out(
    redis_url: str, row: dict[str, Any], name: str, field: str | None
) -> None:
    """The row and its field are named; what only the server makes is never taken."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME, may=["support", "inform"])) as ana:
            body = {"entries": [{"content": "Fine."}, row]}
            answer = await ana.post(f"{PATH}/entries", json=body)
            assert slug(answer) == name
            assert answer.json().get("field") == field
            assert "canary" not in answer.text
            assert (await ana.get(PATH)).json()["n"] == 0


async def test_an_operator_speaks_for_whom_it_names(redis_url: str) -> None:
    """And for nobody else: without a name it says nothing."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as operator:
            silent = await operator.post(f"{PATH}/messages", json={"content": "Hello."})
            assert (silent.status_code, slug(silent)) == (403, "forbidden")
            rows = [{"content": "One.", "participant": "ana"}, {"content": "Two."}]
            response = await operator.post(f"{PATH}/entries", json={"entries": rows, "as": "bo"})
            assert response.status_code == 201
            items = (await operator.get(f"{PATH}/messages")).json()["items"]
            assert [item["entry"]["participant"] for item in items] == ["ana", "bo"]


async def test_messages_are_found_by_number_speaker_and_words(redis_url: str) -> None:
    """In order, in pages that miss none and repeat none, forwards and backwards."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as client:
            rows: list[dict[str, Any]] = [
                {"content": f"Message {k}.", "participant": "ana" if k % 3 else "bo"}
                for k in range(1, 21)
            ]
            rows.insert(4, {"kind": "step", "form": "reasoning", "content": "x",
                            "participant": "ana"})  # fmt: skip
            await client.post(f"{PATH}/entries", json={"entries": rows})

            async def numbers(**params: Any) -> tuple[list[int], int | None]:
                page = (await client.get(f"{PATH}/messages", params=params)).json()
                return [item["n"] for item in page["items"]], page["next"]

            everything = [n for n in range(1, 22) if n != 5]
            assert await numbers() == (everything, None)
            assert await numbers(first=4, last=7) == ([4, 6, 7], None)
            assert await numbers(first=4, last=7, others="true") == ([4, 5, 6, 7], None)
            assert (await numbers(words="x", others="true"))[0] == []
            assert await numbers(before=7, limit=3) == ([3, 4, 6], 3)
            assert await numbers(before=3, limit=3) == ([1, 2], None)
            assert (await numbers(by="bo"))[0] == [3, 7, 10, 13, 16, 19]
            assert (await numbers(words="message 12"))[0] == [13]
            seen: list[int] = []
            after: int | None = 0
            while after is not None:
                part, after = await numbers(after=after, limit=6)
                seen += part
            assert seen == everything
            assert slug(await client.get(f"{PATH}/messages/5")) == "no-message"
            assert slug(await client.get(f"{PATH}/messages/99")) == "no-message"


async def test_an_agent_under_a_floor_waits_for_it(redis_url: str) -> None:
    """Without a seat it says nothing; with one, its message is said in a turn, and once."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid"})
        async with d.client(d.token("bot", role="agent", session=NAME)) as bot:
            early = await bot.post(f"{PATH}/messages", json={"content": "Hello."})
            assert (early.status_code, slug(early)) == (409, "floor-required")
            rows = {"entries": [{"content": "Hello."}]}
            assert slug(await bot.post(f"{PATH}/entries", json=rows)) == "floor-required"
            assert (await bot.post(f"{PATH}/seats", json={})).status_code == 201
            key = {"Idempotency-Key": "hello"}
            response = await bot.post(f"{PATH}/messages", json={"content": "Hello."}, headers=key)
            assert response.status_code == 201, response.text
            kinds = [
                item["entry"]["kind"] for item in (await bot.get(f"{PATH}/entries")).json()["items"]
            ]
            assert kinds[kinds.index("message") + 1] == "floor.released"
            again = await bot.post(f"{PATH}/messages", json={"content": "Hello."}, headers=key)
            assert (again.status_code, again.json()["duplicate"]) == (200, True)


async def test_an_agent_is_not_kept_waiting_for_longer_than_it_asked(redis_url: str) -> None:
    """While the floor is paused nobody is granted it."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid"})
        async with (
            d.client(d.token("bot", role="agent", session=NAME)) as bot,
            d.client(d.operator()) as operator,
        ):
            await bot.post(f"{PATH}/seats", json={})
            assert (await operator.post(f"{PATH}/floor/pause", json={})).status_code == 201
            with anyio.fail_after(PATIENCE):
                response = await bot.post(f"{PATH}/messages?wait=0", json={"content": "Hello."})
            assert (response.status_code, slug(response)) == (409, "floor-not-granted")


ODD = [
    b'{"a": NaN}', b'{"a": 1e999}', b'{"a": 123456789012345678901234567890}',
    b'{"a": "\\ud800"}', b'{"\\ud800": 1}', b'[' * 5000 + b']' * 5000, b'{"a": "\\u0000"}',
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
async def test_json_that_no_log_can_hold_is_no_fault_of_the_server(
    redis_url: str, odd: bytes
) -> None:
    """Wherever a tree may stand it is refused, or kept where it can be."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as client:
            for method, path, raw in (
                ("POST", f"{PATH}/tools/lookup", b'{"tool":"x","as":"a","arguments":%s}'),
                ("POST", f"{PATH}/tools/results",
                 b'{"tool":"x","as":"a","result":"y","arguments":%s}'),
                ("POST", f"{PATH}/entries",
                 b'{"as":"a","entries":[{"kind":"tool.called","tool":"x","call_id":"1",'
                 b'"arguments":%s}]}'),
                ("POST", f"{PATH}/entries", b'{"as":"a","entries":[{"content":%s}]}'),
                ("PATCH", f"{PATH}/settings", b'{"settings":%s}'),
                ("POST", "/v1/sessions", b'{"session":"odd","settings":%s}'),
            ):  # fmt: skip
                answer = await client.request(
                    method, path, content=raw.replace(b"%s", odd),
                    headers={"Content-Type": "application/json"},
                )  # fmt: skip
                assert answer.status_code in (200, 201, 400, 404, 422), (path, answer.text)
            assert (await client.get(f"{PATH}/entries")).is_success


@pytest.mark.parametrize(("room", "requests"), [(1 << 20, 1), (0, 5)])
async def test_a_search_goes_on_where_a_request_stopped_looking(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, room: int, requests: int
) -> None:
    """A page may be short or empty; following `next` finds every message, and ends.

    One request looks through all the words that are kept, and through some of a log that is
    too long to keep.
    """
    monkeypatch.setattr(message_routes, "LOOKED", 4)
    monkeypatch.setattr(message_words, "ROOM", room)
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as client:
            rows = [{"content": f"Message {k}."} for k in range(1, 19)]
            await client.post(f"{PATH}/entries", json={"entries": rows, "as": "ana"})
            for way, start in (("after", 0), ("before", 19)):
                seen: list[int] = []
                asked, at = 0, start
                while at is not None:
                    params: dict[str, Any] = {way: at, "words": "message 1"}
                    page = (await client.get(f"{PATH}/messages", params=params)).json()
                    seen += [item["n"] for item in page["items"]]
                    asked, at = asked + 1, page["next"]
                assert sorted(seen) == [1, *range(10, 19)]
                assert asked == requests


async def test_who_proposes_again_what_was_rejected_is_told_why(redis_url: str) -> None:
    """The receipt names the message and the reason where asked; without asking it is as it was."""
    again = {"content": "I propose we buy a heat pump for the boat house."}
    async with doors(redis_url) as d:
        await begin(d, chair=["bo"])
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            first = (await ana.post(f"{PATH}/messages?outcome=5", json=again)).json()
            assert first["repeats"] == []
            no = {"content": "It costs too much to run.", "act": "reject", "re": "P1"}
            await bo.post(f"{PATH}/messages", json=no)
            third = (await ana.post(f"{PATH}/messages?outcome=5", json=again)).json()
            (row,) = third["repeats"]
            assert (row["n"], row["repeats"], row["repeats_n"]) == (third["n"], "P1", 1)
            assert row["says"].startswith("P2 was proposed in message 1 as P1, rejected 1-0 at ")
            assert 'because "It costs too much to run." (bo, message 2)' in row["says"]
            assert row["repeats_n"] < row["n"]
            assert "repeats" not in (await ana.post(f"{PATH}/messages", json=again)).json()
            too_long = await ana.post(f"{PATH}/messages?outcome=6", json=again)
            assert too_long.status_code == 422
