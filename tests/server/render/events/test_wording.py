"""Entries and facts in words."""

from __future__ import annotations

import pytest

from parley.bus.entries import (
    BallotCompleted,
    ContextInjected,
    EntryRedacted,
    EpisodeClosed,
    EpisodeOpened,
    FloorBid,
    FloorGranted,
    FloorMuted,
    FloorNudged,
    FloorPassed,
    FloorPaused,
    FloorReleased,
    FloorResumed,
    ItemCorrected,
    Message,
    NoteRefused,
    NoteRevised,
    NoteWritten,
    ParticipantAliased,
    ParticipantJoined,
    ParticipantLeft,
    Record,
    ResultsFinal,
    SessionClosed,
    SessionOpened,
    SpendReserved,
    SpendSettled,
    Step,
    SummaryMade,
    ToolCalled,
    ToolReturned,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
)
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import fact_line, is_worth_showing


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (Message(participant="Bo", content="No.", act="oppose", re="P9"),
         "Bo [oppose, re P9]: No."),
        (Message(participant="Bo", content="All five.\n\nIn one night."),
         "Bo: All five. In one night."),
        (SessionOpened(title="Boats"), "session opened: Boats"),
        (SessionClosed(reason="done", by="Ana"), "session closed by Ana: done"),
        (SessionClosed(reason="decisions", rule="decisions:1"), "session closed: decisions:1"),
        (ItemCorrected(ref="P1", by="Ana", op="topic", value="boats"),
         "correction of P1 by Ana: topic boats"),
        (ParticipantAliased(alias="ned", participant="edward", by="root"),
         "alias by root: ned is edward"),
        (EntryRedacted(redacted=7, reason="a name", by="ana"), "entry 7 redacted by ana: a name"),
        (VoteInitiated(participant="Bo", content="Tea?"), "Bo calls a vote: Tea?"),
        (VoteConfirmed(participant="Bo", agreed=False), "Bo is not ready to vote"),
        (BallotCompleted(participant="Bo", consensus=True, content="Tea."),
         "ballot, consensus: Tea."),
        (ResultsFinal(participant="Bo", content="Ten each.", to=("Ana", "Bo")),
         "results for Ana, Bo: Ten each."),
        (EpisodeOpened(participant="Bo", episode="phase", title="Talk"),
         "    1 Bo opens a phase: Talk"),
        (EpisodeClosed(participant="Bo", re="E1", result="Tea."), "Bo closes E1, completed: Tea."),
        (EpisodeClosed(participant="Bo", episode="goal", status="failed"),
         "Bo closes the innermost goal, failed"),
        (EpisodeClosed(participant="Bo"), "Bo closes the innermost episode, completed"),
        (ToolCalled(participant="Bo", tool="kettle", call_id="c"), "Bo calls kettle"),
        (ToolCalled(participant="Bo", tool="kettle", call_id="c", lookup=True),
         "Bo looks up kettle"),
        (ToolReturned(participant="Bo", tool="kettle", call_id="c", content="hot\nand wet"),
         "kettle returns to Bo: hot and wet"),
        (ToolReturned(participant="Bo", tool="kettle", call_id="c", ok=False, error="Timeout"),
         "kettle fails for Bo: Timeout"),
        (ToolReturned(participant="Bo", tool="kettle", call_id="c", ok=False),
         "kettle fails for Bo"),
        (Step(participant="Bo", form="validation", content="It boils."),
         "Bo, validation: It boils."),
        (Step(participant="Bo", form="validation", content="It leaks.", ok=False),
         "Bo, validation, failed: It leaks."),
        (ContextInjected(participant="Bo", key="screen", content="A cup."), "Bo is shown screen"),
        (NoteWritten(participant="Bo", content="Tea."),
         "    1 Bo writes its notebook: 4 characters"),
        (NoteRevised(participant="Bo", cause=7, text="Tea."),
         "notebook of Bo revised in the light of 7"),
        (ParticipantJoined(participant="Bo", role="agent"), "Bo joins as agent"),
        (ParticipantLeft(participant="Bo", reason="tea"), "Bo leaves: tea"),
        (FloorGranted(participant="Bo", epoch=1, by="Ana"), "Bo is given the floor by Ana"),
        (FloorReleased(participant="Bo", epoch=2, reason="silent"),
         "Bo gives the floor back: silent"),
        (FloorNudged(warning="hops", content="12 turns"), "everybody is told (hops): 12 turns"),
        (FloorPaused(reason="hops"), "paused: hops"),
        (FloorResumed(by="Ana"), "resumed by Ana"),
        (VoteExtended(participant="Ana", re="V1", seconds=90_000),
         "Ana gives V1 1 day 1 hour more"),
        (FloorMuted(participant="Bo", by="Ana"), "Bo is muted by Ana"),
        (FloorMuted(participant="Bo", muted=False), "Bo is no longer muted"),
        (NoteRefused(participant="Bo", cause=7, attempts=5, limit=9),
         "notebook of Bo not revised in the light of 7"),
    ],
)  # fmt: skip
def test_an_entry_says_what_it_does(entry: object, words: str) -> None:
    """Who did what to what, rather than the name of a kind."""
    line = message_line(Record(1, 1, "x", 0, entry))  # type: ignore[arg-type]  # any entry
    assert line is not None
    assert line.plain.endswith(words)


