"""Lessons, for commands and doors: shown, saved to a file, brought from one session to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson
from pydantic import TypeAdapter, ValidationError

from parley.bus.contract.errors import BadSessionFile
from parley.bus.entries import LessonImported
from parley.bus.sessions.session_file import check_checksum, with_checksum
from parley.listeners.sessions.lessons import import_lessons, teachable_lessons
from parley.memory.goals.lessons import list_lessons
from parley.memory.text.plain_text import one_line
from parley.server.basics.disk_files import read_bytes
from parley.server.basics.errors import Misuse
from parley.server.runtime.backend import Backend

VERSION: Final = 1
_BEGINNING: Final = b'{"parley":"lessons",'
_FIELDS: Final = ("session", "ref", "n", "topic", "text", "standing", "weight")
_LESSONS: Final = TypeAdapter(list[LessonImported])

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LessonImport:
    """What an import brought: `rows` all that was offered, `known` those there before."""

    rows: list[Row]
    known: int


async def list_learnt(backend: Backend, session: str) -> list[Row]:
    """What the session learnt from others, the weightiest first, numbered L1, L2, …"""
    memory = await backend.reader.current(session)
    return [
        {"lesson": f"L{number}", **_row(lesson)}
        for number, lesson in enumerate(list_lessons(memory), 1)
    ]


async def list_teachable(backend: Backend, session: str, most: int | None = None) -> list[Row]:
    """What it could teach, the weightiest first."""
    return [_row(lesson) for lesson in await _promoted(backend, session, most)]


async def export_lessons(backend: Backend, session: str) -> tuple[bytes, int]:
    """What it could teach as a file holds it, and how many lessons that is."""
    lessons = await _promoted(backend, session, None)
    return _encode_lessons(session, lessons), len(lessons)


async def learn_from_source(
    backend: Backend, target: str, source: str, *, most: int | None, dry: bool, by: str
) -> LessonImport:
    """Has `target` learn what `source`, a session or a file, could teach.

    Raises `Misuse` where they are the same, `SessionClosed` where the target is.
    """
    read = _decode_lessons(source) if is_file(source) else None
    lessons = await _promoted(backend, source, None) if read is None else read
    if any(lesson.session == target for lesson in lessons) or source == target:
        raise Misuse(f"{target!r} cannot learn from itself; name another session in --from")
    return await _import(backend, target, lessons[:most], dry, by)


async def learn_from_session(
    backend: Backend, target: str, source: str, *, most: int | None, dry: bool, by: str
) -> LessonImport:
    """Has `target` learn what the session `source` could teach. Raises `Misuse`."""
    if source == target:
        raise Misuse("a session cannot learn from itself; name another")
    return await _import(backend, target, await _promoted(backend, source, most), dry, by)


async def _import(
    backend: Backend, target: str, lessons: Sequence[LessonImported], dry: bool, by: str
) -> LessonImport:
    rows = [_row(lesson) for lesson in lessons]
    if dry:
        await backend.bus.info(target)
        return LessonImport(rows, 0)
    receipts = await import_lessons(backend.bus, target, lessons, by)
    return LessonImport(rows, sum(receipt.duplicate for receipt in receipts))


def is_file(source: str) -> bool:
    """Whether `--from` names a file: it ends in .json, or has a slash."""
    return source.endswith(".json") or "/" in source


async def _promoted(backend: Backend, session: str, most: int | None) -> list[LessonImported]:
    return await teachable_lessons(backend.reader, session, most)


def _encode_lessons(session: str, lessons: Sequence[LessonImported]) -> bytes:
    """The bytes of a lessons file; the same lessons give the same bytes."""
    header = orjson.dumps({"parley": "lessons", "version": VERSION, "session": session})
    rows = (orjson.dumps(_row(lesson)) for lesson in lessons)
    return with_checksum(header[:-1] + b',"lessons":[\n' + b",\n".join(rows) + b"\n]")


def _decode_lessons(path: str) -> list[LessonImported]:
    """The lessons in the file at `path`. Raises `BadSessionFile`, naming what is wrong."""
    data = read_bytes(Path(path))
    try:
        if not data.startswith(_BEGINNING):
            raise BadSessionFile("not a lessons file: it does not begin as one")
        tree = msgspec.json.decode(check_checksum(data) + b"}")
        if tree.get("version") != VERSION:
            raise BadSessionFile(f"not version {VERSION}: use the parley that wrote it")
        return _LESSONS.validate_python(tree.get("lessons"))
    except BadSessionFile as error:
        raise BadSessionFile(f"{path}: {error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadSessionFile(f"{path}: not a lessons file: {error}") from None
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_context=False)[0]
        where = f"lesson {first['loc'][0]}" if first["loc"] else "lessons"
        raise BadSessionFile(f"{path}: {where}: {first['msg']}") from None


def _row(lesson: Any) -> Row:
    return {name: getattr(lesson, name) for name in _FIELDS}


def lesson_text(row: Row) -> str:
    """A lesson in words, with where it comes from."""
    number = f"{row['lesson']} " if "lesson" in row else ""
    topic = f"{one_line(row['topic'])}: " if row["topic"] else ""
    stood = f" ({row['standing']})" if row["standing"] else ""
    whence = f"from {row['session']} {row['ref']}, n {row['n']}"
    return f"{number}{topic}{one_line(row['text'])}{stood}; {whence}"
