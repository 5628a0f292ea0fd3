"""An item on a terminal: what it is, who stood where. All that is printed is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from parley.server.basics.output import count_of, escape
from parley.server.render.events.fact_text import event_line
from parley.server.render.reason_text import explain_score
from parley.server.verdicts.status_words import condition_words, relation_words

Row = Mapping[str, Any]

MARKS = {"support": "+", "oppose": "-", "neutral": "~"}
_STYLES = {
    "ratified": "green", "accepted": "green", "adopted": "green",
    "claimed": "yellow", "active": "yellow", "disputed": "red", "rejected": "red",
    "put_off": "yellow",
}  # fmt: skip
_BREAKS: Final = re.compile(r"(?:\r?\n)+[ \t]*")


def write_item(console: Console, row: Row) -> None:
    """One item: what it is, what shows it, who stood where, what became of it."""
    for lines in (_heads(row), _evidence(row), _sides(row), _reach(row), _history(row)):
        for line in lines:
            console.print(line)


def _evidence(row: Row) -> Iterator[Text]:
    """The rule that found it, the passages it rests on, and what settled it."""
    if row.get("denied"):
        yield write_lines(f"  {row['denied']['says']}; {_whence(row['denied'])}", "red")
    if row.get("evidence"):
        yield write_lines(f"  found by {_whence(row['evidence'])}", "dim")
    for passage in row.get("words", ()):
        yield write_lines(f"  message {passage['n']}, word for word:", "dim")
        yield write_lines("    " + passage["text"].replace("\n", "\n    "), keep_newlines=True)
    for name in ("settled", "ratified", "disputed", "confirmed"):
        if row.get(name):
            yield write_lines(f"  {name} at message {row[name]['n']}, {_whence(row[name])}", "dim")
            yield quote_lines(row[name])


def _sides(row: Row) -> Iterator[Text]:
    for name in ("reactions", "supporters", "dissenters", "abstainers"):
        for side in row.get(name, ()):
            yield quote_lines(side, f"  {_stance(side)}")


def _reach(row: Row) -> Iterator[Text]:
    """Which summaries cover it, and whether a listener is told of it now."""
    for covers in row.get("summaries", ()):
        level = f", level {covers['level']}" if covers["level"] else ""
        covered = f"{covers['first']}-{covers['last']}{level}"
        yield write_lines(f"  covered by the summary of {covered}", "dim")
    for fate in row.get("context", ()):
        block = f" {fate['block']!r}," if fate["block"] else ""
        yield write_lines(f"  in the full context now:{block} {fate['why']}", "dim")


def _history(row: Row) -> Iterator[Text]:
    if row.get("history"):
        yield write_lines("  history", "bold")
    for fact in row.get("history", ()):
        yield write_lines(f"    message {fact['n']}: {_event(row['handle'], fact)}")


def _heads(row: Row) -> list[Text]:
    if "outcome" in row:
        return decision(row)
    if "reactions" in row:
        return proposal(row)
    title = row.get("title") or row.get("text", "")
    state = row.get("status") or count_of(row["count"], "time")
    head = write_lines(f"  {row['handle']:>4} {row['kind']} {state}: {title}", "bold")
    more = [row[name] for name in ("done", "result") if row.get(name)]
    indented = (f"      {text}".replace("\n", "\n      ") for text in more)
    return [head, *(write_lines(text, keep_newlines=True) for text in indented)]


def decision(row: Row) -> list[Text]:
    """What was decided, who stood where, the words that show it."""
    lines = [write_heading(row, f"{row['statement'] or row['topic']}")]
    if row["outcome"] and row["outcome"] != row["topic"]:
        lines.append(write_lines(f"      → {row['outcome']}"))
    links = [
        _ending(row["ending"]),
        f"settles {', '.join(row['settles'])}" if row["settles"] else "",
        f"supersedes {row['supersedes']}" if row["supersedes"] else "",
        f"superseded by {row['superseded_by']}" if row["superseded_by"] else "",
    ]
    votes = _votes(row["tally"])
    lines.append(write_lines("      " + ", ".join(filter(None, [votes, *links])), "dim"))
    for label, name in (
        ("for", "supporters"),
        ("against", "dissenters"),
        ("abstained", "abstainers"),
    ):
        if row[name]:
            voices = ", ".join(f"{v['participant']} ({_at(v)})" for v in row[name])
            lines.append(
                write_lines(f"      {label}: {voices}", "red" if name == "dissenters" else "")
            )
    lines.append(quote_lines(row["evidence"], "      "))
    return lines


def proposal(row: Row) -> list[Text]:
    """What is proposed, then who stands where on it: always two lines."""
    lines = [write_heading(row, row["statement"] or row["text"] or row["topic"])]
    if row["statement"] and row["text"]:
        lines.append(write_lines(f"      in their words: {row['text']}"))
    votes = _votes(row["tally"])
    stances = ", ".join(map(_stance, row["reactions"]))
    links = [
        _ending(row["ending"]),
        relation_words(row),
        f"repeats {row['echoes']}" if row["echoes"] else "",
        f"on the question: {row['question']}" if row["question"] else "",
    ]
    lines.append(write_lines("      " + "; ".join(filter(None, [votes, stances, *links])), "dim"))
    return lines


def write_heading(row: Row, text: str) -> Text:
    """`text` behind the handle and status of the item, and before whose it is."""
    head = Text(f"  {row['handle']:>4} ", style="bold")
    head.append(f"{escape(row['status_text'])} ", style=_STYLES.get(row["status"], "dim"))
    return head.append(
        escape(_flat(f"{text}  ({row['participant']}, message {row['n']})")), style="not bold"
    )


def _ending(ending: Row | None) -> str:
    """By whose ruling it ended, as a model reads it, and what was changed."""
    if ending is None:
        return ""
    by = f"{ending['by']} says so" + (f" ({ending['right']})" if ending["right"] else "")
    reporter = f", reported by {ending['reporter']}" if ending["reporter"] else ""
    detail = f", {ending['detail']}" if ending["detail"] and ending["word"] != "put_off" else ""
    return f"{by} in message {ending['n']}{reporter}{detail}"


def _at(side: Row) -> str:
    return f"{side.get('n', '?')}, as read" if side["as_read"] else f"{side.get('n', '?')}"


def _votes(tally: Row) -> str:
    return f"{tally['support']} for, {tally['oppose']} against, {tally['neutral']} abstaining"


def _stance(reaction: Row) -> str:
    notes = [
        condition_words(reaction),
        "as read" if reaction["as_read"] else "" if reaction["counted"] else "not counted",
    ]
    remarks = ", ".join(filter(None, notes))
    return f"{MARKS[reaction['stance']]}{reaction['participant']}" + (
        f" ({remarks})" if remarks else ""
    )


def quote_lines(origin: Row | None, before: str = "    ") -> Text:
    """The words that `origin` cites; where it has none, what it cites."""
    if not origin or not origin.get("quote"):
        cited = f"message {origin['n']}" if origin and "n" in origin else "no longer at hand"
        return write_lines(f"{before} [{cited}]", "dim")
    by = f"{origin['by']}, " if origin.get("by") else ""
    return write_lines(f"{before} “{origin['quote']}” ({by}message {origin['n']})", "italic")


def _whence(origin: Row) -> str:
    if origin["how"] == "structure" and origin["rule"]:
        seen = [n for n, *_ in origin.get("cites", ())][1:]
        source = f", told at message {seen[0]}" if seen else ""
        why, sure = explain_score(origin["rule"]), origin["confidence"] / 10
        return f"what stands around it{source}: {why}; confidence {sure:g} %"
    rule = f" {origin['rule']}" if origin["rule"] else ""
    return f"{origin['how']}{rule}, confidence {origin['confidence'] / 10:g} %"


def _event(handle: str, fact: Row) -> str:
    line = event_line(handle, fact)
    known = fact.get("how") and fact.get("confidence") is not None
    return f"{line} ({_whence({'rule': None, **fact})})" if known else line


def write_lines(text: str, style: str = "", *, keep_newlines: bool = False) -> Text:
    """`text` as a terminal may have it, on one line unless its breaks are kept."""
    return Text(escape(text if keep_newlines else _flat(text), keep_newlines), style=style)


def _flat(text: str) -> str:
    """`text` without its breaks between lines, which a line of the minutes has no room for."""
    return _BREAKS.sub(" ", text)
