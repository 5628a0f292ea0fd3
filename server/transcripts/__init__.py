"""Recorded talk in files: told apart by content, read and checked before a word of it is published.

May import basics and `memory.text`.
Start here with `read_transcript`; `format_registry` lists the formats there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from parley.memory.text.plain_text import find_look_alikes, plain_name
from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts.format_registry import (
    ALWAYS_READ,
    HOW_TO_FORCE,
    NAMES,
    all_formats,
    detect_format,
    find_format,
)
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript import LeftOut, OnBad, Transcript, TranscriptEntry
from parley.server.transcripts.sources.transcript_files import open_source

__all__ = [
    "NAMES", "LeftOut", "OnBad", "Transcript", "TranscriptEntry", "all_formats",
    "parse_transcript", "read_transcript",
]  # fmt: skip

_FEW: Final = 3  # speakers of one message each, before they are doubted
_MANY: Final = 12  # speakers, before they are doubted
_SHOWN: Final = 6  # names in a note


def read_transcript(
    path: Path,
    on_bad: OnBad | None = None,
    format: str | None = None,
    speakers: Iterable[str] = (),
) -> Transcript:
    """The messages of the file at `path`, which may be a folder or an archive.

    The path `-` is stdin. Where a format reads names from how the text looks, only those in
    `speakers` are read as names, if there are any.

    The first message that is wrong raises `BadTranscript`, naming its line;
    with `on_bad` each is handed there and left out instead. A file that is
    not a transcript at all raises `Failure` either way, a `format` that is none `Misuse`.
    """
    if format is not None:
        find_format(format)  # before a file is read for nothing
    return _parse(open_source(path), on_bad, format, speakers)


def parse_transcript(
    data: bytes,
    on_bad: OnBad | None = None,
    format: str | None = None,
    name: str = "",
    speakers: Iterable[str] = (),
) -> Transcript:
    """As `read_transcript`, from the bytes of a file called `name`."""
    return _parse(Source(data, name), on_bad, format, speakers)


def _parse(
    source: Source, on_bad: OnBad | None, format: str | None, speakers: Iterable[str]
) -> Transcript:
    source.speakers = frozenset(name.strip().casefold() for name in speakers if name.strip())
    if format is None and source.files is None and not source.data.strip():
        raise Failure(f"the file holds no messages: it is empty. {ALWAYS_READ}")
    chosen = detect_format(source) if format is None else find_format(format)
    taking = EntryCollector(chosen.name, on_bad)
    because = "which its content fits best" if format is None else "as named"
    why = f"read as {chosen.name}, {because}"
    try:
        chosen.read(source, taking)
    except BadTranscript as bad:  # nobody listens: the whole file is refused
        raise BadTranscript(bad.place, f"{bad.reason} ({why}). {ALWAYS_READ}") from None
    except Failure as refused:
        raise Failure(f"{refused} ({why}). {ALWAYS_READ}") from None
    transcript = taking.transcript
    for note in (*source.notes, *_alike(transcript), *_doubts(taking, source.speakers)):
        taking.note(note)
    if not transcript.entries and not transcript.bad:
        left = "".join(
            f"; {each.count} left out: {reason}" for reason, each in transcript.left.items()
        )
        raise Failure(
            f"the file holds no messages, {why}{left}{_but_is(source)}. "
            f"If it is another format, {HOW_TO_FORCE}; docs/transcripts.md shows them. "
            f"{ALWAYS_READ}"
        )
    return transcript


def _alike(transcript: Transcript) -> Iterator[str]:
    """Names that look alike and are not one person's; of one person's spellings the first."""
    aliases = transcript.meta.get("aliases")
    known = aliases if isinstance(aliases, dict) else {}
    people = {plain_name(known.get(name, name)): name for name in reversed(transcript.speakers)}
    for group in find_look_alikes(reversed(people.values())):
        shown = ", ".join(group[:_SHOWN]) + (", ..." if len(group) > _SHOWN else "")
        yield f"look alike: {shown}: kept apart; if they are one person, name them as aliases"


def _but_is(source: Source) -> str:
    from parley.server.transcripts.sources.refusals import name_content

    content = name_content(source)
    return f"; it is {content}" if content else ""


def _doubts(taking: EntryCollector, speakers: frozenset[str]) -> Iterator[str]:
    """What looks wrong with the speakers: most of them speak once, or somebody named does not."""
    counted = Counter(
        entry.entry.participant
        for entry in taking.transcript.entries
        if entry.entry.kind == "message"
    )
    once = [name for name in taking.guessed if counted[name] == 1]
    if not speakers and len(once) >= _FEW and 2 * len(once) > len(counted):
        shown = ", ".join(once[:_SHOWN]) + (", ..." if len(once) > _SHOWN else "")
        yield (
            f"{len(once)} of {len(counted)} speakers speak once ({shown}): some may be headings "
            "or bold words. If so, name who speaks: --speaker NAME, again for each. "
            f"If it is another format, {HOW_TO_FORCE}"
        )
    elif not speakers and len(taking.guessed) > _MANY:
        yield (
            f"{len(taking.guessed)} names were read from the text: some may be headings or bold "
            "words. If so, name who speaks: --speaker NAME, again for each"
        )
    silent = speakers - {name.casefold() for name in counted}
    if silent:
        yield f"named with --speaker, and silent in the file: {', '.join(sorted(silent))}"
