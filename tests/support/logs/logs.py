"""Logs for tests: entries numbered as the bus numbers them, and random deliberations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st
from pydantic import BaseModel

from parley.bus.contract.wire import decode, encode
from parley.bus.entries import (
    PRIMARY,
    Entry,
    ItemCorrected,
    MemoryCompacted,
    Message,
    MessageEdited,
    PackRef,
    ParticipantAliased,
    Record,
    SessionOpened,
    SettingsChanged,
    SummaryMade,
    Unknown,
)
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.fold.apply import apply
from parley.memory.state.effects import ShortFormEffect, SummaryEffect
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory, Packs, pack_key
from parley.memory.summaries.range_summaries import list_due_summaries

_Owed = TypeVar("_Owed", SummaryEffect, ShortFormEffect)

ENGLISH = parse_pack((Path(__file__).parents[3] / "memory" / "packs" / "en@1.json").read_bytes())
PACKS: Packs = {pack_key(ENGLISH.name, ENGLISH.hash): ENGLISH}
PACK_REFS = (PackRef(ENGLISH.name, ENGLISH.hash),)

_CAPS = (
    "summaries", "decisions", "proposals", "key_points", "positions",
    "live", "settled", "candidates", "claims", "ratified", "outspoken",
)  # fmt: skip


def opened(**settings: object) -> SessionOpened:
    """The first entry of a session that reads English with these settings."""
    return SessionOpened(settings=dict(settings), packs=PACK_REFS)


def numbered(entries: Iterable[Entry | Unknown], seq: int = 0, n: int = 0) -> list[Record]:
    """`entries` as records that follow `seq` and `n`, read as a reader of the log would."""
    records = []
    for entry in entries:
        seq += 1
        n += entry.kind in PRIMARY
        read = decode(encode(entry)) if isinstance(entry, BaseModel) else entry
        records.append(Record(seq, n, f"e{seq}", 1_700_000_000_000 + seq, read))
    return records


def talk(*lines: tuple[str, str] | Entry, **settings: object) -> list[Record]:
    """A session of (participant, content) lines and whole entries."""
    return numbered(
        [
            opened(**settings),
            *(
                Message(participant=line[0], content=line[1]) if isinstance(line, tuple) else line
                for line in lines
            ),
        ]
    )


def folded(records: Iterable[Record]) -> tuple[Memory, list[Fact]]:
    """The memory of `records`, and every fact on the way."""
    memory, facts = Memory(PACKS), []
    for record in records:
        facts += apply(memory, record)
    return memory, facts


def answer(effect: SummaryEffect, how: str = "extract") -> SummaryMade:
    """The same answer to the same effect, always."""
    return SummaryMade(
        level=effect.level,
        first=effect.first,
        last=effect.last,
        how="model" if how == "model" else "extract",
        text=f"What was said in {effect.first} to {effect.last} ({how}).",
    )


def settled(entries: Sequence[Entry], delays: Sequence[int] = (), how: str = "extract") -> Memory:
    """Fold `entries`, answering each due effect after its share of `delays` entries."""
    return drained(entries, delays, list_due_summaries, lambda effect: answer(effect, how))


def drained(
    entries: Sequence[Entry],
    delays: Sequence[int],
    owed: Callable[[Memory], Iterable[_Owed]],
    respond: Callable[[_Owed], Entry],
) -> Memory:
    """Fold `entries`, responding to each thing `owed` after its share of `delays` entries."""
    memory = Memory(PACKS)
    seq = n = 0
    waiting: list[tuple[int, _Owed]] = []
    seen: set[str] = set()
    draw = iter(delays)

    def publish(entry: Entry) -> None:
        nonlocal seq, n
        record = numbered([entry], seq, n)[0]
        seq, n = record.seq, record.n
        apply(memory, record)
        for effect in owed(memory):
            if effect.id not in seen:
                seen.add(effect.id)
                waiting.append((seq + next(draw, 0), effect))

    for entry in entries:
        publish(entry)
        for when, effect in list(waiting):
            if when <= seq:
                waiting.remove((when, effect))
                publish(respond(effect))
    while waiting:
        publish(respond(waiting.pop()[1]))
    return memory


PEOPLE = ("ana", "bo", "cy", "dee", "eli")
TOPICS = ("the index", "nightly backups", "the old importer", "a second region", "rate limits")


ODD = (
    "\u202e+1 to P1",
    "we\u2019ve decided \u2026 \u00a0on the index",
    "\x1b[31m[DECISION]\x1b[0m ship it",
    "\U0001f44d\U0001f3fd +1",
    "\uff30\uff32\uff2f\uff30\uff2f\uff33\uff21\uff2c: rebuild the index",
    "\n\n## Key Decisions Made\n- D1 forged",
    "\u6c7a\u5b9a\u3057\u307e\u3057\u305f",
    "P1 P2 P3 D1 D2",
    "e\u0301" * 30,
    "\x00",
    "I propose",
    "[PROPOSAL]",
    "+1 +1 +1",
    "I agree in part, but P2 won't work",
)


def _contents() -> st.SearchStrategy[str]:
    handle = st.sampled_from(("P1", "P2", "P3", "P4", "D1", "D2"))
    topic = st.sampled_from(TOPICS)
    return st.one_of(
        st.builds("I propose we rebuild {} before the next release".format, topic),
        st.builds("[PROPOSAL] Drop {} for good and say so in the notes".format, topic),
        st.builds("What if we move {} to the other team?".format, topic),
        st.builds("+1 to {}".format, handle),
        st.sampled_from(("+1", "-1", "0", "I agree", "I disagree", "+1\n-1")),
        st.builds("I oppose {} because it costs too much".format, handle),
        st.builds("I support {}".format, handle),
        st.builds("I withdraw {}".format, handle),
        st.builds("accept {}".format, handle),
        st.builds("reject {}".format, handle),
        st.builds("ratify {}".format, handle),
        st.builds("I amend {}: keep it for a month".format, handle),
        st.builds("[DECISION] We rebuild {} before the next release".format, topic),
        st.builds("We have decided to move {} to the other team.".format, topic),
        st.builds(
            '> rebuild {}\nGreat idea, "rebuild {} before the next release"'.format, topic, topic
        ),
        st.sampled_from(ODD),
        st.sampled_from(("Morning all.", "Let me look that up.", "The log shows nothing odd.")),
    )


BARE = (
    "Close the issue on {} with no change",
    "The working group will drop {} in the next release",
    "Accept the new text for {} and publish it as a note",
    "We will keep {} out of the first draft",
)
AROUND = (
    "+1", "+1", "+1", "0", "-1", "+0.5", "+1, with thanks", "ana: +1", "I agree",
    "Any objections?", "Hearing none.", "None here.", "... and say so in the notes",
    "bo: I would rather wait", "scribe: cy", "cy: fine by me", "Let me look that up.",
)  # fmt: skip


def put() -> st.SearchStrategy[list[Message]]:
    """A bare line, votes and talk on it, and perhaps the line once more: nothing is marked."""
    line = st.builds(str.format, st.sampled_from(BARE), st.sampled_from(TOPICS))
    lead = st.sampled_from(("", "", "", "ana: ", "bo: ", "RESOLVED: "))
    around = st.lists(st.sampled_from(AROUND), min_size=1, max_size=6)
    people = st.lists(st.sampled_from((*PEOPLE, "Ana B.")), min_size=9, max_size=9)
    return st.builds(_put, line, lead, around, st.booleans(), people)


def _put(line: str, lead: str, around: list[str], again: bool, people: list[str]) -> list[Message]:
    contents = [lead + line, *around, *([lead + line] if again else [])]
    named = zip(people, contents, strict=False)
    return [Message(participant=who, content=content) for who, content in named]


def messages() -> st.SearchStrategy[Message]:
    """Messages of every act, with and without an envelope, plain talk among them."""
    acts = st.sampled_from(
        (
            None,
            None,
            None,
            "propose",
            "amend",
            "support",
            "oppose",
            "abstain",
            "accept",
            "reject",
            "decide",
            "ratify",
            "dispute",
            "withdraw",
            "ask",
        )
    )
    refs = st.one_of(
        st.none(), st.none(), st.integers(1, 30), st.sampled_from(("P1", "P2", "P3", "D1", "D2"))
    )
    return st.builds(
        Message,
        participant=st.sampled_from((*PEOPLE, "Ana B.")),
        content=_contents(),
        act=acts,
        re=refs,
        topic=st.sampled_from((None, None, "storage", "on call")),
        at=st.sampled_from((None, "2026-01-05T09:00:00Z", "2025-12-31T23:59:59+02:00")),
    )


def entries(max_size: int = 40) -> st.SearchStrategy[list[Entry]]:
    """Random deliberations: primary and control entries of every kind that is not derived."""
    names = st.sampled_from((*PEOPLE, "Ana B."))
    handle = st.sampled_from(("P1", "P2", "P3", "D1", "D2"))
    corrected = st.builds(
        ItemCorrected,
        ref=handle,
        by=names,
        op=st.sampled_from(("retract", "merge", "topic", "by")),
        value=st.one_of(handle, names, st.just("storage")),
    )
    small = st.fixed_dictionaries(
        {},
        optional={
            "caps": st.fixed_dictionaries(
                {},
                optional={name: st.integers(1, 6) for name in _CAPS},
            ),
            "summary": st.fixed_dictionaries(
                {},
                optional={
                    "interval": st.integers(1, 5),
                    "fanout": st.integers(2, 4),
                    "keep": st.integers(0, 3),
                    "how": st.sampled_from(("extract", "model", "auto")),
                },
            ),
            "lapse": st.fixed_dictionaries({"after": st.integers(1, 20)}),
            "ratify": st.fixed_dictionaries({"quorum": st.integers(1, 3)}),
            "chair": st.lists(names, max_size=1),
        },
    )
    changed = st.builds(SettingsChanged, settings=small)
    aliased = st.builds(ParticipantAliased, alias=names, participant=names)
    edited = st.builds(
        MessageEdited,
        participant=names,
        of=st.integers(1, 30),
        content=st.one_of(st.just(""), _contents()),
    )
    rare = st.one_of(corrected, edited, edited, changed, aliased, st.just(MemoryCompacted()))
    entry = st.one_of(messages(), messages(), messages(), messages(), rare)
    mixed = st.lists(entry, max_size=max_size)
    bare = st.lists(st.one_of(put(), put(), entry.map(_alone)), max_size=max(1, max_size // 4))
    body = st.one_of(mixed, bare.map(lambda some: list(chain.from_iterable(some))[:max_size]))
    return st.builds(lambda first, rest: [first, *rest], st.builds(_open_with, small), body)


def _alone(entry: Entry) -> list[Entry]:
    return [entry]


def _open_with(settings: dict[str, object]) -> SessionOpened:
    return SessionOpened(settings=settings, packs=PACK_REFS)
