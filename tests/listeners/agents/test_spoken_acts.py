"""Which tags and intents of an agent may count."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import Intent, Message, ParticipantJoined, SessionOpened
from parley.listeners.agents.answer_entries import (
    SpokenAnswer,
    keep_valid_tags,
    message_entry,
    vote_entry,
)
from parley.listeners.agents.repeats import MOSTLY_SAID
from parley.listeners.agents.spoken_acts import drop_void_tags, offer_tags
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.fold.apply import apply
from parley.memory.state.floor_state import Bid
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, numbered, opened

MAY = ("oppose", "support", "ask", "vote")


@pytest.fixture(scope="module")
def table() -> Memory:
    """P1 is bo's, P2 ana's and withdrawn, D1 claimed; cyd may neither propose nor decide."""
    log: list[Any] = [
        opened(),
        ParticipantJoined(participant="ana", role="agent"),
        ParticipantJoined(participant="bo", role="agent"),
        ParticipantJoined(participant="cyd", role="agent", may=MAY),
        Message(participant="bo", content="Use DuckDB for the notebook.", act="propose"),
        Message(participant="ana", content="Use a spreadsheet.", act="propose"),
        Message(participant="ana", content="Not a good idea.", act="withdraw", re="P2"),
        Message(participant="bo", content="Reports are monthly.", act="decide"),
    ]
    return folded(numbered(log))[0]


def bid(intent: Intent, re: str | None = None) -> Bid:
    return Bid(heard=1, intent=intent, re=re)


@pytest.mark.parametrize(
    ("who", "text", "kept"),
    [
        ("ana", "[DECIDE P7] We take SQLite.", "We take SQLite."),
        ("ana", "[DECIDE P2] We take the spreadsheet.", "We take the spreadsheet."),
        ("ana", "[DECIDE] We take SQLite.", "We take SQLite."),
        ("ana", "Decision: we take SQLite.", "we take SQLite."),
        ("ana", "[DECIDE P1] We take DuckDB.", "[DECIDE P1] We take DuckDB."),
        ("cyd", "[DECIDE P1] We take DuckDB.", "We take DuckDB."),
        ("cyd", "**[PROPOSE]** Use SQLite.", "Use SQLite."),
        ("ana", "[SUPPORT P9] Fine with me.", "Fine with me."),
        ("cyd", "[OPPOSE P1] It is young.", "[OPPOSE P1] It is young."),
        ("cyd", "[OPPOSE D1] Weekly is better.", "[OPPOSE D1] Weekly is better."),
        ("ana", "[WITHDRAW P1] It was mine.", "It was mine."),
        ("bo", "[WITHDRAW P1] It was mine.", "[WITHDRAW P1] It was mine."),
        ("ana", "[PROPOSE] I would support P1, it is fast.", "I would support P1, it is fast."),
        ("ana", "[AMEND P1] I oppose P1. It is young.", "I oppose P1. It is young."),
        ("ana", "I say [PROPOSE], for DuckDB or SQLite.", "I say propose, for DuckDB or SQLite."),
        ("ana", "[PROPOSE], for DuckDB or SQLite.", "for DuckDB or SQLite."),
        ("ana", "Files stay as they are. [SUPPORT P1]", "Files stay as they are."),
        (
            "ana",
            "[SUPPORT P1] It is fast.\n[DECIDE P1] So we take it.",
            "[SUPPORT P1] It is fast.\nSo we take it.",
        ),
        ("ana", "[PROPOSE] What is the difference?", "What is the difference?"),
        ("ana", "[PROPOSE] What if we use SQLite?", "[PROPOSE] What if we use SQLite?"),
        (
            "ana",
            "[PROPOSE] Which of SQLite or DuckDB should we take? Please decide, with a reason.",
            "Which of SQLite or DuckDB should we take? Please decide, with a reason.",
        ),
        (
            "ana",
            "[PROPOSE] Why not simply? I propose that we take SQLite.",
            "[PROPOSE] Why not simply? I propose that we take SQLite.",
        ),
        ("ana", "[VOTE P1] Shall we?", "Shall we?"),
        ("cyd", "[VOTE P1] Shall we?", "[VOTE P1] Shall we?"),
        ("cyd", "[VOTE P2] Shall we?", "Shall we?"),
        ("ana", "[note] Files stay.", "[note] Files stay."),
    ],
)
def test_a_tag_that_may_not_count_is_not_published(
    table: Memory, who: str, text: str, kept: str
) -> None:
    """Of whom it is not for, on what is not there, within a sentence; the words stay."""
    assert drop_void_tags(table, who, text, None) == kept


def test_a_decision_is_none_where_the_floor_was_asked_for_something_else(table: Memory) -> None:
    """Who wanted to ask does not decide by a tag."""
    text = "[DECIDE P1] We read every file."
    assert drop_void_tags(table, "ana", text, bid("ask")) == "We read every file."
    assert drop_void_tags(table, "ana", text, bid("decide", "P1")) == text


@pytest.mark.parametrize("text", ["[DECIDE P1]", "[PROPOSE] An answer."])
def test_a_tag_without_words_is_asked_anew(table: Memory, text: str) -> None:
    """It says nothing that could be agreed or disagreed with."""
    answer = keep_valid_tags(table, "ana", SpokenAnswer(text), None)
    assert not answer.text
    assert answer.fault


@pytest.mark.parametrize("text", ["[SUPPORT P1] Silent.", "[DECIDE P7] (nods)", "[PROPOSE] Pass."])
def test_a_tag_before_a_silence_is_a_silence(table: Memory, text: str) -> None:
    """Whether the tag may count or not: nothing is said behind it."""
    assert keep_valid_tags(table, "ana", SpokenAnswer(text), None) == SpokenAnswer("")


@pytest.mark.parametrize(
    ("who", "text", "published"),
    [
        ("cyd", "[SUPPORT P1] Use DuckDB for the notebook.", True),
        ("bo", "[SUPPORT P1] Use DuckDB for the notebook.", False),  # its own
        ("cyd", "[OPPOSE P1] Use DuckDB for the notebook.", False),
        ("cyd", "[SUPPORT P1] Use what host said for the notebook.", False),
        ("cyd", "Use DuckDB for the notebook.", False),
        ("cyd", "I oppose P1, it is young.", True),  # two who do are two
        ("cyd", "I would agree with P1.", True),
        ("cyd", "[SUPPORT P1] I would support P1, it is fast.", True),
        ("cyd", "[OPPOSE P1] I would support P1, it is fast.", False),
        ("bo", "I agree with P1.", False),
        ("cyd", "I agree with P1 if it is free.", False),
    ],
)
def test_a_stance_in_words_that_were_said_is_one(
    table: Memory, who: str, text: str, published: bool
) -> None:
    """Tag or handle are new where the words are not; of other words a tag says nothing."""
    answer = keep_valid_tags(table, who, SpokenAnswer("", "said before", text), None)
    assert answer.text == (text if published else "")
    assert bool(answer.fault) is not published


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("I support P1: use DuckDB for the notebook.", True),
        ("[OPPOSE P1] Use DuckDB for the notebook.", True),
        ("I propose to use DuckDB for the notebook.", False),
        ("DuckDB is for the notebook.", False),
    ],
)
def test_who_takes_a_side_may_do_so_in_words_that_were_mostly_said(
    table: Memory, text: str, published: bool
) -> None:
    """The side is new; a proposal in another's words, or no act at all, is not."""
    answer = keep_valid_tags(table, "cyd", SpokenAnswer("", MOSTLY_SAID, text), None)
    assert bool(answer.text) == published


