"""Votes over HTTP: called, agreed to, cast, counted, told."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from parley.bus import Draft
from parley.bus.entries import BallotCast
from parley.server.queries.log_queries import stream_entries
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.doors.sse import streamed
from tests.support.servers.patience import wait_until

CAST = "ballot.cast"


async def post_message(client: httpx2.AsyncClient, words: str) -> None:
    assert (await client.post(f"{PATH}/messages", json={"content": words})).status_code == 201


async def test_a_vote_is_called_cast_and_counted(redis_url: str) -> None:
    """By participants, each in its own name; its row tells how it stands and what carried."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            await post_message(ana, "I propose a light at the pier.")
            await post_message(bo, "Let me think.")
            body = {"question": "Adopt it?", "proposal": "p1"}
            called = await ana.post(f"{PATH}/votes", json=body)
            assert called.status_code == 201, called.text
            vote = called.json()
            assert (vote["ref"], vote["proposal"], vote["participant"]) == ("V1", "P1", "ana")
            cast = await ana.post(f"{PATH}/votes/V1/ballots", json={"choice": ["accept"]})
            assert (cast.json()["status"], cast.json()["waiting"]) == ("open", ["bo"]), cast.text
            counted = await bo.post(f"{PATH}/votes/V1/count", json={})
            assert counted.status_code == 201, counted.text
            shown = (await bo.get(f"{PATH}/votes/v1")).json()
            assert shown["carried"] == counted.json()["carried"] == "accept"
            twice = await bo.post(f"{PATH}/votes/V1/count", json={})
            assert (twice.status_code, slug(twice)) == (409, "refused")
            assert [row["ref"] for row in (await bo.get(f"{PATH}/votes")).json()["items"]] == ["V1"]
            for at, stood in ((2, []), (3, ["open"]), (5, ["carried"])):
                past = (await bo.get(f"{PATH}/votes", params={"at": at})).json()["items"]
                assert [row["status"] for row in past] == stood
            early = await bo.get(f"{PATH}/votes", params={"at": 99})
            assert (early.status_code, slug(early)) == (422, "not-yet")
            again = (await bo.get(f"{PATH}/votes/1", params={"rule": "unanimity"})).json()
            assert (again["standing"]["carried"], again["again"]["rule"]) == ("accept", "unanimity")


async def open_vote(d: Standing, *, secret: bool = False) -> None:
    """V1 of ana and bo, called by the one."""
    async with d.client(d.operator()) as client:
        for name in ("ana", "bo"):
            body = {"content": "I am here.", "as": name}
            assert (await client.post(f"{PATH}/messages", json=body)).status_code == 201
        called = {"question": "Is it?", "options": ["yes", "no"], "secret": secret, "as": "ana"}
        answer = await client.post(f"{PATH}/votes", json=called)
        assert answer.status_code == 201, answer.text


