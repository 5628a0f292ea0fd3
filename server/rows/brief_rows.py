"""The Brief: what was decided, what is disputed or unconfirmed, what is open, whom it waits for.

Every firm item stands in one place; candidates are listed apart. What a decision replaced stands
beneath it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import Ledger, ledger_of
from parley.memory.state.item_state import Decision
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.text.similarity import content_stems
from parley.server.rows.cite_rows import NO_RECORDS, RecordsByNumber, Row
from parley.server.rows.entry_times import time_row
from parley.server.rows.item_rows import (
    candidate_row,
    dissent_rows,
    item_basis,
    page_decision_row,
    page_proposal_row,
)
from parley.server.rows.vote_rows import vote_row
from parley.server.verdicts.decision_words import decision_text

MOST: Final = 200  # items of a part; `more` counts the rest
MISSED: Final = 5  # votes that came to nothing, the newest
DRAWER: Final = 50  # candidates
_NOTHING: Final = frozenset({"short", "failed"})  # how a vote ends that comes to nothing
_AT_ONCE: Final = 15  # entries within which a decision is made again in better words
_ALIKE: Final = 0.6  # of the words of both
_CONTRARY: Final = re.compile(r"\d+(?:\.\d+)*|\bnon-?\w*")  # figures, and "non-editorial"
PARTS: Final = ("decided", "disputed", "claimed", "open")  # of firm items


@dataclass(slots=True)
class Brief:
    """The items of a memory by what they mean to a newcomer; each list newest first."""

    decided: list[LedgerItem] = field(default_factory=list)  # ratified, or ruled as a model reads
    disputed: list[LedgerItem] = field(default_factory=list)
    claimed: list[LedgerItem] = field(default_factory=list)  # said to be decided, unconfirmed
    replaced: dict[str, list[LedgerItem]] = field(default_factory=dict)  # by what stands instead
    open: list[LedgerItem] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)  # that run
    missed: list[Vote] = field(default_factory=list)  # on no proposal, that came to nothing
    candidates: list[LedgerItem] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many items are in each part; a vote on an open item is that item."""
        listed = {proposal.handle for proposal in self.open}
        questions = [vote for vote in self.votes if f"P{vote.proposal}" not in listed]
        return {
            "decided": len(self.decided),
            "disputed": len(self.disputed),
            "claimed": len(self.claimed),
            "open": len(self.open) + len(questions),
            "candidates": len(self.candidates),
        }


def compose_brief(memory: Memory) -> Brief:
    """Where every item that stands belongs."""
    ledger = ledger_of(memory)
    brief = Brief(votes=[memory.votes.by_ref[ref] for ref in reversed(memory.votes.running)])
    brief.missed = _missed_votes(memory)
    brief.open, brief.candidates = ledger.open_proposals(), ledger.candidates()
    firm = [item for item in ledger.decisions() if item.shelf == "firm"]
    for item in sorted(firm, key=_settled_at):
        _place_decision(memory, brief, item)
    _join_rewordings(memory, brief)
    return brief


def _join_rewordings(memory: Memory, brief: Brief) -> None:
    """Put what was decided again at once, by the same people in nearly the same words, beneath
    the later words: those are the ones that hold."""
    for decision in [*brief.decided]:
        heir = next((d for d in brief.decided if _rewords(memory, d, decision)), None)
        if heir is not None:
            brief.decided.remove(decision)
            earlier = brief.replaced.pop(decision.handle, [])
            brief.replaced.setdefault(heir.handle, []).extend([decision, *earlier])


def _rewords(memory: Memory, later: LedgerItem, earlier: LedgerItem) -> bool:
    if not 0 < later.born - earlier.born <= _AT_ONCE or later.participant != earlier.participant:
        return False
    if later.as_read != earlier.as_read or later.status != earlier.status:
        return False
    sides = (later.names("support"), later.names("oppose"))
    if sides != (earlier.names("support"), []):
        return False
    new, old = (decision_text(memory, decision) for decision in (later, earlier))
    if _CONTRARY.findall(new.casefold()) != _CONTRARY.findall(old.casefold()):
        return False
    words, before = {*content_stems(new)}, {*content_stems(old)}
    return len(words & before) >= _ALIKE * len(words | before)


