"""The life of a decision: claimed, ratified, disputed, superseded."""

from __future__ import annotations

import pytest

from parley.bus.entries import Act, Entry, Message
from parley.memory.context.context import Request, assemble
from tests.support.logs.logs import folded, talk


def say(
    who: str,
    text: str,
    act: Act | None = None,
    re: int | str | None = None,
    topic: str | None = None,
) -> Message:
    return Message(participant=who, content=text, act=act, re=re, topic=topic)


IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")


def test_one_voice_only_claims() -> None:
    """'We have agreed' from one person is a claim with one supporter."""
    memory, _ = folded(talk(("bo", "We have agreed to move the index on Friday.")))
    decision = memory.decisions[1]
    assert (decision.status, list(decision.supporters)) == ("claimed", ["bo"])


@pytest.mark.parametrize(
    "text",
    [
        "What is the final answer?",
        "If we agreed to that, we would need a second disk.",
        "We agreed to disagree.",
        "Do you think we agreed?",
        "Nobody would say consensus is near.",
        "We have not agreed.",
        "Have we decided?",
    ],
)
def test_what_only_sounds_like_a_decision_is_none(text: str) -> None:
    """Questions, conditions and negations claim nothing."""
    memory, _ = folded(talk(("bo", text)))
    assert memory.decisions == {}


@pytest.mark.parametrize(
    "text",
    [
        "We have decided to keep the old importer.",
        "We all agreed to keep the old importer.",
        "We\u2019ve decided to keep the old importer.",
        "Let\u2019s go with the old importer.",
        "[DECISION] Keep the old importer.",
        "[CONSENSUS] Keep the old importer.",
    ],
)
def test_a_decision_is_found_in_the_wordings_people_use(text: str) -> None:
    """With either apostrophe, with a word in between, with a tag."""
    memory, _ = folded(talk(("bo", text)))
    assert [decision.status for decision in memory.decisions.values()] == ["claimed"]


def test_a_vote_and_its_resolution_ratify() -> None:
    """Bare votes count once a resolution restates what they were cast on."""
    votes = [(name, "+1") for name in ("bo", "cy", "dee")]
    text = "RESOLVED: move the index to the second disk before Friday"
    memory, _ = folded(talk(IDEA, *votes, ("ines", text)))
    assert memory.proposals[1].status == "accepted"
    decision = memory.decisions[1]
    assert (decision.status, decision.resolves) == ("ratified", 1)
    assert decision.tally == (5, 0, 0)


def test_votes_alone_do_not_accept() -> None:
    """A run of +1 is linked by nearness; without a resolution it stays open."""
    memory, _ = folded(talk(IDEA, *[(name, "+1") for name in ("bo", "cy", "dee")]))
    assert memory.proposals[1].status == "active"
    assert memory.proposals[1].tally == (3, 0, 0)


def test_enough_others_who_say_the_same_ratify() -> None:
    """A claim that resolves no proposal binds once two others support it by handle."""
    claim = ("ana", "[DECISION] The review moves to Thursday.")
    memory, _ = folded(talk(claim, ("bo", "I support D1."), ("cy", "I support D1.")))
    assert memory.decisions[1].status == "ratified"


def test_an_opposition_after_the_claim_disputes() -> None:
    """And the dissenter stands on the record."""
    claim = ("ana", "[DECISION] The review moves to Thursday.")
    memory, _ = folded(talk(claim, ("bo", "I dispute D1, Thursday is taken.")))
    assert memory.decisions[1].status == "disputed"
    assert list(memory.decisions[1].dissenters) == ["bo"]


def test_a_later_opposition_to_the_proposal_disputes_its_decision() -> None:
    """Changing one's mind on P1 after D1 settled it is dissent on D1."""
    memory, facts = folded(
        talk(IDEA, ("bo", "+1 to P1"), ("cy", "+1 to P1"), ("bo", "I oppose P1 after all."))
    )
    assert memory.decisions[1].status == "disputed"
    assert "bo" in memory.decisions[1].dissenters
    assert any(fact.kind == "position.flipped" for fact in facts)


