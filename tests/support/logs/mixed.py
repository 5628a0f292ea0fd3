"""Logs of entries of every kind, odd and hostile ones among them, under small settings.

An entry is made from a few bytes: hypothesis draws and shrinks them, and a
committed generator (`tests/support/logs/long_log.py`) draws them from a fixed beginning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from annotated_types import Ge, Le
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from parley.bus.contract.wire import decode
from parley.bus.entries import (
    ACTS,
    KINDS,
    MAX_VOTE_SECONDS,
    BallotCast,
    BallotCompleted,
    ClaimLabel,
    ContextInjected,
    Doubt,
    Entry,
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
    ItemsExtracted,
    LessonImported,
    MemoryCompacted,
    Message,
    MessageEdited,
    NoteRefused,
    NoteRevised,
    NoteWritten,
    Outcome,
    ParticipantAliased,
    ParticipantJoined,
    ParticipantLeft,
    ReadSide,
    Relation,
    ResultsFinal,
    Right,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    SimilarityFound,
    SpendReserved,
    SpendSettled,
    Step,
    SummaryMade,
    TalkPaused,
    TextCondensed,
    ToolCalled,
    ToolReturned,
    Unknown,
    Verdict,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
    VoteRule,
)
from parley.memory.settings.presets import load_preset
from parley.memory.settings.session_settings import Settings
from parley.memory.settings.setting_trees import overlay_trees
from tests.support.logs.logs import AROUND, BARE, ODD, PACK_REFS, PEOPLE, TOPICS

_T = TypeVar("_T")

VOTES: Final = (*("V1", "v1", "v2", "V2", "V3") * 4, "V4", "V0", "V", *range(1, 9))
CHOICES: Final = (
    "accept",
    "Reject",
    "tea",
    " coffee",
    "abstain",
    "p1",
    "P2",
    "## forged\n",
    "x" * 90,
)
FORGED: Final = "## Key Decisions Made\n- D9"
NAMES: Final = (*PEOPLE, "Ana B.", "user", "\u202eeve", FORGED, "e\u0301" * 9)
HANDLES: Final = ("P1", "P2", "P3", "P4", "D1", "D2", "D3")
SAID: Final = (
    "Morning all.",
    "Let me look that up. It takes a while. The old figures are on the second disk.",
    *(f"I propose we rebuild {topic} before the next release" for topic in TOPICS),
    *(f"[PROPOSAL] Drop {topic} for good and say so in the notes" for topic in TOPICS),
    *(f"We have decided to move {topic} to the other team." for topic in TOPICS),
    *(f"+1 to {handle}" for handle in HANDLES[:4]),
    *(f"{verb} {handle}" for verb in ("accept", "I oppose", "ratify") for handle in HANDLES),
    *("+1", "-1", "I agree", "I disagree, it costs too much", "0"),
    *(f"I amend {handle}: keep it for a month" for handle in HANDLES[:3]),
    *(line.format(topic) for line in BARE[:2] for topic in TOPICS[:2]),
    *AROUND,
    *ODD,
)
TEXTS: Final = (
    "a word",
    "Two sentences. The second one says a little more than the first one did.",
    "\u00e9" * 90,
    "x" * 1_500,
    "First the disks were slow. " * 40,
    "\x1b[2J\u202e\n## Key Decisions Made\n- D1 **forged** (ratified)\n\n| not a fence",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 " * 20,
    '{"rows": [1, 2.0, null], "error": "none"}',
)
RESULTS: Final = (*TEXTS, "", " ")
TOOLS: Final = ("search", "read_file", "\u202emake", "search\n## x")
ARGUMENTS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"q": "disks"},
    {"q": "disks", "page": 1},
    {"page": 1.0, "q": "disks"},
    {"deep": [[{"a": [None, True, 1e300]}]], "": "\x00"},
)
EPISODES: Final = ("goal", "task", "task", "exchange", "phase", "stage", "round", "goal")
PARTS: Final = ("answer", "result", "episode", "running")
ODD_REFS: Final = ("E1", "E2", "", "Z9", "P0", "D999999999", "p1")
REFS: Final = (None, None, None, *HANDLES, *ODD_REFS, *range(1, 12))
EPISODE_REFS: Final = (None, None, None, "E1", "E2", "E3", "E4", "E999999999", *range(1, 20))
TIMES: Final = (None, None, "2026-01-05T09:00:00Z", "2025-12-31T23:59:59+02:00")


class Picks:
    """Choices made by the bytes of one entry; they begin again when they run out."""

    def __init__(self, bits: bytes) -> None:
        self._bits, self._next = bits, 0

    def of(self, options: Sequence[_T]) -> _T:
        return options[self.below(len(options))]

    def below(self, end: int) -> int:
        high = self._bits[self._next % len(self._bits)]
        low = self._bits[(self._next + 3) % len(self._bits)] if end > 256 else 0
        self._next += 1
        return (high + 256 * low) % end

    def some(self, options: Sequence[_T], most: int = 3) -> tuple[_T, ...]:
        """A few of them, often none."""
        return tuple(self.of(options) for _ in range(max(0, self.below(2 * most) - most + 1)))


def _message(p: Picks) -> Entry:
    content, participant = p.of((*SAID, *TEXTS)), p.of(NAMES)
    act = p.of((None, None, None, None, *ACTS))
    return Message.model_validate({
        "participant": participant,
        "content": content,
        "act": act,
        "re": p.of(REFS),
        "topic": p.of((None, None, None, "storage", "on call", "## forged\n")),
        "to": p.some(NAMES, 1),
        "form": p.of(("statement", "statement", "reasoning")),
        "at": p.of(TIMES),
    })  # fmt: skip


def _ballot(p: Picks) -> Entry:
    vote = p.of((None, None, *range(1, 16)))
    counted = {} if vote is None else {"tally": dict.fromkeys(p.some(CHOICES), 2)}
    return BallotCompleted.model_validate({
        "participant": p.of(NAMES),
        "consensus": p.of((True, False)),
        "content": p.of((*SAID[2:6], *TEXTS)),
        "re": p.of(REFS),
        "supporters": p.some(NAMES),
        "dissenters": p.some(NAMES, 2),
        "abstainers": p.some(NAMES, 1),
        "vote": vote,
        "carried": vote and p.of((None, "accept", "reject", "tea", *CHOICES, *HANDLES)),
        **counted,
        "at": p.of(TIMES),
    })  # fmt: skip


def _results(p: Picks) -> Entry:
    return ResultsFinal(
        participant=p.of(NAMES),
        content=p.of(TEXTS),
        to=p.some(NAMES),
        consensus=p.of((True, False)),
        earnings=p.of((None, 1200, -3, "12.50", "")),
        counterfactuals=p.of(({}, {"floor": 12, "## average\n": "x" * 300})),
    )


def _called(p: Picks) -> Entry:
    return ToolCalled(
        participant=p.of(NAMES),
        tool=p.of(TOOLS),
        call_id=p.of(("c1", "c2", "c3", "\u202ec4")),
        arguments=p.of(ARGUMENTS),
        version=p.of(("", "", "2")),
    )


def _returned(p: Picks) -> Entry:
    return ToolReturned(
        participant=p.of(NAMES),
        tool=p.of(TOOLS),
        call_id=p.of(("c1", "c2", "c3", "\u202ec4")),
        content=p.of(RESULTS),
        ok=p.of((True, True, True, False)),
        error=p.of((None, None, "TimeoutError", "", "## e\n", f"E{p.below(70)}")),
        arguments=p.of(ARGUMENTS),
        version=p.of(("", "", "2")),
        read_only=p.of((True, True, False)),
        ttl=p.of((None, None, 0, 1, 2, 9)),
        episode=p.of(EPISODE_REFS),
        at=p.of(TIMES),
    )


def _begun(p: Picks) -> Entry:
    return EpisodeOpened.model_validate({
        "participant": p.of(NAMES[:4]),
        "episode": p.of(EPISODES),
        "title": p.of((*SAID[:7], *TEXTS)),
        "parent": p.of(EPISODE_REFS),
        "after": p.some(EPISODE_REFS[3:], 2),
        "at": p.of(TIMES),
    })  # fmt: skip


def _ended(p: Picks) -> Entry:
    return EpisodeClosed.model_validate({
        "participant": p.of(NAMES[:4]),
        "re": p.of((None, None, *EPISODE_REFS, "Z1", "", "E")),
        "episode": p.of((None, None, *EPISODES)),
        "status": p.of(("completed", "failed", "superseded", "abandoned")),
        "result": p.of(RESULTS),
        "at": p.of(TIMES),
    })  # fmt: skip


def _step(p: Picks) -> Entry:
    return Step.model_validate({
        "participant": p.of(NAMES),
        "form": p.of(("reasoning", "tool_execution", "validation", "replanning")),
        "content": p.of((*SAID[:3], *TEXTS)),
        "ok": p.of((True, True, False)),
        "discovered": p.of(({}, {}, {"disk": "slow"}, {"## k\n": "v" * 900, "": ""})),
        "confidence": p.of((None, 0, 640, 1000)),
        "episode": p.of(EPISODE_REFS),
    })  # fmt: skip


def _injected(p: Picks) -> Entry:
    content, key = p.of(TEXTS), p.of(("screen", "page", "## k\n", f"k{p.below(40)}"))
    return ContextInjected(participant=p.of(NAMES), key=key, content=content)


def _vote(p: Picks) -> Entry:
    if p.of((True, False)):
        return VoteConfirmed(participant=p.of(NAMES), agreed=p.of((True, False)), re=p.of(REFS))
    return VoteInitiated.model_validate({
        "participant": p.of(NAMES),
        "content": p.of(TEXTS),
        "re": p.of((*(None,) * 20, *REFS)),
        "options": p.of(((), (), ("tea", "Coffee", "tea"), HANDLES[:2], p.some(CHOICES))),
        "rule": p.of((None, *get_args(VoteRule))),
        "secret": p.of((None, True, False)),
        "quorum": p.of((None, None, 0, 1000)),
        "window": p.of((None, 1, 3)),
    })  # fmt: skip


def _timed(p: Picks) -> Entry:
    seconds = p.of((1, 30, 86_400, MAX_VOTE_SECONDS))
    return VoteInitiated(participant=p.of(NAMES), content=p.of(TEXTS), seconds=seconds)


def _extended(p: Picks) -> Entry:
    return VoteExtended(
        participant=p.of(NAMES),
        re=p.of(("V1", "V2", "V3", *range(1, 9))),
        seconds=p.of((1, 60, 86_400, MAX_VOTE_SECONDS)),
    )


def _cast(p: Picks) -> Entry:
    re, choice = p.of(VOTES), p.some((*HANDLES, *CHOICES), 2)
    return BallotCast(participant=p.of(NAMES), re=re, choice=choice, content=p.of(RESULTS))


SEATED: Final = (*NAMES[:3], *NAMES[:3], "dee", "parley", "\u202eeve")
EPOCHS: Final = (0, 0, 1, 1, 2, 3)  # few, so that some entries meet the epoch they are of
BY: Final = (None, None, None, "ana", FORGED)
WARNINGS: Final = ("quiet", "hops", "circling")
RELEASES: Final = ("spoke", "silent", "failed", "expired", "interrupted", "revoked", "budget")
CAPABILITIES: Final = ("propose", "grant", "mute", "pause", "vote", "moderate", "interrupt")


def _sits(p: Picks) -> Entry:
    may = p.of((None, (), p.some(CAPABILITIES)))
    return ParticipantJoined.model_validate({
        "participant": p.of(SEATED),
        "role": p.of(("agent", "agent", "agent", "person", "observer")),
        "seat": p.of(("", "one", "two")),
        "interests": p.some(TOPICS),
        "may": may,
        "weight": p.of((1, 1, 0, 3)),
        "reactivity": p.of((0, 600)),
        "cooldown": p.of((None, 0, 1, 3)),
        "turns": p.of((None, None, 2)),
        "tokens": p.of((None, None, 400)),
    })  # fmt: skip


def _stands_up(p: Picks) -> Entry:
    return ParticipantLeft(participant=p.of(SEATED), seat=p.of(("", "one")), reason=p.of(RESULTS))


def _bids(p: Picks) -> Entry:
    who, epoch, heard = p.of(SEATED), p.of(EPOCHS), p.of((99, 99, p.below(40)))
    if p.of((True, False)):
        return FloorPassed(participant=who, epoch=epoch, heard=heard, ready=p.of((True, False)))
    intent = p.of(("answer", "propose", "oppose", "support", "ask"))
    return FloorBid.model_validate({
        "participant": who, "epoch": epoch, "heard": heard, "urgency": p.below(4),
        "intent": intent, "re": p.of(REFS), "novelty": p.of(RESULTS),
    })  # fmt: skip


def _floor(p: Picks) -> Entry:
    """A grant or a release, of an epoch that is new, or is not."""
    epoch, by = 1 + p.of(EPOCHS), p.of(BY)
    if p.of((True, False)):
        return FloorGranted(
            participant=p.of(SEATED), epoch=epoch, by=by, score={"total": p.below(9)}
        )
    return FloorReleased.model_validate(
        {"participant": p.of(SEATED), "epoch": epoch, "by": by, "reason": p.of(RELEASES)}
    )


def _nudged(p: Picks) -> Entry:
    return FloorNudged.model_validate({
        "participant": p.of(("", *SEATED)), "warning": p.of(WARNINGS), "re": p.of(REFS),
        "earlier": p.of(("", *HANDLES)), "content": p.of(RESULTS),
    })  # fmt: skip


def _halted(p: Picks) -> Entry:
    by = p.of(BY)
    if p.of((True, False)):
        return FloorMuted(participant=p.of(SEATED), muted=p.of((True, False)), by=by)
    if p.of((True, False)):
        return FloorResumed(by=by)
    return FloorPaused(reason=p.of(("moderator", "hops", "")), by=by)


def _reserved(p: Picks) -> Entry:
    call, purpose = p.of(("k1", "k2", "k3", FORGED)), p.of(("evaluate", "draft", "ballot", "other"))
    return SpendReserved.model_validate({
        "participant": p.of(SEATED), "call": call, "purpose": purpose,
        "tokens": p.of((0, 100, 700)), "micros": p.of((0, 5)),
    })  # fmt: skip


def _settled(p: Picks) -> Entry:
    return SpendSettled.model_validate({
        "participant": p.of(SEATED), "call": p.of(("k1", "k2", "k3", FORGED)),
        "input_tokens": p.of((0, 90, 800)), "output_tokens": p.below(20), "micros": p.below(9),
        "outcome": p.of(("used", "passed", "discarded", "failed", "lost")),
    })  # fmt: skip


def _written(p: Picks) -> Entry:
    return NoteWritten(participant=p.of(NAMES), content=p.of(RESULTS), base=p.below(30))


def _corrected(p: Picks) -> Entry:
    return ItemCorrected.model_validate({
        "ref": p.of((*HANDLES, *HANDLES, "M2")),
        "by": p.of(NAMES),
        "op": p.of(("retract", "merge", "topic", "by")),
        "value": p.of((None, *HANDLES, *NAMES, "storage", "")),
    })  # fmt: skip


def _changed(p: Picks) -> Entry:
    return SettingsChanged(settings=p.of(CHANGES))


CHANGES: Final[tuple[dict[str, Any], ...]] = (
    {"limits": {"history": {"cap": 40, "target": 10}, "note": {"cap": 30}}},
    {"limits": {"exchanges": 1, "answer": {"cap": 20, "target": 9}, "running": {"cap": 30}}},
    {"limits": {"session": {"cap": 50}, "archive": {"cap": 9, "items": 1}, "steps": 1}},
    {"limits": {"tool_history": 1, "failed_tasks": 0, "insights": 1, "lessons": 1, "cached": 1}},
    {"limits": {"open_episodes": 1, "context_text": 5, "archived_text": 3}},
    {"note": {"policy": "append"}},
    {"note": {"policy": "rewrite", "agents": {"ana": {"policy": "off"}, "bo": {"limit": 12}}}},
    {"note": {"policy": "off"}},
    {"exchange": {"users": ["ana"]}, "limits": {"short_term": {"cap": 20}}},
    {"vote": {"confirm": "majority", "secret": True}},
    {"vote": {"confirm": "all", "rule": "consent", "quorum": 0}},
    {"caps": {"decisions": 2, "proposals": 2, "summaries": 2}},
    {"floor": {"policy": "bid", "pair": 2}, "bots": ["bo"]},
    {"floor": {"policy": "round_robin", "finisher": "cy"}, "budget": {"tokens": 500, "calls": 3}},
    {"floor": {"policy": "open"}, "stop": {"turns": 3}, "chair": ["ana"]},
    {"stop": {"turnz": 3}},
    {"extract": {"how": "model", "interval": 2, "overlap": 1}},
    {"extract": {"how": "none"}, "bots": ["cy"]},
    {"no such": "setting"},
    {"limits": {"history": {"cap": 0}}},
)


def _aliased(p: Picks) -> Entry:
    return ParticipantAliased(alias=p.of(NAMES), participant=p.of(NAMES))


def _redacted(p: Picks) -> Entry:
    return EntryRedacted(redacted=1 + p.below(20), reason=p.of(TEXTS))


def _edited(p: Picks) -> Entry:
    return MessageEdited(
        participant=p.of(NAMES),
        of=1 + p.below(30),
        content=p.of(("", *RESULTS)),
        to=p.of(((), ("bo",))),
    )


def _paused(p: Picks) -> Entry:
    return TalkPaused(paused=1 + p.below(40))


def _compacted(_: Picks) -> Entry:
    return MemoryCompacted()


PRIMARY_MAKERS: Final[tuple[Callable[[Picks], Entry], ...]] = (
    *(_message,) * 8,
    *(_begun,) * 4, *(_ended,) * 2,
    *(_returned,) * 4, *(_called,) * 2,
    *(_step,) * 3,
    *(_ballot,) * 2, _results, *(_vote,) * 2, *(_cast,) * 2, _injected, _written,
    _corrected, _aliased, _redacted, _compacted,
    *(_sits,) * 3, _stands_up, *(_bids,) * 2, *(_floor,) * 2, _nudged, _halted,
    _reserved, _settled, _cast,
)  # fmt: skip
CONTROL_MAKERS: Final = (*PRIMARY_MAKERS, _changed)
# Votes with a time of their own and edits are beside: pinned logs are made of the others.
TIMED_MAKERS: Final = (*CONTROL_MAKERS, _timed, _extended, _extended, *(_edited,) * 3, _paused)
SETTLED_MAKERS: Final = (
    *(maker for maker in PRIMARY_MAKERS if maker is not _aliased),
    _paused,
)


# -- derived ones, asked for or not ---------------------------------------------


def _revised(p: Picks) -> Entry:
    return NoteRevised(
        participant=p.of(NAMES),
        cause=1 + p.below(40),
        base=p.below(20),
        text=p.of(RESULTS),
        why=p.of(("", "consensus", "## why\n")),
    )


def _refused(p: Picks) -> Entry:
    return NoteRefused(
        participant=p.of(NAMES), cause=1 + p.below(40), attempts=5, sizes=(9, 8), limit=5
    )


def _condensed(p: Picks) -> Entry:
    return TextCondensed.model_validate(
        {"part": p.of(PARTS), "of": 1 + p.below(40), "text": p.of(RESULTS)}
    )


def _compared(p: Picks) -> Entry:
    return SimilarityFound(
        ref=p.of(("P1", "P2", "P3", "D1")), of=1 + p.below(40),
        earlier=p.of((None, "P1", "P2", "P9", "D1")), similarity=p.of((0, 900)),
        model=p.of(RESULTS),
    )  # fmt: skip


def _lesson(p: Picks) -> Entry:
    return LessonImported(
        session=p.of(("other", "third", "\u202efourth")),
        ref=p.of((*HANDLES, "I1")),
        n=p.below(50),
        text=p.of(TEXTS),
        topic=p.of(("", "storage", "## forged\n")),
        standing=p.of(("", "ratified +3 -1 ~0")),
        weight=p.of((0, 5, 5, -9, 1000)),
    )


def _summarised(p: Picks) -> Entry:
    first = 1 + p.below(20)
    how: Literal["extract", "model"] = p.of(("extract", "model"))
    return SummaryMade(level=p.below(3), first=first, last=first + p.below(9), how=how, text="so")


TARGETS: Final = (*HANDLES, "M1", "M2", "M3.2", "", "M0", "i1", "## forged\n")


def _extracted(p: Picks) -> Entry:
    """A reading of a stretch that is owed, perhaps, with claims of anything."""
    first = 1 + p.below(12)
    return ItemsExtracted.model_validate({
        "lead": max(1, first - p.below(3)), "first": first, "last": first + p.below(4),
        "claims": [_claim(p, first) for _ in range(p.below(4))],
        "checks": [_check(p) for _ in range(p.below(3))],
        "refused": [{"reason": "quote", "row": p.of(TEXTS)} for _ in range(p.below(2))],
        "dropped": p.of(({}, {"quote": 2}, {"## k\n": 9, "many": -4})),
        "calls": p.below(3), "input_tokens": p.of((0, 700, 2**62)),
    })  # fmt: skip


def _claim(p: Picks, first: int) -> dict[str, object]:
    start, chars = p.below(30) - 1, p.below(30)
    return {
        "detail": p.of((None, *TEXTS)), "done": p.of((True, False)), "end": start + chars,
        "id": p.of((None, "i1", "i2", "## k")), "label": p.of(get_args(ClaimLabel)),
        "n": first + p.below(5) - 1, "outcome": p.of((None, *get_args(Outcome))),
        "quote": p.of(("x" * chars, *TEXTS)), "relation": p.of((None, *get_args(Relation))),
        "right": p.of((None, *get_args(Right))), "side": p.of((None, *get_args(ReadSide))),
        "start": start, "statement": p.of((None, *TEXTS)), "targets": p.some(TARGETS),
        "who": p.of((None, *NAMES, "## forged\n")),
    }  # fmt: skip


def _check(p: Picks) -> dict[str, object]:
    return {
        "reason": p.of((None, *get_args(Doubt))), "ref": p.of((*HANDLES, "M1", "M2", "", "x")),
        "statement": p.of((None, *TEXTS)), "verdict": p.of(get_args(Verdict)),
        "who": p.of((None, None, *NAMES)),
    }  # fmt: skip


DERIVED_MAKERS: Final = (
    _revised, _refused, _condensed, _lesson, _lesson, _summarised, _extracted,
    _compared,
)  # fmt: skip
_STRAY: Final = (*TIMED_MAKERS, *DERIVED_MAKERS)


def made(bits: bytes, makers: Sequence[Callable[[Picks], Entry]] = _STRAY) -> Entry:
    """The entry that these bytes stand for."""
    return makers[bits[0] % len(makers)](Picks(bits[1:]))


# -- strategies -------------------------------------------------------------------

_BITS: Final = st.binary(min_size=14, max_size=14)
ENTRY: Final[st.SearchStrategy[Entry]] = _BITS.map(made)


def bodies(
    max_size: int = 48, makers: Sequence[Callable[[Picks], Entry]] = _STRAY
) -> st.SearchStrategy[list[Entry]]:
    """Entries of all kinds: a handful, or as many as fill the small limits."""
    entry = _BITS.map(lambda bits: made(bits, makers))
    few = st.lists(entry, max_size=6)
    return st.one_of(few, st.lists(entry, min_size=max_size // 2, max_size=max_size))


def logs(
    name: str, max_size: int = 48, makers: Sequence[Callable[[Picks], Entry]] = _STRAY
) -> st.SearchStrategy[list[Entry]]:
    """Whole sessions opened with that preset, with random small settings laid over it."""
    return st.builds(
        lambda tree, rest: [opening(name, tree), *rest], small_trees(), bodies(max_size, makers)
    )


def opening(name: str, over: Mapping[str, Any]) -> SessionOpened:
    """The first entry of a session of that preset, as a door logs it: the whole tree."""
    return SessionOpened(settings=overlay_trees(load_preset(name), dict(over)), packs=PACK_REFS)


STOPS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"turns": 3},
    {"any": [{"messages": 4}, {"all": [{"decisions": 1}, {"quiescent": True}]}, {"hops": True}]},
)
_SIZES: Final = (0, 1, 2, 3, 5, 9, 40, 150, 700)
_KEPT: Final = {"preset", "budget_tokens", "prefix_share"}  # law 8 draws its own budgets


def small_trees() -> st.SearchStrategy[dict[str, Any]]:
    """Partial settings: any of the keys, with absurdly small values mostly."""
    return st.one_of(st.just({}), _tree(Settings))


def _tree(group: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            name: _leaf(name, info)
            for name, info in group.model_fields.items()
            if name not in _KEPT
        },
    )


def _leaf(name: str, info: FieldInfo) -> st.SearchStrategy[Any]:
    kind: Any = info.annotation
    if name == "agents":
        agent = {"policy": st.sampled_from(("off", "append", "rewrite")), "limit": _sizes(1)}
        return st.dictionaries(
            st.sampled_from(NAMES[:3]), st.fixed_dictionaries({}, optional=agent), max_size=2
        )
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _tree(kind)
    if name == "stop":
        return st.sampled_from(STOPS)
    if kind is str:
        return st.sampled_from(("", *TEXTS))
    if get_origin(kind) is UnionType:
        return st.one_of(st.none(), _sizes(0))
    if kind is bool:
        return st.booleans()
    if kind is int:
        low = next((bound.ge for bound in info.metadata if isinstance(bound, Ge)), 0)
        high = next((bound.le for bound in info.metadata if isinstance(bound, Le)), 10_000)
        return _sizes(int(str(low)), int(str(high)))
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    assert get_origin(kind) is tuple, f"{name}: {kind}"
    return st.lists(st.sampled_from(NAMES), max_size=1)


def _sizes(low: int, high: int = 10_000) -> st.SearchStrategy[int]:
    return st.sampled_from(sorted({min(max(size, low), high) for size in _SIZES}))


# -- what no border would let through ----------------------------------------------

_HOSTILE: Final[tuple[Any, ...]] = (
    -1, 0, 2**31, 2**53, 2**63, 10**40, "", "\x00", "E1", "E0", "E99999999999999999999",
    "P" + "9" * 5_000, "E\u0663", "P\u00b2", "x" * 5_000, FORGED, True, None, [], ["a", "a"], {},
    {"a": "b"},
)  # fmt: skip


@st.composite
def hostile(draw: st.DrawFn) -> Entry | Unknown:
    """An entry as a stranger might write it into Redis: any field may hold anything."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    data: dict[str, Any] = json.loads(made(draw(_BITS)).model_dump_json())
    if data["kind"] != kind:
        fields = KINDS[kind].model_fields
        data = {name: data.get(name, _plausible(info)) for name, info in fields.items()}
    for name in draw(st.lists(st.sampled_from(sorted(data)), max_size=2)):
        data[name] = draw(st.sampled_from(_HOSTILE))
    return decode(json.dumps({**data, "kind": kind, "v": 1}).encode())


def _plausible(info: FieldInfo) -> Any:
    if not info.is_required():
        return json.loads(json.dumps(info.get_default(call_default_factory=True), default=str))
    kind: Any = info.annotation
    if get_origin(kind) in (Literal, UnionType):
        return get_args(kind)[0] if get_origin(kind) is Literal else 1
    return {int: 1, bool: True, str: "x", SessionClosed: "x"}.get(kind, "x")
