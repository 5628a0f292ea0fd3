"""The minutes in words. Everything printed comes through `shown`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from server.output import many, shown
from server.reasons import in_words
from server.stats_view import extraction_lines
from server.vote_view import vote_line
from server.wording import event_line

Row = Mapping[str, Any]

MARKS = {"support": "+", "oppose": "-", "neutral": "~"}
STYLES = {
    "ratified": "green", "accepted": "green", "claimed": "yellow", "active": "yellow",
    "disputed": "red", "rejected": "red",
}  # fmt: skip
_BREAKS: Final = re.compile(r"(?:\r?\n)+[ \t]*")
CONTRIBUTIONS = 3  # a participant's newest, in the minutes


def write_minutes(console: Console, report: Row) -> None:
    """The whole report, sections without content left out."""
    title = report["title"] or "Minutes"
    console.print(Text(shown(title), style="bold underline"))
    talk = many(report["messages"], "message")
    counts = f"{talk} by {many(report['participants'], 'participant')}"
    closed = f"; closed: {shown(report['closed'])}" if report["closed"] is not None else ""
    console.print(Text(counts + closed, style="dim"))
    for heading, lines in _sections(report):
        if lines:
            console.print()
            console.print(Text(heading, style="bold"))
            for line in lines:
                console.print(line)


def write_item(console: Console, row: Row) -> None:
    """One item: what it is, what shows it, who stood where, what became of it."""
    for lines in (_heads(row), _evidence(row), _sides(row), _reach(row), _history(row)):
        for line in lines:
            console.print(line)


def _evidence(row: Row) -> Iterator[Text]:
    """The rule that found it, the passages it rests on, and what settled it."""
    if row.get("evidence"):
        yield _line(f"  found by {_whence(row['evidence'])}", "dim")
    for passage in row.get("words", ()):
        yield _line(f"  message {passage['n']}, word for word:", "dim")
        yield _line("    " + passage["text"].replace("\n", "\n    "), keep_newlines=True)
    for name in ("settled", "ratified", "disputed", "confirmed", "retracted"):
        if row.get(name):
            yield _line(f"  {name} at message {row[name]['n']}, {_whence(row[name])}", "dim")
            yield _quote(row[name])


def _sides(row: Row) -> Iterator[Text]:
    for reaction in row.get("reactions", ()):
        yield _quote(reaction, f"  {_stance(reaction)}")
    for name in ("supporters", "dissenters", "abstainers"):
        for voice in row.get(name, ()):
            yield _quote(voice, f"  {name[:-1]} {voice['participant']}")


def _reach(row: Row) -> Iterator[Text]:
    """Which summaries cover it, and whether a listener is told of it now."""
    for covers in row.get("summaries", ()):
        level = f", level {covers['level']}" if covers["level"] else ""
        yield _line(f"  covered by the summary of {covers['first']}-{covers['last']}{level}", "dim")
    for fate in row.get("context", ()):
        block = f" {fate['block']!r}," if fate["block"] else ""
        yield _line(f"  in the full context now:{block} {fate['why']}", "dim")


def _history(row: Row) -> Iterator[Text]:
    if row.get("history"):
        yield _line("  history", "bold")
    for fact in row.get("history", ()):
        yield _line(f"    message {fact['n']}: {_event(row['handle'], fact)}")


def _heads(row: Row) -> list[Text]:
    if "outcome" in row:
        return _decision(row)
    if "reactions" in row:
        return _proposal(row)
    told = row.get("title") or row.get("text", "")
    state = row.get("status") or many(row["count"], "time")
    head = _line(f"  {row['handle']:>4} {row['kind']} {state}: {told}", "bold")
    more = [row[name] for name in ("done", "result") if row.get(name)]
    indented = (f"      {text}".replace("\n", "\n      ") for text in more)
    return [head, *(_line(text, keep_newlines=True) for text in indented)]


def _sections(report: Row) -> Iterator[tuple[str, list[Text]]]:
    yield "Decisions", [line for row in report["decisions"] for line in _decision(row)]
    yield "Open proposals", [line for row in report["open"] for line in _proposal(row)]
    yield "Settled proposals", [_proposal(row)[0] for row in report["settled"]]
    yield "Read by a model", [line for row in report["reading"]["items"] for line in _read(row)]
    yield "Taken back by a model", [_doubt(row) for row in report["reading"]["retracted"]]
    yield "Votes", [_line(f"    {vote_line(row)}") for row in report["votes"]]
    yield "Said before", [_echo(row) for row in report["echoes"]]
    yield "Positions", [line for row in report["positions"] for line in _stands(row)]
    yield "Summaries", [line for row in report["summaries"] for line in _summary(row)]
    yield "Statistics", [_line(f"  {line}") for line in statistics(report["statistics"])]


def statistics(found: Row) -> Iterator[str]:
    """Counts and sizes in words, one a line."""
    yield f"{many(found['messages'], 'message')} by {many(found['participants'], 'participant')}"
    for name in ("decision", "proposal"):
        by_status = found[f"{name}s_by_status"]
        parts = ", ".join(f"{count} {status}" for status, count in by_status.items())
        yield many(sum(by_status.values()), name) + (f": {parts}" if parts else "")
    yield f"{many(found['flips'], 'change')} of side, {many(found['echoes'], 'idea')} said before"
    sizes, owed = found["sizes"], found["summaries_owed"]
    made = f"{sizes['summary_tokens']} tokens for {sizes['summarised_tokens']} of talk"
    due = f"; {many(owed, 'more', 'more')} due" if owed else ""
    summaries = many(found["summaries"], "summary", "summaries")
    yield summaries + (f": {made}" if found["summaries"] else "") + due
    yield f"{many(sizes['open_messages'], 'message')} since the last summary"
    yield from extraction_lines(found["extraction"])
    yield f"{sizes['memory_bytes']:,} bytes of memory"
    for kind, count in found.get("unknown", {}).items():
        yield f"{count} of unknown kind {kind}, skipped"


def _decision(row: Row) -> list[Text]:
    lines = [_heading(row, f"{row['topic']}")]
    if row["outcome"] and row["outcome"] != row["topic"]:
        lines.append(_line(f"      → {row['outcome']}"))
    links = [
        f"settles {row['resolves']}" if row["resolves"] else "",
        f"supersedes {row['supersedes']}" if row["supersedes"] else "",
        f"superseded by {row['superseded_by']}" if row["superseded_by"] else "",
    ]
    votes = _votes(row["tally"])
    lines.append(_line("      " + ", ".join(filter(None, [votes, *links])), "dim"))
    for label, name in (
        ("for", "supporters"),
        ("against", "dissenters"),
        ("abstained", "abstainers"),
    ):
        if row[name]:
            voices = ", ".join(f"{v['participant']} ({v.get('n', '?')})" for v in row[name])
            lines.append(_line(f"      {label}: {voices}", "red" if name == "dissenters" else ""))
    lines.append(_quote(row["evidence"], "      "))
    return lines


def _proposal(row: Row) -> list[Text]:
    lines = [_heading(row, row["text"] or row["topic"])]
    votes = _votes(row["tally"])
    stances = ", ".join(map(_stance, row["reactions"]))
    links = [f"amends {row['amends']}" if row["amends"] else "",
             f"repeats {row['echoes']}" if row["echoes"] else ""]  # fmt: skip
    lines.append(_line("      " + "; ".join(filter(None, [votes, stances, *links])), "dim"))
    return lines


def _read(row: Row) -> list[Text]:
    """What a model alone reads in a message: it binds nobody."""
    why = f" ({row['reason']})" if row["reason"] else ""
    lines = [_heading(row, f"{row['kind']}{why}: {row['text']}")]
    lines += [
        _quote(one, f"      {MARKS[one['stance']]}{one['participant']}") for one in row["voices"]
    ]
    return [*lines, _quote(row["evidence"], "      ")]


def _doubt(row: Row) -> Text:
    return _quote(row, f"  {row['handle']} is no such thing, but: {row['reason']}.")


def _heading(row: Row, text: str) -> Text:
    head = Text(f"  {row['handle']:>4} ", style="bold")
    head.append(f"{row['status']} ", style=STYLES.get(row["status"], "dim"))
    if row.get("tentative"):
        head.append("(tentative) ", style="dim")
    return head.append(
        shown(_flat(f"{text}  ({row['participant']}, message {row['n']})")), style="not bold"
    )


def _echo(row: Row) -> Text:
    fate = f"was already {row['status']}" if row["status"] != "active" else "is still open"
    when = row["settled_n"] or row["repeats_n"]
    return _line(
        f"  {row['handle']} (message {row['n']}, {row['participant']}) repeats {row['repeats']}: "
        f"this idea {fate} at message {when}{_because(row['because'])}"
    )


def _because(why: Row | None) -> str:
    return f", because “{why['text']}” ({why['participant']}, message {why['n']})" if why else ""


def _stands(row: Row) -> list[Text]:
    lines = [_line(f"  {row['participant']} ({many(row['messages'], 'message')})", "bold")]
    for position in row["positions"]:
        mark = MARKS[position["stance"]]
        flip = ""
        if position["was"] and position["stance"] != "neutral":
            flip = f", changed from {position['was']} at message {position['was_n']}"
            if position["moved_n"]:
                flip += f" after {position['moved_by']} in message {position['moved_n']}"
        text = f"    {mark} {position['on']} (message {position['n']}{flip}): {position['text']}"
        lines.append(_line(text, "magenta" if flip else ""))
    newest = [said for said in row["contributions"] if said["quote"]][-CONTRIBUTIONS:]
    return lines + [_line(f"      “{said['quote']}” ({said['n']})", "dim") for said in newest]


def _summary(row: Row) -> list[Text]:
    level = f", level {row['level']}" if row["level"] else ""
    head = _line(f"  messages {row['first']}-{row['last']} ({row['how']}{level})", "bold")
    return [head, _line("    " + row["text"].replace("\n", "\n    "), keep_newlines=True)]


def _votes(tally: Row) -> str:
    return f"{tally['support']} for, {tally['oppose']} against, {tally['neutral']} abstaining"


def _stance(reaction: Row) -> str:
    notes = [
        "with conditions" if reaction["conditional"] else "",
        "" if reaction["counted"] else "inferred, does not bind",
    ]
    said = ", ".join(filter(None, notes))
    return f"{MARKS[reaction['stance']]}{reaction['participant']}" + (f" ({said})" if said else "")


def _quote(origin: Row | None, before: str = "    ") -> Text:
    if not origin or not origin.get("quote"):
        cited = f"message {origin['n']}" if origin and "n" in origin else "no longer at hand"
        return _line(f"{before} [{cited}]", "dim")
    by = f"{origin['by']}, " if origin.get("by") else ""
    return _line(f"{before} “{origin['quote']}” ({by}message {origin['n']})", "italic")


def _whence(origin: Row) -> str:
    if origin["how"] == "structure" and origin["rule"]:
        seen = [n for n, *_ in origin.get("cites", ())][1:]
        told = f", told at message {seen[0]}" if seen else ""
        why, sure = in_words(origin["rule"]), origin["confidence"] / 10
        return f"what stands around it{told}: {why}; confidence {sure:g} %"
    rule = f" {origin['rule']}" if origin["rule"] else ""
    return f"{origin['how']}{rule}, confidence {origin['confidence'] / 10:g} %"


def _event(handle: str, fact: Row) -> str:
    said = event_line(handle, fact)
    known = fact.get("how") and fact.get("confidence") is not None
    return f"{said} ({_whence({'rule': None, **fact})})" if known else said


def _line(text: str, style: str = "", *, keep_newlines: bool = False) -> Text:
    return Text(shown(text if keep_newlines else _flat(text), keep_newlines), style=style)


def _flat(text: str) -> str:
    """`text` without its breaks between lines, which a line of the minutes has no room for."""
    return _BREAKS.sub(" ", text)
