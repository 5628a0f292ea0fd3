"""One row of the minutes as a line, and the lines below it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memory.text import clip, one_line
from server.vote_view import headline, vote_line

Row = Mapping[str, Any]

SETTLED: Final = 240  # characters of a proposal that is over
EXTRACT: Final = 400  # of a summary that no model made: its first sentences
_MARKED: Final = 24  # characters such as "RESOLVED: " and "[DECISION] " before the same words
_STANCES: Final = {"support": "for", "oppose": "against", "neutral": "abstaining"}
_SIDES: Final = (
    ("for", "support", "supporters"),
    ("against", "oppose", "dissenters"),
    ("abstaining", "neutral", "abstainers"),
)


class Line(NamedTuple):
    """`mark` leads it (a handle, a name), `note` is a word on its standing, `kind` its look."""

    text: str
    refs: tuple[int, ...] = ()
    mark: str = ""
    note: str = ""
    kind: str = ""  # "", quote, against, firm, over, long (its line breaks stay)
    under: tuple[Line, ...] = ()


def decision(row: Row, votes: Mapping[str, Row], offers: Mapping[str, Row]) -> Line:
    """With its votes, its dissent in its own words, and the words that it rests on."""
    text = row["wording"] or row["outcome"] or row["topic"]
    refs = _numbers(row["n"], *(_n(row[name]) for name in ("ratified", "disputed")))
    gone = f", by {row['superseded_by']}" if row["superseded_by"] else ""
    kind = {"ratified": "firm", "superseded": "over"}.get(row["status"], "")
    under: list[Line] = []
    for label, stance, side in _SIDES:
        under += _voices(label, row["tally"][stance], row[side])
    under += _reach(row, offers)
    held = votes.get(row["resolves"])
    if held is not None:
        told = f"{held['ref']} {headline(held)}"
        under.append(Line(told, _numbers(held["n"], held["closed_n"])))
    if row["evidence"] and row["evidence"]["how"] != "vote":  # a count says what the vote does
        under += _quoted(row["evidence"], text)
    return Line(text, refs, row["handle"], _status(row) + gone, kind, tuple(under))


def _voices(label: str, count: int, voices: Sequence[Row]) -> Iterator[Line]:
    """How many; their names on one line, but for who is against it, each with their words."""
    if label == "against" and voices:
        for voice in voices:
            yield Line(
                f"{voice['participant']}{_in_words(voice)}",
                _numbers(_n(voice)),
                label,
                "",
                "against",
            )
    elif voices or count:
        names = ", ".join(voice["participant"] for voice in voices)
        yield Line(names, _numbers(*map(_n, voices)), f"{max(count, len(voices))} {label}")


def _reach(row: Row, offers: Mapping[str, Row]) -> Iterator[Line]:
    """What it does to other items."""
    offer = offers.get(row["resolves"])
    by = f" by {offer['participant']}" if offer else ""
    settles = f"settles {row['resolves']}{by}" if row["resolves"] else ""
    supersedes = f"supersedes {row['supersedes']}" if row["supersedes"] else ""
    if settles or supersedes:
        told = "; ".join(filter(None, [settles, supersedes]))
        yield Line(told, _numbers(offer["n"] if offer else None))


def proposal(row: Row) -> Line:
    """With who is for it on one line, who objects or sets conditions in their words."""
    parts = [
        f"by {row['participant']}",
        tally(row["tally"]) if row["reactions"] else "",
        f"amends {row['amends']}" if row["amends"] else "",
        f"repeats {row['echoes']}" if row["echoes"] else "",
    ]
    under = [Line("; ".join(filter(None, parts)))]
    plain: dict[tuple[str, str], list[Row]] = {}
    for reaction in row["reactions"]:
        note = "" if reaction["counted"] else "inferred, does not bind"
        if reaction["conditional"] or reaction["stance"] == "oppose":
            under.append(_objection(reaction, note))
        else:
            plain.setdefault((reaction["stance"], note), []).append(reaction)
    for (stance, note), voices in plain.items():
        names = ", ".join(voice["participant"] for voice in voices)
        under.append(Line(names, _numbers(*map(_n, voices)), _STANCES[stance], note))
    text = row["text"] or row["topic"]
    return Line(text, _numbers(row["n"]), row["handle"], _status(row), "", tuple(under))


def _objection(reaction: Row, note: str) -> Line:
    notes = ["with conditions"] if reaction["conditional"] else []
    said = _in_words(reaction)
    kind = "against" if reaction["stance"] == "oppose" else ""
    text, mark = f"{reaction['participant']}{said}", _STANCES[reaction["stance"]]
    return Line(text, _numbers(_n(reaction)), mark, ", ".join(filter(None, [*notes, note])), kind)


def _in_words(voice: Row) -> str:
    said = voice.get("words") or voice.get("quote")
    return f": “{said}”" if said else ""


def suggestion(row: Row) -> Line:
    text = row["text"] or row["topic"]
    return Line(text, _numbers(row["n"]), row["handle"], f"by {row['participant']}")


def settled(row: Row, votes: Mapping[str, Row]) -> Line:
    refs = _numbers(row["n"], _n(row["settled"]))
    now = f", now {row['superseded_by']}" if row["superseded_by"] else ""
    notes = [
        f"{row['status']}{now}",
        f"by {row['participant']}",
        tally(row["tally"]),
        f"repeats {row['echoes']}" if row["echoes"] else "",
    ]
    held = votes.get(row["handle"])
    under = (vote(held, asked=False),) if held is not None else ()
    text = clip(row["text"] or row["topic"], SETTLED)
    return Line(text, refs, row["handle"], "; ".join(filter(None, notes)), "", under)


def vote(row: Row, *, asked: bool = True) -> Line:
    """With who chose what, a line an option; without what was `asked` where that stands above."""
    chose: dict[str, list[str]] = {}
    for name, choice in (row["ballots"] or {}).items():
        chose.setdefault(" > ".join(choice) or "could not be read", []).append(name)
    under = [Line(", ".join(names), (), choice) for choice, names in chose.items()]
    told = vote_line(row) if asked else f"{row['ref']} {headline(row)}"
    return Line(told, _numbers(row["n"], row["closed_n"]), under=tuple(under))


def moved(row: Row) -> Line:
    on = row["on"] + (f" ({row['topic']})" if row["topic"] else "")
    after = f", after {row['after']}" if row["after"] else ""
    text = f"from {_STANCES[row['from']]} to {_STANCES[row['to']]} {on}{after}"
    said = (Line(f"“{row['text']}”", (), "", "", "quote"),) if row["text"] else ()
    refs = _numbers(row["from_n"], row["after_n"] or None, row["n"])
    return Line(text, refs, row["participant"], under=said)


def action(row: Row) -> Line:
    notes = [f"follows {row['decision']}"] if row["decision"] else []
    if row["who"] != row["by"]:
        notes.append(f"said by {row['by']}")
    return Line(row["text"], _numbers(row["n"]), row["who"] or "to do", ", ".join(notes))


def question(row: Row) -> Line:
    about = f"on {', '.join(row['about'])}" if row["about"] else ""
    to = f"to {', '.join(row['to'])}" if row["to"] else ""
    notes = ", ".join(filter(None, [to, about]))
    return Line(row["text"], _numbers(row["n"]), row["participant"], notes)


def read(row: Row) -> Line:
    why = f" ({row['reason']})" if row["reason"] else ""
    text, note = row["text"] or row["topic"], f"{row['kind']}, {row['status']}{why}"
    under = tuple(_quoted(row["evidence"], text))
    return Line(text, _numbers(row["n"]), row["handle"], note, "", under)


def goal(row: Row) -> Line:
    """What it came to below it; a task is no further in than its goal, whose name it follows."""
    refs = _numbers(row["opened_n"], row["closed_n"])
    result = (Line(one_line(row["result"])),) if row["result"] else ()
    return Line(row["title"], refs, row["ref"], f"{row['kind']}, {row['status']}", "", result)


def lesson(row: Row) -> Line:
    times = f", {row['count']} times" if row["count"] > 1 else ""
    return Line(row["text"], _numbers(*row["cites"]), row["ref"], f"{row['kind']}{times}")


def summary(row: Row) -> Line:
    """A model's whole; of an extract, which is sentences of the talk, the beginning."""
    span = f"messages {row['first']}-{row['last']}"
    text = row["text"] if row["how"] == "model" else clip(row["text"], EXTRACT)
    return Line(text, _numbers(row["first"], row["last"]), span, row["how"], "long")


def tally(found: Row) -> str:
    """What was said for, against and to neither; "" where nothing was."""
    sides = (("support", "for"), ("oppose", "against"), ("neutral", "abstaining"))
    return ", ".join(f"{found[stance]} {word}" for stance, word in sides if found[stance])


def _quoted(origin: Row | None, told: str) -> Iterator[Line]:
    """The words that it rests on, where `told` has more, or less, in it than they."""
    if not origin or not origin["quote"]:
        return
    said, known = _folded(origin["quote"]), _folded(told)
    begins = known[: max(_MARKED, len(said) - _MARKED)]  # what is quoted may be cut short
    if begins not in said or len(said) > len(known) + _MARKED:
        yield Line(f"“{origin['quote']}”", _numbers(origin["n"]), "", origin["by"] or "", "quote")


def _folded(text: str) -> str:
    return one_line(text).casefold().rstrip(" .…")


def _status(row: Row) -> str:
    return str(row["status"]) + (", tentative" if row["tentative"] else "")


def _n(origin: Row | None) -> int | None:
    return origin.get("n") if origin else None


def _numbers(*found: int | None) -> tuple[int, ...]:
    """Each once, ascending."""
    return tuple(sorted({n for n in found if n}))
