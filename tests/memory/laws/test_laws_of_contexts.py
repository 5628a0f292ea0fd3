"""The laws of a context's size, and that nothing is lost while all fits, each as a property."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Message
from parley.memory.context.brief_size import FRAME_CHARS, LONG
from parley.memory.context.context import Context, Profile, Request, assemble
from parley.memory.context.item_lines import ITEM_CHARS, OWN_CHARS
from parley.memory.context.prefix import LEDGER
from parley.memory.context.recent_talk import message_line
from parley.memory.context.tail import (
    BLOCKS,
    DECIDED,
    FULL_POSITIONS,
    OPEN,
    OWN,
    RECENT,
    UNSETTLED,
)
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.server.library.local_memory import Memory as Talk
from tests.support.logs.corpora import ROOT, drafts_of, needs_corpora

_SUMMARISED = re.compile(r"^Messages (\d+)–(\d+) \(", re.MULTILINE)
_ITEMS = (LEDGER, DECIDED, OPEN, UNSETTLED)
_LAYERS = tuple(name for name in BLOCKS if name not in (*_ITEMS, OWN))

SAYINGS = st.one_of(
    st.sampled_from(
        [
            "I propose that we move the index to the second disk before Friday.",
            "[PROPOSAL] Move the \"old\\\" racks out of the hall, then paint it, and put lamps in.",
            "+1 to P1", "I oppose P1, the second disk is full.", "I support P2.", "+1", "I agree.",
            "[DECISION] We rest on Fridays.", "ratify D1", "I dispute D1.", "I withdraw P1.",
        ]
    ),
    st.text(min_size=1, max_size=400).filter(lambda text: bool(text.strip())),
)  # fmt: skip
NAMES = st.sampled_from(["ana", "bo", "cy", "dee with a rather long name of many words in it"])


def talk_of(lines: Sequence[tuple[str, str]]) -> Talk:
    """The memory of those messages."""
    talk = Talk()
    for who, content in lines:
        talk.publish(Message(participant=who, content=content))
    return talk


def shown(talk: Talk, who: str, profile: Profile, budget: int | None = None) -> Context:
    return assemble(talk.state, Request(who, profile, budget, talk._newest))


def talk_size(talk: Talk) -> int:
    """Characters of the talk: number, author and words of each message, on lines of their own."""
    return sum(len(message_line(talk.state, record).text) + 1 for record in talk._newest)


def item_count(memory: Memory) -> int:
    """How many decisions and open proposals there are."""
    ledger = ledger_of(memory)
    decisions = {item.handle for item in (*ledger.decisions(), *ledger.decided())}
    return len(decisions) + len(ledger.open_proposals())


def size_of(context: Context, *names: str) -> int:
    return sum(len(block.text) + 2 for block in context.blocks if block.name in names)


def check_sizes(talk: Talk, who: str, budget: int | None = None) -> None:
    """The law of sizes, of both profiles."""
    full, brief = (shown(talk, who, name, budget) for name in ("full", "brief"))
    said = talk_size(talk)
    items = ITEM_CHARS * item_count(talk.state)
    own = size_of(full, OWN)
    assert own <= FULL_POSITIONS * (OWN_CHARS + 1) + len(OWN) + 6
    layers = size_of(full, *_LAYERS)
    assert len(full.text) <= said + items + own + layers + FRAME_CHARS
    assert len(brief.text) <= said + FRAME_CHARS + size_of(brief, *_LAYERS)
    if talk.state.messages >= LONG:
        assert len(brief.text) <= len(full.text) // 2
    for context in (full, brief):
        assert context.size <= (budget or talk.state.settings.context.budget_tokens)
        check_once(context)


def check_once(context: Context) -> None:
    """No message is both shown and summarised, and none is summarised twice."""
    ranges = [(int(first), int(last)) for first, last in _SUMMARISED.findall(context.text)]
    covered = [n for first, last in ranges for n in range(first, last + 1)]
    assert len(covered) == len(set(covered))
    assert not set(covered) & set(shown_messages(context))


def shown_messages(context: Context) -> list[int]:
    """The n of the messages that a context shows, whole or in short."""
    shown = [each for each in context.choices if each.fate != "left out"]
    return [int(each.what[2:]) for each in shown if each.block == RECENT]


@given(st.lists(st.tuples(NAMES, SAYINGS), min_size=1, max_size=60), st.integers(300, 4000))
def test_a_context_is_no_larger_than_the_talk_and_a_line_an_item(
    lines: list[tuple[str, str]], budget: int
) -> None:
    """Whatever is said, under any budget."""
    check_sizes(talk_of(lines), "ana", budget)


@given(st.lists(st.tuples(NAMES, SAYINGS), min_size=LONG, max_size=130), st.integers(400, 8000))
def test_a_brief_of_a_long_session_is_at_most_half_of_the_full_context(
    lines: list[tuple[str, str]], budget: int
) -> None:
    """From a hundred messages on."""
    check_sizes(talk_of(lines), "ana", budget)


def agents() -> list[Path]:
    """The transcripts of agents, without labels and lists beside them."""
    found = sorted((ROOT / "agents").rglob("*.jsonl"))
    return [path for path in found if "gold" not in path.name and path.name != "echoes.jsonl"]


@needs_corpora
def test_contexts_of_real_talk_hold_the_law_of_sizes() -> None:
    """At every tenth message of every transcript of agents."""
    looked = 0
    for path in agents():
        talk = Talk()
        for index, message in enumerate(_said(path), 1):
            talk.publish(message)
            if index % 10 == 0:
                check_sizes(talk, message.participant)
                looked += 1
    assert looked


def _said(path: Path) -> Iterator[Message]:
    for draft in drafts_of(path):
        if isinstance(draft.entry, Message):
            yield draft.entry


@given(
    st.lists(st.integers(1, 9999), min_size=1, max_size=12, unique=True),
    st.lists(st.tuples(NAMES, st.text("abc def", min_size=1, max_size=60)), max_size=60),
    st.data(),
)
def test_every_fact_is_in_the_context_while_all_fits(
    facts: list[int], fillers: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Each message whole, once, in the order of the talk, and no summary; wherever facts are."""
    lines = [(who, f"{words}.") for who, words in fillers]
    for fact in facts:
        lines.insert(data.draw(st.integers(0, len(lines))), ("ana", f"Port <{fact}> is open."))
    talk = talk_of(lines)
    context = shown(talk, "bo", "full", 8000)
    assert not context.dropped
    assert not context.shortened
    for fact in facts:
        assert context.text.count(f"<{fact}>") == 1
    assert context.text.count("\n- n ") == len(lines)
    assert "Messages 1–" not in context.text


