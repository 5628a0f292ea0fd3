"""What people type into a session, and what becomes of it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus import Draft
from parley.bus.entries import (
    Entry,
    FloorBid,
    FloorGranted,
    FloorMuted,
    Message,
    ParticipantJoined,
    SessionOpened,
    VoteInitiated,
)
from parley.bus.log.local_log import LocalLog
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Misuse
from parley.server.chat.completion import complete
from parley.server.chat_commands.command_parser import help_lines, names, parse
from parley.server.chat_commands.typed_line import Close, Publish, Quit, Show
from parley.server.render.session_text import status_line, view_lines
from parley.server.rows.floor_rows import floor_row

TALK: list[Entry] = [
    ParticipantJoined(participant="Mo", may=("moderate",)),
    ParticipantJoined(participant="echo", role="agent", interests=("echoes",)),
    ParticipantJoined(participant="Sea Lion", role="agent"),
    Message(participant="Ana", content="Call it Otter.", act="propose"),
    Message(participant="Bo", content="Otter it is.", act="decide", re="P1"),
    FloorBid(participant="echo", epoch=0, heard=2, urgency=3, intent="support", re="P1"),
]
VOTE = VoteInitiated(participant="Ana", content="Otter?", re="P1")
RANKED = VoteInitiated(
    participant="Ana", content="Which?", options=("otter", "seal", "Orca"), rule="ranked"
)


def memory(*more: Entry, policy: str = "bid") -> Memory:
    log = LocalLog()
    log.open(SessionOpened(settings={"floor": {"policy": policy}}, packs=newest_packs()))
    log.publish([Draft(f"e{k}", entry) for k, entry in enumerate([*TALK, *more])])
    memory = Memory(known_packs())
    fold_records(memory, log.read())
    return memory


def entries(line: str, *more: Entry) -> list[Entry]:
    parsed = parse(line, "Mo", memory(*more))
    assert isinstance(parsed, Publish)
    return list(parsed.entries)


def entry(line: str, *more: Entry) -> dict[str, object]:
    """The one entry of `line`, without what is as always."""
    (parsed,) = entries(line, *more)
    return parsed.model_dump(exclude_defaults=True, exclude={"participant", "by", "kind"})


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("plain words", {"content": "plain words"}),
        ("//etc is a path", {"content": "/etc is a path"}),
        ("/propose Call it Seal.", {"content": "Call it Seal.", "act": "propose"}),
        ("/PROPOSE Seal", {"content": "Seal", "act": "propose"}),
        ("/amend p1 Sea Otter", {"content": "Sea Otter", "act": "amend", "re": "P1"}),
        ("/support P1", {"content": "I support P1.", "act": "support", "re": "P1"}),
        ("/oppose P1 too long", {"content": "too long", "act": "oppose", "re": "P1"}),
        ("/abstain P1", {"content": "I abstain on P1.", "act": "abstain", "re": "P1"}),
        ("/withdraw P1", {"content": "I withdraw P1.", "act": "withdraw", "re": "P1"}),
        ("/accept P1", {"content": "I accept P1.", "act": "accept", "re": "P1"}),
        ("/reject P1 no", {"content": "no", "act": "reject", "re": "P1"}),
        ("/decide P1", {"content": "We go with P1.", "act": "decide", "re": "P1"}),
        ("/decide ship it", {"content": "ship it", "act": "decide"}),
        ("/ratify D1", {"content": "I ratify D1.", "act": "ratify", "re": "D1"}),
        ("/dispute d1 we did not", {"content": "we did not", "act": "dispute", "re": "D1"}),
        ("/ask why?", {"content": "why?", "act": "ask"}),
        ("/inform it rains", {"content": "it rains", "act": "inform"}),
        ("/to ECHO hello", {"content": "hello", "to": ("echo",)}),
        ("/to @Ana hello", {"content": "hello", "to": ("Ana",)}),
        ("/vote call P1", {"content": "Do we go with P1?", "re": "P1"}),
        ("/vote call P1 really?", {"content": "really?", "re": "P1"}),
        ("/vote call Do we stop here?", {"content": "Do we stop here?"}),
        ("/grant echo", {"participant": "echo", "epoch": 1, "lease_ms": 90_000}),
        ("/grant sea lion", {"epoch": 1}),
        ("/mute echo", {}),
        ("/unmute echo", {"muted": False}),
        ("/pause", {}),
        ("/resume", {}),
        ("/phase Drafting", {"episode": "phase", "title": "Drafting"}),
    ],
)
def test_a_line_is_an_entry(line: str, wanted: dict[str, object]) -> None:
    """Handles and names in any case; words of one's own where there are some."""
    wanted.pop("participant", None)
    wanted.pop("lease_ms", None)
    assert entry(line) == wanted


