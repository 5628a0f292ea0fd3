"""`parley vote …`, run in this process against a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from parley.bus import Bus
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.server.basics.errors import Failure
from parley.server.render.vote_text import vote_headline
from parley.server.rows.vote_rows import vote_row
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import read_packs
from parley.server.services import votes
from tests.support.doors.calls import Parley, Ran


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """A session `s` in which three have spoken, one of them with a proposal."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    assert parley("session", "new", "s").code == 0
    parley("say", "s", "[PROPOSAL] We drink tea at four.", "--as", "ana")
    parley("say", "s", "Hm.", "--as", "bo")
    parley("say", "s", "Hm.", "--as", "cy")
    return parley


def cast(at: Parley, name: str, *choice: str, vote: str = "V1") -> Ran:
    return at("vote", "cast", "s", vote, *choice, "--as", name)


def refused(ran: Ran, code: int) -> str:
    """The one line that says why not."""
    assert (ran.code, ran.out) == (code, "")
    (line,) = ran.err.splitlines()
    return line.removeprefix("parley: ")


def test_a_vote_from_call_to_result(at: Parley) -> None:
    """Its handle, how it stands, what it carried; the decision has its dissent on record."""
    assert at("vote", "call", "s", "Tea at four?", "--on", "p1", "--as", "ana").out == "V1\n"
    assert cast(at, "ana", "accept").err == (
        "cast; open, majority, 1 of 3 voted (accept 1, reject 0)\n"
    )
    cast(at, "cy", "ACCEPT")
    ran = at("vote", "cast", "s", "v1", "reject", "--as", "bo", "--why", "too early", "--json")
    (row,) = ran.rows()
    assert row["ballots"] == {"ana": ["accept"], "bo": ["reject"], "cy": ["accept"]}
    assert row["waiting"] == []
    ran = at("vote", "tally", "s", "V1", "--count")
    assert ran.err == "V1 is closed; accept carried (majority: accept 2, reject 1)\n"
    report = at("memory", "s").out
    assert "D1 ratified We drink tea at four" in report
    assert "against: bo (7)" in report
    assert "V1 Tea at four?: accept carried (majority: accept 2, reject 1)" in report


def test_the_same_ballots_by_another_rule_beside_the_result(at: Parley) -> None:
    """Nothing is changed by it, and counting by another rule closes nothing."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    cast(at, "ana", "accept")
    cast(at, "bo", "reject")
    cast(at, "cy", "accept")
    ran = at("vote", "tally", "s", "V1", "--rule", "unanimity", "--quorum", "1000")
    assert ran.out.splitlines() == [
        "V1 Tea?",
        "  majority, quorum 50 %: accept (accept 2, reject 1)",
        "  unanimity, quorum 100 %: nothing (accept 2, reject 1)",
    ]
    (row,) = at("vote", "tally", "s", "V1", "--rule", "two_thirds", "--json").rows()
    assert row["status"] == "open"
    assert row["standing"]["carried"] == row["again"]["carried"] == "accept"
    assert row["standing"]["dissenters"] == ["bo"]
    ran = at("vote", "tally", "s", "V1", "--count", "--rule", "unanimity")
    assert "give --count alone" in refused(ran, 2)
    at("vote", "tally", "s", "V1", "--count")
    again = refused(at("vote", "tally", "s", "V1", "--count"), 1)
    assert again.startswith("V1 is carried, not open: it made D1")
    assert "unanimity" in at("vote", "tally", "s", "V1", "--rule", "unanimity").out


def test_a_ranked_vote_takes_several_and_says_who_beats_whom(at: Parley) -> None:
    """Options are words here; the decision is the answer to the question."""
    cups = [word for cup in ("red", "blue", "green") for word in ("--option", cup)]
    at("vote", "call", "s", "Which cup?", *cups, "--rule", "ranked", "--as", "bo")
    cast(at, "ana", "red", "blue")
    cast(at, "bo", "blue", "red", "green")
    cast(at, "cy", "green", "blue")
    out = at("vote", "tally", "s", "V1").out
    assert "ranked, quorum 50 %: blue (red 1, blue 1, green 1)" in out
    assert "2 prefer blue to red" in out
    at("vote", "tally", "s", "V1", "--count")
    assert "→ Which cup? blue" in at("memory", "s").out


def test_a_choice_that_is_none_is_refused_at_the_door(at: Parley) -> None:
    """Naming the options; nothing is published."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    assert refused(cast(at, "bo", "mayb\x1be"), 2) == (
        "'mayb\\x1be' is no option of V1; they are accept, reject, abstain"
    )
    assert refused(cast(at, "bo", "accept", "reject"), 2) == (
        "V1 takes one of: accept, reject, abstain"
    )
    assert refused(cast(at, "dan", "accept"), 1) == (
        "dan has no vote in V1, which has those who were there when it opened: ana, bo, cy; "
        "what dan says counts as talk"
    )
    assert refused(cast(at, "bo", "accept", vote="V2"), 1).startswith("no vote 'V2'")
    assert refused(cast(at, "bo", "accept", vote="first"), 2) == (
        "'first' is no handle of a vote; they look like V3"
    )
    (row,) = at("vote", "show", "s", "V1", "--json").rows()
    assert (row["voted"], row["ballots"]) == (0, {})


