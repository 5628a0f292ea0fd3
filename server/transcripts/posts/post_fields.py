"""The lines `From: …`, `**To:** …`, `Date: …` at the head of a post, or in its front matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_FIELD: Final = re.compile(
    r"[ \t]{0,3}(?:[-*•][ \t]+)?(?:\*\*|__|\*|_)?(?P<key>[A-Za-z][A-Za-z _-]{0,30}?)"
    r"(?:\*\*|__|\*|_)?[ \t]?:(?:\*\*|__|\*|_)?[ \t]*(?P<value>.{0,500}?)[ \t]*\Z"
)
_BETWEEN: Final = re.compile(
    r"[ \t]+[·•|–—][ \t]+(?=(?:\*\*|__|\*|_)?[A-Za-z][A-Za-z _-]{0,30}(?:\*\*|__|\*|_)?:)"
)
_ARROW: Final = re.compile(r"[ \t]*(?:→|⟶|➜|->|=>|↔|<->)[ \t]*")
_NAMES: Final = re.compile(r"[ \t]*[,;&+/][ \t]*|[ \t]+and[ \t]+")
_WHO: Final = frozenset({"from", "author", "agent", "sender", "speaker", "posted by", "written by",
                         "by", "authorid", "author id", "agent id"})  # fmt: skip
_TO: Final = frozenset({"to", "recipient", "recipients", "recipientid", "audience"})
_AT: Final = frozenset({"date", "time", "timestamp", "datetime", "created", "created at",
                        "createddate", "posted", "sent", "when"})  # fmt: skip
_TOPIC: Final = frozenset({"subject", "title", "topic", "re"})
_OTHERS: Final = frozenset({
    "status", "priority", "type", "id", "message id", "message-id", "thread", "threadid", "cc",
    "category", "tags", "labels", "branch", "task", "in-reply-to", "reply to", "state", "edited",
    "association", "comments", "url", "number", "role", "updated", "upvotes",
})  # fmt: skip
_LEAD: Final = frozenset({"message", "body", "content"})
_EVERYBODY: Final = frozenset({"all", "everyone", "everybody", "team", "*", "broadcast"})
_MOST: Final = 24  # lines of a head


@dataclass(slots=True)
class Fields:
    """What the head of a post says, and the lines that it takes up."""

    end: int  # the first line below
    who: str | None = None
    to: tuple[str, ...] = ()
    at: str | None = None
    topic: str | None = None
    kept: list[int] = field(default_factory=list)  # lines of the head that say something else


def read_fields(lines: Sequence[str], start: int, fenced: Sequence[bool]) -> Fields | None:
    """The fields that stand from line `start` on; None where none of them says who it is from."""
    fields = Fields(start)
    number, is_lead = start, False
    while number < min(len(lines), start + _MOST) and not is_lead and not fenced[number]:
        parts = [_FIELD.match(part) for part in _BETWEEN.split(lines[number][:2000])]
        keys = [(match["key"].strip().lower(), match["value"]) for match in parts if match]
        if len(keys) < len(parts) or not any(key in _KNOWN for key, _ in keys):
            break
        is_lead = keys[0][0] in _LEAD
        if is_lead and keys[0][1]:
            break  # its words stand on the line itself, and stay there
        for key, value in keys:
            _take(fields, key, _plain(value))
        if all(key in _OTHERS for key, _ in keys):
            fields.kept.append(number)
        number += 1
        fields.end = number
    return fields if fields.who else None


_KNOWN: Final = _WHO | _TO | _AT | _TOPIC | _OTHERS | _LEAD


def _plain(value: str) -> str:
    return value.strip().strip("*`\"'").strip()


def _take(fields: Fields, key: str, value: str) -> None:
    if not value:
        return
    if key in _WHO and fields.who is None:
        who, *others = _ARROW.split(value, maxsplit=1)
        fields.who = clean_name(who)
        fields.to = fields.to or read_recipients(" ".join(others))
    elif key in _TO and not fields.to:
        fields.to = read_recipients(value)
    elif key in _AT and fields.at is None:
        fields.at = value[:64]
    elif key in _TOPIC and fields.topic is None:
        fields.topic = value[:200]


def clean_name(name: str) -> str:
    """A name without marks and brackets around it."""
    name = name.strip().strip("*`\"'")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name.lstrip("@").strip()[:128]


def read_recipients(value: str) -> tuple[str, ...]:
    """The names that a post is to; () where it is to all."""
    names = [clean_name(name) for name in _NAMES.split(value) if clean_name(name)]
    return () if any(name.lower() in _EVERYBODY for name in names) else tuple(names[:16])