def test_a_ballot_names_its_vote_and_an_option() -> None:
    """The vote may go unnamed while one is open; options in any case."""
    n = 3
    assert entry("/vote V1 ACCEPT", VOTE) == {"re": n, "choice": ("accept",)}
    assert entry("/vote extend 90m", VOTE) == {"re": n, "seconds": 5400}
    assert entry("/vote extend V1 1d", VOTE) == {"re": n, "seconds": 86400}
    assert entry("/vote abstain", VOTE) == {"re": n, "choice": ("abstain",)}
    assert entry("/vote V1 seal orca", RANKED) == {"re": n, "choice": ("seal", "Orca")}


@pytest.mark.parametrize(
    ("line", "choice"),
    [("/vote V1 Sea Lion", ("sea lion",)), ("/vote V1 sea lion, orca", ("sea lion", "Orca"))],
)
def test_an_option_may_have_several_words(line: str, choice: tuple[str, ...]) -> None:
    """Alone as it is, several with commas between them."""
    words = VoteInitiated(
        participant="Mo", content="Which?", options=("Orca", "sea lion"), rule="ranked"
    )
    assert entry(line, words)["choice"] == choice


def test_a_moderator_takes_the_floor_and_gives_it() -> None:
    """Each begins the next epoch, so that two at once do not both succeed."""
    floor_granted = FloorGranted(participant="echo", epoch=1)
    assert entry("/grant sea lion", floor_granted) == {"epoch": 2}
    assert entry("/interrupt", floor_granted) == {"epoch": 2, "reason": "revoked"}


@pytest.mark.parametrize(
    ("line", "needs"),
    [
        ("/grant echo", "grant"), ("/mute echo", "mute"), ("/unmute echo", "mute"),
        ("/pause", "pause"), ("/resume", "pause"), ("/phase x", "phase"),
        ("/vote call P1", "vote"), ("/close done", "close"), ("/support P1", ""),
    ],
)  # fmt: skip
def test_a_command_says_what_it_takes(line: str, needs: str) -> None:
    """Whoever runs it checks that before anything is published."""
    parsed = parse(line, "Mo", memory())
    assert isinstance(parsed, Publish | Close)
    assert parsed.needs == needs


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/suport P1", "no command /suport; the nearest is /support P3 [WHY]"),
        ("/support", "say more: /support P3 [WHY]"),
        ("/support P9", "'P9' is none of the proposals; there is P1"),
        ("/support D1", "'D1' is none of the proposals; there is P1"),
        ("/ratify D7", "'D7' is none of the decisions; there is D1"),
        ("/amend P1", "say what P1 should be instead: /amend P1 TEXT"),
        ("/to", "say more: /to NAME TEXT"),
        ("/to Ana", "say something to Ana: /to Ana TEXT"),
        ("/to Zoe hi", "nobody called 'Zoe' is here; did you mean"),
        ("/mute eco", "nobody called 'eco' has a seat; did you mean echo?"),
        ("/grant Mo", "Mo needs no floor: people speak without it"),
        ("/interrupt", "nobody has the floor"),
        ("/vote V1 accept", "no vote V1; there are no votes yet"),
        ("/vote accept", "no vote is open"),
        ("/vote extend 1h", "no vote is open"),
        ("/vote call", "say on what: /vote call P3, or /vote call QUESTION"),
        ("/close", "say more: /close REASON"),
        ("/support P" + "9" * 5000, "is none of the proposals"),
    ],
)
def test_what_cannot_be_meant_says_what_could(line: str, reason: str) -> None:
    """One line each, with what there is instead."""
    with pytest.raises(Misuse) as refused:
        parse(line, "Mo", memory())
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/vote V1 perhaps", "'perhaps' is no option of V1; they are accept, reject, abstain"),
        ("/vote extend", "say for how much longer: /vote extend 30m, or /vote extend V1 1d"),
        ("/vote extend V1 400d", "a vote runs for 365 days at most"),
        ("/vote V1", "V1 takes one of: accept, reject, abstain"),
        ("/vote V1 accept reject", "V1 takes one of: accept, reject, abstain"),
        ("/vote V2 accept", "no vote V2; there is V1"),
    ],
)
def test_a_ballot_that_is_none_is_refused_at_the_door(line: str, reason: str) -> None:
    """The options are named."""
    with pytest.raises(Misuse) as refused:
        parse(line, "Mo", memory(VOTE))
    assert str(refused.value) == reason


