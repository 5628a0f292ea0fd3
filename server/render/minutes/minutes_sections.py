"""The minutes as sections of lines, each with the messages that show it: what every form shows.

A page, however long the talk: what is firm comes first, what a line has said no other
repeats, and of what would go on and on the newest stay and the rest are counted.
All text here is untrusted as it was said; who writes a form makes it harmless. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from parley.memory.text.similarity import content_stems
from parley.server.basics.output import count_of
from parley.server.render.minutes import row_lines
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.standing import (
    declared_decisions,
    is_routine,
    open_proposals,
    told_decisions,
    unconfirmed_decisions,
)
from parley.server.verdicts.plain_words import is_fragment

Row = Mapping[str, Any]

# Lines of a section: together about as much as one reads standing.
_DECISIONS: Final = 30
OPEN: Final = 15
_SUGGESTED: Final = 3
_QUESTIONS: Final = 6
_OTHERS: Final = 12
_SUMMARIES: Final = 6
_DAY: Final = len("2026-03-02")
_NUMBERS: Final = "[n] is the message that decided it."
_READ: Final = "What is marked “as read” was read by a model; people may correct it."


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
        *_drawn_up(report),
        *_to_do(report),
        *_offered(report),
        *_discussed(report),
        *_people(report),
        *_unconfirmed(report),
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


def _decided(report: Row) -> list[Section]:
    """What is in force, above what it replaced; then what is disputed; in the order of talk."""
    brief = report["brief"]
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    offers = {row["handle"]: row["participant"] for row in (*report["open"], *report["settled"])}

    def section(heading: str, part: str, about: str = "") -> Section:
        kept, older = _newest(told_decisions(report, part), _DECISIONS)
        proposers = [offers.get(row["resolves"], "") for row in kept]
        alone = len(kept) > 1 and len({*proposers}) == 1 and proposers[0]
        whose = f"All were proposed by {alone}." if alone else ""
        lines = [
            row_lines.decision(
                row, votes, "" if alone else proposer, day_of(report, row),
                brief["replaced"].get(row["handle"], ()),
            )
            for row, proposer in zip(kept, proposers, strict=True)
        ]  # fmt: skip
        read = _READ if any(row["as_read"] for row in kept) else ""
        notes = [about, whose, _NUMBERS if part == "decided" else "", read, _older(older)]
        return Section(heading, lines, " ".join(filter(None, notes)))

    declared = "One person put it down; nobody is on record for or against it."
    disputed = "Said to be decided; somebody objects."
    return [
        section("Decisions", "decided"),
        Section(
            "Put down as decided",
            [row_lines.declared(row) for row in declared_decisions(report) if not is_routine(row)],
            declared,
        ),
        section("Disputed", "disputed", disputed),
    ]


def day_of(report: Row, row: Row) -> str:
    """The day on which it was said, where the talk took more than one."""
    began, ended = ((report[name] or "")[:_DAY] for name in ("began", "ended"))
    return "" if began == ended else (row["at"] or "")[:_DAY]


def _drawn_up(report: Row) -> list[Section]:
    return [Section("Drawn up", [*map(row_lines.document, report["documents"])])]


def _to_do(report: Row) -> list[Section]:
    """Who does what; what nobody is named for; what waits."""
    left = report["left_out"]
    to_do, actions = _newest(report["actions"], _OTHERS)
    asked, questions = _newest(report["questions"], _QUESTIONS)
    in_force = report["brief"]["decided"]
    offers = [row["handle"] for row in open_proposals(report)]
    tasks = [row_lines.action(row, in_force) for row in to_do]
    tasks += [row_lines.step(row, offers) for row in report["put_off"] if row["step"]]
    due = any(line.note for line in tasks)
    return [
        Section(
            "Actions",
            tasks,
            _older(actions + left["actions"]),
            ("Who", "What", "By when") if due else ("Who", "What"),
        ),
        Section("Shows of hands", [*map(row_lines.poll, report["polls"])]),
        Section(
            "Open questions",
            [row_lines.question(row) for row in asked],
            _older(questions + left["questions"]),
        ),
    ]


def _offered(report: Row) -> list[Section]:
    """What is proposed and not settled, and the votes that are not told with what they decided."""
    kept, older = _newest(open_proposals(report), OPEN)
    shown = _shown_votes(report)
    votes = [row for row in report["votes"] if row["ref"] not in shown]
    running, past = _newest(votes, _OTHERS)
    return [
        Section("Proposed, not decided", [*_by_proposer(report, kept)], _older(older)),
        Section("Votes", [row_lines.vote(row) for row in running], _older(past)),
    ]


def _by_proposer(report: Row, rows: Sequence[Row]) -> Iterator[Line]:
    """In the order of the talk; what one person proposed in a row stands together."""
    for name, run in groupby(rows, key=lambda row: str(row["participant"])):
        theirs = [*run]
        grouped = len(theirs) > 1
        lines = [row_lines.proposal(row, day_of(report, row), grouped) for row in theirs]
        yield from [row_lines.offers_of(name, lines)] if grouped else lines


def _discussed(report: Row) -> list[Section]:
    """Sentences of the talk, where nothing else on the page says what it was about."""
    declared = [row for row in declared_decisions(report) if not is_routine(row)]
    if any((report["brief"]["decided"], declared, open_proposals(report), report["polls"])):
        return []
    topics = dict.fromkeys(row["topic"] for row in report["discussion"])
    lines = [
        line
        for topic in topics
        for line in row_lines.discussed(
            topic, [row for row in report["discussion"] if row["topic"] == topic]
        )
    ]
    return [Section("What was said", lines, "Sentences with the words that came up most.")]


def _people(report: Row) -> list[Section]:
    """Who changed sides, on what stands on the page."""
    shown = set(report["brief"]["open"])
    apart = {row["handle"] for row in report["open"]} - shown  # in the drawer
    moved, flips = _newest([row for row in report["moved"] if row["on"] not in apart], _OTHERS)
    return [Section("Who moved", [row_lines.moved(row) for row in moved], _older(flips))]


def _unconfirmed(report: Row) -> list[Section]:
    """What is said to be decided and was not confirmed, but for fragments and what was told."""
    standing = [
        row["wording"] or row["text"] for row in report["decisions"] if row["status"] != "claimed"
    ]
    standing += [row["text"] for row in (*report["open"], *report["settled"]) if row["reactions"]]
    standing += [row["then"]["text"] for row in report["polls"] if row["then"]]
    known = [*map(_stems, standing), *map(_stems, _points(report))]
    rows = [
        row
        for row in unconfirmed_decisions(report)
        if not is_fragment(row["text"]) and not is_told(_stems(row["text"]), known)
    ]
    lines = [*map(row_lines.unconfirmed, rows[:_SUGGESTED])]
    about = "Somebody says that this was decided; nobody confirmed it, and nothing binds."
    return [Section("Unconfirmed", lines, about + _older(max(0, len(rows) - _SUGGESTED), " "))]


def _points(report: Row) -> list[str]:
    return [" ".join(row["whole"]) for row in report["documents"]]


def _stems(text: str) -> set[str]:
    return {*content_stems(text)}


def is_told(stems: set[str], known: Sequence[set[str]]) -> bool:
    """Whether some known text has at least a third of these words, and three of them."""
    return any(len(stems & other) >= max(3, len(stems) // 3) for other in known)


def _settled(report: Row) -> list[Section]:
    """What became of the other proposals; those that a decision tells of are told there."""
    resolved = {handle for row in report["decisions"] for handle in row["settles"]}
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    others = [
        row
        for row in report["settled"]
        if row["handle"] not in resolved and row["superseded_by"] not in resolved
    ]
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
    """True for a proposal that somebody took a side on."""
    return bool(row["reactions"]) or any(row["tally"].values())


def _shown_votes(report: Row) -> set[str]:
    """The votes that stand with what they decided."""
    settled = {handle for row in report["decisions"] for handle in row["settles"]}
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
