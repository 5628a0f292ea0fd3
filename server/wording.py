"""Entries and facts in words, one line each. Pure; the caller escapes what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from bus.entries import Record, Unknown
from memory.text import clip, one_line, visible

WIDTH: Final = 400  # characters of a message that a line shows

_SAYS: Final = {
    "proposal.made": "{ref} proposed by {participant}: {topic}",
    "proposal.amended": "{ref} amends {earlier}",
    "proposal.echoed": "{ref} repeats {earlier} of message {earlier_n}, {earlier_status} by then",
    "proposal.settled": "{ref} {status}",
    "reaction.changed": "{ref} {participant}: {stance}",
    "decision.claimed": "{ref} claimed by {participant}: {topic}",
    "decision.ratified": "{ref} ratified: {topic}",
    "decision.disputed": "{ref} disputed by {participant}",
    "decision.superseded": "{ref} superseded by {by}",
    "decision.restated": "{ref} restated by {participant}",
    "position.flipped": "{participant} changed sides on {ref}: {was} → {stance}",
    "summary.made": "summary of messages {first}-{last} ({how})",
    "item.corrected": "{ref} corrected: {op}",
    "correction.ignored": "{ref} could not be corrected: {op}",
    "participant.aliased": "{alias} is {participant}",
    "settings.changed": "settings changed by {by}",
    "settings.refused": "settings refused: {reason}",
    "session.closed": "closed: {reason}",
    "entry.set_aside": "entry {seq} set aside: {reason}",
    "entry.skipped": "an entry of kind {kind} was skipped",
}


class _Blanks(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def fact_line(fact: Mapping[str, Any]) -> str:
    """What a fact says; facts of kinds unknown here are named as they are."""
    data = _Blanks({**fact.get("data", {}), "ref": fact.get("ref")})
    template = _SAYS.get(str(fact["kind"]))
    if template is None:
        return f"{fact['kind']} {fact.get('ref') or ''}".rstrip()
    line = template.format_map(data)
    return line + " (conditional)" if data.get("conditional") is True else line


def message_line(record: Record) -> Text | None:
    """A message or another entry worth a line; None for what only keeps house."""
    entry = record.entry
    if isinstance(entry, Unknown):
        return Text(f"{record.n:>5} ? an entry of unknown kind {visible(entry.kind)}", style="dim")
    if entry.kind == "message":
        act = f" [{entry.act}]" if entry.act else ""
        head = Text(f"{record.n:>5} {visible(entry.participant)}{act}: ", style="bold")
        return head.append(visible(clip(entry.content, WIDTH)), style="not bold")
    if entry.kind == "summary.made":
        text = visible(clip(one_line(entry.text), WIDTH))
        return Text(f"      summary {entry.first}-{entry.last}: {text}", style="dim")
    return Text(f"      {entry.kind}", style="dim")