def test_a_chair_may_ratify_what_is_disputed() -> None:
    """The dissent stays on the record."""
    memory, _ = folded(
        talk(
            ("ana", "[DECISION] The review moves to Thursday."),
            ("bo", "I dispute D1."),
            ("ines", "I ratify D1."),
            chair=["ines"],
        )
    )
    assert memory.decisions[1].status == "ratified"
    assert list(memory.decisions[1].dissenters) == ["bo"]


def test_a_ratified_decision_supersedes_the_one_before_on_its_topic() -> None:
    """Only a topic that somebody named counts as the same."""
    first = say("ines", "Reviews are on Thursday.", "decide", topic="reviews")
    second = say("ines", "Reviews are on Monday.", "decide", topic="Reviews")
    memory, facts = folded(talk(first, second, chair=["ines"]))
    assert [decision.status for decision in memory.decisions.values()] == ["superseded", "ratified"]
    assert memory.decisions[1].superseded_by == 2
    assert facts[-1].kind == "decision.superseded"


def test_a_topic_named_on_a_proposal_is_its_decision_s_topic() -> None:
    """Accepted by quorum, and superseded by a later decision on the same topic."""
    idea = say("ana", "All at once, in May.", "propose", topic="rollout")
    later = say("ines", "Two first, then three.", "decide", topic="rollout")
    memory, _ = folded(talk(idea, ("bo", "+1 to P1"), ("cy", "+1 to P1"), later, chair=["ines"]))
    assert memory.decisions[1].status == "superseded"


def test_a_decision_on_an_amended_proposal_supersedes_the_earlier_one() -> None:
    """The chain of amendments says what replaces what."""
    memory, _ = folded(
        talk(
            IDEA,
            ("bo", "accept P1"),
            say("cy", "Move it, but on Monday.", "amend", "P1"),
            ("bo", "accept P2"),
            chair=["bo"],
        )
    )
    assert [decision.status for decision in memory.decisions.values()] == ["superseded", "ratified"]


CHAIRED = (
    say("bo", "We move the index to the second disk.", "decide", None),
    ("bo", "[DECISION] We move the index to the second disk."),
    ("bo", "Decision: we move the index to the second disk."),
    ("bo", "[DECISION P1] We move the index to the second disk."),
)


@pytest.mark.parametrize("word", CHAIRED, ids=range(4))
def test_a_decision_by_the_chair_binds_in_every_spelling(word: Entry | tuple[str, str]) -> None:
    """An act, a tag and a plain line; by anyone else each is a claim."""
    memory, _ = folded(talk(IDEA, word, chair=["bo"]))
    assert [each.status for each in memory.decisions.values()] == ["ratified"]
    assert memory.proposals[1].status == "accepted"
    memory, _ = folded(talk(IDEA, word))
    assert [each.status for each in memory.decisions.values()] == ["claimed"]
    assert memory.proposals[1].status == "active"


def test_what_only_sounds_like_a_decision_of_the_chair_is_a_claim() -> None:
    """Words that are no mark may be read wrongly; so may what another writes down."""
    memory, _ = folded(talk(IDEA, ("bo", "We decided to buy a second rack."), chair=["bo"]))
    assert [each.status for each in memory.decisions.values()] == ["claimed"]


def test_what_the_chair_decides_settles_no_proposal_that_is_only_near() -> None:
    """A claim may be told to be on it; what binds has to name it, or to say it again."""
    for word in (
        say("bo", "We buy a second rack.", "decide"),
        ("bo", "[DECISION] Buy a second rack"),
    ):
        memory, _ = folded(talk(IDEA, word, chair=["bo"]))
        assert (memory.decisions[1].status, memory.decisions[1].resolves) == ("ratified", None)
        assert memory.proposals[1].status == "active"


def test_support_of_a_claim_is_none_of_a_proposal_that_is_only_near() -> None:
    claim = ("bo", "[DECISION] Buy a second rack")
    memory, _ = folded(talk(IDEA, claim, ("cy", "I support D1."), ("dee", "I support D1.")))
    assert memory.decisions[1].resolves == 1
    assert (memory.proposals[1].status, memory.proposals[1].reactions) == ("active", {})


