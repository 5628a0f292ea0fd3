"""What sides are learned from: each message of recorded talk with the turns that it may be for."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.extraction_scores import is_optional
from benchmarks.prose_cases import repository_of
from benchmarks.recorded import Recorded
from parley.memory.extraction.prose.prose_tables import ProseTables, use_tables
from parley.memory.writing.likely_sides import watch_pairs
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript


class SideCase(NamedTuple):
    """A message and a turn: their signs, and whether the message is for what the turn proposed.

    `right` is None where the turn proposed nothing by the key: that says nothing of sides.
    """

    repository: str
    signs: frozenset[str]
    right: bool | None
    optional: bool


def side_cases(talk: Recorded, tables: ProseTables) -> list[SideCase]:
    """The pairs of a transcript, as the fold sees them that reads it by `tables`."""
    transcript = parse_transcript(talk.transcript())
    with use_tables(tables), watch_pairs() as pairs:
        analyze(transcript, resolve_defaults({}, {}))
    gold = talk.gold()
    proposing = {row["index"] for row in gold if row["label"] == "proposal"}
    sides = {
        (row["index"], row["proposal_index"]): row for row in gold if row["label"] == "reaction"
    }
    cases = []
    for n, born, signs in pairs:
        index, target = (transcript.entries[each - 1].index for each in (n, born))
        side = sides.get((index, target))
        right = side is not None and side["stance"] == "support"
        cases.append(
            SideCase(
                repository_of(talk),
                signs,
                right if target in proposing else None,
                side is not None and is_optional(side),
            )
        )
    return cases
