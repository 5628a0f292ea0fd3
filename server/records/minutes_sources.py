"""What minutes and the Brief are made of: a session, a session file, any record of talk."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from parley.bus.contract.errors import BadSessionFile
from parley.bus.entries import PRIMARY, Record
from parley.bus.sessions.session_file import SessionFile, decode_file
from parley.bus.sessions.stored_rows import decode_rows
from parley.memory.fold.replay import fold_records, list_set_aside
from parley.memory.state.memory import Memory
from parley.server.basics.errors import NotYet
from parley.server.basics.output import print_notice
from parley.server.minutes.minutes_report import build_report
from parley.server.queries.log_queries import read_primary_entries
from parley.server.queries.memory_queries import read_memory
from parley.server.records.log_audit import find_faults
from parley.server.records.transcript_analysis import analyze
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import read_packs
from parley.server.settings import Settings
from parley.server.transcripts import all_formats, parse_transcript, read_transcript
from parley.server.transcripts.transcript_export import summary_lines

_SESSION = b'{"parley":"session",'


def is_file(source: str) -> bool:
    """Whether it names a file: it is `-`, has a slash, or ends as records of talk do."""
    ending = source.rpartition(".")[2].lower() if "." in source else ""
    return source == "-" or "/" in source or ending in _endings()


@cache
def _endings() -> frozenset[str]:
    """How the names of records of talk end."""
    return frozenset({"json", "zip", *(end for each in all_formats() for end in each.extensions)})


async def report_session(backend: Backend, session: str, at: int | None) -> dict[str, Any]:
    """The report on a session, now or as of the `at`-th primary entry. Raises `NotYet`."""
    memory = await read_memory(backend, session, at)
    records = await read_primary_entries(backend.bus, session, memory.seq)
    return build_report(memory, records, session)


def report_file(
    settings: Settings,
    source: str,
    at: int | None,
    format: str | None = None,
    speakers: Sequence[str] = (),
) -> dict[str, Any]:
    """The report on a session file or any record of talk, in `format`; `-` is stdin."""
    talk = fold_file(settings, source, at, format, speakers)
    return build_report(talk.memory, talk.records, talk.session)


class FoldedTalk(NamedTuple):
    """What a file came to, and the entries behind it; `session` is "" of a record of talk."""

    memory: Memory
    records: list[Record]
    session: str = ""


def fold_file(
    settings: Settings,
    source: str,
    at: int | None,
    format: str | None = None,
    speakers: Sequence[str] = (),
) -> FoldedTalk:
    """A session file or any record of talk, in `format`, folded; `-` is stdin."""
    path = Path(source)
    if source == "-":
        data = sys.stdin.buffer.read()
    elif path.is_file():
        with path.open("rb") as file:
            data = file.read(len(_SESSION))
    else:
        data = b""
    if format is None and data.startswith(_SESSION):
        whole = data if source == "-" else path.read_bytes()
        return _of_saved(settings, source, whole, at)
    return _of_talk(settings, source, data, at, format, speakers)


def _of_saved(settings: Settings, source: str, data: bytes, at: int | None) -> FoldedTalk:
    try:
        file = decode_file(data)
    except BadSessionFile as error:
        raise BadSessionFile(f"{source}: {error}") from None
    wrong = next(find_faults(file.rows), None)
    if wrong is not None:
        raise BadSessionFile(f"{source}: {wrong}; 'parley session verify --file' tells more")
    _check(source, at, file.n)
    return _folded(settings, file, at)


def _folded(settings: Settings, file: SessionFile, at: int | None) -> FoldedTalk:
    memory = Memory(read_packs(settings.packs).known)
    upto = [record for record in decode_rows(file.rows) if at is None or record.n <= at]
    fold_records(memory, upto, list_set_aside(decode_rows(file.rows)))
    primary = [record for record in upto if record.entry.kind in PRIMARY]
    return FoldedTalk(memory, primary, file.session)


def _of_talk(
    settings: Settings,
    source: str,
    data: bytes,
    at: int | None,
    format: str | None,
    speakers: Sequence[str],
) -> FoldedTalk:
    if source == "-":
        transcript = parse_transcript(data, format=format, speakers=speakers)
    else:
        transcript = read_transcript(Path(source), format=format, speakers=speakers)
    if transcript.format != "jsonl":
        print_notice(f"read as {transcript.format}")
    for line in summary_lines(transcript):
        print_notice(line)
    _check(source, at, len(transcript.entries))
    if at is not None:
        transcript = dataclasses.replace(transcript, entries=transcript.entries[:at])
    done = analyze(transcript, settings)
    return FoldedTalk(done.memory, [*done.messages.values()])


def _check(source: str, at: int | None, n: int) -> None:
    if at is not None and at > n:
        raise NotYet(source, at, n).as_option()
