"""What a stretch of the log did to the ledger: the facts that its summary names first.

Noted as they are found, so that whoever writes the summary, whenever, writes the same.
A range holds 64 at most, the weightiest; a range of a higher level those of the ranges
below it, under the same limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import ChangeKind, LedgerChange

MOST_CHANGES: Final = 64  # of one range: more than 200 words can name
# From what says least of what came of a range to what says most.
_RANKS: Final[tuple[tuple[ChangeKind, ...], ...]] = (
    ("supported",),
    ("lapsed",),
    ("amends", "repeats", "short", "cancelled"),
    ("replaced",),
    ("opposed", "turned to support", "turned to oppose"),
    ("proposed",),
    ("claimed", "superseded", "retracted", "withdrawn"),
    ("ratified", "accepted", "adopted", "rejected", "disputed", "carried", "failed"),
    ("set aside", "taken up"),  # without these the others would say too much
)
WEIGHTS: Final = {kind: rank for rank, kinds in enumerate(_RANKS) for kind in kinds}
_TELLING: Final[dict[str, str]] = {  # what a fact says that tells its kind
    "proposal.echoed": "model", "proposal.settled": "status", "reaction.changed": "stance",
    "position.flipped": "stance", "vote.closed": "status", "item.candidate": "candidate",
    "item.corrected": "op",
}  # fmt: skip
_KINDS: Final[dict[tuple[str, object], ChangeKind]] = {
    ("proposal.made", None): "proposed",
    ("proposal.amended", None): "amends",
    # what an embedding finds, it finds some time later: a summary that waits for it varies
    ("proposal.echoed", None): "repeats",
    ("proposal.settled", "accepted"): "accepted",
    ("proposal.settled", "adopted"): "adopted",
    ("proposal.settled", "rejected"): "rejected",
    ("proposal.settled", "withdrawn"): "withdrawn",
    ("proposal.settled", "modified"): "replaced",
    ("proposal.settled", "lapsed"): "lapsed",
    ("reaction.changed", "support"): "supported",
    ("reaction.changed", "oppose"): "opposed",
    ("position.flipped", "support"): "turned to support",
    ("position.flipped", "oppose"): "turned to oppose",
    ("decision.claimed", None): "claimed",
    ("decision.restated", None): "supported",
    ("decision.ratified", None): "ratified",
    ("decision.disputed", None): "disputed",
    ("decision.superseded", None): "superseded",
    ("vote.closed", "carried"): "carried",
    ("vote.closed", "failed"): "failed",
    ("vote.closed", "short"): "short",
    ("vote.closed", "cancelled"): "cancelled",
    ("item.candidate", True): "set aside",
    ("item.candidate", False): "taken up",
    ("item.corrected", "retract"): "retracted",
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
        kind = _KINDS.get((fact.kind, fact.data.get(_TELLING.get(fact.kind, ""))))
        if kind is not None and fact.ref is not None:
            changes.append(_change(kind, fact.ref, fact))
    if len(changes) > 2 * MOST_CHANGES:  # now and then, so that it costs a message nothing
        memory.open_changes = heaviest(changes)


def heaviest(changes: list[LedgerChange]) -> list[LedgerChange]:
    """The 64 of `changes` that weigh most, the newest of equals, in their order."""
    places = sorted(
        range(len(changes)), key=lambda place: (WEIGHTS[changes[place].kind], place), reverse=True
    )
    return [changes[place] for place in sorted(places[:MOST_CHANGES])]


def _change(kind: ChangeKind, ref: str, fact: Fact) -> LedgerChange:
    data: dict[str, Any] = fact.data
    who, other = data.get("participant") or data.get("by"), data.get("resolves")
    if kind == "superseded":
        who, other = None, data["by"]
    other = data.get("earlier") or data.get("superseded_by") or other
    born = data.get("born", fact.n)
    return LedgerChange(
        kind, ref, who or "", born, data.get("start", 0), data.get("end", 0), other or ""
    )
