"""One row of the minutes as a line, and the lines below it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from parley.memory.text.plain_text import clip, one_line
from parley.server.render.minutes.minutes_line import Line, Name, cited, join_names, join_words
from parley.server.render.vote_text import vote_headline

Row = Mapping[str, Any]
Rows = Sequence[Row]

_SETTLED: Final = 240  # characters of a proposal that is over
_EXTRACT: Final = 400  # of a summary that no model made: its first sentences
_DAY: Final = len("2026-03-02")
_MARKED: Final = 24  # characters such as "RESOLVED: " and "[DECISION] " before the same words
_STANCES: Final = {"support": "for", "oppose": "against", "neutral": "abstaining"}
_SIDES: Final = (
    ("for", "support", "supporters"),
    ("against", "oppose", "dissenters"),
    ("abstaining", "neutral", "abstainers"),
)


def decision(row: Row, votes: Mapping[str, Row], offers: Mapping[str, Row], gone: Rows) -> Line:
    """With who stands where, the dissent in its own words, and what it took the place of."""
    text = row["wording"] or row["text"]
    cites = cited(_born(row), row["ratified"], row["disputed"])
    kind = "firm" if row["status"] == "ratified" else ""
    under: list[Line] = []
    for label, stance, side in _SIDES:
        under += _voices(label, row["tally"][stance], row[side])
    under += _proposer(row, offers)
    decisive_vote = votes.get(row["resolves"])
    if decisive_vote is not None:
        under.append(_of_vote(decisive_vote, vote_headline(decisive_vote)))
    under += [
        Line(
            clip(item["text"], _SETTLED),
            cited(item["n"]),
            item["ref"],
            "replaced",
            "over",
            of="item",
        )
        for item in gone
    ]
    note = ", ".join(filter(None, (row["basis"], _day(row))))
    return Line(text, cites, row["handle"], note, kind, tuple(under), of="item")


def _voices(label: str, count: int, voices: Sequence[Row]) -> Iterator[Line]:
    """How many; their names on one line, but for who is against it, each with their words.

    Who was against it in a secret vote is counted alone.
    """
    if label == "against" and voices:
        if count > len(voices):
            yield Line("", (), f"{count} {label}")
        for voice in voices:
            text = join_words(Name(voice["participant"]), _in_words(voice))
            yield Line.of_words(text, cited(voice), label, kind="against")
    elif voices or count:
        yield _together(voices, f"{count} {label}")


def _together(voices: Sequence[Row], mark: str, note: str = "") -> Line:
    names = join_names(voice["participant"] for voice in voices)
    return Line.of_words(names, cited(*voices), mark, note)


def _day(row: Row) -> str:
    """When it was said; a day that no sender gave is marked."""
    day = (row["at"] or "")[:_DAY]
    return f"received {day}" if row["at_from"] == "receipt" else day


def _proposer(row: Row, offers: Mapping[str, Row]) -> Iterator[Line]:
    """Whose proposal it settles."""
    offer = offers.get(row["resolves"])
    if offer is not None:
        words = join_words("proposed by ", Name(offer["participant"]))
        yield Line.of_words(words, cited(_born(offer)))


def proposal(row: Row) -> Line:
    """With who is for it on one line, who objects or sets conditions in their words."""
    parts = [
        _day(row),
        tally(row["tally"]) if row["reactions"] else "",
        f"amends {row['amends']}" if row["amends"] else "",
        f"repeats {row['echoes']}" if row["echoes"] else "",
    ]
    more = (f"; {part}" for part in parts if part)
    under = [Line.of_words(join_words("by ", Name(row["participant"]), *more))]
    plain: dict[tuple[str, str], list[Row]] = {}
    for reaction in row["reactions"]:
        note = "" if reaction["counted"] else "inferred, does not bind"
        note = "before the edit" if reaction["before_edit"] else note
        if reaction["conditional"] or reaction["stance"] == "oppose":
            under.append(_objection(reaction, note))
        else:
            plain.setdefault((reaction["stance"], note), []).append(reaction)
    for (stance, note), voices in plain.items():
        under.append(_together(voices, _STANCES[stance], note))
    text = row["text"] or row["topic"]
    cites = cited(_born(row))
    return Line(text, cites, row["handle"], _status(row), "", tuple(under), of="item")


def _objection(reaction: Row, note: str) -> Line:
    notes = ["with conditions"] if reaction["conditional"] else []
    text = join_words(Name(reaction["participant"]), _in_words(reaction))
    kind = "against" if reaction["stance"] == "oppose" else ""
    remarks, mark = ", ".join(filter(None, [*notes, note])), _STANCES[reaction["stance"]]
    return Line.of_words(text, cited(reaction), mark, remarks, kind)


def _in_words(voice: Row) -> str:
    words = voice.get("words") or voice.get("quote")
    return f": “{words}”" if words else ""


def perhaps(row: Row, wording: str | None) -> Line:
    """What may be a decision or a proposal, and how it was found."""
    note = f"perhaps a {row['kind']} of {row['participant']}: {row['basis']}"
    return Line(wording or row["text"], cited(row), row["ref"], note, of="item")


def settled(row: Row, votes: Mapping[str, Row]) -> Line:
    cites = cited(_born(row), row["settled"])
    now = f", now {row['superseded_by']}" if row["superseded_by"] else ""
    notes = [
        f"{row['status']}{now}",
        f"by {row['participant']}",
        tally(row["tally"]),
        f"repeats {row['echoes']}" if row["echoes"] else "",
    ]
    decisive_vote = votes.get(row["handle"])
    under = (vote(decisive_vote, asked=False),) if decisive_vote is not None else ()
    text = clip(row["text"] or row["topic"], _SETTLED)
    remarks = "; ".join(filter(None, notes))
    return Line(text, cites, row["handle"], remarks, "", under, of="item")


def vote(row: Row, *, asked: bool = True) -> Line:
    """With who chose what, a line an option; without what was `asked` where that stands above."""
    chose: dict[str, list[str]] = {}
    for name, choice in (row["ballots"] or {}).items():
        chose.setdefault(" > ".join(choice) or "could not be read", []).append(name)
    under = [Line.of_words(join_names(names), (), choice) for choice, names in chose.items()]
    headline = f"{row['question']}: {vote_headline(row)}" if asked else vote_headline(row)
    return _of_vote(row, headline, *under)


def _of_vote(row: Row, headline: str, *under: Line) -> Line:
    return Line(headline, cited(row["n"], row["closed_n"]), row["ref"], under=under, of="item")


def moved(row: Row) -> Line:
    on = row["on"] + (f" ({row['topic']})" if row["topic"] else "")
    after = (", after ", Name(row["after"])) if row["after"] else ()
    text = join_words(f"from {_STANCES[row['from']]} to {_STANCES[row['to']]} {on}", *after)
    lines = (Line(f"“{row['text']}”", (), "", "", "quote"),) if row["text"] else ()
    cites = cited(row["from_n"], row["after_n"], row["n"])
    return Line.of_words(text, cites, row["participant"], under=lines, of="participant")


def action(row: Row) -> Line:
    """A row of a table: who, what, by when."""
    named: Literal["participant", ""] = "participant" if row["who"] and row["known"] else ""
    return Line(row["text"], cited(row), row["who"] or "nobody named", row["due"] or "", of=named)


def question(row: Row) -> Line:
    about = f"on {', '.join(row['about'])}" if row["about"] else ""
    to = f"to {', '.join(row['to'])}" if row["to"] else ""
    notes = ", ".join(filter(None, [to, about]))
    return Line(row["text"], cited(row), row["participant"], notes, of="participant")


def claim_line(row: Row) -> Line:
    why = f" ({row['reason']})" if row["reason"] else ""
    settles = f", settles {row['settles']}" if row["settles"] else ""
    text, note = row["text"] or row["topic"], f"{row['kind']}, {row['status']}{settles}{why}"
    stated = (Line(f"in the model's words: {row['statement']}"),) if row["statement"] else ()
    under = (*stated, *_quoted(row["evidence"], text))
    return Line(text, cited(_born(row)), row["handle"], note, "", under, of="item")


def goal(row: Row) -> Line:
    """What it came to below it; a task is no further in than its goal, whose name it follows."""
    cites = cited(row["opened_n"], row["closed_n"])
    result = (Line(one_line(row["result"])),) if row["result"] else ()
    note = f"{row['kind']}, {row['status']}"
    return Line(row["title"], cites, row["ref"], note, "", result, of="item")


def lesson(row: Row) -> Line:
    times = f", {row['count']} times" if row["count"] > 1 else ""
    note = f"{row['kind']}{times}"
    return Line(row["text"], cited(*row["cites"]), row["ref"], note, of="item")


def summary(row: Row) -> Line:
    """A model's whole; of an extract, which is sentences of the talk, the beginning."""
    span = f"messages {row['first']}-{row['last']}"
    text = row["text"] if row["how"] == "model" else clip(row["text"], _EXTRACT)
    return Line(text, cited(row["first"], row["last"]), span, row["how"], "long")


def tally(count: Row) -> str:
    """What was said for, against and to neither; "" where nothing was."""
    sides = (("support", "for"), ("oppose", "against"), ("neutral", "abstaining"))
    return ", ".join(f"{count[stance]} {word}" for stance, word in sides if count[stance])


def _quoted(origin: Row | None, text: str) -> Iterator[Line]:
    """The words that it rests on, where `text` has more, or less, in it than they."""
    if not origin or not origin["quote"]:
        return
    quote, known = _folded(origin["quote"]), _folded(text)
    begins = known[: max(_MARKED, len(quote) - _MARKED)]  # what is quoted may be cut short
    if begins not in quote or len(quote) > len(known) + _MARKED:
        yield Line(f"“{origin['quote']}”", cited(origin), "", origin["by"] or "", "quote")


def _folded(text: str) -> str:
    return one_line(text).casefold().rstrip(" .…")


def _status(row: Row) -> str:
    return str(row["status"]) + (", tentative" if row["tentative"] else "")


def _born(row: Row) -> Row:
    """Where an item was found."""
    return {"n": row["n"], "cites": row["evidence"]["cites"] if row["evidence"] else ()}
