"""The Brief: what was decided, what is open, what may be, and whom it waits for. Pure.

Every item stands in one place: in force, disputed, open, or in the drawer of what may be one.
What a decision replaced stands beneath it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from parley.memory.extraction.model_claims.item_overlay import (
    ClaimedItem,
    ClaimOverlay,
    listed_status,
    overlay_claims,
)
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.text.similarity import content_stems
from parley.server.rows.cite_rows import NO_RECORDS, RecordsByNumber, Row, cite_list, origin_terms
from parley.server.rows.entry_times import time_row
from parley.server.rows.item_rows import dissent_rows, page_decision_row, page_proposal_row
from parley.server.rows.vote_rows import vote_row
from parley.server.verdicts.basis_words import basis_words
from parley.server.verdicts.decision_words import decision_text
from parley.server.verdicts.plain_words import (
    asks_for_something,
    is_fragment,
    is_of_prose,
    item_words,
)

MOST: Final = 200  # items of a part; `more` counts the rest
MISSED: Final = 5  # votes that came to nothing, the newest
DRAWER: Final = 50  # of those that may be decisions or proposals
_SAID_TO_BE: Final = frozenset({"act", "tag", "person"})  # how an item was found
_NOTHING: Final = frozenset({"short", "failed"})  # how a vote ends that comes to nothing
_AT_ONCE: Final = 15  # entries within which a decision is made again in better words
_ALIKE: Final = 0.6  # of the words of both
_CONTRARY: Final = re.compile(r"\d+(?:\.\d+)*|\bnon-?\w*")  # figures, and "non-editorial"
_FIXES: Final = "writing/decide.output"  # how a document is found that sets down decisions
_SURE: Final = 600  # per mille: "I propose", not "maybe we could"


Claimed = Decision | Proposal | ClaimedItem


@dataclass(slots=True)
class Brief:
    """The items of a memory by what they mean to who comes in; each list newest first."""

    decided: list[Decision] = field(default_factory=list)
    disputed: list[Decision] = field(default_factory=list)
    replaced: dict[int, list[Decision]] = field(default_factory=dict)  # by what stands instead
    open: list[Proposal] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)  # that run
    missed: list[Vote] = field(default_factory=list)  # on no proposal, that came to nothing
    perhaps: list[Claimed] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many are decided, disputed, open and perhaps; a vote on an open item is that item."""
        listed = {proposal.ref for proposal in self.open}
        questions = [vote for vote in self.votes if vote.proposal not in listed]
        return {
            "decided": len(self.decided),
            "disputed": len(self.disputed),
            "open": len(self.open) + len(questions),
            "perhaps": len(self.perhaps),
        }


def compose_brief(memory: Memory, read: ClaimOverlay) -> Brief:
    """Where every item that stands belongs."""
    brief = Brief(votes=[memory.votes.by_ref[ref] for ref in reversed(memory.votes.running)])
    brief.missed = _missed_votes(memory)
    voted = {vote.proposal for vote in brief.votes}
    written_down = _last_document(memory)
    for decision in sorted(filter(_stands, memory.decisions.values()), key=_settled_at):
        _place_decision(memory, brief, decision, listed_status(read, decision))
    _join_rewordings(memory, brief)
    for proposal in reversed(memory.proposals.values()):
        if not proposal.stands or listed_status(read, proposal) != "active":
            continue
        left_behind = is_of_prose(proposal.origin.rule) and proposal.born < written_down
        is_one = proposal.ref in voted or (is_taken_up(proposal) and not left_behind)
        (brief.open if is_one else brief.perhaps).append(proposal)
    claims = (item for item in reversed(read.items.values()) if item.status == "claimed")
    brief.perhaps += claims
    brief.perhaps = _each_once(memory, sorted(brief.perhaps, key=lambda item: _rank(memory, item)))
    return brief


def _join_rewordings(memory: Memory, brief: Brief) -> None:
    """What was decided again at once, by the same people in nearly the same words, stands beneath
    that: the later words are the ones that hold."""
    for decision in [*brief.decided]:
        heir = next((d for d in brief.decided if _rewords(memory, d, decision)), None)
        if heir is not None:
            brief.decided.remove(decision)
            earlier = brief.replaced.pop(decision.ref, [])
            brief.replaced.setdefault(heir.ref, []).extend([decision, *earlier])