def _missed_votes(memory: Memory) -> list[Vote]:
    """The newest whose question is open still: nothing came of it, and it was not asked again."""
    missed: list[Vote] = []
    asked: set[str] = set()
    for vote in reversed(memory.votes.by_ref.values()):
        question = " ".join(vote.question.casefold().split())
        if vote.proposal is None and vote.status in _NOTHING and question not in asked:
            missed.append(vote)
        asked.add(question)
    return missed[:MISSED]


def _settled_at(item: LedgerItem) -> tuple[int, int, int]:
    """Newest first: by the entry that settled it; of one entry, those numbered last first."""
    ref = 0 if item.item is None else item.item.ref
    return -item_basis(item).cites[0].n, -ref, -item.origin.cites[0].start


def _place_decision(memory: Memory, brief: Brief, item: LedgerItem) -> None:
    if item.status == "disputed":
        brief.disputed.append(item)
    elif item.status == "claimed":
        brief.claimed.append(item)
    elif item.status == "superseded":
        heir = _heir(memory, item)
        if heir is not None and decision_text(memory, item) != decision_text(memory, heir):
            brief.replaced.setdefault(heir.handle, []).append(item)
    elif not item.as_read or not _is_ratified(memory, item):
        brief.decided.append(item)


def _is_ratified(memory: Memory, ruling: LedgerItem) -> bool:
    """True if each proposal that a ruling accepts, as a model reads it, has a ratified decision:
    then it says again what that says."""
    ledger = ledger_of(memory)
    if ruling.status != "accepted" or not ruling.settles:
        return False
    return all(_ratified_decision(ledger, handle) for handle in ruling.settles)


def _ratified_decision(ledger: Ledger, handle: str) -> bool:
    ref = ledger.memory.resolving.get(int(handle[1:]) if handle[1:].isdecimal() else 0, 0)
    decision = ledger.item(f"D{ref}") if handle[0] == "P" and ref else None
    return decision is not None and decision.status == "ratified"


def _heir(memory: Memory, item: LedgerItem) -> LedgerItem | None:
    """What stands in its place at the end of the chain; None if that is gone."""
    decision = item.item
    if not isinstance(decision, Decision):
        return None
    seen = {decision.ref}
    while decision.superseded_by is not None and decision.superseded_by not in seen:
        seen.add(decision.superseded_by)
        heir = memory.decision(decision.superseded_by)
        if heir is None:
            return None
        decision = heir
    return ledger_of(memory).item(decision.handle) if decision.binds else None


# -- as rows -------------------------------------------------------------------------------


def brief_row(memory: Memory, records: RecordsByNumber = NO_RECORDS) -> Row:
    """The whole of it, each item as the page shows it; `records` lend their words and times."""
    brief = compose_brief(memory)

    def decided(items: Sequence[LedgerItem]) -> list[Row]:
        return [_decided(memory, brief, item, records) for item in items[:MOST]]

    return {
        "n": memory.n,
        "title": memory.title,
        "goal": memory.settings.goal or None,
        "closed": memory.closed,
        **_summary(memory, brief),
        "decided": decided(brief.decided),
        "disputed": decided(brief.disputed),
        "claimed": decided(brief.claimed),
        "open": [_open(memory, proposal, records) for proposal in brief.open[:MOST]],
        "votes": [vote_row(memory, vote) for vote in brief.votes],
        "missed": [vote_row(memory, vote) for vote in brief.missed],
        "candidates": [candidate_row(memory, item) for item in brief.candidates[:DRAWER]],
        "more": left_out(brief),
    }