async def test_who_has_no_vote_casts_none(redis_url: str) -> None:
    """Nor does a vote that is not there take any, nor a choice that is none of its options."""
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d)
        async with (
            d.client(d.token("canary", session=NAME)) as stranger,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            path = f"{PATH}/votes/V1/ballots"
            refused = await stranger.post(path, json={"choice": ["yes"]})
            assert (refused.status_code, slug(refused)) == (409, "refused")
            assert "canary" not in refused.text
            other = await bo.post(path, json={"choice": ["canary"]})
            assert (other.status_code, slug(other)) == (422, "refused")
            assert "canary" not in other.text
            missing = await bo.post(f"{PATH}/votes/V9/ballots", json={"choice": ["yes"]})
            assert (missing.status_code, slug(missing)) == (404, "no-vote")
            assert slug(await bo.get(f"{PATH}/votes/P1")) == "invalid"


async def test_a_vote_on_what_is_decided_names_the_decision(redis_url: str) -> None:
    """As a late ballot does, and a second vote the first; each says what to do."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as operator:

            async def say(name: str, **body: Any) -> None:
                answer = await operator.post(f"{PATH}/messages", json={"as": name, **body})
                assert answer.status_code == 201, answer.text

            async def refusal(path: str, **body: Any) -> str:
                answer = await operator.post(f"{PATH}/{path}", json={"as": "bo", **body})
                assert (answer.status_code, slug(answer)) == (409, "refused")
                return str(answer.json()["detail"])

            for n in (1, 2):
                await say("ana", content=f"I propose lamp {n} for the pier.", act="propose")
            for name in ("bo", "cy"):
                await say(name, content="Yes.", act="support", re="P1")
            told = await refusal("votes", question="A lamp?", proposal="P1")
            assert told.startswith("P1 is accepted: it is decided, as D1, and needs no vote; ")
            called = {"question": "Two?", "proposal": "P2", "as": "bo"}
            assert (await operator.post(f"{PATH}/votes", json=called)).status_code == 201
            told = await refusal("votes", question="Two?", proposal="P2")
            assert told == "a vote on P2 is under way: V1; cast a ballot in that"
            for name in ("ana", "bo", "cy"):
                ballot = {"choice": ["accept"], "as": name}
                await operator.post(f"{PATH}/votes/V1/ballots", json=ballot)
            told = await refusal("votes/V1/ballots", choice=["reject"])
            assert told.startswith("V1 is carried, not open: it made D2; ")
            assert "such as P3" in await refusal("votes", question="Three?", proposal="P9")


async def test_a_secret_vote_tells_nobodys_choice(redis_url: str) -> None:
    """Neither while it is open nor when it is counted; while open nothing is counted again."""
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d, secret=True)
        async with d.client(d.token("bo", session=NAME)) as bo, d.client(d.operator()) as operator:
            cast = await bo.post(f"{PATH}/votes/V1/ballots", json={"choice": ["yes"]})
            assert (cast.json()["ballots"], cast.json()["voted"]) == (None, 1)
            early = await bo.get(f"{PATH}/votes/V1", params={"rule": "majority"})
            assert (early.status_code, slug(early)) == (409, "refused")
            waits = await bo.post(f"{PATH}/votes/V1/count", json={})
            assert (waits.status_code, slug(waits)) == (409, "refused")
            counted = await operator.post(f"{PATH}/votes/V1/count")
            assert counted.status_code == 201
            assert counted.json()["ballots"] is None
            late = await bo.post(f"{PATH}/votes/V1/ballots", json={"choice": ["no"]})
            assert (late.status_code, slug(late)) == (409, "refused")
            for path in (f"{PATH}/entries", f"{PATH}/messages?others=true"):
                rows = (await bo.get(path)).json()["items"]
                (ballot,) = [row["entry"] for row in rows if row["entry"]["kind"] == CAST]
                assert not {"choice", "content"} & ballot.keys()


@pytest.mark.parametrize("secret", [True, False])
async def test_a_stream_tells_what_a_ballot_chose_where_its_vote_is_open(
    redis_url: str, secret: bool
) -> None:
    """Of a secret one neither the entry nor its fact does."""
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d, secret=secret)
        async with d.client(d.token("bo", session=NAME)) as bo:
            body = {"choice": ["yes"], "why": "it is late"}
            assert (await bo.post(f"{PATH}/votes/V1/ballots", json=body)).status_code == 201
            token, path = d.token("bo", session=NAME), f"{PATH}/events?after=0"
            async with streamed(d.url, path, token) as stream:
                while (event := await stream.next()).data.get("entry", {}).get("kind") != CAST:
                    pass
            assert ("yes" in str(event.data), "late" in str(event.data)) == (not secret, not secret)


async def test_an_agent_calls_a_vote_only_where_it_may(redis_url: str) -> None:
    """Its token has to say so, and so does the session."""
    async with doors(redis_url) as d:
        await begin(d)
        body = {"question": "Is it?"}
        async with d.client(d.token("bot", role="agent", session=NAME)) as bot:
            assert slug(await bot.post(f"{PATH}/votes", json=body)) == "forbidden"
            rows = {"entries": [{"kind": "vote.initiated", "content": "Is it?"}]}
            assert slug(await bot.post(f"{PATH}/entries", json=rows)) == "forbidden"
        async with d.client(d.token("bot", role="agent", session=NAME, may=["vote"])) as bot:
            assert (await bot.post(f"{PATH}/seats", json={})).status_code == 201
            answer = await bot.post(f"{PATH}/votes", json=body)
            assert answer.status_code == 201, answer.text


async def _statuses(d: Standing) -> list[str]:
    """As the log has them: no door is asked."""
    memory = await d.deps.backend.reader.current(NAME)
    return [vote.status for vote in memory.votes.by_ref.values()]


async def test_the_last_ballot_closes_the_vote(redis_url: str) -> None:
    """Though nobody counts, and nobody is an agent; its answer says what carried."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        await open_vote(d)
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            path = f"{PATH}/votes/V1/ballots"
            first = await ana.post(path, json={"choice": ["yes"]})
            assert first.json()["status"] == "open"
            last = await bo.post(path, json={"choice": ["yes"]})
            assert (last.json()["status"], last.json()["carried"]) == ("carried", "yes")


async def test_a_vote_ends_when_its_time_is_over(redis_url: str) -> None:
    """With the ballots that are in, though nobody watches the session."""
    async with doors(redis_url) as d:
        await begin(d, vote={"seconds": 1})
        await open_vote(d)

        async def over() -> bool:
            return await _statuses(d) != ["open"]

        await wait_until(over)
        assert await _statuses(d) == ["short"]


async def test_an_open_vote_says_when_it_is_over_and_is_given_more_time(redis_url: str) -> None:
    """In its row, on the board and in the Brief, by the clock of the log; of the past nothing is.

    A second try under the same key gives no more.
    """
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d)
        async with d.client(d.token("bo", session=NAME)) as bo:
            path = f"{PATH}/votes"
            called = await bo.post(path, json={"question": "And this?", "seconds": 86_400})
            assert called.status_code == 201, called.text
            row = called.json()
            records = [row async for row in stream_entries(d.deps.backend.bus, NAME)]
            (at,) = [record.received_ms for record in records if record.n == row["n"]]
            assert row["ends_ms"] == at + 86_400_000
            for _ in range(2):
                more = await bo.post(
                    f"{path}/V2/extend", json={"seconds": 60}, headers={"Idempotency-Key": "k"}
                )
                assert (more.status_code, more.json()["ends_ms"]) == (201, at + 86_460_000)
            board = (await bo.get(f"{PATH}/view")).json()["votes"]
            brief = (await bo.get(f"{PATH}/brief")).json()["votes"]
            shown = (await bo.get(path)).json()["items"]
            for rows in (board, brief, shown):
                ends = {row["ref"]: row["ends_ms"] for row in rows}
                assert (ends["V2"], ends["V1"] < at + 120_000) == (at + 86_460_000, True)
            past = (await bo.get(path, params={"at": row["n"]})).json()["items"]
            assert [row["ends_ms"] for row in past] == [None, None]
            await bo.post(f"{path}/V2/count", json={})
            assert (await bo.get(f"{path}/V2")).json()["ends_ms"] is None
            late = await bo.post(f"{path}/V2/extend", json={"seconds": 60})
            assert (late.status_code, slug(late)) == (409, "refused")
            for seconds in (0, -1, 31_536_001, "60"):
                wrong = await bo.post(f"{path}/V1/extend", json={"seconds": seconds})
                assert (wrong.status_code, slug(wrong)) == (422, "invalid"), seconds