def test_views_and_leaving_publish_nothing() -> None:
    """They are answered where they are typed."""
    for view in ("memory", "context", "who", "floor", "help"):
        assert parse(f"/{view}", "Mo", memory()) == Show(view)
    assert parse("/vote", "Mo", memory()) == Show("votes")
    assert isinstance(parse("/quit", "Mo", memory()), Quit)
    assert parse("  ", "Mo", memory()) is None


def test_help_lists_every_command() -> None:
    """With what it takes and what it does."""
    lines = help_lines()
    assert len(lines) == len(names()) + 1
    for name, line in zip(names(), lines, strict=False):
        assert line.startswith(name)
        assert line.split("  ")[-1].strip()


@given(st.text(max_size=60), st.sampled_from(["", "/", "/vote ", "/grant ", "/support P", "/to "]))
def test_whatever_is_typed_is_understood_or_refused(text: str, before: str) -> None:
    """No line ends in anything else."""
    with contextlib.suppress(Misuse):
        parsed = parse(before + text, "Mo", MEMORY)
        assert parsed is None or isinstance(parsed, Publish | Show | Close | Quit)
    complete(before + text, MEMORY)


MEMORY = memory(VOTE)


def test_lines_are_completed() -> None:
    """Commands at the beginning, then handles, names and the options of the vote."""
    assert complete("/su", MEMORY) == ("/su", ["/support"])
    assert complete("/support ", MEMORY)[1][:3] == ["V1", "P1", "D1"]
    assert complete("/to ec", MEMORY) == ("ec", ["echo"])
    assert complete("/vote V1 a", MEMORY)[1][:2] == ["accept", "abstain"]
    assert complete("what of P", MEMORY) == ("P", ["P1"])
    assert complete("and @s", MEMORY) == ("@s", ["@Sea Lion"])
    assert complete("plain wo", MEMORY) == ("wo", [])


def test_the_status_line_tells_floor_proposals_and_vote() -> None:
    """In one line, whoever is asking first."""
    assert status_line(memory()) == "floor: free, asked for by echo 3 | open: P1"
    line = status_line(memory(FloorGranted(participant="echo", epoch=1), VOTE))
    assert line.startswith("floor: echo | open: P1 | V1: accept, reject, abstain (0 of ")


def test_the_status_line_names_the_three_that_ask_most() -> None:
    """A table of twenty that asks for the floor hides no vote."""
    more: list[Entry] = []
    for number in range(4):
        more.append(ParticipantJoined(participant=f"a{number}", role="agent"))
        more.append(FloorBid(participant=f"a{number}", epoch=0, heard=2, urgency=number % 3))
    asked = "asked for by echo 3, a2 2, a1 1, 2 more"
    assert status_line(memory(*more)) == f"floor: free, {asked} | open: P1"


def test_views_show_hostile_names_and_texts_visibly() -> None:
    """No escape of theirs reaches the terminal, in any view."""
    evil = "\x1b[2J\u202eevil"
    hostile = memory(
        ParticipantJoined(participant=evil, role="agent", interests=(evil,)),
        Message(participant=evil, content=f"Call it {evil}\nforged line", act="propose"),
        VoteInitiated(participant=evil, content=evil, options=(evil, "b")),
        FloorBid(participant=evil, epoch=0, heard=99, novelty=evil),
    )
    lines = [status_line(hostile)]
    for view in ("memory", "who", "floor", "votes"):
        lines += view_lines(hostile, view)
    text = "".join(lines)
    assert "evil" in text
    assert not {"\x1b", "\u202e", "\n"} & set(text)


def test_the_floor_is_data_too() -> None:
    """As `parley floor show --json` prints it."""
    tree = floor_row(memory())
    assert tree["holder"] is None
    assert tree["bids"] == [{"participant": "echo", "urgency": 3, "intent": "support", "re": "P1"}]
    assert (tree["policy"], tree["epoch"], tree["muted"]) == ("bid", 0, [])


def test_a_name_is_first_of_all_the_one_that_is_written_so() -> None:
    """Two may be called alike but for the case, and a name may begin with an @."""
    seats = [ParticipantJoined(participant=name, role="agent") for name in ("Echo", "@bot")]
    for name in ("echo", "Echo", "@bot"):
        (muted,) = entries(f"/mute {name}", *seats)
        assert isinstance(muted, FloorMuted)
        assert muted.participant == name
    (muted,) = entries("/mute @ECHO", *seats)
    assert isinstance(muted, FloorMuted)
    assert muted.participant in ("echo", "Echo")
