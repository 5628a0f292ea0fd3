"""Why something is in memory: its evidence word for word, its history, and who gets to see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from parley.memory.context.context import Request, assemble
from parley.memory.errors import UnknownRef
from parley.memory.goals import tallies
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.episode_state import Episode
from parley.memory.state.insight_state import Insight
from parley.memory.state.item_state import Cite, Decision, Fact, Origin, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.server.queries.log_queries import Replay, replay_log
from parley.server.rows.cite_rows import cites_of, pick, quote
from parley.server.rows.digest_rows import summary_row
from parley.server.rows.item_rows import decision_row, item_entries, proposal_row
from parley.server.rows.vote_rows import vote_row
from parley.server.runtime.backend import Backend

Item = LedgerItem | Episode | Insight | Vote

_WHY: Final = {
    "whole": "shown whole",
    "short": "shown in short: there was no room for all of it",
    "left out": "left out: there was no room",
    None: "not part of it",
}


async def explain_item(backend: Backend, session: str, ref: str) -> dict[str, Any]:
    """`build_explanation` of an item of that session as it stands now. Raises `UnknownRef`."""
    return build_explanation(await replay_log(backend.bus, backend.packs, session), ref)


def build_explanation(replay: Replay, ref: str) -> dict[str, Any]:
    """One item with its evidence, who stood where, how it came to be, and what covers it now.

    `words` are the passages that it rests on, in full; `summaries` the standing
    summaries that cover it; `context` what became of it in the full context as of
    now. Of an item, episode or insight that memory let go of (`held` false) the log tells
    what it was. Raises `UnknownRef`.
    """
    facts = [fact for fact in replay.facts if fact.ref == ref]
    item = _item(replay.memory, ref)
    if item is None and not facts:
        raise UnknownRef(ref)
    born = facts[0].n if item is None else _born(item)
    return {
        **(_gone(ref, facts[0]) if item is None else _row(item, replay)),
        "words": _words([Cite(born)] if item is None else _cites(item), replay),
        "summaries": _summaries(replay.memory, born),
        "context": _fate(replay, ref),
        "history": [{"n": fact.n, "kind": fact.kind, **fact.data} for fact in facts],
    }


def cited_entries(memory: Memory, ref: str) -> set[int]:
    """The entries whose words an explanation shows; the newest messages come on top of them."""
    item = _item(memory, ref)
    if item is None:
        return set()
    quoted = item_entries(memory, item) if isinstance(item, LedgerItem) else set()
    return {_born(item), *quoted, *(cite.n for cite in _cites(item))}


def _gone(ref: str, first: Fact) -> dict[str, Any]:
    """What memory no longer holds, as the fact that announced it tells it."""
    kind = "vote" if first.kind == "vote.called" else first.data.get("kind", first.kind)
    if ref[0] in "PD":
        kind = "proposal" if ref[0] == "P" else "decision"
    named = {"kind": first.data.get("episode") or kind}
    text = next(
        (
            first.data[name]
            for name in ("title", "text", "outcome", "question")
            if name in first.data
        ),
        "",
    )
    return {"handle": ref, **named, "status": "let go of", "title": text, "held": False}


def _item(memory: Memory, ref: str) -> Item | None:
    """The item as it was numbered, struck and merged ones included; None if none is held."""
    if ref[:1] in ("P", "D", "M"):
        return ledger_of(memory).as_numbered(ref)
    shelves: dict[str, Mapping[int, Item]] = {
        "E": memory.episodes.by_ref,
        "I": memory.insights.by_ref,
        "V": memory.votes.by_ref,
    }
    number = ref[1:]
    return shelves.get(ref[:1], {}).get(int(number)) if number.isdecimal() else None


def _born(item: Item) -> int:
    match item:
        case Episode():
            return item.opened
        case Insight():
            return item.cites[0].n
        case Vote():
            return item.n
        case _:
            return item.born


def _row(item: Item, replay: Replay) -> Mapping[str, Any]:
    match item:
        case LedgerItem(kind="decision"):
            return decision_row(replay.memory, item, replay.records)
        case LedgerItem():
            return proposal_row(replay.memory, item, replay.records)
        case Vote():
            named = {"handle": item.handle, "kind": "vote", "title": item.question}
            return {**named, **vote_row(replay.memory, item)}
        case _:
            fields = {name: getattr(item, name) for name in item.__struct_fields__}
            return {
                "handle": item.handle,
                **msgspec.to_builtins(fields, str_keys=True),
                **_done(item),
            }


def _done(item: Item) -> dict[str, str]:
    """What was counted in a goal or task, in words."""
    if not isinstance(item, Episode) or item.work is None:
        return {}
    return {"done": tallies.tally_line(item.work.tally)}


def _cites(item: Item) -> list[Cite]:
    """The passages that the item rests on; of an exchange its question and its answer."""
    cites: list[Cite] = []
    match item:
        case LedgerItem(item=Decision() as known):
            cites = cites_of(item.origin, known.ratified, known.disputed, *_read(item))
        case LedgerItem(item=Proposal() as known):
            cites = cites_of(item.origin, known.settled, *_read(item))
        case LedgerItem():
            cites = cites_of(item.origin, *_read(item))
        case Insight():
            cites = item.cites
        case Vote():
            cites = [Cite(item.n), *([Cite(item.closed)] if item.closed else [])]
        case Episode():
            cites = [Cite(item.opened)]
            if item.talk is not None and item.talk.answer_n:
                cites.append(Cite(item.talk.answer_n))
    return cites


def _read(item: LedgerItem) -> list[Origin]:
    """Where a model reads how it ended."""
    return [item.ending.origin] if item.ending else []


def _words(cites: list[Cite], replay: Replay) -> list[dict[str, Any]]:
    """Each of the passages, unabridged, in the order of the talk."""
    passages = {(cite.n, cite.start, cite.end): _passage(cite, replay) for cite in cites}
    return [row for _, row in sorted(passages.items()) if row is not None]


def _passage(cite: Cite, replay: Replay) -> dict[str, Any] | None:
    record = replay.records.get(cite.n)
    content = getattr(record.entry, "content", "") if record else ""
    text = content[cite.start : cite.end] if cite.end > cite.start else content
    if not text or record is None:
        return None
    by = getattr(record.entry, "participant", None)
    return {"n": cite.n, "by": by, "text": text, "quote": quote(cite, replay.records)}


def _summaries(memory: Memory, n: int) -> list[dict[str, int]]:
    """The standing summaries whose range holds entry `n`, the lowest level first."""
    return [
        pick(summary_row(summary), "level", "first", "last")
        for _, summary in sorted(memory.summaries.items())
        if summary.first <= n <= summary.last
    ]


def _fate(replay: Replay, ref: str) -> list[dict[str, str]]:
    """What became of the item in each block of the full context."""
    recent = [record for _, record in sorted(replay.records.items()) if record.is_talk]
    context = assemble(replay.memory, Request(recent=recent))
    fates = [choice for choice in context.choices if choice.what == ref]
    rows = [{"block": fate.block, "fate": fate.fate, "why": _WHY[fate.fate]} for fate in fates]
    return rows or [{"block": "", "fate": "absent", "why": _WHY[None]}]
