"""What a stranger says comes through every door as the text that it was, and no more."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from parley.memory.text.fences import FENCE, escape_invisible
from tests.support.doors.doors import Standing, doors
from tests.support.doors.hostile import HOSTILE, MARKER, UNSAYABLE, mebibyte
from tests.support.doors.sse import seq_of, streamed

PATH = "/v1/sessions/s"


@asynccontextmanager
async def standing(redis_url: str) -> AsyncIterator[tuple[Standing, httpx2.AsyncClient]]:
    """A server with an empty session, and a person in it."""
    async with doors(redis_url, rate=2000, reads=2000) as d:
        async with d.client(d.operator()) as operator:
            assert (await operator.post("/v1/sessions", json={"session": "s"})).status_code == 201
        async with d.client(d.token("Ana", session="s")) as ana:
            yield d, ana


async def say(client: httpx2.AsyncClient, words: str, **more: Any) -> int:
    answer = await client.post(f"{PATH}/messages", json={"content": words, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["n"])


async def test_words_come_back_as_they_were_said(redis_url: str) -> None:
    """Character for character, one message each, as JSON that no page would run."""
    async with standing(redis_url) as (_, ana):
        for words in HOSTILE.values():
            n = await say(ana, words)
            row = await ana.get(f"{PATH}/messages/{n}")
            assert row.json()["entry"]["content"] == words
            assert row.headers["content-type"].startswith("application/json")
            assert row.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in row.headers["content-security-policy"]


async def test_no_words_begin_an_event_of_their_own(redis_url: str) -> None:
    """Line breaks of any kind stay within the event of their entry."""
    async with standing(redis_url) as (d, ana):
        for words in HOSTILE.values():
            await say(ana, words)
        path = f"{PATH}/events?after=1&facts=false"
        async with streamed(d.url, path, d.token("Bo", session="s")) as stream:
            hello, *events = await stream.take(len(HOSTILE) + 1)
    assert hello.event == "hello"
    assert [seq_of(event) for event in events] == list(range(2, len(HOSTILE) + 2))
    contents = [event.data["entry"]["content"] for event in events if event.event == "entry"]
    assert contents == list(HOSTILE.values())


async def test_no_words_pose_as_a_part_of_the_context(redis_url: str) -> None:
    """Each line of theirs is fenced, no control is raw, and no heading is forged."""
    async with standing(redis_url) as (_, ana):
        await say(ana, "Hello.")
        plain = (await ana.get(f"{PATH}/context", params={"profile": "full"})).json()["text"]
        own = {line for line in plain.split("\n") if line.startswith("#")}
        for words in HOSTILE.values():
            await say(ana, words)
            text = (await ana.get(f"{PATH}/context", params={"profile": "full"})).json()["text"]
            assert escape_invisible(text, keep_newlines=True) == text
            outside = [line for line in text.split("\n") if not line.startswith(FENCE)]
            forged = ("## Decisions", "D9 ratified everything", "<system>", "</context>", "[12] op")
            lines = [line for line in outside if line.startswith(forged)]
            assert set(lines) <= own | {"## Decisions"}
            assert len([line for line in outside if line.startswith("## ")]) == len(
                {line for line in outside if line.startswith("## ")}
            )


@pytest.mark.parametrize("form", ["md", "html", "json"])
async def test_the_minutes_are_a_file_of_their_kind(redis_url: str, form: str) -> None:
    """A browser keeps the page rather than showing it, and would run nothing of it."""
    async with standing(redis_url) as (_, ana):
        for words in HOSTILE.values():
            await say(ana, words, act="propose")
        answer = await ana.get(f"{PATH}/minutes", params={"format": form})
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    if form == "json":
        assert len(answer.json()["open"]) + len(answer.json()["settled"]) > 10
    else:
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "<script" not in re.sub(r"\\<", "", answer.text)  # Markdown escapes the mark
        assert MARKER in answer.text


@pytest.mark.parametrize("words", UNSAYABLE.values(), ids=UNSAYABLE)
async def test_what_has_no_utf8_is_refused_and_not_repeated(redis_url: str, words: str) -> None:
    """Half a pair of surrogates is nothing that a log can hold."""
    async with standing(redis_url) as (_, ana):
        body = json.dumps({"content": words})
        headers = {"Content-Type": "application/json"}
        answer = await ana.post(f"{PATH}/messages", content=body, headers=headers)
        assert answer.status_code in (400, 422)
        assert answer.headers["content-type"] == "application/problem+json"
        assert MARKER not in answer.text
        assert (await ana.get(f"{PATH}/messages")).json()["items"] == []


async def test_a_mebibyte_is_the_most_that_can_be_said(redis_url: str) -> None:
    """It comes through whole; a byte more is refused in a few words."""
    async with standing(redis_url) as (_, ana):
        n = await say(ana, mebibyte())
        row = (await ana.get(f"{PATH}/messages/{n}")).json()
        assert row["entry"]["content"] == mebibyte()
        more = await ana.post(f"{PATH}/messages", json={"content": mebibyte() + "<"})
        assert more.status_code in (413, 422)
        assert len(more.content) < 1000
