"""Settle a log in this process: the same fold and the same extracts, without Redis."""

from __future__ import annotations

from parley.bus.contract.drafts import Draft
from parley.bus.entries import PRIMARY, Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import WINDOW, EntryFacts, fold_with_facts
from parley.listeners.summaries.extracts import ExtractTerms, make_extract, summary_entry
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries

PAGE = 500


def settle_log(log: LocalLog, memory: Memory) -> list[EntryFacts]:
    """Fold what `memory` lacks of `log` and publish its due extracts until none is due.

    The facts of every entry folded, in order. A session that wants a model's
    summaries gets extracts, as it would of a runner without a model.
    """
    facts: list[EntryFacts] = []
    skips = log.info().skips
    while True:
        while page := log.read(after=memory.seq, count=PAGE):
            facts += fold_with_facts(memory, page, skips)
        effects = list_due_summaries(memory, WINDOW)
        if not effects:
            return facts
        log.publish([extract_draft(log, memory, effect) for effect in effects])


def extract_draft(log: LocalLog, memory: Memory, effect: SummaryEffect) -> Draft:
    """The extract that `memory` is owed, ready to be published."""
    terms = ExtractTerms.of(memory, effect)
    records = [
        record for first, last in terms.spans for record in read_local_range(log, first, last)
    ]
    text = make_extract(effect, records, terms)
    return Draft(effect.result_id("extract"), summary_entry(effect, records, terms, text))


def read_local_range(log: LocalLog, first: int, last: int) -> list[Record]:
    """Primary entries `first`..`last` (closed, in n), without those set aside."""
    seq, skips = first, log.info().skips
    while missing := first - log.read(after=seq - 1, count=1)[0].n:
        seq += missing  # every entry raises n by one at most: this never passes it
    entries: list[Record] = []
    while True:
        for record in log.read(after=seq - 1, count=PAGE):
            if record.n > last:
                return entries
            if record.entry.kind in PRIMARY and record.n >= first and record.seq not in skips:
                entries.append(record)
            seq = record.seq + 1
        if seq > log.info().head:
            return entries
