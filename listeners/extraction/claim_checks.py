"""The rows of a model's answer, checked against the messages and items it was shown. Pure.

A quote has to stand in the message that its row cites, a handle has to be one that was listed, an
id one that the answer gave. What fails is refused and named, so that it can be asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from parley.bus.entries import (
    Claim,
    ClaimLabel,
    Doubt,
    ItemCheck,
    Outcome,
    ReadSide,
    Refusal,
    Relation,
    Right,
    Verdict,
)
from parley.listeners.extraction.answer_rows import Row
from parley.listeners.extraction.extraction_prompt import ROWS, ShownMessage
from parley.listeners.extraction.listed_items import ListedItem, Listing
from parley.listeners.extraction.quotes import locate_quote
from parley.listeners.extraction.row_forms import (
    choice,
    is_true,
    kind_of,
    names_in,
    number_of,
    own_fields,
    text_of,
)
from parley.memory.extraction.model_claims.kept_claims import (
    DETAIL_CHARS,
    MOST,
    MOST_TARGETS,
    clip_statement,
    may_name,
)
from parley.memory.text.plain_text import clip, one_line

_ROW_CHARS: Final = 160
_POOR: Final = 2  # one row in so many that is refused is worth another question
_ITEM_OF: Final = {"proposal": "proposal", "ruling": "decision"}  # of a row, if it is one
_CALLED: Final = "@*_`'\" "
_LONG_ENOUGH: Final = 3  # characters of a word that names somebody


class RowFault(Exception):
    """A row that is refused: the reason it is counted under, and what to tell the model."""

    def __init__(self, reason: str, complaint: str) -> None:
        super().__init__(complaint)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model was shown: messages by n, items, and whom names mean.

    `names` has the participants by their names in small letters. `rulers` may rule: the chairs,
    and those who were given a right.
    """

    messages: Mapping[int, ShownMessage]
    listing: Listing
    names: Mapping[str, str] = field(default_factory=dict)
    chairs: frozenset[str] = frozenset()


@dataclass(slots=True)
class CheckedRows:
    """The sound claims and checks of an answer; `faults` has each refused row with what is wrong.

    `refused` and `dropped` are as the entry has them: rows by reason, and all counts.
    """

    claims: list[Claim] = field(default_factory=list)
    checks: list[ItemCheck] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def refuse(self, row: Any, fault: RowFault, *, mendable: bool = True) -> None:
        """Name a row that cannot be kept; unless `mendable`, it is not asked for again."""
        text = row_text(row)
        self.refused.append(Refusal(reason=fault.reason, row=text))
        self.drop(fault.reason)
        if mendable:
            self.faults.append((text, str(fault)))

    def drop(self, reason: str, count: int = 1) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + count

    def add(self, other: CheckedRows) -> None:
        """Add what another answer of the same reading came to."""
        self.claims += other.claims
        self.checks += other.checks
        self.refused += other.refused
        self.faults += other.faults
        for reason, count in other.dropped.items():
            self.drop(reason, count)

    @property
    def is_poor(self) -> bool:
        """True if half of the rows, or more, were refused."""
        kept = len(self.claims) + len(self.checks)
        return len(self.faults) * _POOR >= kept + len(self.faults) > 0


def check_rows(rows: Sequence[Row], shown: Shown, earlier: Sequence[Claim] = ()) -> CheckedRows:
    """What can be kept of `rows`; they may name `earlier` claims of the same reading by id.

    Each kept proposal and ruling has an id that no other claim of the reading has.
    """
    checked = CheckedRows()
    naming = _Naming(shown, list(earlier))
    made: list[tuple[Claim, dict[str, Any], Row]] = []
    for row in rows[:MOST]:
        fields = own_fields(row)
        try:
            kind = kind_of(fields)
            if kind == "check":
                checked.checks += _checks(fields, shown)
            else:
                claim = naming.numbered(_claim(kind, fields, shown), fields.get("id"))
                made.append((claim, fields, row))
        except RowFault as fault:
            checked.refuse(row, fault)
    for claim, fields, row in made:
        try:
            linked = _linked(claim, fields, row, naming, checked)
        except RowFault as fault:
            checked.refuse(row, fault)
            continue
        if not any(_is_same(linked, other) for other in (*earlier, *checked.claims)):
            checked.claims.append(linked)
    if len(rows) > MOST:
        checked.drop("many", len(rows) - MOST)
    return checked


def row_text(row: Any) -> str:
    """A row as it is named to people, in at most 160 characters."""
    text = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, default=str)
    return clip(one_line(text), _ROW_CHARS)


# -- one row -------------------------------------------------------------------------


