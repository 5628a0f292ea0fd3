"""Results in words, for a reader that takes text alone. Pure.

What others said or named, and what the memory noted of it, stands behind the fence
`| `, and names of participants are shown as they are written: no words of theirs can
pose as the server's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from parley.memory.context.item_lines import FRAME
from parley.memory.ledger.decision_rule import ALONE
from parley.memory.text.fences import FENCE, escape_invisible, fence_lines
from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.output import count_of
from parley.server.mcp.tools import tool_results as results
from parley.server.render.events.fact_text import event_line

LINE: Final = 300  # characters of an item


def waited_text(result: results.Waited) -> str:
    lines = list(_state(result))
    lines += (
        [f"{count_of(len(result.messages), 'message')}:"] if result.messages else ["No message."]
    )
    lines += map(_message_text, result.messages)
    lines += _noted(result.facts)
    lines.append(floor_text(result.floor))
    if result.closed is None and not result.superseded:
        lines.append(f"Wait again with after={result.cursor}.")
    return "\n".join(lines)


def _state(result: results.Waited) -> Iterator[str]:
    if result.superseded:
        yield "You waited twice: the newer wait goes on, this one is over."
    if result.reset:
        yield "The log was replaced: what you know of it may be void. Read the memory again."
    if result.closed is not None:
        yield "The session is closed, nothing more comes:"
        yield _words(result.closed)
    if result.more:
        yield "There is more: wait again at once."


def _message_text(row: results.MessageRow) -> str:
    act = f" [{row.act}]" if row.act else ""
    re = f" on {_line(str(row.re))}" if row.re is not None else ""
    to = f" to {', '.join(map(_line, row.to))}" if row.to else ""
    you = " (to you)" if row.addressed else ""
    cut = f"\n(cut: read_messages first={row.n} last={row.n} has all of it)" if row.cut else ""
    return f"#{row.n} {_line(row.participant)}{act}{re}{to}{you}:\n{fence_lines(row.content)}{cut}"


def messages_text(messages: results.Messages) -> str:
    lines = [_message_text(row) for row in messages.messages] or ["No message of these numbers."]
    if messages.next is not None:
        lines.append(f"There is more from {messages.next} on.")
    return "\n".join(lines)


def speech_text(result: results.SpeechResult) -> str:
    how = "It was recorded before, as" if result.duplicate else "Recorded as"
    lines = [f"{how} #{result.n}; wait for what follows with after={result.cursor}."]
    floor = [floor_text(result.floor)] if _is_wanted(result.floor) else []
    lacking = [_line(words) for words in result.missing]
    rule = [ALONE] if result.rule else []  # `get_context` would not pay for all of it
    return "\n".join([*lines, *_noted(result.found), *lacking, *rule, *floor])


def act_text(result: results.SpeechResult) -> str:
    """What an act came to, in words: says so where it changed nothing."""
    if result.found:
        return speech_text(result)
    nothing = "It changed nothing in the memory; read_memory tells what stands there."
    return f"{speech_text(result)}\n{nothing}"


def _is_wanted(floor: results.Floor) -> bool:
    """Whether somebody has the floor, asks for it, or something keeps it from everybody."""
    return bool(floor.holder or floor.queue or floor.paused or floor.vote)


def floor_text(floor: results.Floor) -> str:
    if floor.policy == "open":
        return "Floor: open, speak when you like."
    if floor.vote:
        return f"Floor: nobody speaks until {floor.vote} is over; cast your ballot with vote."
    if floor.paused:
        return f"Floor: paused.\n{_words(floor.paused)}"
    if floor.yours:
        until = f" until {floor.until}" if floor.until else ""
        return f"Floor: yours{until}. Say it now, or pass."
    if not floor.holder and not floor.queue:
        return "Floor: free."
    holder = f"{_line(floor.holder)} has it" if floor.holder else "free"
    asked = "you asked for it" if floor.asked else "you did not ask for it"
    return f"Floor: {holder}; {asked}; {floor.queue} in the queue."


def sessions_text(sessions: results.Sessions) -> str:
    rows = [
        f"{row.session} ({row.status}, {row.n} entries, {row.last_activity})"
        + (f"\n{fence_lines(clip(row.title, LINE))}" if row.title else "")
        for row in sessions.sessions
    ]
    return "\n".join(rows) or "There is no session yet."


def created_text(created: results.Created) -> str:
    return f"Session {created.session} is open. Join it with join_session."


def joined_text(joined: results.Joined) -> str:
    lines = [f"You sit in {joined.session} as {_line(joined.name)} ({joined.role})."]
    if joined.title:
        lines += ["Its title:", fence_lines(joined.title)]
    if joined.goal:
        lines += ["Its goal:", fence_lines(joined.goal)]
    lines.append(f"Here: {', '.join(map(_line, joined.participants)) or 'nobody else'}.")
    lines.append(f"Wait from after={joined.cursor}.")
    lines += joined.how_to
    return "\n".join(lines)


def memory_text(memory: results.Memory) -> str:
    lines = [f"As of message {memory.n}."]
    for row in memory.decisions:
        words = row.statement or row.outcome or row.topic
        lines += [f"{row.ref} {_line(row.status_text)}, {_by(row)}:", _words(words)]
        sides = (("for", row.supporters), ("against", row.dissenters))
        lines += _sides(*sides, read=row.read_sides)
    for proposal_row in memory.proposals:
        words = proposal_row.statement or proposal_row.text or proposal_row.topic
        lines += [
            f"{proposal_row.ref} {_line(proposal_row.status_text)}, {_by(proposal_row)}:",
            _words(words),
        ]
        lines += _sides(
            ("for", proposal_row.support),
            ("against", proposal_row.oppose),
            ("neutral", proposal_row.neutral),
            read=proposal_row.read_sides,
        )
    for candidate in memory.candidates:
        head = f"{candidate.ref} a {candidate.kind}? of {_line(candidate.participant)}"
        lines += [f"{head} (#{candidate.n}; {candidate.why}):", _words(candidate.text)]
    for stand in memory.positions:
        read = " (as read)" if stand.as_read else ""
        on = f"{_line(stand.participant)}: {stand.stance}{read} on {_line(stand.on)}"
        lines += [f"{on} (#{stand.n}):", _words(stand.text)]
    for vote in memory.votes:
        lines += [f"{vote.ref} {vote.status}, the question and the options, besides abstain:"]
        lines += [_words(vote.question), *map(_option, vote.options)]
        if vote.status in ("called", "open"):
            lines += _sides(("waits for", vote.waiting))
        elif vote.carried is not None:
            lines += ["  carried:", _option(vote.carried)]
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]} Nothing of the kind yet."


def brief_text(brief: results.Brief) -> str:
    lines = [f"As of message {brief.n}. {brief.sentence}"]
    for row in (*brief.decided, *brief.disputed, *brief.claimed):
        lines += [f"{row['ref']} {_line(row['status_text'])}, {_counted(row)}:"]
        lines += [_words(row["text"])]
        for dissent in row["dissent"][:1]:
            lines += _said_by("against it", dissent["participant"], dissent["text"] or "")
    for row in brief.open:
        read = " (as read)" if row["as_read"] else ""
        lines += [f"{row['ref']} open{read}, {_counted(row)}:", _words(row["text"])]
    for vote in brief.votes:
        lines += [f"{vote.ref} {vote.status}:", _words(vote.question)]
        lines += _sides(("waits for", vote.waiting))
    for vote in brief.missed:
        lines += [f"{vote.ref} came to nothing ({vote.status}):", _words(vote.question)]
    for row in brief.actions:
        read = " (as read)" if row["as_read"] else ""
        lines += [
            f"{_line(row['who'] or 'nobody named')} is to, by #{row['n']}{read}:",
            _words(row["text"]),
        ]
    if brief.candidates:
        left = brief.more.get("candidates", 0)
        count = count_of(len(brief.candidates) + left, "candidate")
        lines.append(f"{count}, counted nowhere: read_memory part=candidates lists them.")
    return "\n".join(lines)


def _said_by(label: str, name: str, words: str) -> list[str]:
    """Who, and behind the fence what; a ballot may have come without a word."""
    return [f"{label}, {_line(name)}:", _words(words)] if words else [f"{label}: {_line(name)}"]


def _counted(row: Mapping[str, Any]) -> str:
    """The sides in numbers, and how many of them a model read."""
    read = f", {len(row['read_sides'])} of them as read" if row["read_sides"] else ""
    return f"{_count(row['tally'])}{read}"


def _count(tally: Mapping[str, int]) -> str:
    return f"{tally['support']} for, {tally['oppose']} against, {tally['neutral']} neither"


def vote_text(vote_row: results.VoteRow) -> str:
    waits = ", ".join(map(_line, vote_row.waiting)) or "nobody"
    lines = [f"{vote_row.ref} is {vote_row.status}; waits for: {waits}. Options, besides abstain:"]
    return "\n".join([*lines, *map(_option, vote_row.options)])


def context_text(context_text: results.ContextText) -> str:
    """A context as text: all but its headings stand behind the fence, since items quote too."""
    head, frame, rest = context_text.text.rpartition(FRAME)
    fenced = (line if _is_own(line) else f"{FENCE}{line}" for line in rest.split("\n"))
    return head + frame + "\n".join(fenced)


def _is_own(line: str) -> bool:
    return not line or line.startswith((FENCE, "## "))


def explained_text(explained: results.Explained) -> str:
    status = getattr(explained, "status_text", None) or getattr(explained, "status", "")
    lines = [f"{_line(explained.handle)}, {_line(str(status))}:"]
    if (denied := getattr(explained, "denied", None)) is not None:
        lines.append(f"{denied['says']} (#{denied['n']}).")
    for word in explained.words:
        lines += [f"#{word['n']} {_line(str(word['by']))}:", _words(str(word["text"]))]
    for event in explained.history:
        lines += [f"then, at #{event['n']}:", _words(event_line(explained.handle, event))]
    return "\n".join(lines)


def left_text(result: results.Left) -> str:
    return "You left; the session goes on." if result.left else "You had no seat there."


def _by(row: results.Row) -> str:
    cites = ", ".join(f"#{n}" for n in dict.fromkeys(cite.n for cite in row.cites))
    return f"{_line(row.participant)} ({cites or f'#{row.n}'})"


def _sides(*sides: tuple[str, Sequence[str]], read: Collection[str] = ()) -> Iterable[str]:
    """Who is on each side; those of `read`, whom a model read so, are marked."""

    def named(names: Sequence[str]) -> str:
        return ", ".join(_line(name) + (" (as read)" if name in read else "") for name in names)

    sides_text = [f"{word} {named(names)}" for word, names in sides if names]
    return [f"  {'; '.join(sides_text)}"] if sides_text else []


def _noted(facts: Sequence[results.FactRow]) -> list[str]:
    """What the memory made of entries: lines that quote what is in them."""
    return ["The memory noted:", *(_words(fact.says) for fact in facts)] if facts else []


def _option(option: str) -> str:
    return fence_lines(f"- {one_line(option)}")


def _words(text: str) -> str:
    return fence_lines(clip(one_line(text), LINE))


def _line(text: str) -> str:
    return escape_invisible(one_line(text))
