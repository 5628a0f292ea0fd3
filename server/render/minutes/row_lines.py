"""One row of the minutes as a line, and the lines below it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.output import count_of
from parley.server.render.minutes.minutes_heading import short
from parley.server.render.minutes.minutes_line import Line, Name, cited, join_names, join_words
from parley.server.render.minutes.standing import (
    begun,
    count_words,
    decision_words,
    document_standing,
    join_notes,
    poll_words,
    read_words,
    standing_words,
    task_about,
)
from parley.server.render.vote_text import vote_headline
from parley.server.verdicts.status_words import condition_words, relation_words

Row = Mapping[str, Any]
Rows = Sequence[Row]

_SETTLED: Final = 240  # characters of a proposal that is over
_EXTRACT: Final = 400  # of a summary that no model made: its first sentences
_LETTER: Final = re.compile(r"[^\W\d_]{2}")
_OBJECTION: Final = 120  # of what somebody says against an item
_WHY: Final = 5  # words that only take the other side: "So I oppose P6."
_VOICES: Final = 3  # of an item, in their words
_BY: Final = re.compile(
    r"[\s,]*(?:\bhopefully\b\s*)?(?:\b(?:by|before|until|till|on|for|in)\b\s*)?(?:\bthe\b\s*)?$",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(r"\b(?:it|this|that|these|those|them)\b", re.IGNORECASE)
_DEED: Final = 180  # of what somebody has to do
_MARKED: Final = 24  # characters such as "RESOLVED: " and "[DECISION] " before the same words
_STANCES: Final = {"support": "for", "oppose": "against", "neutral": "abstaining"}


def decision(row: Row, votes: Mapping[str, Row], proposer: str, day: str, gone: Rows) -> Line:
    """How it stands behind it; below it the dissent in its own words, the vote that decided it, and
    what it took the place of. `proposer` and `day`: "" where they go without saying."""
    under = [*_dissent(row)]
    decisive_vote = votes.get(row["resolves"])
    if decisive_vote is not None:
        under.append(_of_vote(decisive_vote, vote_headline(decisive_vote)))
    under += [
        Line(clip(item["text"], _SETTLED), (), item["ref"], "replaced", "over", of="item")
        for item in gone
        if item["status"] == "superseded"
    ]
    before = [item["ref"] for item in gone if item["status"] != "superseded"]
    reworded = f"rewords {', '.join(before)}" if before else ""
    kind = "firm" if row["status"] == "ratified" else "read" if row["as_read"] else ""
    note = join_notes(decision_words(row, proposer), day, reworded, likeness(row))
    text = begun(row["wording"] or row["text"])
    return Line(text, cited(_born(row))[-1:], row["handle"], note, kind, tuple(under), of="item")


def likeness(row: Row) -> str:
    """That an earlier one in force has nearly its words, where one has."""
    return f"nearly the words of {row['alike']}, which stands too" if row["alike"] else ""


def _dissent(row: Row) -> Iterator[Line]:
    """Who is against it, each with their words; the most of them in a secret vote are a count."""
    voices, count = row["dissenters"], row["tally"]["oppose"]
    for voice in voices[:_VOICES]:
        text = join_words(Name(voice["participant"]), _in_words(voice))
        read = "as read" if voice["as_read"] else ""
        yield Line.of_words(text, cited(voice), "against", read, kind="against")
    if voices and count > len(voices[:_VOICES]):
        yield Line("", (), f"{count - len(voices[:_VOICES])} more against")


def proposal(row: Row, day: str, grouped: bool) -> Line:
    """How it stands behind it; below it who objects or sets conditions, in their words.

    `grouped`: it stands below whose it is.
    """
    note = join_notes(
        "" if grouped else f"by {row['participant']}",
        "as read by a model" if row["as_read"] else "",
        standing_words(row),
        day,
        relation_words(row),
        f"repeats {row['echoes']}" if row["echoes"] else "",
    )
    text = begun(row["asked"]) + (f" [{row['meaning']}]" if row["meaning"] else "")
    under = [
        _objection(reaction)
        for reaction in row["reactions"]
        if reaction["conditional"] or reaction["stance"] == "oppose" or reaction["before_edit"]
    ][:_VOICES]
    cites = cited(_born(row))
    return Line(text, cites, row["handle"], note, "", tuple(under), of="item")


def offers_of(name: str, lines: Sequence[Line]) -> Line:
    """What one participant proposed, below their name."""
    return Line("", (), name, "", "", tuple(lines), of="participant")


def _objection(reaction: Row) -> Line:
    notes = [
        "as read" if reaction["as_read"] else "",
        condition_words(reaction),
        "before the edit" if reaction["before_edit"] else "",
    ]
    text = join_words(Name(reaction["participant"]), _in_words(reaction))
    kind = "against" if reaction["stance"] == "oppose" else ""
    mark = _STANCES[reaction["stance"]]
    return Line.of_words(text, cited(reaction), mark, ", ".join(filter(None, notes)), kind)


def _in_words(voice: Row) -> str:
    words = voice.get("words") or voice.get("quote")
    words = None if words and not _LETTER.search(words) else words  # a mark of a vote
    return f": “{clip(words, _OBJECTION)}”" if words else ""


def declared(row: Row) -> Line:
    """A decision that one person put down."""
    text = begun(row["wording"] or row["text"])
    return Line(text, cited(_born(row)), row["handle"], f"by {row['participant']}", of="item")


def unconfirmed(row: Row) -> Line:
    """What is said to be decided, and by whom."""
    read = "as read by a model" if row["as_read"] else ""
    note = join_notes(f"says {row['participant']}", read)
    text = begun(clip(one_line(row["wording"] or row["text"]), _SETTLED))
    return Line(text, cited(_born(row)), row["handle"], note, of="item")


def document(row: Row) -> Line:
    """Its title, and its points below."""
    before = count_of(len(row["earlier"]), "earlier form") if row["earlier"] else ""
    note = join_notes(f"by {row['participant']}", document_standing(row), before)
    points = tuple(Line(point) for point in row["points"])
    return Line(row["title"], cited(row), "", note, "firm", points)


def discussed(topic: str, rows: Rows) -> Iterator[Line]:
    """Sentences of the talk, below the topic where one was called out."""
    lines = tuple(map(put_off, rows))
    if topic:
        yield Line("", (), topic, under=lines)
    else:
        yield from lines


def put_off(row: Row) -> Line:
    return Line(f"“{row['text']}”", cited(row), row["participant"], of="participant")


def poll(row: Row) -> Line:
    """What was asked, and how many gave each answer."""
    note = join_notes(f"asked by {row['participant']}", poll_words(row))
    then = row["then"]
    under = (
        ()
        if then is None
        else (
            Line(
                begun(then["text"]),
                cited(then),
                then["ref"],
                f"{then['participant']} then proposed, not confirmed",
                of="item",
            ),
        )
    )
    return Line(row["question"], cited(row), "", note, under=under)


def settled(row: Row, votes: Mapping[str, Row]) -> Line:
    cites = cited(_born(row))
    now = f", now {row['superseded_by']}" if row["superseded_by"] else ""
    status = read_words(row) or row["status"]
    notes = [
        f"by {row['participant']}",
        count_words(row["tally"], (), row["reactions"]) if any(row["tally"].values()) else "",
        f"{status}{now}",
        f"repeats {row['echoes']}" if row["echoes"] else "",
    ]
    decisive_vote = votes.get(row["handle"])
    under = (vote(decisive_vote, asked=False),) if decisive_vote is not None else ()
    text = begun(clip(row["statement"] or row["text"] or row["topic"], _SETTLED))
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
    read = " (as read)" if row["as_read"] else ""
    text = join_words(f"from {_STANCES[row['from']]} to {_STANCES[row['to']]} {on}{read}", *after)
    says_why = len((row["text"] or "").split()) > _WHY
    lines = (Line(f"“{row['text']}”", (), "", "", "quote"),) if says_why else ()
    cites = cited(row["from_n"], row["after_n"], row["n"])
    return Line.of_words(text, cites, row["participant"], under=lines, of="participant")


def action(row: Row, decided: Collection[str]) -> Line:
    """A row of a table: who, what, by when."""
    named: Literal["participant", ""] = "participant" if row["who"] and row["known"] else ""
    done = f" (done [{row['done']}])" if row["done"] else ""
    task = without_date(clip(row["text"], _DEED), row["due"])
    read = " (as read)" if row["as_read"] else ""
    text, who = begun(task) + task_about(row, decided) + done + read, row["who"] or "nobody named"
    return Line(text, cited(row), who, row["due"] or "", of=named)


def without_date(task: str, due: str | None) -> str:
    """`task` without the date that it ends with: it has a column."""
    if not due or not task.casefold().endswith(due.casefold()):
        return task
    return _BY.sub("", task[: -len(due)]).rstrip(" ,") or task


def step(row: Row, offers: Sequence[str]) -> Line:
    """What is to come next, which nobody said they would see to; "it" is what `offers` are."""
    meant = _meant(offers) if _POINTS.search(row["step"]) else ""
    return Line(begun(short(row["step"])) + meant, cited(row), "nobody named")


def _meant(offers: Sequence[str]) -> str:
    if len(offers) < 2:
        return f" (the proposal {offers[0]})" if offers else ""
    return f" (the proposals {', '.join(offers[:-1])} and {offers[-1]})"


def question(row: Row) -> Line:
    about = f"on {', '.join(row['about'])}" if row["about"] else ""
    to = f"to {', '.join(row['to'])}" if row["to"] else ""
    notes = ", ".join(filter(None, [to, about]))
    return Line(row["text"], cited(row), row["participant"], notes, of="participant")


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


def _born(row: Row) -> Row:
    """Where an item was found."""
    return {"n": row["n"], "cites": row["evidence"]["cites"] if row["evidence"] else ()}
