"""What the minutes begin with: of what talk they are, when it was, who was there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.output import count_of
from parley.server.render.minutes.standing import (
    begun,
    declared_decisions,
    document_standing,
    is_routine,
    lowered,
    open_proposals,
    poll_words,
    standing_words,
    task_about,
    told_decisions,
)
from parley.server.verdicts.status_words import ruler_words

Row = Mapping[str, Any]

_ALL: Final = 4  # decisions that the lead tells, each; of more the first, the weightiest, the last
_NAMES: Final = 8  # handles or people that it names
_SOME: Final = 5  # open proposals that it tells
_FEW: Final = 3  # other items, or tasks, that the lead tells
_TOLD: Final = 180  # characters of an item in the lead
_MORE: Final = 60  # of one that begins with a condition
_CONCESSION: Final = re.compile(
    r"^(?:while|although|though|since|given|considering|to)\b[^.;]{10,240}?,"
    r" (?=(?:the|we|it|this|there|they|an?|our|all)\b)",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"(?:if|when|where|unless|once|as long as)\b", re.IGNORECASE)
_STOP: Final = re.compile(r"(?<=\w{3}[.!])\s+(?=[A-Z])")  # of a sentence, not of "e.g." or "No."
_CLAUSE: Final = re.compile(r"[,;:] | (?:and|or|but|while|because) |[.!?] | \(", re.IGNORECASE)
_PHRASE: Final = re.compile(r" (?:by|that|which|so|as|with|to|of|for|in|on) ", re.IGNORECASE)
_TASK: Final = 160  # of a task
NAMED: Final = 40  # participants that the head names
_DAY: Final = len("2026-03-02")
_WHOLE: Final = 400  # of a decision, or of a proposal that was left open alone: none is cut
_COUNTS: Final = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


def title(report: Row) -> str:
    """Its own; else the day of the talk; else what its session is called."""
    if report["title"]:
        return str(report["title"])
    if report["began"]:
        return f"Meeting {_whose(report)}{_days(report, _in_words)}"
    return f"Meeting “{report['session']}”" if report["session"] else "Minutes"


def heading_lines(report: Row) -> Iterator[str]:
    """Lines below the title."""
    when = _when(report)
    if not when and report["imported"]:
        when = f"Imported {report['imported']}; the record does not say when the talk was"
    named = report["session"] and f"“{report['session']}”" not in title(report)
    session = f"session {report['session']}" if named else ""
    closed = f"closed: {report['closed']}" if report["closed"] is not None else ""
    talk = count_of(report["messages"], "message")
    yield "; ".join(filter(None, (when, talk, session, closed)))
    if present := report["present"]:
        more = f" and {len(present) - NAMED} more" if len(present) > NAMED else ""
        yield f"Present ({len(present)}): {', '.join(map(_named, present[:NAMED]))}{more}"
    if report["rulers"]:
        yield f"May rule: {', '.join(map(ruler_words, report['rulers']))}"
    pairs = [subject for subject in report["subjects"] if " " in subject]
    if report["topics"]:
        yield f"Topics: {'; '.join(row['text'].rstrip('.') for row in report['topics'])}"
    elif report["issues"]:
        yield f"Issues that were named: {', '.join(report['issues'])}"
    elif len(pairs) >= _FEW:
        yield f"Spoken of most: {', '.join(pairs)}"


def _whose(report: Row) -> str:
    """The list that the agenda was sent to, or what was spoken of by its address."""
    group = report["group"]
    return f"{'on' if '/' in group else 'of'} {group}, " if group else "of "


def lead_paragraph(report: Row) -> str:
    """What it came to, a line each; that nothing was decided where nothing was."""
    sentences = [
        _decided(report),
        _polled(report),
        _drawn_up(report["documents"]),
        _told("Disputed", report["brief"]["disputed"], report["decisions"]),
        _claimed(report),
        _left_open(report),
        _put_off(report),
        _to_do(report),
        _routine(report),
    ]
    return "\n".join(filter(None, sentences)).replace("….", "…")


def short(text: str, most: int = _TOLD) -> str:
    """The first sentence of an item, without its full stop.

    Cut between clauses, but for a condition, which says nothing without what follows from it; what
    a sentence concedes first is left out.
    """
    first = _STOP.split(one_line(text), maxsplit=1)[0]
    line = _CONCESSION.sub("", first.rstrip("."))
    if _CONDITION.match(line):
        whole = clip(line, most + _MORE)
        return begun(whole if whole == line else f"{whole.rstrip('… ,;:')}…")
    whole = clip(line, most)
    return begun(whole if whole == line else f"{_at_clause(whole.rstrip('… ,;:'), most)}…")


def _at_clause(words: str, most: int) -> str:
    """`words` up to where a clause of them ends, if that is not too near the beginning."""
    for boundary, least in ((_CLAUSE, 0.4 * most), (_PHRASE, 0.5 * most)):
        cuts = [cut.start() for cut in boundary.finditer(words) if cut.start() >= least]
        if cuts:
            return words[: cuts[-1]]
    return words


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else str(number)


def _named(row: Row) -> str:
    name = str(row["participant"])
    also = f" ({', '.join(row['also'])})" if row["also"] else ""
    return (name.replace("_", " ").strip() if name[:1].isupper() else name) + also


def _decided(report: Row) -> str:
    rows = told_decisions(report, "decided")
    if not rows:
        return "Nothing was decided." if not report["polls"] else ""  # the polls say so
    named = [f"{_handle(row)} {short(row['wording'] or row['text'], _WHOLE)}" for row in rows]
    count = "One thing was" if len(rows) == 1 else f"{_count(len(rows))} things were"
    if len(rows) <= _ALL:
        return f"{count} decided: {'; '.join(named)}."
    weightiest = max(range(1, len(rows) - 1), key=lambda at: sum(rows[at]["tally"].values()))
    told = (("first", 0), ("with the most voices", weightiest), ("last", len(rows) - 1))
    return f"{count} decided: {'; '.join(f'{what} {named[at]}' for what, at in told)}."


def _handle(row: Row) -> str:
    """ "(D1)"; of what a model reads also how it ended: "(M9, rejected, as read)"."""
    if not row["as_read"]:
        return f"({row['handle']})"
    return f"({row['handle']}, {row['status_text'].replace(' (as read)', ', as read')})"


def _drawn_up(documents: Sequence[Row]) -> str:
    """The document that the talk came to, and the heads of its points."""
    if not documents:
        return ""
    row = documents[-1]
    heads = "; ".join(short(point.partition(":")[0], 60) for point in row["points"])
    return f"Drawn up, {document_standing(row)}: “{row['title']}” ({heads})."


def _claimed(report: Row) -> str:
    rows = [row for row in declared_decisions(report) if not is_routine(row)]
    said = "; ".join(
        f"({row['handle']}) {short(row['wording'] or row['text'])}" for row in rows[:_FEW]
    )
    return f"Put down as decided, with no word for or against: {said}." if rows else ""


def _polled(report: Row) -> str:
    """What hands were shown for, and what was proposed upon it."""
    polls = report["polls"][-_FEW:]
    if not polls:
        return ""
    begin = "" if report["brief"]["decided"] else "Nothing was decided, but hands were shown: "
    asked = "; ".join(f"“{short(row['question'])}”, {poll_words(row)}" for row in polls)
    return f"{begin or 'By a show of hands: '}{asked}{_then(polls[-1]['then'])}."


def _then(row: Row | None) -> str:
    """What was proposed upon it."""
    if row is None:
        return ""
    offer = lowered(short(row["text"]))
    return f"; {row['participant']} then proposed: {offer}, which nobody confirmed"


def _put_off(report: Row) -> str:
    """What became of it all, where nothing was decided: it was left for another time."""
    rows = [row for row in report["put_off"] if row["step"] is None]
    said = (f"“{short(row['text'])}” ({row['participant']})" for row in rows[-_FEW:])
    return f"Left for later: {', '.join(said)}." if rows else ""


def _told(word: str, handles: Sequence[str], rows: Sequence[Row]) -> str:
    named = [
        f"({row['handle']}) {short(row['wording'] or row['text'])}"
        for row in rows
        if row["handle"] in handles
    ]
    more = f"; and {len(named) - _FEW} more" if len(named) > _FEW else ""
    return f"{word}: {'; '.join(named[:_FEW])}{more}." if named else ""


def _left_open(report: Row) -> str:
    rows = open_proposals(report)
    if not rows:
        return "No proposal was left open." if report["brief"]["decided"] else ""
    if len(rows) == 1:
        offer = f"({rows[0]['handle']}) {short(rows[0]['asked'], _WHOLE)}"
        return f"One proposal was not decided: {offer} ({standing_words(rows[0])})."
    return f"{_count(len(rows))} proposals were made and not decided, as told below."


def _to_do(report: Row) -> str:
    """Who does what; that nothing is to do where nothing was said; what nobody is named for."""
    rows = [row for row in report["actions"] if row["done"] is None]
    steps = [row["step"] for row in report["put_off"] if row["step"]]
    unowned = [row["handle"] for row in told_decisions(report, "decided") if row["unowned"]]
    few = ", ".join(unowned[:_NAMES]) + (" and others" if len(unowned) > _NAMES else "")
    nobody = f" Nobody is named for carrying out {few}." if unowned else ""
    if not rows and not steps:
        return f"No actions were recorded.{nobody}"
    told: dict[str, list[str]] = {}
    for row in rows:
        task = lowered(short(row["text"], _TASK)) + task_about(row, report["brief"]["decided"])
        told.setdefault(row["who"] or "nobody named", []).append(task)
    if steps:
        told.setdefault("nobody named", []).extend(steps)
    if not rows:
        tasks = "; ".join(lowered(short(step)) for step in steps)
        return f"To do, with nobody named: {tasks}.{nobody}"
    if sum(map(len, told.values())) <= _FEW:
        tasks = "; ".join(f"{name}: {', and '.join(theirs)}" for name, theirs in told.items())
        return f"To do: {tasks}.{nobody}"
    whose = ", ".join(f"{name} ({len(theirs)})" for name, theirs in [*told.items()][:_NAMES])
    others = f" and {len(told) - _NAMES} more" if len(told) > _NAMES else ""
    things = count_of(sum(map(len, told.values())), "thing")
    return f"To do: {things}, by {whose}{others}.{nobody}"


def _routine(report: Row) -> str:
    """That earlier minutes were approved: no decision of this talk."""
    rows = [row for row in declared_decisions(report) if is_routine(row)]
    said = ", ".join(f"“{short(row['wording'] or row['text'])}”" for row in rows)
    return f"Earlier minutes were approved ({said})." if rows else ""


def _in_words(day: str) -> str:
    when = date.fromisoformat(day)
    return f"{when.day} {when:%B} {when.year}"


def _days(report: Row, spell: Any = str) -> str:
    began, ended = ((report[name] or "")[:_DAY] for name in ("began", "ended"))
    return spell(began) if began == ended else f"{spell(began)} to {spell(ended)}"


def _when(report: Row) -> str:
    """From when to when, and for how long where that is less than a day."""
    began, ended = report["began"], report["ended"]
    if not began:
        return ""
    first, last = began[_DAY + 1 : _DAY + 6], ended[_DAY + 1 : _DAY + 6]
    zone = " UTC" if began.endswith("Z") else ""
    if began[:_DAY] != ended[:_DAY] or not first or (first == last and not zone):
        return _days(report)
    if first == last:
        return f"{began[:_DAY]} {first}{zone}"
    lasted = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return f"{began[:_DAY]} {first} to {last}{zone} ({_lasted(lasted)})"


def _lasted(time: timedelta) -> str:
    hours, minutes = divmod(round(time.total_seconds() / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{max(minutes, 1)} min"