def _open(memory: Memory, proposal: LedgerItem, records: RecordsByNumber) -> Row:
    row = page_proposal_row(memory, proposal)
    return {**row, "dissent": dissent_rows(memory, proposal, records)}


def brief_index(memory: Memory) -> Row:
    """The same by handles, for those who have the rows of the items already."""
    brief = compose_brief(memory)
    return {
        **_summary(memory, brief),
        **{part: [item.handle for item in getattr(brief, part)[:MOST]] for part in PARTS},
        "replaced": {
            handle: replaced_rows(memory, items) for handle, items in sorted(brief.replaced.items())
        },
        "votes": [vote.handle for vote in brief.votes],
        "missed": [vote.handle for vote in brief.missed],
        "candidates": [candidate_row(memory, item) for item in brief.candidates[:DRAWER]],
        "more": left_out(brief),
    }


def _summary(memory: Memory, brief: Brief) -> Row:
    return {
        "sentence": brief_sentence(brief.counts),
        "counts": brief.counts,
        "waiting": waiting_rows(memory, brief),
    }


def brief_sentence(counts: dict[str, int], waits: str = "") -> str:
    """What there is, in one sentence; `waits` is what waits for the reader, in words."""
    begin = f"Decided {counts['decided']}" if counts["decided"] else "Nothing is decided yet"
    names = {"disputed": "disputed", "claimed": "unconfirmed", "open": "open"}
    parts = [begin, *(f"{names[name]} {counts[name]}" for name in names if counts[name])]
    if counts["decided"] and not counts["open"]:
        parts.append("nothing open")
    return ", ".join(parts) + (f"; waiting for you: {waits}" if waits else "") + "."


def waiting_rows(memory: Memory, brief: Brief) -> list[Row]:
    """Whose word is awaited, on what: a ballot, an agreement to a vote, the floor."""
    rows: list[Row] = []
    for vote in brief.votes:
        what = "agreement" if vote.status == "called" else "ballot"
        rows += [
            {"participant": name, "what": what, "ref": vote.handle}
            for name in vote_row(memory, vote)["waiting"]
        ]
    if memory.floor.holder and memory.closed is None:
        rows.append({"participant": memory.floor.holder, "what": "floor", "ref": None})
    return rows


def waiting_for(rows: Iterable[Row], name: str) -> str:
    """What waits for `name`, in words; "" for nothing."""
    words = {"ballot": ("vote", "votes"), "agreement": ("vote to agree to", "votes to agree to")}
    whats = [row["what"] for row in rows if row["participant"] == name]
    parts = [
        f"{_number(whats.count(what))} {words[what][whats.count(what) > 1]}"
        for what in words
        if what in whats
    ]
    return ", ".join([*parts, *(["the floor"] if "floor" in whats else [])])


def _number(count: int) -> str:
    return {1: "one", 2: "two", 3: "three"}.get(count, str(count))


def _decided(memory: Memory, brief: Brief, item: LedgerItem, records: RecordsByNumber) -> Row:
    return {
        **page_decision_row(memory, item, records),
        "replaces": replaced_rows(memory, brief.replaced.get(item.handle, ()), records),
    }


def replaced_rows(
    memory: Memory, items: Iterable[LedgerItem], records: RecordsByNumber = NO_RECORDS
) -> list[Row]:
    """What stood before, in a line each, the newest first."""
    return [
        {
            "ref": item.handle,
            "text": decision_text(memory, item),
            "status": item.status,
            "n": item.born,
            **time_row(item.item.at if item.item else None, records.get(item.born)),
        }
        for item in items
    ]


def left_out(brief: Brief) -> dict[str, int]:
    """How many of each part are not listed, of those that have too many."""
    parts = [(part, getattr(brief, part), MOST) for part in PARTS]
    parts.append(("candidates", brief.candidates, DRAWER))
    return {name: len(items) - most for name, items, most in parts if len(items) > most}
