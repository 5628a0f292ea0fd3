"""The board and the timeline: the memory as a page shows it, now and as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.bus import Draft
from parley.bus.entries import (
    BallotCast,
    Entry,
    Message,
    ParticipantJoined,
    SessionOpened,
    VoteInitiated,
)
from parley.memory.state.memory import Memory
from parley.server.http.bodies.page_responses import Board, BriefRow, TimelineRow
from parley.server.http.requests.memory_reads import accepts_gzip
from parley.server.http.state.answer_cache import AnswerCache
from parley.server.rows.floor_rows import HUES, assign_hues
from parley.server.rows.page_rows import MOST, page_row
from tests.support.doors.doors import Standing, doors
from tests.support.logs.logs import PACK_REFS, PACKS, folded, talk
from tests.support.sessions.sessions import discuss, whole


@pytest.fixture
async def d(redis_url: str) -> AsyncIterator[Standing]:
    async with doors(redis_url) as standing:
        yield standing


def test_the_board_says_who_stands_where() -> None:
    """Proposals with their stances, decisions with their sides, lanes with what was before."""
    memory, _ = folded(
        talk(
            ("ana", "I propose we rebuild the index before the next release."),
            ("bo", "I support P1."),
            ("cy", "I oppose P1 because it costs too much."),
            ("cy", "I support P1 after all."),
            ("dee", "We have decided to keep the old importer."),
        )
    )
    board = page_row(memory)
    Board.model_validate(board)
    (proposal,) = board["proposals"]
    assert (proposal["ref"], proposal["participant"], proposal["n"]) == ("P1", "ana", 1)
    assert proposal["stances"]["support"] == ["bo", "cy"]  # to propose is no side on it
    assert proposal["tally"]["support"] == 2
    ((n, start, end),) = proposal["cites"]
    assert (n, start < end) == (1, True)
    assert [row["participant"] for row in board["decisions"]] == ["ana"]  # dee only sounds so
    lane = next(row for row in board["lanes"] if row["participant"] == "cy")
    assert [
        (position["on"], position["stance"], position["was"]) for position in lane["positions"]
    ] == [("P1", "support", "oppose")]
    assert board["participants"][0]["name"] == "cy"  # who spoke most
    assert board["more"] == {}


def test_the_board_of_nothing_is_whole() -> None:
    """Every list is there, and empty."""
    board = page_row(Memory(PACKS))
    Board.model_validate(board)
    assert (board["n"], board["proposals"], board["status"]) == (0, [], "open")


def test_long_lists_are_cut_and_counted() -> None:
    """The newest are shown; `more` has the rest."""
    memory, _ = folded(
        talk(
            *(("ana", f"I propose we buy {k} boats for harbour {k * k}.") for k in range(MOST + 7))
        )
    )
    board = page_row(memory)
    count = len(memory.proposals)
    assert count > MOST
    assert len(board["proposals"]) == MOST
    assert board["more"]["proposals"] == count - MOST
    assert board["proposals"][0]["ref"] == f"P{count}"


def test_a_secret_vote_keeps_its_choices() -> None:
    """While it is open the board tells neither who chose what nor what leads."""
    memory, _ = folded(
        talk(
            ParticipantJoined(participant="ana", role="person"),
            ParticipantJoined(participant="bo", role="person"),
            VoteInitiated(participant="ana", content="Boats?", secret=True),
            BallotCast(participant="bo", content="", re="V1", choice=("accept",)),
            vote={"confirm": False},
        )
    )
    (vote,) = page_row(memory)["votes"]
    assert vote["secret"] is True
    assert vote["ballots"] is None
    assert vote["tally"] is None


def test_the_first_sixteen_have_hues_of_their_own() -> None:
    """And the same names have the same ones, in whatever order they come."""
    names = [f"speaker {k}" for k in range(HUES)]
    hues = assign_hues(names)
    assert sorted(hues.values()) == list(range(HUES))
    assert assign_hues(reversed(names)) == hues
    assert all(0 <= hue < HUES for hue in assign_hues([*names, "one", "more"]).values())


async def test_a_view_is_the_memory_of_its_moment(d: Standing) -> None:
    """Now, in the past, and not yet."""
    await discuss(d.deps.backend.bus, "a", 40)
    async with d.client(d.token("zoe", session="a")) as zoe:
        now = await zoe.get("/v1/sessions/a/view")
        past = await zoe.get("/v1/sessions/a/view", params={"at": 20})
        late = await zoe.get("/v1/sessions/a/view", params={"at": 41})
    assert now.status_code == past.status_code == 200
    records = await whole(d.deps.backend.bus, "a")
    memory, _ = folded(records)
    assert now.json() == page_row(memory)
    memory, _ = folded(record for record in records if record.n <= 20)
    assert past.json() == page_row(memory)
    assert (late.status_code, late.json()["type"]) == (422, "urn:parley:problem:not-yet")


async def test_the_brief_is_that_of_its_moment_and_of_who_asks(d: Standing) -> None:
    """With dissent in whole sentences, who does what, and what waits for the caller."""
    bus = d.deps.backend.bus
    await bus.open("a", SessionOpened(packs=PACK_REFS))
    entries: list[Entry] = [
        ParticipantJoined(participant="zoe"),
        ParticipantJoined(participant="ana"),
        Message(participant="ana", content="I propose that we dredge the harbour."),
        Message(participant="bo", content="I oppose P1. The mud is old and full of lead."),
        Message(participant="cy", content="I will ask the port by Friday."),
        VoteInitiated(participant="ana", content="Dredge?", re="P1"),
    ]
    await bus.publish("a", [Draft(f"e{k}", entry) for k, entry in enumerate(entries)])
    async with d.client(d.token("zoe", session="a")) as zoe:
        now = (await zoe.get("/v1/sessions/a/brief")).json()
        past = (await zoe.get("/v1/sessions/a/brief", params={"at": 1})).json()
        late = await zoe.get("/v1/sessions/a/brief", params={"at": 41})
    BriefRow.model_validate(now)
    assert now["sentence"].startswith("Nothing is decided yet, open 1; waiting for you: one vote")
    assert [(row["who"], row["due"]) for row in now["actions"]] == [("cy", "Friday")]
    assert (past["n"], past["waiting"], past["actions"]) == (1, [], [])
    assert late.status_code == 422


async def test_what_was_said_is_in_the_next_view_though_it_is_watched(d: Standing) -> None:
    """A room that is behind is waited for."""
    bus = d.deps.backend.bus
    await discuss(bus, "a", 3)
    async with d.deps.channels.room("a"), d.client(d.token("zoe", session="a")) as zoe:
        for k in range(4, 24):
            await discuss(bus, "a", 1, first=k)
            assert (await zoe.get("/v1/sessions/a/view")).json()["n"] == k


async def test_a_view_that_one_has_is_not_sent_again(d: Standing) -> None:
    """Its ETag changes with the session, and with a log that takes its place."""
    bus = d.deps.backend.bus
    await discuss(bus, "a", 30)
    async with d.client(d.token("zoe", session="a")) as zoe:
        for params in ({}, {"at": 10}):
            first = await zoe.get("/v1/sessions/a/view", params=params)
            same = {"If-None-Match": first.headers["etag"]}
            again = await zoe.get("/v1/sessions/a/view", params=params, headers=same)
            assert (again.status_code, again.content) == (304, b"")
        plain = await zoe.get("/v1/sessions/a/view", params=params, headers={"Accept-Encoding": ""})
        assert "content-encoding" not in plain.headers
        assert plain.json() == first.json()
        await bus.remove("a")
        await discuss(bus, "a", 12)
        other = await zoe.get("/v1/sessions/a/view", params=params, headers=same)
        assert other.status_code == 200


async def test_the_timeline_is_made_and_then_told(
    d: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """202 while it is being made, with how far it is; then the whole course."""
    bus = d.deps.backend.bus
    await discuss(bus, "a", 500)
    monkeypatch.setattr("parley.listeners.history.moments.PATIENCE_SECONDS", 0.0)
    async with d.client(d.token("zoe", session="a")) as zoe:
        early = await zoe.get("/v1/sessions/a/timeline")
        assert early.status_code == 202
        assert early.json()["ready"] is False
        monkeypatch.setattr("parley.listeners.history.moments.PATIENCE_SECONDS", 30.0)
        response = await zoe.get("/v1/sessions/a/timeline")
    assert response.status_code == 200
    row = TimelineRow.model_validate(response.json())
    assert row.series.n[-1] == row.n == 500
    assert any(kind == "proposal.made" for _, kind, *_ in row.marks)


async def test_the_page_is_told_of_goals_other_names_and_who_came(d: Standing) -> None:
    """What is worked on comes first, tasks beneath their goal; a mark tells what has no number."""
    async with d.client(d.operator()) as chair, d.client(d.token("ana", session="a")) as ana:
        await chair.post("/v1/sessions", json={"session": "a"})
        await ana.post("/v1/sessions/a/seats", json={})
        await ana.post("/v1/sessions/a/goals", json={"title": "A roof"})
        await ana.post("/v1/sessions/a/goals/E1/close", json={"result": "It holds."})
        await ana.post("/v1/sessions/a/goals", json={"title": "A light"})
        await ana.post("/v1/sessions/a/tasks", json={"title": "A lamp", "parent": "E2"})
        await ana.post("/v1/sessions/a/tasks", json={"title": "A mast", "parent": "E2"})
        await ana.post("/v1/sessions/a/tasks/E4/close", json={})
        await ana.post("/v1/sessions/a/steps", json={"form": "reasoning", "content": "LED."})
        await chair.post("/v1/sessions/a/aliases", json={"alias": "annie", "participant": "ana"})
        rules = {"vote": {"rule": "consent"}, "goal": "Light"}
        await chair.patch("/v1/sessions/a/settings", json={"settings": rules})
        await ana.delete("/v1/sessions/a/seats/me")
        board = (await ana.get("/v1/sessions/a/view")).json()
        timeline = (await ana.get("/v1/sessions/a/timeline")).json()
        settings = (await ana.get("/v1/sessions/a/settings")).json()["items"]
    assert [(row["ref"], row["depth"], row["status"], row["n"]) for row in board["goals"]] == [
        ("E2", 0, "open", 3), ("E3", 1, "ready", 4), ("E1", 0, "completed", 1),
    ]  # fmt: skip
    assert [row["steps"] for row in board["goals"]] == [1, 1, 0]
    assert board["goals"][0]["ended"] == {"completed": 1}
    assert (board["goals"][2]["result"], board["goals"][2]["closed_n"]) == ("It holds.", 2)
    assert [row["aliases"] for row in board["participants"]] == [["annie"]]
    quiet = ("seat.", "settings.", "participant.")
    assert [mark for mark in timeline["marks"] if mark[1].startswith(quiet)] == [
        [0, "seat.taken", "", "ana", "person"],
        [7, "participant.aliased", "", "ana", "annie"],
        [7, "settings.changed", "", "operator", "goal, vote.rule"],
        [7, "seat.left", "", "ana", ""],
    ]
    assert all(setting["about"] for setting in settings)


def test_kept_answers_are_bounded() -> None:
    """By number and by bytes; those asked for longest ago go first."""
    kept = AnswerCache(most=3, room=10)
    for key in "abc":
        kept.put(key, b"xx")
    assert kept.get("a") == b"xx"
    kept.put("d", b"xx")
    assert [kept.get(key) is not None for key in "abcd"] == [True, False, True, True]
    kept.put("a", b"x" * 7)
    assert [kept.get(key) is not None for key in "acd"] == [True, False, True]


async def test_other_sessions_are_not_shown(d: Standing) -> None:
    """A token of one session sees no other, and nobody sees one that is not there."""
    await discuss(d.deps.backend.bus, "a", 3)
    async with d.client(d.token("zoe", session="b")) as zoe:
        assert (await zoe.get("/v1/sessions/a/view")).status_code == 403
        assert (await zoe.get("/v1/sessions/b/view")).status_code == 404
        assert (await zoe.get("/v1/sessions/b/timeline")).status_code == 404


@pytest.mark.parametrize(
    ("takes", "packed"),
    [
        ("gzip", True), ("br, gzip;q=0.5", True), ("GZIP; q=1", True), ("x-gzip", True),
        ("*", True), ("*;q=0, gzip", True),
        ("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.000, *", False),
        ("*;q=0", False), ("gzipped", False), ("gzip;q=much", False),
    ],
)  # fmt: skip
def test_packed_goes_to_whom_says_that_they_take_it(takes: str, packed: bool) -> None:
    """A weight of nought is a refusal, and what is named goes before `*`."""
    assert accepts_gzip(takes) is packed
