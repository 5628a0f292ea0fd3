"""What an act may do: a tag counts where its speaker may use it, on an item that is there."""

from __future__ import annotations

import pytest

from parley.bus.entries import Message, ParticipantJoined
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, talk

IDEA = Message(participant="ana", content="We move the old maps to the cellar.", act="propose")


def seated(may: tuple[str, ...] | None, *contents: str, chair: tuple[str, ...] = ()) -> Memory:
    """What comes of an idea of ana's and of what bo, an agent who may that, says of it."""
    messages = (Message(participant="bo", content=content) for content in contents)
    joined = ParticipantJoined(participant="bo", role="agent", may=may)
    return folded(talk(joined, IDEA, *messages, chair=list(chair)))[0]


@pytest.mark.parametrize(
    "tag",
    [
        "[DECIDE P7] The maps go to the cellar.",
        "[DECIDE] P7",
        "RESOLVED: P7.",
        "[SUPPORT P7] The cellar is dry.",
        "[AMEND P7] The maps go to the attic.",
        "[WITHDRAW P7]",
        "[ACCEPT P7]",
    ],
)
def test_a_tag_on_an_item_that_is_not_there_makes_nothing(tag: str) -> None:
    memory = seated(None, tag)
    assert len(memory.proposals) == 1
    assert not memory.decisions
    assert memory.proposals[1].status == "active"
    assert not memory.proposals[1].reactions


def test_a_tag_on_one_that_is_there_and_a_number_of_ones_own_count() -> None:
    memory = seated(None, "[DECIDE P1] The maps go to the cellar.", "[PROPOSAL P7] Sell the press.")
    assert memory.decisions[1].resolves == 1
    assert memory.proposals[2].text == "Sell the press."


@pytest.mark.parametrize(
    ("may", "chair", "decides"),
    [
        (("propose", "support"), (), False),
        (("propose", "support"), ("bo",), True),
        (("decide",), (), True),
        (("grant",), (), True),
        ((), (), True),
        (None, (), True),
    ],
)
def test_a_tag_counts_where_its_speaker_may_use_it(
    may: tuple[str, ...] | None, chair: tuple[str, ...], decides: bool
) -> None:
    """A list of capabilities alone lets every act be said, and a chair may say all."""
    memory = seated(may, "[DECIDE P1] The maps go to the cellar.", chair=chair)
    assert bool(memory.decisions) is decides


def test_what_one_types_for_another_both_must_be_allowed() -> None:
    for limited in ("bo", "cy", None):
        seats = [
            ParticipantJoined(
                participant=name, role="agent", may=("support",) if name == limited else None
            )
            for name in ("bo", "cy")
        ]
        messages = Message(participant="cy", content="bo: [DECIDE P1] So be it.")
        memory = folded(talk(*seats, IDEA, messages, structure={"scribes": ["cy"]}))[0]
        assert bool(memory.decisions) is (limited is None)


def test_an_act_keeps_no_marks_in_its_text_and_topic() -> None:
    said = Message(
        participant="ana", content="## Plan\n\n1. **Sell** the `press`\n2. Move", act="propose"
    )
    proposal = folded(talk(said))[0].proposals[1]
    assert proposal.text == "Plan:\nSell the press\nMove"
    assert proposal.topic == "Plan: Sell the press Move"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("## Proposal\nSell the press.", "Sell the press."),
        ("**Proposal**\n\n- Sell the press.\n- Move.\n\nAny thoughts?", "Sell the press.\nMove."),
        ("# Proposal 2\n\nWe do this:\n\n1. Sell\n2. Move\n\n## Why\nIt is old.",
         "We do this:\nSell\nMove"),
    ],
)  # fmt: skip
def test_what_stands_under_a_heading_is_proposed(content: str, text: str) -> None:
    memory = folded(talk(("ana", content)))[0]
    assert [each.text for each in memory.proposals.values()] == [text]


def test_what_stands_under_a_heading_is_decided() -> None:
    memory = folded(talk(("ana", "## Decision\nSell the press.")))[0]
    assert [each.outcome for each in memory.decisions.values()] == ["Sell the press."]


@pytest.mark.parametrize(
    "content", ["## Proposals\nSell.", "Proposal\nSell.", "## Decision\nNone yet.", "## Decision\n"]
)
def test_a_heading_over_nothing_and_a_word_alone_make_nothing(content: str) -> None:
    memory = folded(talk(("ana", content)))[0]
    assert not memory.proposals
    assert not memory.decisions
