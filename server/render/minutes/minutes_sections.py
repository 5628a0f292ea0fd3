"""The minutes as sections of lines, each with the messages that show it: what every form shows.

A page, however long the talk: what is firm comes first, what a line has said no other
repeats, and of what would go on and on the newest stay and the rest are counted.
All text here is untrusted as it was said; who writes a form makes it harmless. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from parley.memory.text.plain_text import clip
from parley.server.basics.output import count_of
from parley.server.render.minutes import row_lines
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line

Row = Mapping[str, Any]

# Lines of a section: together about as much as one reads standing.
_DECISIONS: Final = 30
OPEN: Final = 15
_SUGGESTED: Final = 8
_OTHERS: Final = 12
_SUMMARIES: Final = 6
_QUOTED: Final = 240  # characters of a message in the appendix
_AROUND: Final = 24  # characters of a quotation's number and lines, and of the heading over all
_SURE: Final = 600  # per mille: "I propose", not "maybe we could"


class Section(NamedTuple):
    """With `columns` its lines are rows of a table: the mark, the words, the note of each."""

    heading: str
    lines: list[Line]
    about: str = ""  # what to know before reading it
    columns: tuple[str, ...] = ()


def sections(report: Row) -> list[Section]:
    """The sections that have something to say, in their order."""
    lines = [
        *_decided(report),
        *_to_do(report),
        *_offered(report),
        *_people(report),
        *_perhaps(report),
        *_settled(report),
        *_layers(report),
    ]
    return [section for section in lines if section.lines]


def sections_row(report: Row, lines: Iterable[Section]) -> dict[str, Any]:
    """The page as plain data, for who draws it elsewhere."""
    return {
        "title": title(report),
        "head": [*heading_lines(report)],
        "lead": lead_paragraph(report),
        "sections": [
            {
                "heading": section.heading,
                "about": section.about,
                "columns": [*section.columns],
                "lines": [line.row() for line in section.lines],
            }
            for section in lines
        ],
    }


def cited_entries(lines: Sequence[Section]) -> list[int]:
    """The messages that some line links to, each once: what items rest on before voices on them."""
    top = [line for section in lines for line in section.lines]
    return [*dict.fromkeys(n for line in (*top, *_each(lines)) for n, *_ in line.cites)]


def appendix(report: Row, lines: Sequence[Section]) -> list[Row]:
    """The messages that the page quotes at its end, by number: at most a fifth of all.

    The first that are linked, which are those of decisions; of each its beginning.
    """
    top = [title(report), *heading_lines(report), lead_paragraph(report)]
    top += [section.heading + section.about for section in lines]
    body = (line.text + line.mark + line.note for line in _each(lines))
    room = (sum(map(len, body)) + sum(map(len, top))) // 4 - _AROUND
    evidence = {row["n"]: row for row in report["evidence"]}
    shown: list[Row] = []
    for n in cited_entries(lines):
        if n in evidence:
            row = {**evidence[n], "text": clip(evidence[n]["text"], _QUOTED)}
            room -= len(row["text"]) + len(time_label(row)) + _AROUND
            if room < 0:
                break
            shown.append(row)
    return sorted(shown, key=lambda row: int(row["n"]))


def _each(lines: Sequence[Section]) -> Iterator[Line]:
    """Every line of the page, from the top."""
    waiting = [line for section in lines for line in section.lines][::-1]
    while waiting:
        line = waiting.pop()
        yield line
        waiting += line.under[::-1]


def time_label(row: Row) -> str:
    """Who said a piece of evidence, and when; a time that no sender gave is marked."""
    at = f"received {row['at']}" if row["at_from"] == "receipt" else row["at"]
    return ", ".join(str(part) for part in (row["participant"] or row["kind"], at) if part)


def _decided(report: Row) -> list[Section]:
    """What is in force, above what it replaced; then what is disputed; in the order of talk."""
    brief = report["brief"]
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    offers = {row["handle"]: row for row in (*report["open"], *report["settled"])}

    def section(heading: str, part: str, about: str = "") -> Section:
        kept, older = _newest(_named(report["decisions"], brief[part]), _DECISIONS)
        lines = [
            row_lines.decision(row, votes, offers, brief["replaced"].get(row["handle"], ()))
            for row in kept
        ]
        return Section(heading, lines, " ".join(filter(None, [about, _older(older)])))

    disputed = "Said to be decided; somebody objects."
    return [section("Decisions", "decided"), section("Disputed", "disputed", disputed)]


def _named(rows: Sequence[Row], handles: Iterable[str]) -> list[Row]:
    """Those of these handles, in the order of `rows`."""
    wanted = set(handles)
    return [row for row in rows if row["handle"] in wanted]


def _to_do(report: Row) -> list[Section]:
    left = report["left_out"]
    to_do, actions = _newest(report["actions"], _OTHERS)
    asked, questions = _newest(report["questions"], _OTHERS)
    return [
        Section(
            "Actions",
            [row_lines.action(row) for row in to_do],
            _older(actions + left["actions"]),
            ("Who", "What", "By when"),
        ),
        Section(
            "Open questions",
            [row_lines.question(row) for row in asked],
            _older(questions + left["questions"]),
        ),
    ]


def _offered(report: Row) -> list[Section]:
    """What is proposed and not settled, and the votes that are not told with what they decided."""
    kept, older = _newest(_named(report["open"], report["brief"]["open"]), OPEN)
    shown = _shown_votes(report)
    votes = [row for row in report["votes"] if row["ref"] not in shown]
    running, past = _newest(votes, _OTHERS)
    return [
        Section("Open proposals", [row_lines.proposal(row) for row in kept], _older(older)),
        Section("Votes", [row_lines.vote(row) for row in running], _older(past)),
    ]


def _people(report: Row) -> list[Section]:
    moved, flips = _newest(report["moved"], _OTHERS)
    return [Section("Who moved", [row_lines.moved(row) for row in moved], _older(flips))]


def _perhaps(report: Row) -> list[Section]:
    """What was said but binds nobody: the surest."""
    rows, more = report["brief"]["perhaps"], report["brief"]["counts"]["perhaps"] - _SUGGESTED
    whole = {row["handle"]: row["wording"] for row in report["decisions"]}
    lines = [row_lines.perhaps(row, whole.get(row["ref"])) for row in rows[:_SUGGESTED]]
    return [
        Section("Perhaps", lines, "Nothing binds anybody to these." + _older(max(0, more), " "))
    ]


def _settled(report: Row) -> list[Section]:
    """What became of the other proposals; those that a decision tells of are told there."""
    resolved = {row["resolves"] for row in report["decisions"]}
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    others = [row for row in report["settled"] if row["handle"] not in resolved]
    rows = [row for row in others if row["status"] != "lapsed" or _heard(row)]
    kept, older = _newest(rows, _OTHERS)
    silent = len(others) - len(rows)
    lapsed = f"{count_of(silent, 'suggestion')} lapsed without a word." if silent else ""
    about = " ".join(filter(None, [_older(older), lapsed]))
    return [
        Section("Other settled proposals", [row_lines.settled(row, votes) for row in kept], about),
    ]


def _layers(report: Row) -> list[Section]:
    goals, before = _newest(report["goals"], _OTHERS)
    worded = [row for row in report["summaries"] if row["how"] == "model"]  # extracts are the talk
    highest, older = _newest(_highest(worded), _SUMMARIES)
    return [
        Section("Goals", [row_lines.goal(row) for row in goals], _older(before)),
        Section("What was learnt", [row_lines.lesson(row) for row in report["learnt"][:_OTHERS]]),
        Section("Summaries", [row_lines.summary(row) for row in highest], _older(older)),
    ]


def _heard(row: Row) -> bool:
    """Whether a proposal is more than what it sounds like: said to be one, or spoken to."""
    if row["reactions"] or any(row["tally"].values()):
        return True
    how, sure = row["evidence"]["how"], row["evidence"]["confidence"]
    return not row["tentative"] and how != "structure" and sure >= _SURE


def _shown_votes(report: Row) -> set[str]:
    """The votes that stand with what they decided."""
    settled = {row["resolves"] for row in report["decisions"]}
    settled |= {row["handle"] for row in report["settled"]}
    last = {row["proposal"]: row["ref"] for row in report["votes"]}
    return {ref for proposal, ref in last.items() if proposal in settled}


def _newest(rows: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """At most `most` of the rows, the newest, in their order, and how many are left out."""
    over = max(0, len(rows) - most)
    return [*rows[over:]], over


def _older(count: int, before: str = "") -> str:
    left = count_of(count, "more is left out here", "more are left out here")
    return f"{before}{left}; the JSON form has all." if count else ""


def _highest(rows: Sequence[Row]) -> list[Row]:
    """The summaries that no summary of a higher level covers."""
    highest: list[Row] = []
    for row in sorted(rows, key=lambda row: (-row["level"], row["first"])):
        if not any(
            other["first"] <= row["first"] and row["last"] <= other["last"] for other in highest
        ):
            highest.append(row)
    return sorted(highest, key=lambda row: row["first"])
