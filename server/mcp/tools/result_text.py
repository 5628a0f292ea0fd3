"""Results in words, for a reader that takes text alone. Pure.

What others said stands behind the fence `| `, and names are shown as they are
written: no words of theirs can pose as the server's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from parley.memory.text.escapes import escape_invisible, fence_lines
from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.output import count_of
from parley.server.mcp.tools import tool_results as results
from parley.server.render.events.fact_text import event_line

LINE: Final = 300  # characters of an item


def waited(found: results.Waited) -> str:
    lines = list(_state(found))
    lines += [f"{count_of(len(found.messages), 'message')}:"] if found.messages else ["No message."]
    lines += map(message, found.messages)
    lines += [f"* {fact.says}" for fact in found.facts]
    lines.append(floor(found.floor))
    if found.closed is None and not found.superseded:
        lines.append(f"Wait again with after={found.after}.")
    return "\n".join(lines)


def _state(found: results.Waited) -> Iterator[str]:
    if found.superseded:
        yield "You waited twice: the newer wait goes on, this one is over."
    if found.reset:
        yield "The log was replaced: what you know of it may be void. Read the memory again."
    if found.closed is not None:
        yield f"The session is closed ({_line(found.closed)}): nothing more comes."
    if found.more:
        yield "There is more: wait again at once."


def message(row: results.MessageRow) -> str:
    act = f" [{row.act}]" if row.act else ""
    re = f" on {_line(str(row.re))}" if row.re is not None else ""
    to = f" to {', '.join(map(_line, row.to))}" if row.to else ""
    you = " (to you)" if row.addressed else ""
    cut = f"\n(cut: read_messages first={row.n} last={row.n} has all of it)" if row.cut else ""
    return f"#{row.n} {_line(row.participant)}{act}{re}{to}{you}:\n{fence_lines(row.content)}{cut}"


def messages(found: results.Messages) -> str:
    lines = [message(row) for row in found.messages] or ["No message of these numbers."]
    if found.next is not None:
        lines.append(f"There is more from {found.next} on.")
    return "\n".join(lines)


def said(found: results.Said) -> str:
    how = "It was recorded before, as" if found.duplicate else "Recorded as"
    lines = [f"{how} #{found.n}; wait for what follows with after={found.seq}."]
    return "\n".join([*lines, *(f"* {fact.says}" for fact in found.found), floor(found.floor)])


def acted(found: results.Said) -> str:
    """Of an act, which is meant to change something: says so where it changed nothing."""
    if found.found:
        return said(found)
    return f"{said(found)}\nIt changed nothing in the memory; read_memory tells what stands there."


def floor(found: results.Floor) -> str:
    if found.policy == "open":
        return "Floor: open, speak when you like."
    if found.paused:
        return f"Floor: paused ({_line(found.paused)})."
    if found.yours:
        return "Floor: yours. Say it now, or pass."
    holder = f"{_line(found.holder)} has it" if found.holder else "free"
    asked = "you asked for it" if found.asked else "you did not ask for it"
    return f"Floor: {holder}; {asked}; {found.queue} in the queue."


def sessions(found: results.Sessions) -> str:
    rows = [
        f"{one.session} ({one.status}, {one.n} entries, {one.last_activity})"
        + (f"\n{fence_lines(clip(one.title, LINE))}" if one.title else "")
        for one in found.sessions
    ]
    return "\n".join(rows) or "There is no session yet."


def created(found: results.Created) -> str:
    return f"Session {found.session} is open. Join it with join_session."


def joined(found: results.Joined) -> str:
    lines = [f"You sit in {found.session} as {_line(found.name)} ({found.role})."]
    if found.title:
        lines += ["Its title:", fence_lines(found.title)]
    if found.goal:
        lines += ["Its goal:", fence_lines(found.goal)]
    lines.append(f"Here: {', '.join(map(_line, found.participants)) or 'nobody else'}.")
    lines.append(f"Wait from after={found.after}.")
    lines += found.how_to
    return "\n".join(lines)


def memory(found: results.Memory) -> str:
    lines = [f"As of message {found.n}."]
    for row in found.decisions:
        lines += [f"{row.ref} {row.status}, {_by(row)}:", _words(row.outcome or row.topic)]
        lines += _sides(("for", row.supporters), ("against", row.dissenters))
    for one in found.proposals:
        lines += [f"{one.ref} {one.status}, {_by(one)}:", _words(one.text or one.topic)]
        lines += _sides(("for", one.support), ("against", one.oppose), ("neutral", one.neutral))
    for stand in found.positions:
        on = f"{_line(stand.participant)}: {stand.stance} on {_line(stand.on)}"
        lines += [f"{on} (#{stand.n}):", _words(stand.text)]
    for vote in found.votes:
        lines += [
            f"{vote.ref} {vote.status}, options {', '.join(map(_line, vote.options))}, abstain:"
        ]
        lines += [_words(vote.question)]
        if vote.status in ("called", "open"):
            lines += _sides(("waits for", vote.waiting))
        elif vote.carried is not None:
            lines += [f"  carried: {_line(vote.carried)}"]
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]} Nothing of the kind yet."


def vote(found: results.VoteRow) -> str:
    options = ", ".join(map(_line, found.options))
    waits = ", ".join(map(_line, found.waiting)) or "nobody"
    return f"{found.ref} is {found.status}; options: {options}, abstain; waits for: {waits}."


def context(found: results.ContextText) -> str:
    return found.text


def explained(found: results.Explained) -> str:
    lines = [f"{_line(found.handle)}, {_line(str(getattr(found, 'status', '')))}:"]
    for word in found.words:
        lines += [f"#{word['n']} {_line(str(word['by']))}:", _words(str(word["text"]))]
    lines += [
        f"then, at #{event['n']}: {escape_invisible(event_line(found.handle, event))}"
        for event in found.history
    ]
    return "\n".join(lines)


def left(found: results.Left) -> str:
    return "You left; the session goes on." if found.left else "You had no seat there."


def _by(row: results.Row) -> str:
    cites = ", ".join(f"#{n}" for n in dict.fromkeys(cite.n for cite in row.cites))
    return f"{_line(row.participant)} ({cites or f'#{row.n}'})"


def _sides(*sides: tuple[str, Sequence[str]]) -> Iterable[str]:
    told = [f"{word} {', '.join(map(_line, names))}" for word, names in sides if names]
    return [f"  {'; '.join(told)}"] if told else []


def _words(text: str) -> str:
    return fence_lines(clip(one_line(text), LINE))


def _line(text: str) -> str:
    return escape_invisible(one_line(text))
