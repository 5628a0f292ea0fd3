"""Lessons: what other sessions learnt, with its provenance; and what this one could teach.

The 500 that weigh most are kept, whatever the order in which they come: of two of
the same item the weightier stands. `limits.lessons` of them are read: a limit on
what is kept would let settings decide by when an import landed.
"""

from __future__ import annotations

from typing import Final

from parley.bus.entries import LessonImported
from parley.memory.goals import insights
from parley.memory.items.importance import age_in_windows, item_weight
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.insight_state import Insight, Lesson
from parley.memory.state.item_state import Decision, Fact
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line

LESSONS: Final = 500  # kept: the most that `limits.lessons` may ask for
_SESSION: Final = 64  # characters, as of a session's name
_REF: Final = 16
_TEXT: Final = 500  # as a proposal's
_TOPIC: Final = 100
_STANDING: Final = 60
_MOST: Final = 2**53 - 1  # what any reader of JSON can hold


def import_lesson(moment: FoldStep, entry: LessonImported) -> None:
    """Keep a lesson; the same one again changes nothing."""
    memory = moment.memory
    lesson = _bounded(entry)
    known = memory.lessons.get(_key(lesson))
    if not lesson.text or (known is not None and _order(known) >= _order(lesson)):
        return
    memory.lessons[_key(lesson)] = lesson
    _tighten(memory)
    if memory.lessons.get(_key(lesson)) is lesson:
        whence: dict[str, object] = {"session": lesson.session, "ref": lesson.ref}
        fact = Fact("lesson.imported", None, moment.n, {**whence, "text": lesson.text})
        moment.facts.append(fact)


def _tighten(memory: Memory) -> None:
    """Let go of the lightest beyond those that are kept."""
    surplus = len(memory.lessons) - LESSONS
    if surplus > 0:
        for lesson in sorted(memory.lessons.values(), key=_order)[:surplus]:
            del memory.lessons[_key(lesson)]


def list_lessons(memory: Memory) -> list[Lesson]:
    """What this session learnt from others, the weightiest first, `limits.lessons` of it."""
    ranked = sorted(memory.lessons.values(), key=_order, reverse=True)
    return ranked[: memory.settings.limits.lessons]


def list_teachable_lessons(memory: Memory, most: int | None = None) -> list[Lesson]:
    """What this session could teach, the weightiest first: what binds, and its insights.

    All of it, or the first `most`. `session` is for the caller to fill in; what
    lost its words by a redaction is left out.
    """
    lessons = [
        _of_decision(memory, decision)
        for decision in memory.decisions.values()
        if _binds(memory, decision)
    ]
    lessons += [
        _of_insight(memory, insight)
        for insight in memory.insights.by_ref.values()
        if not memory.is_redacted(insight.cites[0].n)
    ]
    lessons.sort(key=lambda lesson: (-lesson.weight, lesson.ref[0], int(lesson.ref[1:])))
    return lessons[:most]


def _binds(memory: Memory, decision: Decision) -> bool:
    binding = decision.stands and decision.status == "ratified"
    return binding and not memory.is_redacted(decision.born)


def _of_decision(memory: Memory, decision: Decision) -> Lesson:
    support, oppose, neutral = decision.tally
    return Lesson(
        session="",
        ref=decision.handle,
        n=decision.born,
        text=decision.outcome or decision.topic,
        topic=decision.topic,
        standing=f"{decision.status} +{support} -{oppose} ~{neutral}",
        weight=item_weight(memory, decision),
    )


def _of_insight(memory: Memory, insight: Insight) -> Lesson:
    return Lesson(
        session="",
        ref=insight.handle,
        n=insight.cites[0].n,
        text=insight.text,
        standing=insight.kind + (f", seen {insight.count} times" if insight.count > 1 else ""),
        weight=insights.insight_weight(insight)
        - age_in_windows(memory, memory.n - insight.cites[-1].n),
    )


def _bounded(entry: LessonImported) -> Lesson:
    return Lesson(
        session=clip(one_line(entry.session), _SESSION),
        ref=clip(one_line(entry.ref), _REF),
        n=min(max(entry.n, 0), _MOST),
        text=clip(entry.text.strip(), _TEXT),
        topic=clip(one_line(entry.topic), _TOPIC),
        standing=clip(one_line(entry.standing), _STANDING),
        weight=min(max(entry.weight, -_MOST), _MOST),
    )


def _key(lesson: Lesson) -> str:
    return f"{lesson.session} {lesson.ref}"


def _order(lesson: Lesson) -> tuple[int, str, int, str, str, str]:
    """A total order: which lessons stand must not depend on when they came."""
    return lesson.weight, _key(lesson), lesson.n, lesson.text, lesson.topic, lesson.standing
