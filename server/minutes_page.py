"""The minutes as sections of lines, each with the messages that show it: what every form shows.

All text here is untrusted as it was said; who writes a form makes it harmless. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from server.output import many
from server.vote_view import vote_line

Row = Mapping[str, Any]

_STANCES: Final = {"support": "for", "oppose": "against", "neutral": "abstaining"}
_SIDES: Final = (("for", "supporters"), ("against", "dissenters"), ("abstained", "abstainers"))


class Line(NamedTuple):
    """`mark` leads it (a handle, a name), `note` is a word on its standing, `kind` its look."""

    text: str
    refs: tuple[int, ...] = ()
    mark: str = ""
    note: str = ""
    kind: str = ""  # "", quote, against, long (its line breaks stay)
    under: tuple[Line, ...] = ()


class Section(NamedTuple):
    heading: str
    lines: list[Line]
    about: str = ""  # what to know before reading it


def title(report: Row) -> str:
    return str(report["title"] or report["session"] or "Minutes")


def counts(report: Row) -> str:
    """Of how much talk these are the minutes."""
    talk = many(report["messages"], "message")
    told = f"{talk} by {many(report['participants'], 'participant')}"
    session = f"; session {report['session']}" if report["session"] else ""
    closed = f"; closed: {report['closed']}" if report["closed"] is not None else ""
    return f"{told}, up to entry {report['n']}{session}{closed}"


def sections(report: Row) -> list[Section]:
    """Those that have something to say, in their order."""
    left = report["left_out"]
    votes = {row["proposal"]: row for row in report["votes"] if row["proposal"]}
    found = [
        Section("Decisions", [_decision(row, votes) for row in report["decisions"]]),
        Section("Open proposals", [_proposal(row) for row in report["open"]]),
        Section("Votes", [_vote(row) for row in report["votes"]]),
        Section("Who moved", [_moved(row) for row in report["moved"]]),
        Section(
            "Action candidates",
            [_action(row) for row in report["actions"]],
            "Found by their wording; nobody has confirmed them." + _older(left["actions"]),
        ),
        Section(
            "Unresolved questions",
            [_question(row) for row in report["questions"]],
            "No answer was found by wording." + _older(left["questions"]),
        ),
        Section("Settled proposals", [_settled(row) for row in report["settled"]]),
        Section(
            "Read by a model",
            [_read(row) for row in report["reading"]["items"]],
            "A model alone reads these; they bind nobody.",
        ),
        Section("Summaries", [_summary(row) for row in _highest(report["summaries"])]),
    ]
    return [section for section in found if section.lines]


def linked(found: Iterable[Section]) -> set[int]:
    """The messages that some line links to."""
    waiting = [line for section in found for line in section.lines]
    refs: set[int] = set()
    while waiting:
        line = waiting.pop()
        refs.update(line.refs)
        waiting += line.under
    return refs


def shown_at(row: Row) -> str:
    """Who said a piece of evidence, and when."""
    return ", ".join(str(part) for part in (row["participant"] or row["kind"], row["at"]) if part)


def _older(count: int) -> str:
    return f" {many(count, 'older one is', 'older ones are')} left out." if count else ""


def _decision(row: Row, votes: Mapping[str, Row]) -> Line:
    links = [
        f"settles {row['resolves']}" if row["resolves"] else "",
        f"supersedes {row['supersedes']}" if row["supersedes"] else "",
        f"superseded by {row['superseded_by']}" if row["superseded_by"] else "",
    ]
    under = [Line("; ".join(filter(None, [_tally(row["tally"]), *links])))]
    vote = votes.get(row["resolves"])
    if vote is not None:
        under.append(Line(vote_line(vote), _numbers(vote["n"], vote["closed_n"])))
    for label, side in _SIDES:
        under += _voices(label, row[side])
    under += _quoted(row["evidence"])
    refs = _numbers(row["n"], *(_n(row[name]) for name in ("ratified", "disputed")))
    return Line(row["outcome"] or row["topic"], refs, row["handle"], _status(row), "", tuple(under))


def _voices(label: str, voices: Sequence[Row]) -> Iterator[Line]:
    """Those for it on one line; whoever is against it with their words."""
    if label == "against":
        for voice in voices:
            said = f": “{voice['quote']}”" if voice.get("quote") else ""
            yield Line(f"{voice['participant']}{said}", _numbers(_n(voice)), label, "", "against")
    elif voices:
        names = ", ".join(voice["participant"] for voice in voices)
        yield Line(names, _numbers(*map(_n, voices)), label)


def _proposal(row: Row) -> Line:
    under = [Line(_tally(row["tally"]))]
    for reaction in row["reactions"]:
        notes = ["with conditions"] if reaction["conditional"] else []
        notes += [] if reaction["counted"] else ["inferred, does not bind"]
        said = f": “{reaction['quote']}”" if reaction.get("quote") else ""
        kind = "against" if reaction["stance"] == "oppose" else ""
        text, mark = f"{reaction['participant']}{said}", _STANCES[reaction["stance"]]
        under.append(Line(text, _numbers(_n(reaction)), mark, ", ".join(notes), kind))
    by = f"by {row['participant']}"
    links = [f"amends {row['amends']}" if row["amends"] else "",
             f"repeats {row['echoes']}" if row["echoes"] else ""]  # fmt: skip
    under.insert(0, Line("; ".join(filter(None, [by, *links]))))
    text = row["text"] or row["topic"]
    return Line(text, _numbers(row["n"]), row["handle"], _status(row), "", tuple(under))


def _settled(row: Row) -> Line:
    refs = _numbers(row["n"], _n(row["settled"]))
    return Line(
        row["topic"], refs, row["handle"], _status(row), "",
        (Line(f"by {row['participant']}; {_tally(row['tally'])}"),),
    )  # fmt: skip


def _vote(row: Row) -> Line:
    under = [
        Line(", ".join(choice) or "could not be read", (), name)
        for name, choice in (row["ballots"] or {}).items()
    ]
    refs = _numbers(row["n"], row["closed_n"])
    return Line(vote_line(row), refs, under=tuple(under))


def _moved(row: Row) -> Line:
    on = row["on"] + (f" ({row['topic']})" if row["topic"] else "")
    after = f", after {row['after']}" if row["after"] else ""
    text = f"from {_STANCES[row['from']]} to {_STANCES[row['to']]} {on}{after}"
    said = (Line(f"“{row['text']}”", (), "", "", "quote"),) if row["text"] else ()
    refs = _numbers(row["from_n"], row["after_n"] or None, row["n"])
    return Line(text, refs, row["participant"], under=said)


def _action(row: Row) -> Line:
    notes = [f"follows {row['decision']}"] if row["decision"] else []
    if row["who"] != row["by"]:
        notes.append(f"said by {row['by']}")
    return Line(row["text"], _numbers(row["n"]), row["who"] or "nobody named", ", ".join(notes))


def _question(row: Row) -> Line:
    about = f"on {', '.join(row['about'])}" if row["about"] else ""
    to = f"to {', '.join(row['to'])}" if row["to"] else ""
    notes = ", ".join(filter(None, [to, about]))
    return Line(row["text"], _numbers(row["n"]), row["participant"], notes)


def _read(row: Row) -> Line:
    why = f" ({row['reason']})" if row["reason"] else ""
    text, note = row["text"] or row["topic"], f"{row['kind']}, {row['status']}{why}"
    return Line(text, _numbers(row["n"]), row["handle"], note, "", tuple(_quoted(row["evidence"])))


def _summary(row: Row) -> Line:
    span = f"messages {row['first']}-{row['last']}"
    return Line(row["text"], _numbers(row["first"], row["last"]), span, row["how"], "long")


def _highest(rows: Sequence[Row]) -> list[Row]:
    """The summaries that no summary of a higher level covers."""
    found: list[Row] = []
    for row in sorted(rows, key=lambda row: (-row["level"], row["first"])):
        if not any(one["first"] <= row["first"] and row["last"] <= one["last"] for one in found):
            found.append(row)
    return sorted(found, key=lambda row: row["first"])


def _quoted(origin: Row | None) -> Iterator[Line]:
    if origin and origin["quote"]:
        yield Line(f"“{origin['quote']}”", _numbers(origin["n"]), "", origin["by"] or "", "quote")


def _status(row: Row) -> str:
    return str(row["status"]) + (", tentative" if row["tentative"] else "")


def _tally(tally: Row) -> str:
    return f"{tally['support']} for, {tally['oppose']} against, {tally['neutral']} abstaining"


def _n(origin: Row | None) -> int | None:
    return origin.get("n") if origin else None


def _numbers(*found: int | None) -> tuple[int, ...]:
    """Each once, ascending."""
    return tuple(sorted({n for n in found if n}))
