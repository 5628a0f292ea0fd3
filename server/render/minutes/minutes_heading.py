"""What the minutes begin with: of what talk they are, when it was, who was there. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.output import count_of

Row = Mapping[str, Any]

_FEW: Final = 3  # items, or names, that the lead tells
_TOLD: Final = 160  # characters of an item in the lead
NAMED: Final = 12  # participants that the head names
_DAY: Final = len("2026-03-02")


def title(report: Row) -> str:
    named = report["title"] or report["session"]
    return str(named or f"Minutes of {_days(report)}".removesuffix(" of "))


def heading_lines(report: Row) -> Iterator[str]:
    """Lines below the title."""
    talk = count_of(report["messages"], "message")
    summary = f"{talk} by {count_of(report['participants'], 'participant')}"
    session = f"session {report['session']}" if report["session"] else ""
    closed = f"closed: {report['closed']}" if report["closed"] is not None else ""
    covers = f"up to entry {report['n']}"
    yield "; ".join(filter(None, (_when(report), f"{summary}, {covers}", session, closed)))
    if report["present"]:
        names = [row["participant"] for row in report["present"]]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"Present: {', '.join(names[:NAMED])}{more}"


def lead_paragraph(report: Row) -> str:
    """What it came to, in a few sentences; that nothing was decided where nothing was."""
    brief = report["brief"]
    texts = {row["handle"]: row["wording"] or row["text"] for row in report["decisions"]}
    texts |= {row["handle"]: row["text"] or row["topic"] for row in report["open"]}
    marked = [
        row["ref"]
        for row in brief["perhaps"]
        if row["kind"] == "decision" and row["how"] in ("act", "tag") and row["ref"] in texts
    ]
    sentences = [
        _told("Decided", brief["decided"], texts) or "Nothing was decided.",
        _told("Disputed", brief["disputed"], texts),
        _told("Said to be decided, which nobody has confirmed", marked, texts),
        _told("Still open", brief["open"], texts),
        _owners(report["actions"]),
    ]
    return " ".join(filter(None, sentences))


def _told(word: str, handles: Sequence[str], texts: Mapping[str, str]) -> str:
    """The newest few of them in their words, in the order of the talk, and how many more."""
    named = [one_line(clip(texts[handle], _TOLD)).rstrip(".") for handle in handles[:_FEW]][::-1]
    more = f"; and {len(handles) - _FEW} more before" if len(handles) > _FEW else ""
    return f"{word}: {'; '.join(named)}{more}." if named else ""


def _owners(actions: Sequence[Row]) -> str:
    if not actions:
        return ""
    names = [*dict.fromkeys(row["who"] for row in actions if row["who"])]
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    whose = f", by {', '.join(names[:_FEW])}{more}" if names else ""
    return f"To do: {count_of(len(actions), 'thing')}{whose}."


def _days(report: Row) -> str:
    began, ended = ((report[name] or "")[:_DAY] for name in ("began", "ended"))
    return began if began == ended else f"{began} to {ended}"


def _when(report: Row) -> str:
    """From when to when, and for how long where that is less than a day."""
    began, ended = report["began"], report["ended"]
    if not began:
        return ""
    if began[:_DAY] != ended[:_DAY] or len(began) == _DAY:
        return _days(report)
    first, last = began[_DAY + 1 : _DAY + 6], ended[_DAY + 1 : _DAY + 6]
    if first == last:
        return f"{began[:_DAY]} {first} UTC"
    lasted = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return f"{began[:_DAY]} {first} to {last} UTC ({_lasted(lasted)})"


def _lasted(time: timedelta) -> str:
    hours, minutes = divmod(round(time.total_seconds() / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{max(minutes, 1)} min"