@pytest.mark.parametrize(
    ("who", "intent", "re", "text", "act", "target"),
    [
        ("ana", "support", "P1", "It reads our files.", "support", "P1"),
        ("ana", "support", "P1", "P1 reads our files.", "support", "P1"),
        ("ana", "support", "P9", "It reads our files.", None, None),
        ("ana", "support", None, "It reads our files.", None, None),
        ("ana", "support", "P1", "I oppose P1, it is young.", None, "P1"),
        ("ana", "support", "P1", "Do you still support it?", None, "P1"),
        ("ana", "oppose", "D1", "That settles my objection to P1.", None, None),
        ("ana", "oppose", "P1", "That settles my objection to P1.", None, "P1"),
        ("ana", "oppose", "P1", "The format changed twice in two years.", "oppose", "P1"),
        ("ana", "propose", None, "Use SQLite with an index.", "propose", None),
        ("ana", "propose", None, "Which weaknesses do we meet?", None, None),
        ("ana", "propose", None, "[PROPOSE] Use SQLite.", None, None),
        ("cyd", "propose", None, "Use SQLite with an index.", None, None),
        ("ana", "ask", "P1", "Which files does it read?", "ask", "P1"),
        ("ana", "ask", "P1", "I wonder which files it reads.", "ask", "P1"),
        ("ana", "ask", "P1", "I would recommend to use it.", None, "P1"),
        ("ana", "ask", "P1", "If I had any questions, I would come back.", None, "P1"),
        ("ana", "ask", "P1", "My question is who keeps it.", "ask", "P1"),
        ("ana", "decide", "P1", "Then DuckDB it is.", "decide", "P1"),
        ("ana", "decide", None, "Then DuckDB it is.", None, None),
        ("ana", "answer", "4", "It does.", None, 4),
        ("ana", "answer", "500", "It does.", None, None),
    ],
)
def test_an_act_counts_where_bid_and_words_agree(
    table: Memory, who: str, intent: Intent, re: str | None, text: str, act: str | None,
    target: int | str | None,
) -> None:  # fmt: skip
    """And where its item is there and its speaker may."""
    message = message_entry(table, who, text, bid(intent, re))
    assert (message.act, message.re) == (act, target)