def _rewords(memory: Memory, later: Decision, earlier: Decision) -> bool:
    if not 0 < later.born - earlier.born <= _AT_ONCE or later.participant != earlier.participant:
        return False
    if set(later.supporters) != set(earlier.supporters) or later.dissenters or earlier.dissenters:
        return False
    new, old = (decision_text(memory, decision) for decision in (later, earlier))
    if _CONTRARY.findall(new.casefold()) != _CONTRARY.findall(old.casefold()):
        return False
    words, before = {*content_stems(new)}, {*content_stems(old)}
    return len(words & before) >= _ALIKE * len(words | before)


def _each_once(memory: Memory, items: Iterable[Claimed]) -> list[Claimed]:
    """Without those that say in the same words what a surer one says."""
    by_words: dict[str, Claimed] = {}
    for item in items:
        by_words.setdefault(_words(memory, item).casefold(), item)
    return [*by_words.values()]


def _last_document(memory: Memory) -> int:
    """The last entry that sets down in a document what was decided; 0 for none.

    What was suggested in prose before it is in it or was let go.
    """
    found = (item.born for item in memory.decisions.values() if item.origin.rule == _FIXES)
    return max(found, default=0)


def _missed_votes(memory: Memory) -> list[Vote]:
    """The newest whose question is open still: nothing came of it, and nobody asked it again."""
    missed: list[Vote] = []
    asked: set[str] = set()
    for vote in reversed(memory.votes.by_ref.values()):
        question = " ".join(vote.question.casefold().split())
        if vote.proposal is None and vote.status in _NOTHING and question not in asked:
            missed.append(vote)
        asked.add(question)
    return missed[:MISSED]


def is_taken_up(proposal: Proposal) -> bool:
    """Whether a proposal is more than what it sounds like: said to be one, or spoken to.

    A stretch of prose has to ask for something: thanks and opinions are answered, too.
    """
    found_by = proposal.origin.rule
    if is_of_prose(found_by) and not asks_for_something(proposal.text or proposal.topic):
        return False
    if proposal.reactions or any(proposal.tally):
        return True
    how, sure = proposal.origin.how, proposal.origin.confidence
    return not proposal.candidate and how != "structure" and sure >= _SURE


def _stands(decision: Decision) -> bool:
    return decision.stands


def _settled_at(decision: Decision) -> tuple[int, int]:
    """Newest first: by the entry that settled it."""
    return -(decision.ratified or decision.origin).cites[0].n, -decision.ref


def _place_decision(memory: Memory, brief: Brief, decision: Decision, status: str) -> None:
    if status == "ratified":
        brief.decided.append(decision)
    elif status == "disputed":
        brief.disputed.append(decision)
    elif status == "claimed":
        brief.perhaps.append(decision)
    elif status == "superseded" and (heir := _heir(memory, decision)) is not None:
        if decision_text(memory, decision) == decision_text(memory, heir):
            return  # said again in the same words: one decision
        brief.replaced.setdefault(heir.ref, []).append(decision)


def _heir(memory: Memory, decision: Decision) -> Decision | None:
    """What stands in its place at the end of the chain; None where that is gone."""
    seen = {decision.ref}
    while decision.superseded_by is not None and decision.superseded_by not in seen:
        seen.add(decision.superseded_by)
        heir = memory.decision(decision.superseded_by)
        if heir is None:
            return None
        decision = heir
    return decision if decision.binds else None


def _rank(memory: Memory, item: Claimed) -> tuple[bool, bool, int]:
    """First what somebody marked as one, then the surest, last what says nothing alone."""
    marked = item.origin.how in _SAID_TO_BE
    return not marked and is_fragment(_words(memory, item)), not marked, -item.origin.confidence


# -- as rows -------------------------------------------------------------------------------


