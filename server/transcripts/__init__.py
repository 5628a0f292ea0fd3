"""Recorded talk in files: told apart by content, read and checked before a word of it is published.

May import basics. Start here with `read_transcript`; `format_registry` lists the formats there are.
"""

from __future__ import annotations

from pathlib import Path

from parley.server.basics.errors import Failure
from parley.server.transcripts.format_registry import (
    FORMATS,
    HOW_TO_FORCE,
    NAMES,
    detect_format,
    find_format,
)
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript import LeftOut, OnBad, Transcript, TranscriptEntry
from parley.server.transcripts.sources.transcript_files import open_source

__all__ = [
    "FORMATS", "NAMES", "LeftOut", "OnBad", "Transcript", "TranscriptEntry",
    "parse_transcript", "read_transcript",
]  # fmt: skip


def read_transcript(
    path: Path, on_bad: OnBad | None = None, format: str | None = None
) -> Transcript:
    """The messages of the file at `path`, which may be a folder or an archive.

    The path `-` is stdin. The first message that is wrong raises `BadTranscript`, naming its line;
    with `on_bad` each is handed there and left out instead. A file that is
    not a transcript at all raises `Failure` either way, a `format` that is none `Misuse`.
    """
    if format is not None:
        find_format(format)  # before a file is read for nothing
    return _parse(open_source(path), on_bad, format)


def parse_transcript(
    data: bytes, on_bad: OnBad | None = None, format: str | None = None, name: str = ""
) -> Transcript:
    """As `read_transcript`, from the bytes of a file called `name`."""
    return _parse(Source(data, name), on_bad, format)


def _parse(source: Source, on_bad: OnBad | None, format: str | None) -> Transcript:
    if format is None and source.files is None and not source.data.strip():
        raise Failure("the file holds no messages: it is empty")
    chosen = detect_format(source) if format is None else find_format(format)
    taking = EntryCollector(chosen.name, on_bad)
    chosen.read(source, taking)
    transcript = taking.transcript
    for note in source.notes:
        taking.note(note)
    if not transcript.entries and not transcript.bad:
        left = "".join(
            f"; {each.count} left out: {reason}" for reason, each in transcript.left.items()
        )
        raise Failure(
            f"the file holds no messages, read as {chosen.name}{left}. "
            f"If it is another format, {HOW_TO_FORCE}; docs/transcripts.md shows them"
        )
    return transcript
