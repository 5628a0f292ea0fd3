"""The items that a range did anything to, and what is told of each in words of the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from parley.memory.state.summary_state import LedgerChange
from parley.memory.text.plain_text import one_line

BIRTHS: Final = ("proposed", "claimed")
_TURNS: Final = ("turned to support", "turned to oppose")
_STANCES: Final = (*_TURNS, "supported", "opposed")
_TOGETHER: Final = 3  # items that one sentence was in support of, from which they are told together


class Item:
    """What the range did to one item, and what of it has found room."""

    def __init__(self, ref: str) -> None:
        self.ref = ref
        self.changes: list[LedgerChange] = []
        self.text = ""
        self.reasons: list[str] = []

    @property
    def birth(self) -> LedgerChange | None:
        """The change by which the range brought the item."""
        return next((change for change in self.changes if change.kind in BIRTHS), None)

    def line(self) -> str:
        """What happened to it, in what words, and why."""
        text = f": {self.text}" if self.text else ""
        return f"{self.ref} {self.events()}{text}{''.join(self.reasons)}"

    def events(self) -> str:
        """What happened to it, by whom, in the ledger's words."""
        events: dict[tuple[str, str], list[str]] = {}
        for change in self.changes:
            names = events.setdefault((change.kind, change.other), [])
            if change.who and change.who not in names:
                names.append(one_line(change.who))
        return "; ".join(_phrase(kind, other, names) for (kind, other), names in events.items())


class Agreement:
    """One sentence by which somebody was for several items at once."""

    def __init__(self, change: LedgerChange) -> None:
        self.change = change
        self.refs: list[str] = []

    def head(self) -> str:
        return f"{one_line(self.change.who)} supported {', '.join(list_runs(self.refs))}: "


def group_items(changes: Sequence[LedgerChange]) -> tuple[list[Item], list[Agreement]]:
    """The items that `changes` are of, in log order, and who was for several of them at once."""
    shown = [changes[place] for place in _shown(changes)]
    sentences = Counter(_sentence(change) for change in shown if change.kind == "supported")
    agreements: dict[tuple[str, int, int, int], Agreement] = {}
    items: dict[str, Item] = {}
    for change in shown:
        ref = one_line(change.ref)
        if change.kind == "supported" and sentences[_sentence(change)] >= _TOGETHER:
            agreement = agreements.setdefault(_sentence(change), Agreement(change))
            agreement.refs.append(ref)
        else:
            items.setdefault(ref, Item(ref)).changes.append(change)
    return list(items.values()), list(agreements.values())


def _sentence(change: LedgerChange) -> tuple[str, int, int, int]:
    return change.who, change.n, change.start, change.end


def list_runs(refs: Sequence[str]) -> Iterator[str]:
    """`refs`, three or more handles that follow each other as one: "P3–P7"."""
    for _, run in groupby(enumerate(refs), lambda each: (each[1][:1], _number(each[1]) - each[0])):
        handles = [ref for _, ref in run]
        if len(handles) > 2 and _number(handles[0]):
            yield f"{handles[0]}–{handles[-1]}"
        else:
            yield from handles


def _number(ref: str) -> int:
    """The number of a handle; 0 of a topic, which has none."""
    return int(ref[1:]) if ref[1:].isdecimal() and ref.isascii() else 0


def _shown(changes: Sequence[LedgerChange]) -> list[int]:
    """The places of what is told: nothing of items that were found and set aside in the range,
    nor what somebody is said to think of what they proposed there themselves.
    """
    aside: dict[str, bool] = {}
    for change in changes:
        if change.kind in ("set aside", "taken up", "retracted"):
            aside[change.ref] = change.kind != "taken up"
    born = {change.ref: change.who for change in changes if change.kind in BIRTHS}
    turned = {(change.ref, change.who, change.n) for change in changes if change.kind in _TURNS}
    return [
        place
        for place, change in enumerate(changes)
        if change.kind not in ("set aside", "taken up")
        and not (change.kind in _STANCES and born.get(change.ref) == change.who)
        and not (change.ref in born and aside.get(change.ref))
        and not (
            change.kind in ("supported", "opposed") and (change.ref, change.who, change.n) in turned
        )
    ]


def _phrase(kind: str, other: str, names: Sequence[str]) -> str:
    """What happened, in the ledger's own words for it."""
    who = ", ".join(names)
    match kind:
        case "proposed" | "claimed":
            return f"{kind} by {who}"
        case "turned to support" | "turned to oppose":
            return f"{who} {kind}" if who else kind
        case "amends" | "repeats":
            return f"{kind} {other}"
        case "replaced" | "superseded":
            return f"{kind} by {other}" if other else kind
        case _:
            return f"{kind} by {who}" if who else kind
