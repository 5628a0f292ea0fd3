"""Facts in words, one line each. Pure; the caller escapes what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parley.memory.text.plain_text import clip, one_line
from parley.server.render.events import vote_fact_text

SAID: Final = 100  # characters of an item in the line that announces it

_SAYS: Final = {
    "proposal.made": "{ref} proposed by {participant}: {said}",
    "item.candidate": "{ref} {held}",
    "proposal.amended": "{ref} amends {earlier}",
    "proposal.echoed": "{ref} repeats {earlier} of message {earlier_n}, {earlier_status} by then",
    "proposal.reoffered": "{ref} offers again what was {earlier_status} as {earlier}{because}",
    "proposal.recalled": "{participant} says {ref} of message {proposal_n} again",
    "proposal.settled": "{ref} {status}",
    "reaction.changed": "{ref} {participant}: {stance}",
    "talk.paused": "the talk fell quiet after n {paused}",
    "side.read": "{ref} {participant}: {stance}, as read",
    "reaction.moved": "{ref} {participant}'s vote was on {to}",
    "decision.claimed": "{ref} claimed by {participant}: {said}",
    "decision.ratified": "{ref} ratified: {said}",
    "decision.disputed": "{ref} disputed by {participant}",
    "decision.superseded": "{ref} superseded by {by}",
    "decision.restated": "{ref} restated by {participant}",
    "position.flipped": (
        "{participant} changed sides on {ref}: {was} of message {was_n} → {stance}{moved}"
    ),
    **vote_fact_text.SAYS,
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
    "proposal.edited": "{ref} has other words: {text}",
    "message.edited": "{participant} edited entry {of}",
    "edit.ignored": "the words of entry {of} stay: {reason}",
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


_BY_RULE: Final = frozenset({"rule", "vote", "person"})  # nobody said that it was decided
_ACCEPTING: Final = ("accept", "ratify")  # what a chair said of the proposal
_COMES: Final = "{ref} comes of {resolves}, which {participant} proposed: {said}"

# Facts that say no more than the line of their entry did; with a pass nothing happens.
_SAID_BEFORE: Final = frozenset({
    "seat.taken", "seat.left", "floor.passed", "floor.granted", "floor.released", "floor.nudged",
    "floor.paused", "floor.resumed", "floor.muted", "vote.called", "vote.extended", "summary.made",
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
        data.update(vote_fact_text.vote_words(data))
    data["said"] = clip(one_line(data.get("outcome") or data.get("text") or data["topic"]), SAID)
    data["because"] = _because(data)
    data["moved"] = (
        f", after {data['moved_by']} in message {data['moved_n']}" if data.get("moved_n") else ""
    )
    data["held"] = "held back: only its wording says so" if data.get("candidate") else "taken up"
    template = _SAYS.get(str(fact["kind"]))
    if fact["kind"] == "decision.claimed" and data.get("resolves") and _is_unclaimed(data):
        template = _COMES
    if template is None:
        return f"{fact['kind']} {fact.get('ref') or ''}".rstrip()
    line = template.format_map(data)
    return line + " (conditional)" if data.get("conditional") is True else line


def _is_unclaimed(data: Mapping[str, Any]) -> bool:
    """True if a decision came of its proposal's acceptance, and nobody claimed it."""
    word = str(data.get("rule") or "").partition("/")[2]
    return data.get("how") in _BY_RULE or word.startswith(_ACCEPTING)


def event_line(handle: str, event: Mapping[str, Any]) -> str:
    """What a row of the history of item `handle` says."""
    return fact_line({"kind": event["kind"], "ref": handle, "data": event})


def _because(data: Mapping[str, Any]) -> str:
    """When what is offered again was settled, and why, where somebody said so."""
    when = f" in message {data['settled_n']}" if data.get("settled_n") else ""
    if not data.get("because"):
        return when
    reason = clip(one_line(str(data["because"])), SAID)
    return f"{when}, because “{reason}” ({data['because_by']}, message {data['because_n']})"


def is_worth_showing(fact: Mapping[str, Any]) -> bool:
    """False for a fact that repeats what the line of its entry says."""
    return str(fact["kind"]) not in _SAID_BEFORE


def fact_style(fact: Mapping[str, Any]) -> str:
    """What stands out: an idea that comes back, a change of side, a thing settled."""
    return _STYLES.get(str(fact["kind"]), "cyan")