def _claim(kind: str | None, fields: Mapping[str, Any], shown: Shown) -> Claim:
    """The claim that the row makes, without its targets. Raises `RowFault`."""
    if kind is None:
        raise RowFault("label", f"a row is one of {', '.join(ROWS)}")
    n = number_of(fields.get("n"))
    message = shown.messages.get(n)
    if message is None or not message.own:
        raise RowFault("message", f"message {n or '?'} is not one of those to read")
    quote = text_of(fields.get("quote"))
    place = locate_quote(message.text, quote)
    if place is None:
        raise RowFault("quote", f"message {n} does not say {quote[:80]!r}")
    place = _listed_place(kind, text_of(fields.get("id")), message, shown) or place
    words = message.text[place[0] : place[1]]
    claim = Claim(
        label=cast("ClaimLabel", kind),
        n=n,
        start=place[0],
        end=place[1],
        quote=words,
        statement=None if kind in ("side", "right") else _statement(fields.get("says"), words),
    )
    return _of_kind(claim, fields, message, shown)


def _listed_place(
    kind: str, name: str, message: ShownMessage, shown: Shown
) -> tuple[int, int] | None:
    """Where `message` says the listed item that has the id of a row as its handle, if one has."""
    item = shown.listing.by_handle.get(name.rstrip("?"))
    if item is None or item.place is None or item.place[1] > len(message.text):
        return None
    return item.place if (item.n, item.kind) == (message.n, _ITEM_OF.get(kind)) else None


def _of_kind(claim: Claim, fields: Mapping[str, Any], message: ShownMessage, shown: Shown) -> Claim:
    """`claim` with the fields that its label has. Raises `RowFault`."""
    match claim.label:
        case "proposal":
            relation = cast("Relation", choice("how", fields.get("how")) or "new")
            return replace(claim, relation=relation, detail=_detail(fields.get("about")))
        case "side":
            side = _chosen("side", fields)
            if side == "support" and fields.get("if"):
                side = "conditional"
            condition = _detail(fields.get("if")) if side == "conditional" else None
            return replace(claim, side=cast("ReadSide", side), detail=condition)
        case "ruling":
            who = _name(fields.get("who"), message, shown)
            return replace(
                claim,
                outcome=cast("Outcome", _chosen("out", fields)),
                right=cast("Right", choice("right", fields.get("right")) or "named"),
                who=None if who == message.who else who,
                detail=_detail(fields.get("with")),
            )
        case "task":
            who = _name(fields.get("who"), message, shown)
            return replace(
                claim,
                who=None if who == message.who else who,
                detail=_detail(fields.get("when")),
                done=is_true(fields.get("done")),
            )
        case "right":
            who = _name(fields.get("who"), message, shown)
            if who is None or who == message.who:
                raise RowFault("name", f"message {claim.n} gives no right to somebody else")
            return replace(claim, who=who)


def _chosen(name: str, fields: Mapping[str, Any]) -> str:
    word = choice(name, fields.get(name))
    if word is None:
        raise RowFault("field", f"{name} cannot be {str(fields.get(name))[:40]!r}")
    return word


def _name(value: Any, message: ShownMessage, shown: Shown) -> str | None:
    """The participant that `value` means, or a name that the message has; None if it is empty.

    Raises `RowFault` for somebody of whom nothing was shown.
    """
    name = one_line(text_of(value)).strip(_CALLED)
    if not name:
        return None
    known = shown.names.get(name.casefold())
    if known is not None:
        return known
    said = message.text.casefold()
    if any(len(word) >= _LONG_ENOUGH and word in said for word in name.casefold().split()):
        return name
    raise RowFault(
        "name", f"{name[:40]!r} is neither a participant nor named in message {message.n}"
    )


def _statement(value: Any, quote: str) -> str | None:
    """What a model says in its own words; None if it says nothing, or only repeats the quote."""
    text = clip_statement(text_of(value))
    return text if text and text != clip_statement(quote) else None


def _detail(value: Any) -> str | None:
    return clip(one_line(text_of(value)), DETAIL_CHARS) or None


def _checks(fields: Mapping[str, Any], shown: Shown) -> list[ItemCheck]:
    """The verdicts of a row, one for each item. Raises `RowFault`."""
    refs = [_handle(name, shown.listing) for name in names_in(fields.get("of"))]
    items = [item for item in refs if item is not None]
    if not items or len(items) < len(refs):
        raise RowFault("handle", f"{str(fields.get('of'))[:40]!r} was not listed")
    verdict = cast("Verdict", _chosen("verdict", fields))
    who = text_of(fields.get("who")).strip(_CALLED) or None
    if who is not None:
        who = shown.names.get(who.casefold(), who)
        if any(who not in item.sides for item in items):
            raise RowFault("name", f"{who[:40]!r} has no side on {items[0].handle} as listed")
    statement = clip_statement(text_of(fields.get("says"))) or None
    if verdict == "reworded" and (statement is None or who is not None or len(items) > 1):
        raise RowFault("field", f"reworded takes one item, and says for {items[0].handle}")
    reason = cast("Doubt", choice("why", fields.get("why")) or "other")
    return [
        ItemCheck(
            ref=item.handle,
            verdict=verdict,
            who=who,
            reason=reason if verdict == "wrong" else None,
            statement=statement if verdict == "reworded" else None,
        )
        for item in items
    ]