@pytest.mark.parametrize(
    ("args", "code", "reason"),
    [
        (("--on", "P9"), 1, "P9 is no proposal"),
        (("--option", "tea"), 1, "a vote has 2 to 50 options"),
        (("--option", "a", "--option", "abstain"), 1, "abstain is always an option, and never one"),
        (("--rule", "dice"), 2, ""),
        (("--quorum", "1001"), 2, ""),
    ],
)  # fmt: skip
def test_a_vote_on_nothing_is_refused_at_the_door(
    at: Parley, args: tuple[str, ...], code: int, reason: str
) -> None:
    """Before anything is published."""
    ran = at("vote", "call", "s", "So?", *args, "--as", "ana")
    assert ran.code == code
    assert reason in ran.err
    assert (
        at("vote", "show", "s").out == "no votes; 'parley vote call SESSION QUESTION' calls one\n"
    )


def test_a_handle_is_no_question(at: Parley) -> None:
    """A vote that is called P1 and not about it would decide nothing on it."""
    ran = at("vote", "call", "s", "p1", "--as", "ana")
    assert ran.code == 2
    assert ran.err == "parley: 'p1' is no question; --on P1 is what a vote is on\n"


def test_a_vote_waits_to_be_agreed_to_where_the_session_asks_for_it(at: Parley) -> None:
    """Who has to agree is said; a no cancels it."""
    at("session", "set", "s", "vote.confirm=all")
    ran = at("vote", "call", "s", "Tea?", "--as", "ana")
    assert ran.err == "V1 waits to be agreed to by bo, cy\n"
    assert "waits to be agreed to" in refused(cast(at, "ana", "accept"), 1)
    at("vote", "confirm", "s", "V1", "--as", "bo")
    ran = at("vote", "confirm", "s", "V1", "--as", "cy")
    assert ran.err == "V1 agreed to; open, majority, 0 of 3 voted (accept 0, reject 0)\n"
    at("vote", "call", "s", "Coffee?", "--as", "ana")
    ran = at("vote", "confirm", "s", "V2", "--no", "--as", "cy")
    assert ran.err == "V2 not agreed to; cancelled\n"


def test_no_command_shows_a_secret_ballot(at: Parley) -> None:
    """Who has voted, while it is open; counts, once it is closed; names never."""
    words = ("--option", "zebra", "--option", "okapi")
    at("vote", "call", "s", "Which?", *words, "--secret", "--as", "ana")
    ran = cast(at, "ana", "zebra")
    cast(at, "bo", "okapi")
    assert "zebra" not in ran.err
    assert "it is counted when it closes" in refused(at("vote", "tally", "s", "V1"), 1)
    head, options, ends, waits = at("vote", "show", "s", "V1").out.splitlines()
    assert (head, options, waits) == (
        "V1 Which?: open, majority, secret, 2 of 3 voted",
        "  options: zebra, okapi, abstain",
        "  waits for: cy",
    )
    assert ends.startswith("  counted by 20")
    cast(at, "cy", "zebra")
    at("vote", "tally", "s", "V1", "--count")
    for command in (("vote", "show", "s", "V1"), ("vote", "tally", "s", "V1", "--rule", "ranked"),
                    ("explain", "s", "V1"), ("memory", "s")):  # fmt: skip
        out = at(*command).out
        assert "zebra 2, okapi 1" in out
        assert not [line for line in out.splitlines() for name in ("ana", "bo", "cy")
                    if name in line and ("zebra" in line or "okapi" in line)]  # fmt: skip
    (row,) = at("vote", "tally", "s", "V1", "--json").rows()
    assert row["ballots"] is None
    assert row["standing"]["supporters"] is None
    (row,) = at("explain", "s", "V1", "--json").rows()
    assert row["ballots"] is None


