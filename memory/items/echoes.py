"""An idea that comes back: which one it repeats, what they share, and what became of the earlier.

A repeat of what was rejected, withdrawn or lapsed is offered again, a fact of its own. A
proposal repeats one other at most, the first that was found; words are asked at once,
an embedding (`parley.memory.items.embedding_comparisons`) later and only where words found nothing.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, NamedTuple

from parley.memory.extraction.structure.shelves import firm_side
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Position, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.fences import quote_shown
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.similarity import shared_words

EchoRow = dict[str, Any]

_GIVEN_UP: Final = ("rejected", "withdrawn", "lapsed")
_REASON: Final = 120  # characters of why it went as it did
_ASKED: Final = 64  # newest reactions looked at for a reason


class Reason(NamedTuple):
    """Why a proposal went as it did, in the words of one who had their way."""

    participant: str
    n: int
    text: str


def mark_echo(
    moment: FoldStep,
    made: Proposal,
    earlier: Proposal,
    similarity: int,
    text: str = "",
    model: str | None = None,
) -> None:
    """Let `made`, whose words are `text`, repeat `earlier`; `model` where an embedding says so."""
    made.echoes, made.similarity = earlier.ref, similarity
    made.shared = shared_words(text, earlier.fingerprint)
    made.alike_by = model or ""
    moment.record_fact(
        "proposal.echoed",
        made.handle,
        participant=made.participant,
        earlier=earlier.handle,
        earlier_n=earlier.born,
        earlier_status=earlier.status,
        similarity=similarity,
        shared=list(made.shared),
        model=model,
    )
    if is_reoffered(made, earlier):
        _offered_again(moment, made, earlier, similarity)


def is_reoffered(made: Proposal, earlier: Proposal) -> bool:
    """Whether `earlier` had been given up when `made` was said: one found late may be older."""
    n = settling_entry(earlier)
    return earlier.status in _GIVEN_UP and n is not None and n <= made.born


def settling_entry(earlier: Proposal) -> int | None:
    """The entry that settled `earlier`: the last of those that are cited for it."""
    return None if earlier.settled is None else max(cite.n for cite in earlier.settled.cites)


def describe_fate(memory: Memory, earlier: Proposal) -> str:
    """What became of `earlier`, on a line, with the longest reason of those who had their way."""
    support, oppose, _ = earlier.tally
    if earlier.status == "active":
        return f"still open, {support} for and {oppose} against"
    votes = f"{oppose}-{support}" if earlier.status == "rejected" else f"{support}-{oppose}"
    fate = f"{earlier.status} {votes}"
    if (n := settling_entry(earlier)) is not None:
        fate += f" at message {n}"
    why = find_reason(memory, earlier)
    if why is None:
        return fate
    who = clip(one_line(why.participant), 40)
    return f"{fate} because {quote_shown(why.text)} ({who}, message {why.n})"


def find_reason(memory: Memory, earlier: Proposal) -> Reason | None:
    """The longest sentence of those who had their way, none where it was nobody's.

    What was said once it was settled is no reason for that.
    """
    stance = {"rejected": "oppose", "accepted": "support", "adopted": "support"}.get(earlier.status)
    settled_n = settling_entry(earlier)
    if stance is None or settled_n is None:
        return None
    positions: list[tuple[str, Position]] = []
    for name in islice(reversed(earlier.reactions), _ASKED):
        if firm_side(earlier, name) is None:
            continue
        person = memory.participants.get(name)
        position = None if person is None else person.positions.get(earlier.handle)
        if position is None or position.stance != stance or position.cite.n == earlier.born:
            continue
        if position.cite.n <= settled_n:
            positions.append((name, position))
    if not positions:
        return None
    who, strongest = max(
        positions, key=lambda pair: (len(pair[1].text), pair[1].cite.n, pair[1].text)
    )
    return Reason(who, strongest.cite.n, clip(one_line(strongest.text), _REASON))


def _offered_again(moment: FoldStep, made: Proposal, earlier: Proposal, similarity: int) -> None:
    why = find_reason(moment.memory, earlier)
    moment.record_fact(
        "proposal.reoffered",
        made.handle,
        participant=made.participant,
        earlier=earlier.handle,
        earlier_n=earlier.born,
        earlier_status=earlier.status,
        settled_n=settling_entry(earlier),
        similarity=similarity,
        tally=list(earlier.tally),
        because=None if why is None else why.text,
        because_by=None if why is None else why.participant,
        because_n=None if why is None else why.n,
    )


def echo_row(proposal: Proposal, memory: Memory) -> EchoRow:
    """A proposal that repeats an earlier one, and what became of that."""
    earlier = memory.proposals[proposal.echoes or 0]
    why = find_reason(memory, earlier)
    return {
        "handle": proposal.handle,
        "n": proposal.born,
        "topic": proposal.topic,
        "participant": proposal.participant,
        "repeats": earlier.handle,
        "repeats_n": earlier.born,
        "status": earlier.status,
        "settled_n": settling_entry(earlier),
        "similarity": proposal.similarity,
        "shared": list(proposal.shared),
        "model": proposal.alike_by or None,
        "reoffered": is_reoffered(proposal, earlier),
        "because": None if why is None else why._asdict(),
    }
