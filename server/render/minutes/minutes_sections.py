"""The minutes as sections of lines, each with the messages that show it: what every form shows.

A page, however long the talk: what is firm comes first, what a line has said no other
repeats, and of what would go on and on the newest stay and the rest are counted.
All text here is untrusted as it was said; who writes a form makes it harmless. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from parley.server.basics.output import count_of
from parley.server.render.minutes import row_lines
from parley.server.render.minutes.minutes_heading import heading_lines, title
from parley.server.render.minutes.minutes_line import Line

Row = Mapping[str, Any]

# Lines of a section: together about as much as one reads standing.
_DECISIONS: Final = 30
OPEN: Final = 15
_SUGGESTED: Final = 8
OTHERS: Final = 12
_SUMMARIES: Final = 6
_SURE: Final = 600  # per mille: "I propose", not "maybe we could"
_FIRM: Final = {"ratified": 0, "disputed": 1, "claimed": 2, "superseded": 4}


class Section(NamedTuple):
    heading: str
    lines: list[Line]
    about: str = ""  # what to know before reading it


def sections(report: Row) -> list[Section]:
    """The sections that have something to say, in their order."""
    lines = [
        *_decided(report),
        *_offered(report),
        *_people(report),
        *_settled(report),
        *_layers(report),
    ]
    return [section for section in lines if section.lines]


def sections_row(report: Row, lines: Iterable[Section]) -> dict[str, Any]:
    """The page as plain data, for who draws it elsewhere."""
    return {
        "title": title(report),
        "head": [*heading_lines(report)],
        "sections": [
            {
                "heading": section.heading,
                "about": section.about,
                "lines": [line.row() for line in section.lines],
            }
            for section in lines
        ],
    }


def cited_entries(lines: Iterable[Section]) -> set[int]:
    """The messages that some line links to."""
    waiting = [line for section in lines for line in section.lines]
    refs: set[int] = set()
    while waiting:
        line = waiting.pop()
        refs.update(n for n, *_ in line.cites)
        waiting += line.under
    return refs


def time_label(row: Row) -> str:
    """Who said a piece of evidence, and when; a time that no sender gave is marked."""
    at = f"received {row['at']}" if row["at_from"] == "receipt" else row["at"]
    return ", ".join(str(part) for part in (row["participant"] or row["kind"], at) if part)


def _decided(report: Row) -> list[Section]:
    """The firmest first; of each kind in the order of the talk."""
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    offers = {row["handle"]: row for row in (*report["open"], *report["settled"])}
    rows = sorted(report["decisions"], key=lambda row: _FIRM[row["status"]] + row["tentative"])
    kept, older = _newest(rows, _DECISIONS, firm=True)
    return [
        Section(
            "Decisions", [row_lines.decision(row, votes, offers) for row in kept], _older(older)
        )
    ]


def _offered(report: Row) -> list[Section]:
    """What somebody spoke to, and apart from it what only sounds like a proposal."""
    voted = {row["proposal"] for row in report["votes"]}
    heard = [row for row in report["open"] if _heard(row) or row["handle"] in voted]
    rest = [row for row in report["open"] if row not in heard]
    kept, older = _newest(heard, OPEN)
    few, more = _surest(rest, _SUGGESTED)
    shown = _shown_votes(report)
    votes = [row for row in report["votes"] if row["ref"] not in shown]
    running, past = _newest(votes, OTHERS)
    return [
        Section("Open proposals", [row_lines.proposal(row) for row in kept], _older(older)),
        Section("Votes", [row_lines.vote(row) for row in running], _older(past)),
        Section(
            "Suggestions",
            [row_lines.suggestion(row) for row in few],
            "Found by their wording; nobody took them up." + _older(more, " "),
        ),
    ]


def _people(report: Row) -> list[Section]:
    left = report["left_out"]
    moved, flips = _newest(report["moved"], OTHERS)
    to_do, actions = _newest(report["actions"], OTHERS)
    asked, questions = _newest(report["questions"], OTHERS)
    return [
        Section("Who moved", [row_lines.moved(row) for row in moved], _older(flips)),
        Section(
            "Action candidates",
            [row_lines.action(row) for row in to_do],
            "Found by their wording; nobody has confirmed them."
            + _older(actions + left["actions"], " "),
        ),
        Section(
            "Unresolved questions",
            [row_lines.question(row) for row in asked],
            "No answer was found by wording." + _older(questions + left["questions"], " "),
        ),
    ]


def _settled(report: Row) -> list[Section]:
    """What became of the other proposals; those that a decision tells of are told there."""
    resolved = {row["resolves"] for row in report["decisions"]}
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    others = [row for row in report["settled"] if row["handle"] not in resolved]
    rows = [row for row in others if row["status"] != "lapsed" or _heard(row)]
    kept, older = _newest(rows, OTHERS)
    silent = len(others) - len(rows)
    lapsed = f"{count_of(silent, 'suggestion')} lapsed without a word." if silent else ""
    about = " ".join(filter(None, [_older(older), lapsed]))
    return [
        Section("Other settled proposals", [row_lines.settled(row, votes) for row in kept], about),
        Section(
            "Read by a model",
            [row_lines.claim_line(row) for row in report["reading"]["items"]],
            "A model alone reads these; they bind nobody.",
        ),
    ]


def _layers(report: Row) -> list[Section]:
    goals, before = _newest(report["goals"], OTHERS)
    highest, older = _newest(_highest(report["summaries"]), _SUMMARIES)
    return [
        Section("Goals", [row_lines.goal(row) for row in goals], _older(before)),
        Section("What was learnt", [row_lines.lesson(row) for row in report["learnt"][:OTHERS]]),
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


def _newest(rows: Sequence[Row], most: int, *, firm: bool = False) -> tuple[list[Row], int]:
    """At most `most` of the rows, in their order, and how many are left out.

    The newest stay; with `firm`, where the rows come by their rank, the first ranks do.
    """
    over = len(rows) - most
    if over <= 0:
        return [*rows], 0
    if not firm:
        return [*rows[over:]], over
    ranks = [_FIRM[row["status"]] + row["tentative"] for row in rows]
    place = range(len(rows))
    kept = sorted(sorted(place, key=lambda at: (ranks[at], -rows[at]["n"]))[:most])
    return [rows[at] for at in kept], over


def _surest(rows: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """The rows that are most likely what they sound like, in the order of the talk."""
    rank = sorted(rows, key=lambda row: -row["evidence"]["confidence"])[:most]
    return sorted(rank, key=lambda row: row["n"]), max(0, len(rows) - most)


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
