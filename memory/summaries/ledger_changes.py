"""What a stretch of the log did to the ledger: the facts that its summary names first.

Noted as they are found, so that whoever writes the summary, whenever, writes the same.
A range holds 64 at most, the weightiest; a range of a higher level those of the ranges
below it, under the same limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import ChangeKind, LedgerChange

MOST_CHANGES: Final = 64  # of one range: more than 200 words can name
WEIGHTS: Final[dict[ChangeKind, int]] = {
    "ratified": 9, "accepted": 9, "adopted": 9, "rejected": 9, "disputed": 9, "carried": 9,
    "failed": 9,
    "superseded": 8, "retracted": 8, "claimed": 8, "withdrawn": 8, "proposed": 7, "opposed": 6,
    "turned to support": 6, "turned to oppose": 6, "replaced": 5, "amends": 4, "short": 4,
    "repeats": 4, "cancelled": 4, "lapsed": 3, "supported": 2, "set aside": 9, "taken up": 9,
}  # fmt: skip
_SETTLED: Final[dict[object, ChangeKind]] = {
    "accepted": "accepted",
    "adopted": "adopted",
    "rejected": "rejected",
    "withdrawn": "withdrawn",
    "modified": "replaced",
    "lapsed": "lapsed",
}
_STANCES: Final[dict[object, ChangeKind]] = {"support": "supported", "oppose": "opposed"}
_TURNS: Final[dict[object, ChangeKind]] = {
    "support": "turned to support",
    "oppose": "turned to oppose",
}
_CLOSED: Final[dict[object, ChangeKind]] = {
    "carried": "carried",
    "failed": "failed",
    "short": "short",
    "cancelled": "cancelled",
}


def note_changes(memory: Memory, facts: Sequence[Fact]) -> None:
    """Note what `facts` say of the ledger for the summary of the open stretch.

    A decision that accepting a proposal makes is nobody's claim: it is noted as ratified alone.
    """
    changes = memory.open_changes
    accepted: set[object] = set()
    for fact in facts:
        if fact.kind == "proposal.settled" and fact.data["status"] == "accepted":
            accepted.add(fact.ref)
        if fact.kind == "decision.claimed" and fact.data["resolves"] in accepted:
            continue
        kind = _KINDS.get(fact.kind)
        if kind is not None and fact.ref is not None and (name := kind(fact.data)) is not None:
            changes.append(_change(name, fact.ref, fact))
    if len(changes) > 2 * MOST_CHANGES:  # now and then, so that it costs a message nothing
        memory.open_changes = heaviest(changes)


def heaviest(changes: list[LedgerChange]) -> list[LedgerChange]:
    """The 64 of `changes` that weigh most, the newest of equals, in their order."""
    if len(changes) <= MOST_CHANGES:
        return changes
    places = sorted(
        range(len(changes)), key=lambda place: (WEIGHTS[changes[place].kind], place), reverse=True
    )
    return [changes[place] for place in sorted(places[:MOST_CHANGES])]


def _change(kind: ChangeKind, ref: str, fact: Fact) -> LedgerChange:
    data: dict[str, Any] = fact.data
    return LedgerChange(
        kind,
        ref,
        data.get("participant") or _by(fact) or "",
        data.get("born", fact.n),
        data.get("start", 0),
        data.get("end", 0),
        _other(fact) or "",
    )


def _by(fact: Fact) -> Any:
    return fact.data.get("by") if fact.kind in ("proposal.settled", "item.corrected") else None


def _other(fact: Fact) -> Any:
    data = fact.data
    if fact.kind == "decision.superseded":
        return data.get("by")
    return data.get("earlier") or data.get("superseded_by") or data.get("resolves")


_KINDS: Final[dict[str, Callable[[dict[str, object]], ChangeKind | None]]] = {
    "proposal.made": lambda data: "proposed",
    "proposal.amended": lambda data: "amends",
    # what an embedding finds, it finds some time later: a summary that waits for it varies
    "proposal.echoed": lambda data: "repeats" if data["model"] is None else None,
    "proposal.settled": lambda data: _SETTLED.get(data["status"]),
    "reaction.changed": lambda data: _STANCES.get(data["stance"]),
    "position.flipped": lambda data: _TURNS.get(data["stance"]),
    "decision.claimed": lambda data: "claimed",
    "decision.restated": lambda data: "supported",
    "decision.ratified": lambda data: "ratified",
    "decision.disputed": lambda data: "disputed",
    "decision.superseded": lambda data: "superseded",
    "vote.closed": lambda data: _CLOSED.get(data["status"]),
    "item.candidate": lambda data: "set aside" if data["candidate"] else "taken up",
    "item.corrected": lambda data: "retracted" if data["op"] == "retract" else None,
}
