"""Entries in words, one line each. Pure."""

from __future__ import annotations

from typing import Any, Final

from rich.text import Text

from parley.bus.entries import PRIMARY, Record, Unknown
from parley.memory.text.fences import escape_invisible
from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.durations import duration_text

WIDTH: Final = 400  # characters of a message that a line shows

# What is said of these is in their facts, or in numbers; there are too many of them for a line.
_HOUSEKEEPING: Final = frozenset({
    "floor.bid", "floor.passed", "spend.reserved", "spend.settled", "ballot.cast",
})  # fmt: skip


def message_line(record: Record) -> Text | None:
    """A message or another entry worth a line; None for what only keeps house."""
    entry = record.entry
    if isinstance(entry, Unknown):
        return Text(
            f"{record.n:>5} ? an entry of unknown kind {escape_invisible(entry.kind)}", style="dim"
        )
    if entry.kind in ("message", "message.edited"):
        edits = entry.kind == "message.edited"
        marks = [
            f"edits {getattr(entry, 'of', 0)}" if edits else "",
            entry.act or "",
            f"re {entry.re}" if entry.re is not None else "",
        ]
        given = ", ".join(filter(None, marks))
        act = f" [{escape_invisible(given)}]" if given else ""
        head = Text(f"{record.n:>5} {escape_invisible(entry.participant)}{act}: ", style="bold")
        return head.append(
            escape_invisible(_short(entry.content or "taken back")), style="not bold"
        )
    if entry.kind == "summary.made":
        of = f"messages {entry.first}-{entry.last} ({escape_invisible(entry.how)})"
        return Text(f"      summary of {of}: {escape_invisible(_short(entry.text))}", style="dim")
    if entry.kind in _HOUSEKEEPING or (entry.kind == "floor.released" and entry.reason == "spoke"):
        return None
    number = f"{record.n:>5} " if entry.kind in PRIMARY else " " * 6
    return Text(number + escape_invisible(_house(entry)), style="dim")


def _house(entry: Any) -> str:
    """An entry that is no talk, and whose it is."""
    by = getattr(entry, "by", None)
    whose = f" by {by}" if by else ""
    match entry.kind:
        case "session.opened":
            return "session opened" + (f": {entry.title}" if entry.title else "")
        case "session.closed":
            why = "" if entry.reason == "closed" else entry.reason
            return f"session closed{whose}" + _after(entry.rule or why)
        case "entry.redacted":
            return f"entry {entry.redacted} redacted{whose}: {entry.reason}"
        case "session.forked":
            return f"forked from {entry.session} at {entry.n}"
        case "item.corrected":
            to = f" {entry.value}" if entry.value is not None else ""
            return f"correction of {entry.ref}{whose}: {entry.op}{to}"
        case "participant.aliased":
            return f"alias{whose}: {entry.alias} is {entry.participant}"
    return (
        _published(entry)
        or _worked(entry)
        or _seated(entry)
        or str(entry.kind).replace(".", " ") + whose
    )


def _published(entry: Any) -> str | None:
    """What participants published besides talk: votes, results, notebooks."""
    match entry.kind:
        case "vote.initiated":
            return f"{entry.participant} calls a vote: {clip(one_line(entry.content), WIDTH)}"
        case "vote.confirmed":
            return f"{entry.participant} is {'' if entry.agreed else 'not '}ready to vote"
        case "vote.extended":
            more = duration_text(entry.seconds)
            return f"{entry.participant} gives {_vote(entry.re)} {more} more"
        case "ballot.cast":
            return f"{entry.participant} casts a ballot in {_vote(entry.re)}"
        case "ballot.completed":
            outcome = "consensus" if entry.consensus else "no consensus"
            return f"ballot, {outcome}: {clip(one_line(entry.content), WIDTH)}"
        case "results.final":
            to = f" for {', '.join(entry.to)}" if entry.to else ""
            return f"results{to}: {clip(one_line(entry.content), WIDTH)}"
        case "note.written":
            return f"{entry.participant} writes its notebook: {len(entry.content)} characters"
        case "note.revised" | "note.refused":
            done = "revised" if entry.kind == "note.revised" else "not revised"
            return f"notebook of {entry.participant} {done} in the light of {entry.cause}"
    return None


def _seated(entry: Any) -> str | None:
    """What happened at the table: seats, grants, releases, words to everybody."""
    whose = f" by {entry.by}" if getattr(entry, "by", None) else ""
    match entry.kind:
        case "participant.joined":
            return f"{entry.participant} joins as {entry.role}"
        case "participant.left":
            return f"{entry.participant} leaves{_after(entry.reason)}"
        case "floor.granted":
            return f"{entry.participant} is given the floor{whose}"
        case "floor.released":
            return f"{entry.participant} gives the floor back: {entry.reason}{whose}"
        case "floor.nudged":
            whom = entry.participant or "everybody"
            return f"{whom} is told ({entry.warning}){_after(entry.content)}"
        case "floor.paused":
            return f"paused{whose}{_after(entry.reason)}"
        case "floor.resumed":
            return f"resumed{whose}"
        case "floor.muted":
            return f"{entry.participant} is {'' if entry.muted else 'no longer '}muted{whose}"
    return None


def _worked(entry: Any) -> str | None:
    """What participants published of their work: episodes, tools, steps, what they were shown."""
    match entry.kind:
        case "episode.opened":
            return f"{entry.participant} opens a {entry.episode}: {_short(entry.title)}"
        case "episode.closed":
            what = entry.re or f"the innermost {entry.episode or 'episode'}"
            return f"{entry.participant} closes {what}, {entry.status}{_after(entry.result)}"
        case "tool.called":
            return f"{entry.participant} {'looks up' if entry.lookup else 'calls'} {entry.tool}"
        case "tool.returned":
            if entry.ok:
                return f"{entry.tool} returns to {entry.participant}{_after(entry.content)}"
            return f"{entry.tool} fails for {entry.participant}{_after(entry.error or '')}"
        case "step":
            failed = "" if entry.ok else ", failed"
            return f"{entry.participant}, {entry.form}{failed}: {_short(entry.content)}"
        case "context.injected":
            return f"{entry.participant} is shown {entry.key}"
    return None


def _vote(re: int | str) -> str:
    return f"the vote of entry {re}" if isinstance(re, int) else clip(one_line(re), 12)


def _short(text: str) -> str:
    return clip(one_line(text), WIDTH)


def _after(text: str) -> str:
    return f": {_short(text)}" if text else ""
