"""Proposals that words found nothing for: whether an embedding finds an earlier one alike.

Owed where `echo.how` wants it. What comes back is an entry, so the fold asks no
model; which similarity makes an echo was decided by whoever asked, under the settings
of that moment, and the fold takes their word.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from parley.bus.entries import SimilarityFound
from parley.memory.items import echoes
from parley.memory.state.effects import ComparisonEffect
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory

CANDIDATES = 200  # newest earlier proposals that one is compared with


def wants_comparison(proposal: Proposal) -> bool:
    """True while nothing is known to be like it, and no embedding was asked."""
    return proposal.echoes is None and proposal.amends is None and not proposal.compared


def list_owed_comparisons(memory: Memory) -> Iterator[ComparisonEffect]:
    """The proposals that an embedding is to be asked about, oldest first; the first has none."""
    if memory.settings.echo.how != "embedding":
        return
    for ref in memory.uncompared:
        proposal = memory.proposals[ref]
        if ref > 1 and proposal.stands:
            yield ComparisonEffect(proposal.born, ref)


def list_candidates(memory: Memory, ref: int) -> list[Proposal]:
    """The earlier proposals that `ref` may repeat, the newest first."""
    newest_first = reversed(memory.proposals.values())
    earlier = (proposal for proposal in newest_first if proposal.ref < ref and proposal.stands)
    return list(islice(earlier, CANDIDATES))


def comparison_text(proposal: Proposal) -> str:
    """What is embedded of a proposal: its text, its topic once it was shrunk."""
    return proposal.text or proposal.topic


def record_comparison(moment: FoldStep, entry: SimilarityFound) -> None:
    """Note that an embedding was asked, and what it found."""
    memory = moment.memory
    made = _named(memory, entry.ref)
    if made is None or made.born != entry.of or made.compared:
        return
    made.compared = True
    memory.uncompared.pop(made.ref, None)
    moment.record_fact(
        "similarity.found",
        made.handle,
        earlier=entry.earlier,
        similarity=entry.similarity,
        model=entry.model,
    )
    earlier = _named(memory, entry.earlier or "")
    if earlier is not None and earlier.ref < made.ref and made.echoes is None:
        echoes.mark_echo(moment, made, earlier, entry.similarity, model=entry.model)


def _named(memory: Memory, handle: str) -> Proposal | None:
    """The proposal numbered so, merged or struck ones too: the answer was about its words."""
    number = handle[1:]
    if handle[:1] != "P" or not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None  # whatever a log says
    return memory.proposals.get(int(number))
