"""What one message did: the handles it made and touched, and what they still lack. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from parley.memory.items import echoes
from parley.memory.ledger.decision_rule import RULE, describe_missing
from parley.memory.state.item_state import Decision, Origin, Proposal, list_origins
from parley.memory.state.memory import Memory

_RULING_RULES: Final = ("accept", "reject", "ratif", "decide", "decision", "resol", "consensus")


class Repeat(Struct, frozen=True):
    """Proposal `ref` of the message, which was made before."""

    ref: int
    says: str  # when it was proposed, what became of it and why, on a line


class MessageOutcome(Struct, frozen=True):
    """What a message did to proposals and decisions, as far as they are firm.

    `missing` has a sentence for each of them that is not settled, on what it lacks. `rule` is the
    rule of decision if the message rules or decides and that settled nothing, else "".
    """

    made: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    rule: str = ""


def message_outcome(memory: Memory, n: int) -> MessageOutcome:
    """What message `n` did, as `memory` has it by now; empty for one that did nothing.

    It takes time by the items that the message speaks of, however many there are.
    """
    firm = [item for item in _citing(memory, n) if item.stands and not item.candidate]
    made = [item for item in firm if item.born == n]
    touched = [item for item in firm if item.born < n and any(_cite(list_origins(item), n))]
    missing = [words for item in (*made, *touched) if (words := describe_missing(memory, item))]
    rules = any(_is_ruling(item, n) for item in (*made, *touched) if describe_missing(memory, item))
    return MessageOutcome(
        tuple(item.handle for item in made),
        tuple(item.handle for item in touched),
        tuple(missing),
        tuple(_list_repeats(memory, made)),
        RULE if rules else "",
    )


def _list_repeats(memory: Memory, made: Iterable[Proposal | Decision]) -> Iterator[Repeat]:
    for proposal in made:
        echoed = proposal.echoes if isinstance(proposal, Proposal) else None
        earlier = memory.proposals.get(echoed or 0)
        if earlier is None or earlier.born >= proposal.born:
            continue
        fate = echoes.describe_fate(memory, earlier)
        says = (
            f"{proposal.handle} was proposed in message {earlier.born} as {earlier.handle}, {fate}"
        )
        yield Repeat(proposal.ref, says)


def _citing(memory: Memory, n: int) -> Iterator[Proposal | Decision]:
    """The items that were made in entry `n`, or may cite it: proposals, then decisions, by ref."""
    handles = {*memory.at_refs.get(n, ()), *memory.cites.handles(n)}
    for held, letter in ((memory.proposals, "P"), (memory.decisions, "D")):
        refs = sorted(int(handle[1:]) for handle in handles if handle[0] == letter)
        yield from (held[ref] for ref in refs if ref in held)


def _cite(origins: Iterable[Origin], n: int) -> Iterator[Origin]:
    return (origin for origin in origins if any(cite.n == n for cite in origin.cites))


def _is_ruling(item: Proposal | Decision, n: int) -> bool:
    """True if the message rules on `item`, or claims it, in an act, a mark or plain words."""
    for origin in _cite(list_origins(item), n):
        word = (origin.rule or "").partition("/")[2]
        if origin.how in ("act", "tag", "pattern") and word.startswith(_RULING_RULES):
            return True
    return False
