"""What was found in a talk, one flat row a finding: the form that extraction is scored in. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from parley.memory.extraction.model_claims.kept_claims import check_key, was_read
from parley.memory.extraction.structure.shelves import is_marked, is_sure
from parley.memory.ledger.ledger_rows import LedgerItem, Side
from parley.memory.ledger.ledger_view import Ledger, ledger_of
from parley.memory.state.item_state import Cite, Decision, Fact, Origin, Proposal
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import origin_terms

# The scored vocabulary knows four outcomes of a proposal.
_STATUS: Final = {
    "adopted": "accepted", "withdrawn": "rejected", "lapsed": "active", "put_off": "active",
}  # fmt: skip
_WHENCE: Final = ("how", "rule", "confidence", "id")

Row = dict[str, Any]


def finding_rows(
    facts: Iterable[Fact], memory: Memory, index_of: Callable[[int], int]
) -> list[Row]:
    """Every item of the ledger, the latest side per message and item, and one status a proposal,
    sorted by `index`.

    `facts` are those of the whole session, `memory` is what it came to;
    `index_of` gives the index in the file of entry `n`. What a person or a model denied is left
    out; a candidate, and a side that is not firm, has the label `candidate`.
    """
    ledger = ledger_of(memory)
    ids = _ids(facts := [*facts])
    rows: list[Row] = []
    born: dict[str, int] = {}
    for item in (*ledger.proposals(), *ledger.decisions()):
        if item.shelf != "denied":
            born[item.handle] = item.born
            rows += _item(item, ledger, ids, index_of)
            rows += (_read_side(item, side, index_of) for side in _read_sides(item))
    rows += _sides(facts, ledger, index_of)
    rows += [
        _restated(fact, ledger, index_of)
        for fact in facts
        if fact.kind == "decision.restated" and fact.data["how"] == "structure" and fact.ref in born
    ]
    return sorted(rows, key=lambda row: row["index"])


def _ids(facts: Iterable[Fact]) -> dict[str, Row]:
    """Of each item of the fold how it was found, by the fact that announced it."""
    made = ("proposal.made", "decision.claimed")
    return {fact.ref: _whence(fact) for fact in facts if fact.kind in made and fact.ref is not None}


def _item(
    item: LedgerItem, ledger: Ledger, ids: dict[str, Row], index_of: Callable[[int], int]
) -> Iterator[Row]:
    whence = ids.get(item.handle)
    if item.item is None:
        whence = {**origin_terms(item.origin), "id": f"claim:{item.born}:{item.handle}"}
    if whence is None:  # a rule of the session made it, no message
        return
    index = index_of(item.born)
    label = item.kind if item.shelf == "firm" else "candidate"
    if item.kind == "decision":
        target = ledger.item(item.settles[0]) if item.settles else None
        about = None if target is None else index_of(target.born)
        yield {"index": index, **_label(label, item.kind), "proposal_index": about, **whence}
        return
    yield {"index": index, **_label(label, item.kind), **whence}
    if item.shelf == "firm":
        status = _STATUS.get(item.status, item.status)
        yield {
            "index": index, "label": "status", "proposal_index": index, "status": status, **whence,
        }  # fmt: skip


def _label(label: str, kind: str) -> Row:
    """The label of a row; of a candidate also what it would be."""
    return {"label": label, "kind": kind} if label == "candidate" else {"label": label}


def _read_sides(item: LedgerItem) -> list[Side]:
    return [side for side in (*item.earlier_sides, *item.sides.values()) if side.as_read]


def _read_side(item: LedgerItem, side: Side, index_of: Callable[[int], int]) -> Row:
    return {
        "index": index_of(side.n),
        "label": "reaction",
        "stance": side.stance,
        "proposal_index": index_of(item.born),
        **origin_terms(side.origin),
        "id": f"claim:{side.n}:{item.handle}",
    }


def _sides(facts: Iterable[Fact], ledger: Ledger, index_of: Callable[[int], int]) -> Iterator[Row]:
    """The latest side in each message on each item, of those that rules found."""
    latest: dict[tuple[int, str | None], Row] = {}
    for fact in facts:
        if fact.kind == "reaction.moved":
            latest.pop((_born(fact), fact.ref), None)
        elif fact.kind in _TAKEN and (item := ledger.item(fact.ref or "")) is not None:
            label = _side_label(fact, item, ledger.memory)
            if item.shelf != "firm" and label is not None:
                label = "candidate"
            if item.shelf != "denied" and label is not None:
                latest[_born(fact), fact.ref] = _reaction(fact, item, label, index_of)
    yield from latest.values()


_TAKEN: Final = ("reaction.changed", "side.read")  # a side that counts, and one as read


def _side_label(fact: Fact, item: LedgerItem, memory: Memory) -> str | None:
    """`reaction`, or `candidate` if it is not firm; None if a model read the message otherwise."""
    data: dict[str, Any] = fact.data
    origin = Origin((Cite(fact.n),), data["how"], data.get("rule"), data["confidence"])
    if data.get("counted") or data.get("vote") or is_marked(origin):
        return "reaction"
    check = memory.claims.checks.get(check_key(item.handle, memory.named(data["participant"])))
    if was_read(memory, _born(fact)) or (check is not None and check.verdict == "wrong"):
        return None
    return "reaction" if is_sure("side", origin) else "candidate"


def _reaction(fact: Fact, item: LedgerItem, label: str, index_of: Callable[[int], int]) -> Row:
    n = fact.data.get("proposal_n") or item.born
    return {
        "index": index_of(_born(fact)),
        **_label(label, "reaction"),
        "stance": fact.data["stance"],
        "proposal_index": index_of(n if isinstance(n, int) else fact.n),
        **_whence(fact),
    }


def _restated(fact: Fact, ledger: Ledger, index_of: Callable[[int], int]) -> Row:
    """A line that decides what an earlier one was taken to have decided."""
    item = ledger.item(fact.ref or "")
    known = item.item if item is not None else None
    of = known.resolves if isinstance(known, Decision) else None
    offer: Proposal | None = None if of is None else ledger.memory.proposal(of)
    target = None if offer is None else index_of(offer.born)
    row = {"index": index_of(_born(fact)), "label": "decision", "proposal_index": target}
    return {**row, **_whence(fact)}


def _born(fact: Fact) -> int:
    """The n of the entry that a fact is about, which a later one may have revealed."""
    born = fact.data.get("born")
    return born if isinstance(born, int) else fact.n


def _whence(fact: Fact) -> Row:
    whence = {name: fact.data.get(name) for name in _WHENCE}
    whence["id"] = whence["id"] or f"{fact.kind.partition('.')[0]}:{fact.n}:{fact.ref}"
    return whence
