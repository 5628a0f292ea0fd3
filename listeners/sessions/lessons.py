"""Lessons from one session to another: promoted by the one, imported by the other."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import orjson

from parley.bus import Bus, Draft, Receipt
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import LessonImported
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.goals.lessons import list_teachable_lessons


async def teachable_lessons(
    reader: MemoryReader, session: str, most: int | None = None
) -> list[LessonImported]:
    """What `session` could teach, the weightiest first; it may be closed.

    Raises `SessionNotFound`, and `DomainError` where it cannot be read here.
    """
    memory = await reader.current(session)
    return [
        LessonImported(
            session=session,
            ref=lesson.ref,
            n=lesson.n,
            text=lesson.text,
            topic=lesson.topic,
            standing=lesson.standing,
            weight=lesson.weight,
        )
        for lesson in list_teachable_lessons(memory, most)
    ]


async def import_lessons(
    bus: Bus, target: str, lessons: Sequence[LessonImported], by: str | None = None
) -> list[Receipt]:
    """Have `target` learn `lessons`; those that it knows already change nothing.

    Raises `SessionNotFound`, `SessionClosed`, `InvalidEntry`.
    """
    drafts = {
        _lesson_id(lesson): lesson.model_copy(update={"by": by or lesson.by}) for lesson in lessons
    }
    return await bus.publish(target, [Draft(id_, lesson) for id_, lesson in drafts.items()])


def _lesson_id(lesson: LessonImported) -> str:
    """`lesson:<hash>`: of where it was learnt, what it says and how it stood there.

    Not of its weight, which falls with every message of an open session, nor of
    who imports it.
    """
    whence = [lesson.session, lesson.ref, lesson.n]
    try:
        body = orjson.dumps([*whence, lesson.text, lesson.topic, lesson.standing])
    except TypeError as error:
        raise InvalidEntry(f"a lesson of {lesson.session!r} is no JSON: {error}") from None
    return f"lesson:{blake2b(body, digest_size=16).hexdigest()}"