ON_CALL = (
    "I propose that we appoint a night call coordinator who will be responsible for waking up the "
    "necessary people each week. We should also establish a system for tracking who has been woken."
)
NIGHTS = (
    "We propose to adopt a system that allows multiple people to be called on a night, ensuring "
    "that everyone is covered, and to keep accurate records of who is being called and when."
)


@pytest.fixture(scope="module")
def nights() -> list[Any]:
    """The log in which rosa proposed P1 and piet P2."""
    return [
        opened(),
        *(ParticipantJoined(participant=name, role="agent") for name in ("rosa", "olga", "piet")),
        Message(participant="rosa", content=f"[PROPOSE] {ON_CALL}"),
        Message(participant="piet", content=f"[PROPOSE] {NIGHTS}"),
    ]


@pytest.mark.parametrize(
    ("text", "kept", "supports"),
    [
        (f"{ON_CALL}\nI agree with Rosa.", "I agree with Rosa.", "P1"),
        (f"I agree with Rosa. {ON_CALL}", "I agree with Rosa.", "P1"),
        (f"[SUPPORT P1] I support that. {ON_CALL}", "[SUPPORT P1] I support that.", ""),
        (f"{ON_CALL}\nI agree with Piet.", None, ""),
        (f"{ON_CALL}\nI do not agree with Rosa.", None, ""),
        (f"{ON_CALL}\nI agree with Rosa if it is paid.", None, ""),
    ],
)
def test_who_gives_a_proposal_back_and_agrees_supports_it(
    nights: list[Any], text: str, kept: str | None, supports: str
) -> None:
    """And proposes nothing; not where they name somebody else, or agree in part."""
    memory = folded(numbered(nights))[0]
    answer = keep_valid_tags(memory, "olga", SpokenAnswer(text), None)
    assert answer.supports == supports
    if kept is None:
        return
    assert answer.text == kept
    message = message_entry(memory, "olga", answer.text, None, answer.supports)
    after = folded(numbered([*nights, message]))[0]
    assert len(after.proposals) == 2
    assert after.proposals[1].reactions["olga"].counted
    again = keep_valid_tags(after, "olga", SpokenAnswer(text), None)
    assert not again.supports


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (NIGHTS.replace("a night", "nights").replace("is being", "was"), True),
        (f"[PROPOSE] {NIGHTS.replace('accurate ', '')}", True),
        (f"[PROPOSE] {NIGHTS.replace('multiple', 'three').replace('everyone', 'the shop')}", False),
        ("[PROPOSE] We keep a list of who was called.", False),
        (f"[OPPOSE P2] {NIGHTS.replace('We propose', 'I would not want')}", False),
        (f"[AMEND P2] {NIGHTS} I believe this would help.", True),
        (f"[AMEND P2] {NIGHTS} We also pay for it.", False),
    ],
)
def test_a_proposal_in_nearly_the_words_of_another_is_asked_anew(
    nights: list[Any], text: str, again: bool
) -> None:
    """Whoever made that one, while it is open or agreed on; of another's, what they think of it."""
    memory = folded(numbered(nights))[0]
    for name, fault in (("piet", "P2 proposes that already"), ("rosa", "P2 says that already. ")):
        answer = keep_valid_tags(memory, name, SpokenAnswer(text), None)
        assert answer.fault.startswith(fault) if again else not answer.fault
        assert bool(answer.text) is not again
    nights = [*nights, Message(participant="piet", content="No more.", act="withdraw", re="P2")]
    assert not keep_valid_tags(folded(numbered(nights))[0], "rosa", SpokenAnswer(text), None).fault


SHIP = "I would propose shipping version 2.4 on Monday without the importer."