def test_a_chair_who_says_a_decision_again_makes_no_second_one() -> None:
    word = ("bo", "[DECISION] We buy a second rack.")
    memory, _ = folded(talk(IDEA, word, ("ana", "Fine."), word, chair=["bo"]))
    assert [each.status for each in memory.decisions.values()] == ["ratified"]


def test_who_supports_the_claim_on_a_proposal_supports_the_proposal() -> None:
    """Two others than the proposer make it binding; the claim alone is not one of them."""
    claim = say("bo", "The index goes to the second disk.", "decide", "P1")
    memory, _ = folded(talk(IDEA, claim, ("ana", "[RATIFY D1]"), ("cy", "[RATIFY D1]")))
    assert memory.decisions[1].status == "claimed"
    assert memory.proposals[1].reactions["cy"].stance == "support"
    memory, _ = folded(talk(IDEA, claim, ("cy", "[RATIFY D1]"), ("dee", "I support D1.")))
    assert (memory.decisions[1].status, memory.proposals[1].status) == ("ratified", "accepted")


def test_a_dispute_ends_once_nobody_opposes_the_decision_any_more() -> None:
    """What was ratified is ratified again; a claim that was opposed needs its quorum."""
    memory, _ = folded(talk(*BOUND, ("dee", "I oppose P1.")))
    assert memory.decisions[1].status == "disputed"
    memory, _ = folded(talk(*BOUND, ("dee", "I oppose P1."), ("dee", "I support D1.")))
    assert memory.decisions[1].status == "ratified"
    claim = ("ana", "[DECISION] We buy a second rack.")
    memory, _ = folded(talk(claim, ("bo", "[DISPUTE D1]"), ("bo", "I support D1.")))
    assert memory.decisions[1].status == "disputed"


BOUND = [IDEA, ("bo", "+1 to P1"), ("cy", "+1 to P1")]


@pytest.mark.parametrize("re", ["P1", 1, None])
def test_nobody_replaces_alone_what_was_ratified(re: str | int | None) -> None:
    """Whoever decides otherwise claims so, and says what it would replace; others ratify it."""
    words = "We leave the index where it is" + (", whatever P1 says." if re is None else ".")
    otherwise = say("dee", words, "decide", re)
    memory, _ = folded(talk(*BOUND, otherwise))
    ratified, claimed = memory.decisions.values()
    assert (ratified.status, claimed.status, claimed.supersedes) == ("ratified", "claimed", 1)
    memory, _ = folded(talk(*BOUND, otherwise, ("ana", "I support D2."), ("bo", "I support D2.")))
    assert [each.status for each in memory.decisions.values()] == ["superseded", "ratified"]
    assert memory.decisions[1].superseded_by == 2


def test_who_decides_the_same_again_supports_it() -> None:
    """No second decision is made of it."""
    same = say("dee", "We move the index to the second disk before Friday.", "decide", "P1")
    memory, facts = folded(talk(*BOUND, same))
    assert list(memory.decisions) == [1]
    assert "dee" in memory.decisions[1].supporters
    assert facts[-1].kind == "decision.restated"


def test_a_chair_replaces_what_was_ratified() -> None:
    """By deciding alone, as every word of a chair binds."""
    otherwise = say("ines", "We leave the index where it is.", "decide", "P1")
    memory, _ = folded(talk(*BOUND, otherwise, chair=["ines"]))
    assert [each.status for each in memory.decisions.values()] == ["superseded", "ratified"]


def test_a_hundred_decisions_survive_every_cap() -> None:
    """Older ones shrink to handle and topic; none is forgotten."""
    lines = [
        say("ines", f"Team {index} owns service number {index}.", "decide", topic=f"owner {index}")
        for index in range(100)
    ]
    memory, _ = folded(talk(*lines, chair=["ines"], caps={"decisions": 5}))
    assert len(memory.decisions) == 100
    assert all(decision.status == "ratified" for decision in memory.decisions.values())
    assert sum(not decision.shrunk for decision in memory.decisions.values()) <= 5
    assert memory.decisions[1].topic == "owner 0"


