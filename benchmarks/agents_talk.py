"""Recorded talk of agents: what the fold makes of each transcript, in the rows that are scored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import orjson

from benchmarks.extraction_scores import Read, merge_statuses
from benchmarks.recorded import EXPLICIT, Recorded, Row, recorded
from parley.memory.extraction.writing.cards import WritingCards, use_cards
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.records.transcript_analysis import Analysis, analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

UNREAD: Final = 3  # repositories that were left unread when the rules were written
_RECALLED: Final = "proposal.recalled"  # its later message makes no proposal
_REPEATS: Final = ("proposal.echoed", "proposal.amended", "proposal.reoffered", _RECALLED)

_SHIPPED: Final[Mapping[str, WritingCards]] = MappingProxyType({})

Pair = tuple[int, int]  # indexes of messages, the earlier first


class Talk(NamedTuple):
    """One transcript with what was found in it, items by the index of their message."""

    repository: str
    read: Read
    gold: list[Row]
    texts: dict[int, list[str]]  # of the proposals born there
    repeats: set[Pair]  # a proposal of the later message says one of the earlier again
    gold_repeats: set[Pair]


def agents_corpus(folder: Path) -> Path | None:
    """The folder of agents' talk in the corpora at `folder`, None where it is absent."""
    corpus = folder / "agents" / "dev"
    return corpus if corpus.is_dir() and recorded(corpus) else None


def transcripts(corpus: Path) -> list[Recorded]:
    """The transcripts of the folder, by name."""
    return [meeting for meeting in recorded(corpus) if meeting.variant == EXPLICIT]


def unread(repositories: Iterable[str]) -> list[str]:
    """The repositories that are kept unread: those whose names have the lowest SHA-256."""
    return sorted(set(repositories), key=lambda name: sha256(name.encode()).digest())[:UNREAD]


def fold_talk(transcript: Recorded, cards: Mapping[str, WritingCards] = _SHIPPED) -> Talk:
    """The transcript folded into a memory of its own, read by the one of `cards` for its
    repository; by the shipped ones where there are none.
    """
    rows = transcript.rows()
    own = cards.get(rows[0]["repository"])
    with nullcontext() if own is None else use_cards(own):
        analysis = analyze(parse_transcript(transcript.transcript()), resolve_defaults({}, {}))
    return Talk(
        rows[0]["repository"],
        Read(transcript, len(rows) - 1, merge_statuses(_items(analysis))),
        transcript.gold(),
        _texts(analysis),
        _repeats(analysis),
        _gold_repeats(transcript),
    )


def _items(analysis: Analysis) -> list[Row]:
    rows: list[Row] = orjson.loads(orjson.dumps(analysis.items()))
    return rows


def _standing(memory: Memory, handle: str | None) -> int | None:
    """The n at which the proposal was born, None of one that is struck, merged or tentative."""
    proposal = memory.proposal(int(handle[1:])) if handle and handle[0] == "P" else None
    if proposal is None or not proposal.stands or proposal.candidate:
        return None
    return proposal.born


def _texts(analysis: Analysis) -> dict[int, list[str]]:
    texts: dict[int, list[str]] = {}
    for fact in analysis.facts:
        if fact.kind == "proposal.made":
            born = _standing(analysis.memory, fact.ref)
            if born is not None:
                texts.setdefault(_index(analysis, born), []).append(str(fact.data["text"]))
    return texts


def _repeats(analysis: Analysis) -> set[Pair]:
    born = (_births(analysis.memory, fact) for fact in analysis.facts if fact.kind in _REPEATS)
    pairs = {(_index(analysis, a), _index(analysis, b)) for a, b in filter(None, born)}
    return {(earlier, later) for earlier, later in pairs if earlier != later}


def _births(memory: Memory, fact: Fact) -> Pair | None:
    again = fact.kind == _RECALLED
    earlier = _standing(memory, fact.ref if again else str(fact.data["earlier"]))
    later = fact.n if again else _standing(memory, fact.ref)
    return None if earlier is None or later is None else (earlier, later)


def _index(analysis: Analysis, n: int) -> int:
    index: int = analysis.transcript.entries[n - 1].index
    return index


def _gold_repeats(transcript: Recorded) -> set[Pair]:
    """The pairs of `echoes.jsonl` beside the folder of the transcript."""
    file = transcript.key.parent.parent / "echoes.jsonl"
    if not file.is_file():
        return set()
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["transcript"] == transcript.name:
            return {(earlier, later) for earlier, later in map(sorted, row["pairs"])}
    return set()
