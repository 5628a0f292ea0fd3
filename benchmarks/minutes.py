"""Recorded meetings without their marks, as the window of typed talk hears them."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.material import ENGLISH
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.extraction.structure import window_messages
from parley.memory.extraction.structure.line_wording import READ
from parley.memory.extraction.structure.scorecards import Label, Scorecards
from parley.memory.extraction.structure.window_messages import (
    LEAST,
    WindowMessage,
    deserves_place,
)

LABELS: tuple[Label, ...] = ("proposal", "decision")


class Meeting(NamedTuple):
    """What is heard in a meeting, and which lines its minutes mark; True where optional."""

    corpus: str
    name: str
    heard: tuple[WindowMessage, ...]
    gold: dict[Label, dict[int, bool]]

    def fold(self, folds: int) -> int:
        """Which of `folds` parts it belongs to: by its name, so that a new one moves no other."""
        return zlib.crc32(self.name.encode()) % folds


def meetings(corpora: Path) -> list[Meeting]:
    """The typed meetings of `corpora`, by name; empty where they are not here."""
    reader = SpeechActReader([ENGLISH])
    return [
        _meeting(corpus, gold, reader)
        for corpus in ("irc", "wg")
        for gold in sorted((corpora / "dev" / corpus).glob("*.gold.jsonl"))
    ]


def _meeting(corpus: str, gold: Path, reader: SpeechActReader) -> Meeting:
    name = gold.name.removesuffix(".gold.jsonl")
    meta, *rows = _rows(gold.with_name(f"{name}.jsonl"))
    bots = meta.get("bots") or ()
    stripped = gold.with_name(f"{name}.stripped.jsonl")
    bare = {row["index"]: row["content"] for row in _rows(stripped)} if stripped.exists() else {}
    heard = tuple(
        _heard(row["index"], row["agent_id"], bare.get(row["index"], row["content"]), reader)
        for row in rows
        if row["agent_id"] not in bots
    )
    return Meeting(corpus, name, heard, _marks(gold))


def _heard(place: int, who: str, content: str, reader: SpeechActReader) -> WindowMessage:
    detections = reader.read(content)
    if detections and detections[0].vote and not detections[0].refs:
        return window_messages.vote_message(place, place, who, content, detections[0])
    wording = window_messages.read_wording(content, detections)
    return WindowMessage(
        place, place, who, who, content[wording.start : wording.start + READ], wording.start,
        cues=tuple(wording.cues), passes=deserves_place(content, wording, -1),
        scribed=wording.scribed,
    )  # fmt: skip


def weigh_message(heard: WindowMessage, cards: Scorecards) -> WindowMessage:
    """A line with what its wording adds; without its text where it does not pass."""
    own = cards.own(heard.cues)
    if len(heard.text) < LEAST or not (own >= 0 or heard.passes):
        return heard._replace(own=own, text="", passes=False)
    return heard._replace(own=own, wording=cards.weigh_wording(heard.cues), passes=True)


def _marks(gold: Path) -> dict[Label, dict[int, bool]]:
    marks: dict[Label, dict[int, bool]] = {label: {} for label in LABELS}
    for row in _rows(gold):
        if row["label"] in marks:
            marks[row["label"]][row["index"]] = bool(row.get("optional")) or "repeat_of" in row
    return marks


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
