"""What the fold found, one flat row a finding: the form that extraction is scored in. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from parley.memory.extraction.model_claims.item_overlay import ClaimOverlay, overlay_claims
from parley.memory.state.item_state import Decision, Fact, Proposal
from parley.memory.state.memory import Memory
from parley.server.rows.claim_rows import finding_rows_of_claims, index_of_item

# The scored vocabulary knows four outcomes of a proposal.
_STATUS: Final = {"adopted": "accepted", "withdrawn": "rejected", "lapsed": "active"}
_WHENCE: Final = ("how", "rule", "confidence", "id")


def finding_rows(
    facts: Iterable[Fact], memory: Memory, index_of: Callable[[int], int]
) -> list[dict[str, Any]]:
    """Every proposal, every decision (claimed too), the latest reaction per message
    and proposal, and one status a proposal, sorted by `index`.

    `facts` are those of the whole session, `memory` is what it came to;
    `index_of` gives the index in the file of entry `n`. What a person struck, or a
    model took back, is left out.
    """
    rows: list[dict[str, Any]] = []
    latest: dict[tuple[int, str | None], dict[str, Any]] = {}
    read = overlay_claims(memory)
    for fact in facts:
        if fact.ref is None or fact.ref in read.retracted or memory.item(fact.ref) is None:
            continue
        if fact.kind == "proposal.made":
            rows += _proposal(fact, memory, index_of)
        elif fact.kind == "decision.claimed":
            rows.append(_decision(fact, memory, read, index_of))
        elif fact.kind == "decision.restated" and fact.data["how"] == "structure":
            rows.append(_restated(fact, memory, index_of))
        elif fact.kind == "reaction.moved":
            latest.pop((_born(fact), fact.ref), None)
        elif fact.kind == "reaction.changed" and not _is_tentative(memory, fact.ref):
            latest[_born(fact), fact.ref] = _reaction(fact, memory, index_of)
    rows += latest.values()
    rows += finding_rows_of_claims(read, memory, index_of)
    return sorted(rows, key=lambda row: row["index"])


def _restated(fact: Fact, memory: Memory, index_of: Callable[[int], int]) -> dict[str, Any]:
    """A line that decides what an earlier one was taken to have decided."""
    item = memory.item(fact.ref or "")
    of = item.resolves if isinstance(item, Decision) else None
    proposal = None if of is None else memory.proposal(of)
    target = None if proposal is None else index_of(proposal.born)
    row = {"index": index_of(_born(fact)), "label": "decision", "proposal_index": target}
    return {**row, **_whence(fact)}


def _is_tentative(memory: Memory, ref: str) -> bool:
    item = memory.item(ref)
    return item is not None and item.candidate


def _proposal(
    fact: Fact, memory: Memory, index_of: Callable[[int], int]
) -> Iterator[dict[str, Any]]:
    proposal = memory.item(fact.ref or "")
    if not isinstance(proposal, Proposal):
        return
    index = index_of(proposal.born)
    if proposal.candidate:
        yield {"index": index, "label": "candidate", **_whence(fact)}
        return
    yield {"index": index, "label": "proposal", **_whence(fact)}
    status = _STATUS.get(proposal.status, proposal.status)
    row = {"index": index, "label": "status", "proposal_index": index, "status": status}
    yield {**row, **_whence(fact)}


def _decision(
    fact: Fact, memory: Memory, read: ClaimOverlay, index_of: Callable[[int], int]
) -> dict[str, Any]:
    n = fact.data.get("proposal_n")
    target = index_of(n) if isinstance(n, int) else None
    item = memory.item(fact.ref or "")
    if target is None and item is not None:
        target = index_of_item(read.settled.get(item.handle), read, memory, index_of)
    label = "candidate" if item is not None and item.candidate else "decision"
    row = {"index": index_of(_born(fact)), "label": label, "proposal_index": target}
    return {**row, **_whence(fact)}


def _reaction(fact: Fact, memory: Memory, index_of: Callable[[int], int]) -> dict[str, Any]:
    proposal = memory.item(fact.ref or "")
    n = fact.data.get("proposal_n") or (proposal.born if proposal else fact.n)
    row = {
        "index": index_of(_born(fact)),
        "label": "reaction",
        "stance": fact.data["stance"],
        "proposal_index": index_of(n if isinstance(n, int) else fact.n),
    }
    return {**row, **_whence(fact)}


def _born(fact: Fact) -> int:
    """The n of the entry that a fact is about, which a later one may have revealed."""
    born = fact.data.get("born")
    return born if isinstance(born, int) else fact.n


def _whence(fact: Fact) -> dict[str, Any]:
    whence = {name: fact.data.get(name) for name in _WHENCE}
    whence["id"] = whence["id"] or f"{fact.kind.partition('.')[0]}:{fact.n}:{fact.ref}"
    return whence