def _handle(name: str, listing: Listing) -> ListedItem | None:
    return listing.by_handle.get(name.rstrip("?").upper())


# -- what a row is about ----------------------------------------------------------------


class _Naming:
    """What the rows of an answer may name: listed items, claims by their ids, both by message."""

    def __init__(self, shown: Shown, earlier: list[Claim]) -> None:
        self.shown = shown
        self._claims = {claim.id: claim for claim in earlier if claim.id}
        self._given: dict[str, Claim | None] = {}  # ids of this answer; None: two have it

    def numbered(self, claim: Claim, given: Any) -> Claim:
        """`claim` with an id of ours if others may name it; noted under the one it was given."""
        if claim.label not in _ITEM_OF:
            return claim
        same = (each for each in self._claims.values() if _place(each) == _place(claim))
        claim = replace(claim, id=next(same, claim).id or f"c{len(self._claims) + 1}")
        self._claims.setdefault(claim.id or "", claim)
        names = names_in(given)
        if len(names) == 1 and names[0].rstrip("?") not in self.shown.listing.by_handle:
            name = names[0].casefold()
            self._given[name] = None if name in self._given else claim
        return claim

    def target(self, name: str, claim: Claim) -> str | None:
        """The handle or id that `name` means for `claim`; None if it may not name that."""
        key, listing = name.casefold(), self.shown.listing
        item = listing.by_handle.get(name)
        if item is None and key not in self._given:
            item = _handle(name, listing)
        if item is not None:
            return item.handle if may_name(claim, item.n) else None
        other = self._given[key] if key in self._given else self._claims.get(key)
        if other is None and (n := number_of(name)):
            return self._born_at(n, claim)
        if other is None or other.id == claim.id or not may_name(claim, other.n):
            return None
        return other.id

    def _born_at(self, n: int, claim: Claim) -> str | None:
        """The one item of message `n`, listed or claimed; None if there are several."""
        listed = [item.handle for item in self.shown.listing.by_handle.values() if item.n == n]
        claimed = [
            other.id
            for other in self._claims.values()
            if other.n == n and other.label == "proposal"
        ]
        found = [name for name in (*listed, *claimed) if name != claim.id]
        return found[0] if len(found) == 1 and may_name(claim, n) else None


def _linked(
    claim: Claim, fields: Mapping[str, Any], row: Row, naming: _Naming, checked: CheckedRows
) -> Claim:
    """The claim with its targets. Raises `RowFault` if it is nothing without them.

    A ruling, a task and a new version are kept without what they name wrongly; that is named.
    """
    names = names_in(fields.get("of"))
    found = [naming.target(name, claim) for name in names]
    targets = tuple(dict.fromkeys(target for target in found if target is not None))[:MOST_TARGETS]
    wrong = [name for name, target in zip(names, found, strict=True) if target is None]
    fault = RowFault(
        "target",
        f"{', '.join(wrong)[:60] or 'nothing'} is not a listed item, nor the id of an earlier row",
    )
    if not targets and (claim.label == "side" or claim.relation == "repeats"):
        raise fault
    if wrong:
        checked.refuse(row, fault, mendable=False)
    if claim.label == "proposal" and not targets and claim.relation != "alternative":
        claim = replace(claim, relation="new")
    if claim.label == "proposal" and targets and claim.relation == "new":
        claim = replace(claim, relation="amends")
    if claim.label == "ruling":
        claim = _by_right(claim, row, naming.shown, checked)
    return replace(claim, targets=targets)


def _by_right(claim: Claim, row: Row, shown: Shown, checked: CheckedRows) -> Claim:
    """The ruling without a right of the chair that its author does not have; that is named."""
    author = shown.messages[claim.n].who
    ruler = claim.who or author
    if claim.right != "chair" or ruler in shown.chairs:
        return claim
    fault = RowFault("right", f"{ruler} does not chair this session")
    checked.refuse(row, fault, mendable=False)
    return replace(claim, right="named" if ruler == author else "reported")


def _is_same(claim: Claim, other: Claim) -> bool:
    """True if both say the same of the same words."""
    if claim.label in _ITEM_OF:
        return claim.id == other.id
    return (claim.side, claim.targets, _place(claim)) == (other.side, other.targets, _place(other))


def _place(claim: Claim) -> tuple[object, ...]:
    return claim.n, claim.label, claim.start, claim.outcome