async def test_who_may_not_call_a_vote_gives_none_more_time(redis_url: str) -> None:
    """Neither by the route nor in a batch."""
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d)
        async with d.client(d.token("bot", role="agent", session=NAME)) as bot:
            answer = await bot.post(f"{PATH}/votes/V1/extend", json={"seconds": 60})
            assert slug(answer) == "forbidden"
            rows = {"entries": [{"kind": "vote.extended", "re": "V1", "seconds": 60}]}
            assert slug(await bot.post(f"{PATH}/entries", json=rows)) == "forbidden"


async def test_a_vote_that_outlived_its_server_ends_at_the_next_that_is_asked_for_it(
    redis_url: str,
) -> None:
    """Its time was over while nobody was there to count; whoever asks for it alone finds out."""
    async with doors(redis_url) as first:
        await begin(first, vote={"seconds": 1})
        await open_vote(first)
    async with doors(redis_url) as d, d.client(d.token("bo", session=NAME)) as bo:

        async def over() -> bool:
            status: str = (await bo.get(f"{PATH}/votes/V1")).json()["status"]
            return status != "open"

        await wait_until(over)


async def test_a_vote_ends_with_ballots_that_came_by_other_ways(redis_url: str) -> None:
    """In a batch, or from a command line: whoever watches the room counts."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        await open_vote(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            row = {"kind": "ballot.cast", "re": "V1", "choice": ["no"]}
            assert (await ana.post(f"{PATH}/entries", json={"entries": [row]})).is_success
        cast = BallotCast(participant="bo", re="V1", choice=("no",))
        await d.deps.backend.bus.publish(NAME, [Draft("cli:1", cast)])

        async def over() -> bool:
            return await _statuses(d) == ["carried"]

        await wait_until(over)


async def test_a_change_of_mind_at_the_last_moment_is_counted_where_it_came_first(
    redis_url: str,
) -> None:
    """Over two servers at once: each ballot that the log has before the result is in it."""
    async with doors(redis_url) as d, doors(redis_url) as e:
        await begin(d)
        async with d.client(d.operator()) as async_client, e.client(d.operator()) as two:
            for name in ("ana", "bo"):
                await async_client.post(
                    f"{PATH}/messages", json={"content": "I am here.", "as": name}
                )
            for number in range(1, 9):
                called = {"question": "Is it?", "as": "ana"}
                assert (await async_client.post(f"{PATH}/votes", json=called)).status_code == 201
                path = f"{PATH}/votes/V{number}/ballots"
                yes, no = {"choice": ["accept"]}, {"choice": ["reject"]}
                await async_client.post(path, json={**yes, "as": "ana"})
                await asyncio.gather(
                    two.post(path, json={**yes, "as": "bo"}),
                    async_client.post(path, json={**no, "as": "ana"}),
                    two.post(path, json={**no, "as": "bo"}),
                )
            votes = [(await async_client.get(f"{PATH}/votes/V{k}")).json() for k in range(1, 9)]
        log = [(row.n, row.entry) async for row in stream_entries(d.deps.backend.bus, NAME)]
    cast: list[tuple[int, Any]] = [(n, entry) for n, entry in log if entry.kind == CAST]
    for vote in votes:
        mine = [(n, ballot) for n, ballot in cast if ballot.re in (vote["n"], vote["ref"])]
        last = {ballot.participant: ballot.choice[0] for n, ballot in mine if n < vote["closed_n"]}
        counts = {option: list(last.values()).count(option) for option in ("accept", "reject")}
        assert {option: vote["tally"][option] for option in counts} == counts


async def test_a_choice_that_is_no_list_is_told_to_be_one(redis_url: str) -> None:
    """In brackets: what a ranked vote takes, any vote does; one word may go without."""
    async with doors(redis_url) as d:
        await begin(d)
        await open_vote(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            refused = await ana.post(f"{PATH}/votes/V1/ballots", json={"choice": 3})
            word = await ana.post(f"{PATH}/votes/V1/ballots", json={"choice": "yes"})
    assert (word.status_code, word.json()["voted"]) == (201, 1)
    problem = refused.json()
    assert (refused.status_code, problem["field"]) == (422, "choice")
    assert problem["detail"].endswith("Input should be a list in brackets, also of one: [...].")