def test_facts_are_there_behind_many_fillers() -> None:
    """Eight facts, then 48 remarks: all of it has room in the budget of every day."""
    facts = [f"The port of door {index} is {7443 + index}." for index in range(8)]
    lines = [("ana", fact) for fact in facts]
    lines += [("bo", f"I looked at sample {index} and saw nothing new.") for index in range(48)]
    text = shown(talk_of(lines), "cy", "full").text
    assert all(text.count(fact) == 1 for fact in facts)


def test_once_the_talk_no_longer_fits_summaries_stand_for_the_earlier_part() -> None:
    """The newest messages whole; every earlier one in a range of a summary."""
    said = [f"Sample {index} has nothing new in it, as the log says." for index in range(300)]
    talk = talk_of([("bo", words) for words in said])
    context = shown(talk, "cy", "full")
    ranges = [(int(first), int(last)) for first, last in _SUMMARISED.findall(context.text)]
    recent = shown_messages(context)
    covered = {n for first, last in ranges for n in range(first, last + 1)}
    assert len(recent) >= 30
    numbers = {record.n for record in talk._newest}
    assert numbers <= covered | set(recent)
    assert not context.dropped
    assert not context.shortened


@given(st.lists(st.tuples(NAMES, SAYINGS), min_size=20, max_size=80))
def test_law_9_the_cut_moves_with_epochs_only(lines: list[tuple[str, str]]) -> None:
    """With messages at hand: the prefix changes at an epoch, or once the talk no longer fits."""
    talk = Talk()
    before: tuple[bool, list[int], str] | None = None
    prefix = ""
    for who, content in lines:
        talk.publish(Message(participant=who, content=content))
        context = shown(talk, "ana", "full", 500)
        ledger = next((block.text for block in context.blocks if block.name == LEDGER), "")
        ends = [summary.last for summary in talk.state.summaries.values()]
        epoch = (bool(_SUMMARISED.search(context.text)), ends, ledger)
        if epoch == before:
            assert context.prefix_hash == prefix
        before, prefix = epoch, context.prefix_hash
