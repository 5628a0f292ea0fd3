"""A person's word on an item, and one name for two."""

from __future__ import annotations

import pytest

from parley.bus.entries import ItemCorrected, ParticipantAliased, ParticipantJoined, VoteInitiated
from parley.memory.fold.apply import apply
from parley.memory.state.exchange_state import Injection
from tests.support.logs.logs import folded, numbered, talk

IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")
AGAIN = ("bo", "What if we drop the nightly report altogether?")


def test_a_retracted_item_is_gone_from_every_list() -> None:
    """Its handle names nothing any more, nobody holds a position on it."""
    memory, _ = folded(talk(IDEA, AGAIN, ItemCorrected(ref="P1", by="cy", op="retract")))
    assert memory.proposal(1) is None
    assert "P1" not in memory.participants["ana"].positions
    assert memory.proposal(2) is not None


def test_a_merged_proposal_brings_its_reactions() -> None:
    """Each participant's latest word stands, and the old handle leads to the new one."""
    lines = [IDEA, AGAIN, ("cy", "+1 to P2"), ("dee", "-1 to P1"), ("dee", "+1 to P2")]
    memory, _ = folded(talk(*lines, ItemCorrected(ref="P2", by="eli", op="merge", value="P1")))
    merged = memory.item("P2")
    assert merged is memory.proposals[1]
    assert memory.proposals[1].tally == (2, 0, 0)


def test_what_was_accepted_stays_accepted_under_its_other_name() -> None:
    """The decision that settled it settles what it is merged into, which is open no more."""
    lines = [IDEA, AGAIN, ("cy", "+1 to P1"), ("dee", "+1 to P1")]
    merge = ItemCorrected(ref="P1", by="eli", op="merge", value="P2")
    memory, facts = folded(talk(*lines, merge))
    assert memory.decisions[1].resolves == 2
    assert (memory.proposals[2].status, list(memory.live)) == ("accepted", [])
    assert memory.proposals[2].settled == memory.proposals[1].settled
    assert [fact.ref for fact in facts if fact.kind == "proposal.settled"] == ["P1", "P2"]


def test_a_topic_and_a_name_can_be_put_right() -> None:
    """Extraction guessed; a person knows."""
    memory, _ = folded(
        talk(
            IDEA,
            ItemCorrected(ref="P1", by="cy", op="topic", value="index move"),
            ItemCorrected(ref="P1", by="cy", op="by", value="dee"),
        )
    )
    assert (memory.proposals[1].topic, memory.proposals[1].participant) == ("index move", "dee")


def test_a_correction_of_nothing_changes_nothing() -> None:
    """It is a fact that it was ignored."""
    _, facts = folded(
        talk(
            IDEA,
            ItemCorrected(ref="P9", by="cy", op="retract"),
            ItemCorrected(ref="P1", by="cy", op="merge", value="P1"),
            ItemCorrected(ref="P1", by="cy", op="merge", value="D1"),
        )
    )
    assert [fact.kind for fact in facts[-3:]] == ["correction.ignored"] * 3


def test_two_names_become_one_participant() -> None:
    """Messages add up, reactions are renamed, later ones count for the same person."""
    memory, _ = folded(
        talk(
            IDEA,
            ("bob", "+1 to P1"),
            ("bo", "Morning."),
            ParticipantAliased(alias="bob", participant="bo"),
            ("bob", "Still here."),
        )
    )
    assert set(memory.participants) == {"ana", "bo"}
    assert memory.participants["bo"].messages == 3
    assert list(memory.proposals[1].reactions) == ["bo"]


def test_a_chair_is_one_under_every_name() -> None:
    """An alias of a chair may rule."""
    memory, _ = folded(
        talk(
            IDEA,
            ParticipantAliased(alias="ines_home", participant="ines"),
            ("ines_home", "I accept P1."),
            chair=["ines"],
        )
    )
    assert memory.proposals[1].status == "accepted"


