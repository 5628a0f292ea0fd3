"""How an item stands, in a few words: who is for it by number, who is not by name. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

Row = Mapping[str, Any]

_NAMED: Final = 4  # who abstains, before they are counted alone


def told_decisions(report: Row, part: str) -> list[Row]:
    """The decisions of a part of the Brief, in the order of the talk."""
    wanted = set(report["brief"][part])
    return [row for row in report["decisions"] if row["handle"] in wanted]


def declared_decisions(report: Row) -> list[Row]:
    """What somebody put down as decided, by a mark, and nobody is on record for."""
    return [row for row in told_decisions(report, "claimed") if _is_marked(row)]


def unconfirmed_decisions(report: Row) -> list[Row]:
    """What prose says to be decided, and nobody confirmed."""
    return [row for row in told_decisions(report, "claimed") if not _is_marked(row)]


def _is_marked(row: Row) -> bool:
    return row["evidence"]["how"] in ("act", "tag")


def read_words(row: Row) -> str:
    """ "accepted (as read by a model)"; "" for what participants settled themselves."""
    if not row["as_read"]:
        return ""
    return str(row["status_text"]).replace("(as read)", "(as read by a model)")


_APPROVAL: Final = re.compile(
    r"\b(?:minutes|meeting|call)\b.*\b(?:approved|accepted|adopted)\b"
    r"|\b(?:approve|accept|adopt)\w*\b.*\bminutes\b",
    re.IGNORECASE,
)


def is_routine(row: Row) -> bool:
    """Whether a decision only approves the minutes of an earlier meeting."""
    return bool(_APPROVAL.search(row["wording"] or row["text"]))


def document_standing(row: Row) -> str:
    """What a document that was drawn up came to: decided, or only put on the table."""
    if row["decision"]:
        return f"decided as {row['decision']}"
    welcome = f", welcomed by {', '.join(row['welcome'])}" if row["welcome"] else ""
    return f"not put to a vote{welcome}"


def open_proposals(report: Row) -> list[Row]:
    """What is proposed and not settled, but for what a document of the talk took up."""
    wanted = set(report["brief"]["open"])
    return [row for row in report["open"] if row["handle"] in wanted and not row["taken_up"]]


def decision_words(row: Row, proposer: str = "") -> str:
    """ "6 for, 0 against, 1 abstaining: Bo", and by which rule where it was no plain agreement."""
    ratified = row["ratified"] or {}
    voted = (ratified.get("rule") or "").startswith("vote.") or ratified.get("how") == "person"
    basis = row["basis"] if voted else ""
    by = f"proposed by {proposer}" if proposer else ""
    names = [voice["participant"] for voice in row["abstainers"]]
    drawn_up = "in the document below" if row["drawn_up"] else ""
    sides = [*row["supporters"], *row["dissenters"], *row["abstainers"]]
    count = count_words(row["tally"], names, sides)
    return "; ".join(filter(None, (read_words(row), by, count, basis, drawn_up)))


def standing_words(row: Row) -> str:
    """How an open proposal stands: "3 for, 0 against; no decision was recorded"."""
    voices = {reaction["participant"] for reaction in row["reactions"]}
    if not voices:
        return "no votes were recorded"
    if voices == {row["participant"]}:
        return "no votes but the proposer's own"
    names = [each["participant"] for each in row["reactions"] if each["stance"] == "neutral"]
    return f"{count_words(row['tally'], names, row['reactions'])}; no decision was recorded"


def count_words(tally: Row, abstainers: Sequence[str] = (), sides: Sequence[Row] = ()) -> str:
    """How many are for and against, who abstains, and how many of the `sides` a model read."""
    words = f"{tally['support']} for, {tally['oppose']} against"
    if tally["neutral"]:
        names = f": {', '.join(abstainers)}" if 0 < len(abstainers) <= _NAMED else ""
        words = f"{words}, {tally['neutral']} abstaining{names}"
    read = sum(side["as_read"] for side in sides)
    return f"{words} ({read} as read)" if read else words


def poll_words(row: Row) -> str:
    """How many gave each answer."""
    return ", ".join(f"{count} for [{answer}]" for answer, count in row["counts"].items())


def begun(text: str) -> str:
    """`text` with a capital at the beginning, where that is a word: "fromRDF" stays as it is."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def task_about(row: Row, in_force: Collection[str]) -> str:
    """What a task is for, in brackets: a decision, or what was spoken of before it."""
    if row["decision"] in in_force:
        return f" (for {row['decision']})"
    return f" (when they spoke of {', '.join(row['amid'])})" if row["amid"] else ""


def lowered(text: str) -> str:
    """`text` as it stands behind a colon: "ask them", "W3C is asked"."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def join_notes(*notes: str) -> str:
    """The notes that there are, with semicolons between."""
    return "; ".join(filter(None, notes))