def brief_row(memory: Memory, records: RecordsByNumber = NO_RECORDS) -> Row:
    """The whole of it, each item as the page shows it; `records` lend their words and times."""
    read = overlay_claims(memory)
    brief = compose_brief(memory, read)
    return {
        "n": memory.n,
        "title": memory.title,
        "goal": memory.settings.goal or None,
        "closed": memory.closed,
        **_summary(memory, brief),
        "decided": [_decided(memory, brief, d, read, records) for d in brief.decided[:MOST]],
        "disputed": [_decided(memory, brief, d, read, records) for d in brief.disputed[:MOST]],
        "open": [_open(memory, proposal, read, records) for proposal in brief.open[:MOST]],
        "votes": [vote_row(memory, vote) for vote in brief.votes],
        "missed": [vote_row(memory, vote) for vote in brief.missed],
        "perhaps": perhaps_rows(memory, brief),
        "more": left_out(brief),
    }


def _open(memory: Memory, proposal: Proposal, read: ClaimOverlay, records: RecordsByNumber) -> Row:
    row = page_proposal_row(memory, proposal, read)
    return {**row, "dissent": dissent_rows(memory, proposal, records)}


def brief_index(memory: Memory, read: ClaimOverlay) -> Row:
    """The same by handles, for who has the rows of the items already."""
    brief = compose_brief(memory, read)
    return {
        **_summary(memory, brief),
        "decided": [decision.handle for decision in brief.decided[:MOST]],
        "disputed": [decision.handle for decision in brief.disputed[:MOST]],
        "replaced": {
            f"D{ref}": replaced_rows(memory, decisions)
            for ref, decisions in sorted(brief.replaced.items())
        },
        "open": [proposal.handle for proposal in brief.open[:MOST]],
        "votes": [vote.handle for vote in brief.votes],
        "missed": [vote.handle for vote in brief.missed],
        "perhaps": perhaps_rows(memory, brief),
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
    names = ("disputed", "open", "perhaps") if not counts["decided"] else ("disputed", "open")
    parts = [begin, *(f"{name} {counts[name]}" for name in names if counts[name])]
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


def _decided(
    memory: Memory, brief: Brief, decision: Decision, read: ClaimOverlay, records: RecordsByNumber
) -> Row:
    return {
        **page_decision_row(memory, decision, read, records),
        "replaces": replaced_rows(memory, brief.replaced.get(decision.ref, ()), records),
    }


def replaced_rows(
    memory: Memory, decisions: Iterable[Decision], records: RecordsByNumber = NO_RECORDS
) -> list[Row]:
    """What stood before, in a line each, the newest first."""
    return [
        {
            "ref": decision.handle,
            "text": decision_text(memory, decision),
            "status": decision.status,
            "n": decision.born,
            **time_row(decision.at, records.get(decision.born)),
        }
        for decision in decisions
    ]


def perhaps_rows(memory: Memory, brief: Brief) -> list[Row]:
    """What may be a decision or a proposal, the surest first, and how it was found."""
    return [_perhaps(memory, item) for item in brief.perhaps[:DRAWER]]


def _words(memory: Memory, item: Claimed) -> str:
    if isinstance(item, ClaimedItem):
        return item.statement or item.text or item.topic
    if isinstance(item, Decision):
        return decision_text(memory, item)
    return item_words(item.text or item.topic, item.origin.rule)


def _perhaps(memory: Memory, item: Claimed) -> Row:
    kind = "decision" if isinstance(item, Decision) else "proposal"
    return {
        "ref": item.handle,
        "kind": item.kind if isinstance(item, ClaimedItem) else kind,
        "text": _words(memory, item),
        "participant": item.participant,
        "n": item.born,
        "cites": cite_list(item.origin),
        "basis": basis_words(item.origin),
        **origin_terms(item.origin),
    }


def left_out(brief: Brief) -> dict[str, int]:
    """How many of each part are not listed, of those that have too many."""
    parts: tuple[tuple[str, Sequence[object], int], ...] = (
        ("decided", brief.decided, MOST),
        ("disputed", brief.disputed, MOST),
        ("open", brief.open, MOST),
        ("perhaps", brief.perhaps, DRAWER),
    )
    return {name: len(items) - most for name, items, most in parts if len(items) > most}