def test_aliases_never_form_a_ring() -> None:
    """Naming each the other leaves one canonical name."""
    memory, _ = folded(
        talk(
            ("ana", "Morning."),
            ParticipantAliased(alias="ana", participant="bo"),
            ParticipantAliased(alias="bo", participant="ana"),
            ("ana", "Hello."),
            ("bo", "Hello."),
        )
    )
    assert set(memory.participants) == {"bo"}
    assert memory.participants["bo"].messages == 3


@pytest.mark.parametrize(("nick", "name"), [("parley", "ana"), ("ana", "parley")])
def test_the_servers_voice_is_nobodys_alias(nick: str, name: str) -> None:
    """Its votes would be an agent's, who may not call any, and the table would wait for ever."""
    memory, facts = folded(
        talk(
            ParticipantJoined(participant="ana", role="agent"),
            ParticipantAliased(alias=nick, participant=name, by="eli"),
            VoteInitiated(participant="parley", content="Tea?", options=("yes", "no")),
        )
    )
    assert [fact.kind for fact in facts] == [
        "seat.taken", "floor.refused", "vote.called", "vote.opened",
    ]  # fmt: skip
    assert (memory.aliases, list(memory.floor.seats)) == ({}, ["ana"])


def test_two_names_share_what_they_were_shown() -> None:
    """Of what either was shown under a key, the newest counts."""
    memory, _ = folded(talk(("ana", "Hello."), ("ana-2", "Hello.")))
    memory.tools.injected = {
        "ana": {"screen": _shown(1), "map": _shown(5)},
        "ana-2": {"screen": _shown(3), "map": _shown(2), "door": _shown(4)},
    }
    aliased = numbered([ParticipantAliased(alias="ana-2", participant="ana")], memory.seq, memory.n)
    apply(memory, *aliased)
    assert memory.tools.injected == {
        "ana": {"screen": _shown(3), "map": _shown(5), "door": _shown(4)}
    }


def _shown(n: int) -> Injection:
    return Injection(hash=f"h{n}", n=n, turn=0, text=f"shown at {n}")


def test_a_confirmed_claim_binds_by_the_word_of_who_confirmed_it() -> None:
    """A chair's word is a rule of its own, and cites the correction and the claim."""
    claim = ("ana", "We decided to keep the night ferry.")
    confirm = ItemCorrected(ref="D1", by="bo", op="confirm")
    memory, _ = folded(talk(claim, confirm, chair=["bo"]))
    decision = memory.decisions[1]
    assert (decision.status, decision.candidate) == ("ratified", False)
    assert decision.ratified is not None
    assert (decision.ratified.how, decision.ratified.rule) == ("person", "item.confirmed")
    assert [cite.n for cite in decision.ratified.cites] == [2, 1]


def test_who_is_no_chair_confirms_that_it_is_a_claim_and_supports_it() -> None:
    """It is firm at once, and binding once enough others confirm or support it."""
    claim = ("ana", "We decided to keep the night ferry.")
    confirm = ItemCorrected(ref="D1", by="bo", op="confirm")
    memory, _ = folded(talk(claim, confirm))
    decision = memory.decisions[1]
    assert (decision.status, decision.candidate) == ("claimed", False)
    assert sorted(decision.supporters) == ["ana", "bo"]
    memory, _ = folded(talk(claim, confirm, ("cy", "I support D1.")))
    assert memory.decisions[1].status == "ratified"


def test_nobody_confirms_a_claim_of_their_own() -> None:
    """Else whoever says that something is decided would decide it."""
    claim = ("ana", "We decided to keep the night ferry.")
    memory, facts = folded(talk(claim, ItemCorrected(ref="D1", by="ana", op="confirm")))
    assert memory.decisions[1].status == "claimed"
    assert facts[-1].kind == "correction.ignored"


def test_a_confirmed_suggestion_is_a_proposal() -> None:
    """What only sounded like one counts as if its speaker had said so."""
    idea = ("ana", "What if we paint the quay in the spring?")
    memory, _ = folded(talk(idea, ItemCorrected(ref="P1", by="bo", op="confirm")))
    assert (memory.proposals[1].origin.how, memory.proposals[1].candidate) == ("person", False)
