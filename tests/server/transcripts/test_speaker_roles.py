"""Who is a bot, in the chair or taking minutes, told from the talk of a transcript."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from parley.server.records.session_opening import assign_roles
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import Transcript, parse_transcript
from parley.server.transcripts.speaker_roles import Roles, infer_roles


def transcript(*messages: tuple[str, str], **meta: Any) -> Transcript:
    rows: list[dict[str, Any]] = [{"title": "t", **meta}]
    rows += [
        {"index": k, "agent_id": who, "content": text} for k, (who, text) in enumerate(messages)
    ]
    return parse_transcript(b"\n".join(map(orjson.dumps, rows)))


TALK = [("ann_lee", "Morning."), ("bo", "Hello."), ("Cy", "Hi.")]


@pytest.mark.parametrize(
    "name",
    ["RRSAgent", "Zakim", "trackbot", "ci-bot", "MergeBot", "deploybot2", "renovate[bot]"],
)
def test_a_bot_is_known_by_its_name(name: str) -> None:
    """Whatever it says, as long as it is short."""
    assert infer_roles(transcript(*TALK, (name, "Done."))).bots == (name,)


@pytest.mark.parametrize(("name", "bots"), [("pantry-bot", ()), ("ci[bot]", ("ci[bot]",))])
def test_who_writes_at_length_takes_part(name: str, bots: tuple[str, ...]) -> None:
    """Agents have such names, too; a login that a platform gives to programs alone is one."""
    texts = ["Wednesday is cheaper, because the van is here anyway. " * 12, "Agreed."]
    talk = transcript(*TALK, *((name, text) for text in texts))
    assert infer_roles(talk).bots == bots


@pytest.mark.parametrize("name", ["Talbot", "abbot", "bottle", "Bob", "bot-lover", "bo"])
def test_who_is_only_called_like_one_is_none(name: str) -> None:
    """People have such names."""
    assert infer_roles(transcript(*TALK, (name, "I propose tea."))).bots == ()


def test_a_bot_is_known_by_saying_nothing_else() -> None:
    """Twice at least, and each time."""
    messages = [
        ("relay", "dee has joined #parley"),
        ("relay", "logging to https://example.org/log"),
    ]
    assert infer_roles(transcript(*TALK, *messages)).bots == ("relay",)
    assert infer_roles(transcript(*TALK, *messages[:1])).bots == ()
    assert infer_roles(transcript(*TALK, *messages, ("relay", "I support P1"))).bots == ()


@pytest.mark.parametrize(
    ("words", "chair", "scribes"),
    [
        ("chair: bo", ("bo",), ()),
        ("Chairs: Ann Lee, BO", ("ann_lee", "bo"), ()),
        ("Chair: Bo Smith", ("bo",), ()),
        ("scribe: cy", (), ("Cy",)),
        ("scribenick: Cy.", (), ("Cy",)),
        ("scribe+ cy", (), ("Cy",)),
        ("chair: nobody who is here", (), ()),
        ("The chair: bo", (), ()),
        ("chair: bo\nand so on", (), ()),
    ],
)
def test_chairs_and_scribes_are_those_that_a_line_names(
    words: str, chair: tuple[str, ...], scribes: tuple[str, ...]
) -> None:
    """By the name they speak under, whole or one word of it."""
    assert infer_roles(transcript(*TALK, ("bo", words))) == Roles((), chair, scribes)


def test_what_the_file_says_of_itself_stands() -> None:
    """An empty list says that there are none."""
    messages = [*TALK, ("Zakim", "ok"), ("bo", "chair: bo"), ("bo", "scribe: cy")]
    assert infer_roles(transcript(*messages, bots=[], chair="Cy", scribe="bo")) == Roles()


def test_a_setting_outranks_the_talk() -> None:
    """Each for its own."""
    spoken = transcript(*TALK, ("Zakim", "ok"), ("bo", "chair: bo"), ("bo", "scribe: cy"))
    assert assign_roles(spoken, resolve_defaults({}, {})) == Roles(("Zakim",), ("bo",), ("Cy",))
    own = resolve_defaults({"bots": ["x"], "chair": ["Cy"], "structure.scribes": ["bo"]}, {})
    assert assign_roles(spoken, own) == Roles()


def test_the_session_goes_by_what_was_told() -> None:
    """A chair rules, a bot's words are not read, a scribe's record counts."""
    analysis = analyze(transcript(
        *TALK, ("bo", "chair: bo"), ("Cy", "scribe: cy"),
        ("Zakim", "I propose that we drop the queue for good."),
        ("Cy", "ann_lee: I propose that we rebuild the index before Friday."),
        ("Cy", "bo: I accept P1"), ("ann_lee", "I accept P1"),
    ), resolve_defaults({}, {}))  # fmt: skip
    (proposal,) = analysis.memory.proposals.values()
    assert (proposal.participant, proposal.status) == ("ann_lee", "active")
    assert analysis.memory.chairs == {"bo"}
    assert analysis.memory.scribes == {"cy"}


def test_who_was_taken_for_what_is_told() -> None:
    """On one line each, names shown as harmless text."""
    roles = Roles(("a\x1bbot",), ("bo", "cy"))
    assert [*roles.lines()] == ["taken for bots: a\\x1bbot", "taken to be in the chair: bo, cy"]