def test_a_vote_is_explained_with_its_words_and_history(at: Parley) -> None:
    """As items are: by handle."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    cast(at, "bo", "reject")
    out = at("explain", "s", "v1").out
    assert "V1 vote open: Tea?" in out
    assert "message 5: V1 bo voted: reject" in out
    assert "in the full context now: 'Votes', shown whole" in out


def test_a_message_may_be_about_a_vote(at: Parley) -> None:
    """By its handle; it is no ballot."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    assert at("say", "s", "accept, I think", "--re", "V1", "--as", "bo").out == "5\n"
    (row,) = at("vote", "show", "s", "--json").rows()
    assert row["waiting"] == ["ana", "bo", "cy"]


def test_an_entry_may_hold_a_ballot_that_is_none(at: Parley, tmp_path: Path) -> None:
    """Published as it is, it stays in the log as invalid, and is asked for once more."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    file = tmp_path / "entries"
    row = {"kind": "ballot.cast", "participant": "bo", "re": "V1", "choice": ["perhaps"]}
    file.write_text(json.dumps(row))
    assert at("publish", "s", file).code == 0
    assert "V1 the ballot of bo could not be read, asked once more" in at("explain", "s", "V1").out
    (row,) = at("vote", "show", "s", "V1", "--json").rows()
    assert row["waiting"] == ["ana", "bo", "cy"]


class LateReader(MemoryReader):
    """It looked before: its first answer is of entry `n`."""

    n = 0

    async def current(self, session: str) -> Memory:
        n, self.n = self.n, 0
        return await self.at(session, n) if n else await super().current(session)


def test_a_ballot_that_came_too_late_is_no_success(at: Parley, redis_url: str) -> None:
    """The vote was open when it was cast, and closed when it landed; so it is told once more."""
    at("vote", "call", "s", "Tea?", "--on", "P1", "--as", "ana")
    asyncio.run(_late(redis_url))


async def _late(url: str) -> None:
    async with await Bus.connect(url) as bus:
        packs = read_packs([])
        backend = Backend(bus, packs, reader := LateReader(bus, packs.known))
        called = (await bus.info("s")).n
        await votes.close_vote(backend, "s", "V1")
        for _ in range(2):
            reader.n = called
            with pytest.raises(Failure, match="V1 is closed: short; the ballot came after its end"):
                await votes.cast_ballot(backend, "s", "V1", ["accept"], by="bo", why="", id="own")


def test_the_count_of_a_closed_vote_is_in_the_order_of_its_options() -> None:
    """A memory that was read back has its keys sorted."""
    tally = {"abstain": 1, "blue": 2, "red": 3}
    vote = Vote(ref=1, n=2, by="ana", question="?", status="carried", carried="red",
                options=("red", "blue"), tally=tally)  # fmt: skip
    row = vote_row(Memory({}), vote)
    assert vote_headline(row) == "red carried (majority: red 3, blue 2, abstain 1)"


def test_a_vote_is_called_for_a_day_and_given_more_time(at: Parley) -> None:
    """Times are written as people write them; its row says when it is counted."""
    assert at("vote", "call", "s", "Tea?", "--seconds", "1d", "--as", "ana").out == "V1\n"
    (before,) = at("vote", "show", "s", "V1", "--json").rows()
    assert at("vote", "extend", "s", "V1", "1h30m", "--as", "bo").err == (
        "V1 has 1 hour 30 minutes more; open, majority, 0 of 3 voted (accept 0, reject 0)\n"
    )
    (after,) = at("vote", "show", "s", "V1", "--json").rows()
    assert after["ends_ms"] - before["ends_ms"] == 5_400_000
    assert "  counted by 20" in at("vote", "show", "s", "V1").out
    assert "until 20" in at("brief", "s").out
    assert "'soon' is no time" in refused(at("vote", "extend", "s", "V1", "soon"), 2)
    long = refused(at("vote", "extend", "s", "V1", "52w", "--as", "bo"), 1)
    assert long == "a vote runs for 365 days at most"
    at("vote", "tally", "s", "V1", "--count")
    closed = refused(at("vote", "extend", "s", "V1", "60", "--as", "ana"), 1)
    assert closed == "V1 is over for want of a quorum, not open; call another vote"