@pytest.mark.parametrize(
    ("text", "repeated", "supported"),
    [
        (SHIP, True, True),
        (SHIP.replace("propose shipping", "ship"), False, True),
        (f"[PROPOSE] {SHIP}", False, True),
        (
            "If I was to ship version 2.4 on Monday without the importer, I propose doing so.",
            False,
            True,
        ),
        (SHIP.replace("without", "with"), False, False),
        (SHIP.replace("2.4", "2.5"), False, False),
        (f"{SHIP} Or should we wait?", True, False),
        (f"That is a mistake, I oppose it. {SHIP}", True, False),
    ],
)
def test_who_proposes_again_what_is_open_though_asked_for_a_stance_is_for_it(
    text: str, repeated: bool, supported: bool
) -> None:
    """In a second draft, or with a reason of their own; without a word on it so far, who may."""
    log: list[Any] = [
        opened(),
        *(ParticipantJoined(participant=name, role="agent") for name in ("ines", "tom")),
        ParticipantJoined(participant="cyd", role="agent", may=("propose", "ask")),
        Message(participant="ines", content=SHIP),
    ]
    memory = folded(numbered(log))[0]
    draft = SpokenAnswer("", "said before", text) if repeated else SpokenAnswer(text)
    first = keep_valid_tags(memory, "tom", draft, None)
    assert ("P1 says that already" in first.fault) is supported
    second = keep_valid_tags(memory, "tom", draft, None, first.fault or "it was too long")
    assert (second.supports == "P1") is supported
    assert not keep_valid_tags(memory, "ines", draft, None, "said before").supports
    assert not keep_valid_tags(memory, "cyd", draft, None, "said before").supports
    if supported:
        reason = SpokenAnswer(f"{text[:-1]}, as it loses rows. That leaves us a way back.")
        assert keep_valid_tags(memory, "tom", reason, None).supports == "P1"
        assert not keep_valid_tags(memory, "tom", reason, bid("propose")).supports
        message = message_entry(memory, "tom", second.text, None, second.supports)
        after = folded(numbered([*log, message]))[0]
        assert len(after.proposals) == 1
        assert after.proposals[1].reactions["tom"].counted
        assert not keep_valid_tags(after, "tom", draft, None, "said before").supports


def test_who_gives_a_long_message_that_proposes_back_is_asked_for_a_stance() -> None:
    """Its proposal is told with more than the sentence that proposes."""
    words = (
        "I would suggest that the report tool should use DuckDB for its ability to handle large "
        "datasets. DuckDB is a columnar database that is optimized for performance and can handle "
        "large amounts of data quickly. It is also more efficient than SQLite, which is based on "
        "files and optimized for small datasets. So DuckDB would do better for the report tool."
    )
    log: list[Any] = [opened(), ParticipantJoined(participant="tom", role="agent")]
    log.append(Message(participant="ana", content=words))
    memory = folded(numbered(log))[0]
    draft = SpokenAnswer("", "said before", words)
    assert "P1 says that already" in keep_valid_tags(memory, "tom", draft, None).fault
    assert keep_valid_tags(memory, "tom", draft, None, "it was said").supports == "P1"


def test_only_tags_that_the_speaker_may_use_are_offered(table: Memory) -> None:
    """With handles that there are; none on items where there are none."""
    assert offer_tags(table, "cyd") == "[SUPPORT P1], [OPPOSE P1], [VOTE P1]"
    assert offer_tags(table, "ana") == (
        "[PROPOSE], [AMEND P1], [SUPPORT P1], [OPPOSE P1], [DECIDE P1]"
    )
    assert offer_tags(table, "bo") == (
        "[PROPOSE], [AMEND P1], [SUPPORT P1], [OPPOSE P1], [WITHDRAW P1], [DECIDE P1]"
    )
    empty = folded(numbered([opened()]))[0]
    assert offer_tags(empty, "ana") == "[PROPOSE]"


def test_a_vote_is_called_by_a_tag_at_a_lines_beginning(table: Memory) -> None:
    """And not by one within a sentence."""
    assert vote_entry(table, "cyd", "[VOTE P1] Shall we?", None) is not None
    assert vote_entry(table, "cyd", "I will not [VOTE P1] today.", None) is None


