"""How an item stands, in words: what a model read is marked, and never called ratified. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parley.bus.entries import Doubt
from parley.memory.extraction.structure.shelves import FIRM, PRECISION, family_of
from parley.memory.ledger.ledger_rows import LedgerItem

Row = Mapping[str, Any]

AS_READ: Final = "as read"
_ENDED: Final = {
    "accepted_with_changes": "accepted with changes",
    "carried_out": "carried out",
    "put_off": "put off",
}
_DOUBTS: Final[dict[Doubt, str]] = {
    "question": "it asks, and proposes nothing",
    "report": "it reports what was said or done",
    "irony": "it is not meant in earnest",
    "hypothesis": "it only supposes",
    "procedure": "it is about how the talk is run",
    "repeat": "it repeats an earlier item",
    "part": "it is part of another item",
    "reason": "it is a reason for another item",
    "agreement": "it agrees with another item",
    "quoted": "it quotes somebody else",
    "task": "it says who does what",
    "other": "it is no such item",
}
_RULES: Final = {
    "writing": "the rules for documents",
    "prose": "how such messages are worded",
    "structure": "the rules for the course of a talk",
    "chat": "the rules for wording",
}


def status_words(item: LedgerItem) -> str:
    """ "accepted", "accepted with changes (as read)", "put off until May (as read)"."""
    if item.shelf != "firm":
        return item.shelf
    if not item.as_read:
        return item.status
    ending = item.ending or (item.outcomes[-1] if item.outcomes else None)
    words: str = "replaced" if item.status == "modified" else item.status
    if ending is not None and item.status != "claimed":
        words = _ENDED.get(ending.word, words)
    if item.status == "put_off" and ending is not None and ending.detail:
        words = f"{words} until {ending.detail.removeprefix('until ')}"
    return f"{words} ({AS_READ})"


def denial_words(item: LedgerItem) -> str:
    """Who says that it is no item, and why; "" if nobody does."""
    if item.denied is None:
        return ""
    if item.denied.how == "person":
        return "a person retracted it"
    return f"a model reads it otherwise: {_DOUBTS[item.doubt or 'other']}"


def candidate_words(item: LedgerItem) -> str:
    """Why it is a candidate: how often rules like the one that found it are right."""
    family = family_of(item.origin)
    precision = item.origin.confidence if family == "prose" else PRECISION.get((item.kind, family))
    rules = f"found by {_RULES.get(family.partition(' ')[0], f'the rules for {family}')}"
    if precision is None:
        return f"{rules}, which were not measured often enough"
    if precision >= FIRM:
        return f"{rules}, in a talk that marks its {item.kind}s"
    right = "is right" if family == "prose" else "are right"
    return f"{rules}, which {right} about {round(precision / 10)} times in 100"


# -- of rows ----------------------------------------------------------------------------


def relation_words(row: Row) -> str:
    """ "amends P1", "alternative to P2, P3"; "" for a new proposal."""
    if row["relation"] == "new" or not row["related"]:
        return ""
    word = "alternative to" if row["relation"] == "alternative" else row["relation"]
    return f"{word} {', '.join(row['related'])}"


def condition_words(side: Row) -> str:
    """ "if the backup is done"; "" for a side without a condition."""
    if side["condition"]:
        return f"if {side['condition'].removeprefix('if ')}"
    return "with conditions" if side["conditional"] else ""


def ruler_words(row: Row) -> str:
    """ "Ana (chair)", "Bo (says Cy, as read)": who may rule, and by whose word."""
    if row["by"] is None:
        return f"{row['participant']} (chair)"
    on = f" on {', '.join(row['on'])}" if row["on"] else ""
    return f"{row['participant']}{on} (says {row['by']}, as read)"
