"""Facts as the protocol lists them: what is emitted is documented, what is documented emitted."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from parley.bus.entries import (
    BallotCast,
    Entry,
    EntrySetAside,
    FloorGranted,
    FloorPassed,
    FloorReleased,
    Message,
    MessageEdited,
    ParticipantJoined,
    SessionClosed,
    TalkPaused,
    Unknown,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
)
from parley.memory.settings.presets import PRESETS
from parley.memory.state.item_state import Fact
from parley.server.render.events.fact_text import fact_line
from tests.support.logs.answers import settled
from tests.support.logs.logs import folded, numbered, talk
from tests.support.logs.mixed import made, opening

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"
HOUSE = (
    Unknown("ballot.cast", b'{"kind":"ballot.cast","v":1}'), EntrySetAside(seq=9, reason="broken"),
    SessionClosed(reason="done", by="ana"),
)  # fmt: skip
# Two of three agents who keep the talk to themselves, and one who has nothing to say.
TABLE: tuple[Entry, ...] = (
    opening("deliberation", {"floor": {"pair": 2}}),
    *(ParticipantJoined(participant=name, role="agent") for name in ("ana", "bo", "cy")),
    FloorPassed(participant="cy", epoch=0),
    *(Message(participant=name, content="No, you.") for name in ("ana", "bo")),
    FloorGranted(participant="cy", epoch=1),
    FloorReleased(participant="cy", epoch=2, reason="silent"),
)
# Two who agree to vote, and one ballot that nobody can read.
POLL: tuple[Entry, ...] = (
    opening("deliberation", {"vote": {"confirm": "all"}}),
    *(Message(participant=name, content="Tea or coffee?") for name in ("ana", "bo")),
    VoteInitiated(participant="ana", content="Which?", options=("tea", "coffee")),
    VoteConfirmed(participant="bo", re="V1"),
    VoteExtended(participant="ana", re="V1", seconds=60),
    BallotCast(participant="ana", re="V1", choice=("tea",)),
    BallotCast(participant="bo", re="V1", choice=("milk",)),
)

# What its proposer took back, and somebody offers again.
AGAIN: tuple[Entry, ...] = (
    opening("deliberation", {}),
    Message(participant="ana", content="Move the index to the second disk.", act="propose"),
    Message(participant="ana", content="I take it back.", act="withdraw", re="P1"),
    Message(participant="bo", content="Move the index to the second disk, then.", act="propose"),
)

# before the rest: a vote that is agreed to where half of the sessions want that
VOTED = (
    Message(participant="ana", content="Hm."), Message(participant="bo", content="Hm."),
    VoteInitiated(participant="ana", content="So?"), VoteConfirmed(participant="bo"),
    BallotCast(participant="bo", re="V1", choice=("accept",)),
    BallotCast(participant="ana", re="V1", choice=("perhaps",)),
)  # fmt: skip

# votes that an open proposal has until the line right above them turns out to be one
MOVED = (
    ("ana", "I propose that we keep the old index."),
    ("bo", "Close the issue on rate limits with no change"),
    ("cy", "+1"), ("dee", "+1"), ("fay", "+1"), ("gus", "+1"),
)  # fmt: skip

# What the chair decided, and decides otherwise.
SETTLED: tuple[Entry, ...] = (
    opening("deliberation", {"chair": ["ana"]}),
    Message(participant="ana", content="[DECISION] The index stays.", topic="the index"),
    Message(participant="ana", content="[DECISION] The index goes.", topic="the index"),
)

# Who holds on to what they proposed, in messages as long as documents.
HELD = tuple(
    ("ana", f"{words} {'The cellar is dry, and the upper floor is not. ' * 6}")
    for words in (
        "I suggest that we move the old maps to the cellar.",
        "I still believe that the cellar is the place.",
    )
)

# Whose proposal has other words by now.
EDITED: tuple[Entry, ...] = (
    Message(participant="ana", content="Move the index to the second disk.", act="propose"),
    MessageEdited(participant="ana", of=1, content="Move it to the third disk.", act="propose"),
)


def documented() -> dict[str, set[str]]:
    """The words of the row of each kind."""
    section = PAGE.read_text(encoding="utf-8").partition("## Facts")[2].partition("\n## ")[0]
    rows: dict[str, set[str]] = {}
    for row in section.splitlines():
        if row.startswith("| `"):
            _, kinds, data, *_ = row.split("|")
            for kind in re.findall(r"`([a-z_.]+)`", kinds):
                rows[kind] = set(re.findall(r"\w+", data))
    return rows


def seen_facts() -> list[Fact]:
    """The facts of some hundred sessions of entries of every kind, the same ones each time."""
    chance = Random(11)
    facts: list[Fact] = [*folded(numbered(TABLE))[1], *folded(numbered(POLL))[1]]
    facts += folded(numbered(SETTLED))[1]
    facts += folded(numbered(AGAIN))[1]
    facts += folded(talk(*MOVED))[1]
    facts += folded(talk(*HELD))[1]
    facts += folded(talk(*EDITED))[1]
    facts += folded(talk(*EDITED, TalkPaused(paused=1), extract={"how": "model"}))[1]
    limits = {"open_episodes": 3, "session": {"cap": 200, "warn": 100, "target": 50}}
    agreed = {"confirm": "majority"}
    small = {"limits": limits, "summary": {"how": "model", "interval": 3}, "vote": agreed}
    for number in range(250):
        preset = list(PRESETS)[number % len(PRESETS)]
        log: list[Entry] = [opening(preset, small if number % 2 else {})]
        log += VOTED
        log += [made(chance.randbytes(14)) for _ in range(60)]
        facts += folded(numbered([*settled(log, [3, 9] * 30).published, *HOUSE]))[1]
    return facts


def test_every_fact_is_documented_with_its_data_and_worded() -> None:
    """And none is documented that no entry brings about."""
    rows, facts = documented(), seen_facts()
    for fact in facts:
        assert fact.kind in rows, fact
        assert fact.data.keys() - {"born", "typist"} <= rows[fact.kind], fact
        line = fact_line({"kind": fact.kind, "ref": fact.ref, "data": fact.data})
        assert not line.startswith(fact.kind), line
    assert rows.keys() == {fact.kind for fact in facts}