@pytest.mark.parametrize("entry", [
    FloorBid(participant="Bo", epoch=0),
    FloorPassed(participant="Bo", epoch=0),
    SpendReserved(participant="Bo", call="k", purpose="draft", tokens=1),
    SpendSettled(participant="Bo", call="k"),
])  # fmt: skip
def test_what_keeps_house_has_no_line(entry: object) -> None:
    """There would be several of them to a message."""
    assert message_line(Record(1, 1, "x", 0, entry)) is None  # type: ignore[arg-type]  # any entry


def test_a_summary_says_how_it_was_made() -> None:
    """In the line of its entry, so that its fact need not follow."""
    made = SummaryMade(level=0, first=1, last=12, how="extract", text="Ana: Tea.\nBo: At four.")
    line = message_line(Record(1, 1, "x", 0, made))
    assert line is not None
    assert line.plain == "      summary of messages 1-12 (extract): Ana: Tea. Bo: At four."
    assert not is_worth_showing({"kind": "summary.made"})


def test_an_item_is_announced_by_its_words() -> None:
    """A topic of one word says less than what was proposed."""
    data = {"participant": "Bo", "topic": "rollout", "text": "All five in one night."}
    line = fact_line({"kind": "proposal.made", "ref": "P6", "data": data})
    assert line == "P6 proposed by Bo: All five in one night."


def test_a_lesson_says_where_it_was_learnt() -> None:
    """Its handle is that of the other session."""
    data = {"session": "boats", "ref": "D2", "text": "Paint it green."}
    line = fact_line({"kind": "lesson.imported", "ref": None, "data": data})
    assert line == "learnt from boats D2: Paint it green."


@pytest.mark.parametrize(
    ("how", "rule"),
    [("rule", "ratify.quorum"), ("vote", "vote.majority"), ("act", "act/accept"),
     ("tag", "tag/ratify"), ("pattern", "en@1/accept.handle")],
)  # fmt: skip
def test_a_decision_that_nobody_claimed_comes_of_its_proposal(how: str, rule: str) -> None:
    """Supporters, a vote or the chair made it; who proposed it said nothing of a decision."""
    data = {"participant": "finn", "outcome": "SQLite stays.", "resolves": "P2", "how": how}
    data["rule"] = rule
    fact = {"kind": "decision.claimed", "ref": "D1", "data": data}
    assert fact_line(fact) == "D1 comes of P2, which finn proposed: SQLite stays."
    spoken = {**fact, "data": {**data, "how": "act", "rule": "act/decide"}}
    assert fact_line(spoken) == "D1 claimed by finn: SQLite stays."