def test_a_decision_on_something_else_is_not_tied_to_the_proposal_nearby() -> None:
    """Nearness alone ties only words that could mean it."""
    memory, _ = folded(talk(IDEA, ("bo", "[DECISION] Tea is at four.")))
    assert memory.decisions[1].resolves is None
    memory, _ = folded(talk(IDEA, ("bo", "[DECISION] Agreed.")))
    assert memory.decisions[1].resolves == 1


MINUTES = [
    ("cy", "we decided to approve the minutes of last week"),
    ("ann", "any objections to this resolution?"),
    ("cy", "I support D1"),
    ("bob", "[SUPPORT P2]"),
    ("ann", "+1"),
    ("dee", "Approve the minutes of last week"),
]


def test_what_is_found_of_an_earlier_line_leaves_what_was_said_since() -> None:
    """A restatement that shows only two messages later takes back no abstention in between."""
    later = [("dee", "[ABSTAIN D1] I was not there"), ("bob", "hello there")]
    memory, facts = folded(talk(*MINUTES, *later))
    assert [fact.data["born"] for fact in facts if fact.kind == "decision.restated"] == [6]
    assert list(memory.decisions[1].abstainers) == ["dee"]
    assert memory.participants["dee"].positions["D1"].stance == "neutral"


def test_a_decision_found_late_settles_nothing_that_was_proposed_after_it() -> None:
    """It is born at its line, so it cannot have decided on a later one."""
    memory, _ = folded(talk(
        ("dee", "hello there"),
        ("ann", "minutes of the last meeting approved"),
        ("cy", "I propose we approve the minutes of the last meeting"),
        ("cy", "any objections to this resolution?"),
    ))  # fmt: skip
    assert (memory.decisions[1].born, memory.proposals[1].born) == (2, 3)
    assert memory.decisions[1].resolves is None


SMALL_TALK = [
    ("dee", "The heating is off today."),
    ("eli", "Who has the key of the shed?"),
    ("dee", "It hangs behind the door."),
    ("eli", "Thanks for that."),
]


@pytest.mark.parametrize(
    "answer",
    ["Agreed, Redis.", "Agreed.", "Sounds good, Redis for the sessions.", "I disagree, Redis?"],
)
def test_a_decision_that_prose_tells_binds_nothing(answer: str) -> None:
    """Whoever agrees in prose, and however long nobody objects: it is a candidate."""
    decided = ("ann", "Let's go with Redis for the sessions.")
    memory, _ = folded(talk(decided, ("bob", answer), ("cy", answer), *SMALL_TALK))
    decision = memory.decisions[1]
    assert (decision.status, decision.candidate) == ("claimed", True)


@pytest.mark.parametrize(
    "line",
    ["Decision: none yet.", "Decision: TBD", "Decision: pending", "[DECISION] none so far"],
)
def test_where_a_decision_would_stand_while_there_is_none_nothing_is_decided(line: str) -> None:
    memory, _ = folded(talk(("ann", line)))
    assert not memory.decisions


def test_five_who_agree_in_prose_have_decided_nothing_yet() -> None:
    """Not one of them names the proposal; two who do make it a decision in the context."""
    lines = [
        ("alice", "I propose we use PostgreSQL for storage."),
        ("bob", "I agree with using PostgreSQL."),
        ("carol", "Consensus reached: PostgreSQL it is."),
        ("dave", "We decided to use PostgreSQL."),
        ("erin", "Agreed. Let's go with PostgreSQL."),
        *SMALL_TALK,
    ]
    memory, _ = folded(talk(*lines))
    text = assemble(memory, Request("bob", "full", None, ())).text
    assert memory.proposals[1].status == "active"
    assert "- P1 alice n 1:" in text
    assert "Key Decisions Made" not in text
    assert "Claimed" not in text
    named = [("bob", "I support P1."), ("carol", "+1 to P1")]
    memory, _ = folded(talk(*lines, *named))
    text = assemble(memory, Request("bob", "full", None, ())).text
    decisions = text.split("## Key Decisions Made")[1].split("##")[0]
    assert "PostgreSQL" in decisions
    assert "ratified" in decisions