CONCERN = (
    "I would choose to wait for the importer to get the product ready. I am concerned that it may "
    "delay version 3. If we ship on Friday without the importer, we can save time and resources, "
    "but it may not meet the needs of the customers."
)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (CONCERN, "inform"),
        ("I would propose to wait for the importer. " + CONCERN, None),
        ("I support P1, for what it is worth. " + CONCERN, "inform"),
        (
            "I oppose P1, as four customers asked for the importer, and all of them still wait.",
            "oppose",
        ),
        ("[OPPOSE P1] I oppose it, as four customers asked for the importer in March.", None),
        ("It takes two more weeks.", None),
    ],
)
def test_a_long_message_says_in_so_many_words_what_it_does(text: str, act: str | None) -> None:
    """Long as a document, its sentences would be weighed for proposals; and a stance by its
    handle counts all the same.
    """
    log: list[Any] = [
        SessionOpened(packs=newest_packs()),
        ParticipantJoined(participant="dora", role="agent"),
        Message(participant="ines", content="Version 3 lacks the importer. Do we ship, or wait?"),
    ]
    if "P1" in text:
        log += [Message(participant="ines", content="We ship on Friday.", act="propose")]
    memory = Memory(known_packs())
    for record in numbered(log):
        apply(memory, record)
    message = message_entry(memory, "dora", text, bid("answer"))
    assert message.act == act
    facts = apply(memory, numbered([*log, message])[-1])
    made = [fact for fact in facts if fact.kind == "proposal.made"]
    assert bool(made) == (act is None and "propose" in text)
    assert [f.ref for f in facts if f.kind == "reaction.changed"] == ["P1"] * ("P1" in text)


@pytest.mark.parametrize(
    ("text", "proposes"),
    [
        ("I would move the readings to DuckDB. It reads whole months at once.", True),
        ("I would choose to wait for the importer. Four customers asked for it.", True),
        ("I would move the readings, if it were cheaper. It reads whole months at once.", False),
        ("I would not keep SQLite for that.", False),
        ("I would take a look at it, or what do you think?", False),
        ("I would support the longer way.", False),
        ("It is slow. I would move the readings to DuckDB.", False),
    ],
)
def test_what_a_speaker_would_do_is_proposed(text: str, proposes: bool) -> None:
    """As an answer to the question, beside another one as well; said again it is no second one."""
    memory = Memory(known_packs())
    log: list[Any] = [
        SessionOpened(packs=newest_packs()),
        Message(participant="ines", content="Do we keep SQLite, or move the readings to DuckDB?"),
        Message(participant="emil", content="We could ask.", act="propose"),
        Message(participant="dora", content=text, act="propose"),
    ]
    for record in numbered(log[:3]):
        apply(memory, record)
    assert (message_entry(memory, "dora", text, bid("answer")).act == "propose") == proposes
    apply(memory, numbered(log)[3])
    assert message_entry(memory, "dora", text, bid("answer")).act != "propose"


def test_who_gives_two_proposals_back_supports_neither() -> None:
    """It says both, one after the other; asked for a stance it has taken none."""
    first = (
        "I would move the readings to DuckDB, which is optimized for the analysis of large data."
    )
    second = "keeping SQLite and storing the data in a format that is easy to access and maintain"
    log: list[Any] = [
        SessionOpened(packs=newest_packs()),
        *(ParticipantJoined(participant=name, role="agent") for name in ("emil", "finn", "gita")),
        Message(participant="emil", content=first, act="propose"),
        Message(participant="finn", content=f"I would suggest {second}."),
    ]
    memory = Memory(known_packs())
    for record in numbered(log):
        apply(memory, record)
    own = f"It is what we know. I would suggest {second}."
    both = (
        "It might be better to move the readings to DuckDB, which is optimized for the analysis of "
        f"large data. {own}"
    )
    assert keep_valid_tags(memory, "gita", SpokenAnswer(own), None, "said before").supports == "P2"
    answer = keep_valid_tags(memory, "gita", SpokenAnswer(both), None, "said before")
    assert not answer.text
    assert not answer.supports
    mixed = f"I would support P1. I believe that {second} is the best choice."
    assert keep_valid_tags(memory, "gita", SpokenAnswer(mixed), None).fault
    named = "I would support P2. A column-oriented database like DuckDB is better for the data."
    assert keep_valid_tags(memory, "gita", SpokenAnswer(named), None).fault
    for clear in (
        "I support P2. SQLite is enough, and DuckDB is not.",
        "I support P2. It is cheap.",
    ):
        assert keep_valid_tags(memory, "gita", SpokenAnswer(clear), None).text == clear
    against = f"I oppose P1. I believe that {second} is the best choice."
    assert keep_valid_tags(memory, "gita", SpokenAnswer(against), None).text == against
