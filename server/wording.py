"""Entries and facts in words, one line each. Pure; the caller escapes what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from bus.entries import PRIMARY, Record, Unknown
from memory.text import clip, one_line, visible
from server import vote_wording

WIDTH: Final = 400  # characters of a message that a line shows
SAID: Final = 100  # characters of an item in the line that announces it

_SAYS: Final = {
    "proposal.made": "{ref} proposed by {participant}: {said}",
    "item.tentative": "{ref} {held}",
    "proposal.amended": "{ref} amends {earlier}",
    "proposal.echoed": "{ref} repeats {earlier} of message {earlier_n}, {earlier_status} by then",
    "proposal.reoffered": "{ref} offers again what was {earlier_status} as {earlier}{because}",
    "proposal.settled": "{ref} {status}",
    "reaction.changed": "{ref} {participant}: {stance}",
    "reaction.moved": "{ref} {participant}'s vote was on {to}",
    "decision.claimed": "{ref} claimed by {participant}: {said}",
    "decision.ratified": "{ref} ratified: {said}",
    "decision.disputed": "{ref} disputed by {participant}",
    "decision.superseded": "{ref} superseded by {by}",
    "decision.hinted": "{participant} may have said what was decided, message {born}",
    "decision.region": "decisions are likely from message {first} on",
    "decision.restated": "{ref} restated by {participant}",
    "position.flipped": (
        "{participant} changed sides on {ref}: {was} of message {was_n} → {stance}{moved}"
    ),
    **vote_wording.SAYS,
    "similarity.found": "{ref} compared with earlier proposals by {model}",
    "summary.made": "summary of messages {first}-{last} ({how})",
    "note.revised": "notebook of {participant} revised: {why}, {size} characters",
    "note.refused": "notebook of {participant} not revised: {reason}",
    "exchange.closed": "{ref} closed: exchange {turn}",
    "tool.hit": "{tool}: kept result of entry {n} served",
    "tool.cached": "{tool}: result kept",
    "context.injected": "{participant} was shown {key}",
    "text.condensed": "shorter form of the {part} of entry {of}: {bytes} bytes",
    "items.extracted": "a model read messages {first}-{last}: {claims} claims, {dropped} dropped",
    "claim.made": "a model reads message {of} of {participant}: {label}",
    "item.corrected": "{ref} corrected: {op}",
    "correction.ignored": "{ref} could not be corrected: {op}",
    "participant.aliased": "{alias} is {participant}",
    "seat.taken": "{participant} sits down ({role})",
    "seat.left": "{participant} leaves",
    "floor.bid": "{participant} asks for the floor, urgency {urgency}: {intent}",
    "floor.passed": "{participant} passes",
    "floor.granted": "{participant} has the floor",
    "floor.released": "the floor is free: {participant} {reason}",
    "floor.nudged": "{warning}: {text}",
    "floor.paused": "paused: {reason}",
    "floor.resumed": "resumed by {by}",
    "floor.muted": "{participant} muted: {muted}",
    "floor.cooled": "{participants} cool down: the others have the floor",
    "floor.refused": "{by} may not: {what}",
    "spend.refused": "{participant} may not spend that: {limit}",
    "episode.opened": "{ref} {episode} opened: {title}",
    "episode.closed": "{ref} {episode} {status}: {title}",
    "episode.refused": "no room for another {episode} ({limit})",
    "episode.ignored": "nothing open to close: {re}",
    "insight.found": "{ref} learnt: {said}",
    "limit.warned": "{limit} nears its cap: {size} of {cap}",
    "limit.held": "{limit} held by {rung}: {size} over {cap}",
    "settings.changed": "settings changed by {by}",
    "settings.refused": "settings refused: {reason}",
    "session.closed": "closed: {reason}",
    "lesson.imported": "learnt from {session} {ref}: {said}",
    "entry.set_aside": "entry {seq} set aside: {reason}",
    "entry.redacted": "the words of entry {n} were taken out: {reason}",
    "entry.skipped": "an entry of kind {kind} was skipped",
}


# What is said of these is in their facts, or in numbers; there are too many of them for a line.
_HOUSEKEEPING: Final = frozenset({
    "floor.bid", "floor.passed", "spend.reserved", "spend.settled", "ballot.cast",
})  # fmt: skip

# Facts that say no more than the line of their entry did; with a pass nothing happens.
_SAID_BEFORE: Final = frozenset({
    "seat.taken", "seat.left", "floor.passed", "floor.granted", "floor.released", "floor.nudged",
    "floor.paused", "floor.resumed", "floor.muted", "vote.called", "summary.made",
    "session.closed",
})  # fmt: skip

_STYLES: Final = {
    "proposal.echoed": "bold magenta",
    "proposal.reoffered": "bold magenta",
    "position.flipped": "magenta",
    "decision.ratified": "bold green",
    "decision.disputed": "bold red",
    "vote.opened": "bold cyan",
    "vote.closed": "bold cyan",
}


class _Blanks(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def fact_line(fact: Mapping[str, Any]) -> str:
    """What a fact says; facts of kinds unknown here are named as they are."""
    data = _Blanks({"ref": fact.get("ref"), **fact.get("data", {})})
    if str(fact["kind"]).startswith(("vote.", "ballot.")):
        data.update(vote_wording.vote_words(data))
    data["said"] = clip(one_line(data.get("outcome") or data.get("text") or data["topic"]), SAID)
    data["because"] = _because(data)
    data["moved"] = (
        f", after {data['moved_by']} in message {data['moved_n']}" if data.get("moved_n") else ""
    )
    data["held"] = "held back: only its wording says so" if data.get("tentative") else "taken up"
    template = _SAYS.get(str(fact["kind"]))
    if template is None:
        return f"{fact['kind']} {fact.get('ref') or ''}".rstrip()
    line = template.format_map(data)
    return line + " (conditional)" if data.get("conditional") is True else line


def event_line(handle: str, event: Mapping[str, Any]) -> str:
    """What a row of the history of item `handle` says."""
    return fact_line({"kind": event["kind"], "ref": handle, "data": event})


def _because(data: Mapping[str, Any]) -> str:
    """When what is offered again was settled, and why, where somebody said so."""
    when = f" in message {data['settled_n']}" if data.get("settled_n") else ""
    if not data.get("because"):
        return when
    said = clip(one_line(str(data["because"])), SAID)
    return f"{when}, because “{said}” ({data['because_by']}, message {data['because_n']})"


def adds(fact: Mapping[str, Any]) -> bool:
    """False for a fact that repeats what the line of its entry says."""
    return str(fact["kind"]) not in _SAID_BEFORE


def fact_style(fact: Mapping[str, Any]) -> str:
    """What stands out: an idea that comes back, a change of side, a thing settled."""
    return _STYLES.get(str(fact["kind"]), "cyan")


def message_line(record: Record) -> Text | None:
    """A message or another entry worth a line; None for what only keeps house."""
    entry = record.entry
    if isinstance(entry, Unknown):
        return Text(f"{record.n:>5} ? an entry of unknown kind {visible(entry.kind)}", style="dim")
    if entry.kind == "message":
        marks = [entry.act or "", f"re {entry.re}" if entry.re is not None else ""]
        given = ", ".join(filter(None, marks))
        act = f" [{visible(given)}]" if given else ""
        head = Text(f"{record.n:>5} {visible(entry.participant)}{act}: ", style="bold")
        return head.append(visible(_short(entry.content)), style="not bold")
    if entry.kind == "summary.made":
        of = f"messages {entry.first}-{entry.last} ({visible(entry.how)})"
        return Text(f"      summary of {of}: {visible(_short(entry.text))}", style="dim")
    if entry.kind in _HOUSEKEEPING or (entry.kind == "floor.released" and entry.reason == "spoke"):
        return None
    number = f"{record.n:>5} " if entry.kind in PRIMARY else " " * 6
    return Text(number + visible(_house(entry)), style="dim")


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
            return f"{entry.participant} calls {entry.tool}"
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
