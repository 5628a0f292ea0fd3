"""Letting a model's reading land: what of it is kept, and what a person says of it.

Nothing of it reaches the items that the fold found: it is laid over them when
they are read (`item_overlay`), so that what people say next is understood the same
whenever a model answered. An entry may claim anything; what is kept cites a
message of its own stretch, within its length, once. Where a claim names another of its entry
by `id`, the handle of that takes its place here, in one step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec import structs

from parley.bus.entries import Claim, ItemCorrected, ItemsExtracted, Label
from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.extraction.model_claims.reading_ranges import redactions_among
from parley.memory.state.claim_state import Claims, KeptClaim, ReadingRange, UnreadMessage, Verdict
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line

MOST: Final = 64  # claims, and words on items, of one stretch
SURE: Final = 700  # per mille, at most: a model's reading is below what people mark themselves
KEPT: Final = 500  # claims, and verdicts, in memory; the newest
_STATEMENT_CHARS: Final = 200  # of what a model says in its own words
_DROPS: Final = ("quote", "label", "message", "target", "link", "handle", "many", "answer")
_TEXT_CHARS: Final = 500
_MOST_COUNT: Final = 2**40  # what a stranger may add to a sum
_ITEMS: Final = ("proposal", "decision")
_HANDLE: Final = re.compile(r"M([1-9][0-9]{0,8})(\.[1-9][0-9]?)?\Z")
_REF: Final = re.compile(r"([PD][1-9][0-9]{0,8}|M[1-9][0-9]{0,8}(\.[1-9][0-9]?)?)\Z")
LOCAL_ID: Final = re.compile(r"[a-z][a-z0-9]{0,7}\Z")  # of a claim within its entry; no handle


def is_claim_handle(ref: str) -> bool:
    """True for M17 and M17.2: what a model claims that message 17 is."""
    return _HANDLE.match(ref) is not None


def keep_claims(moment: FoldStep, entry: ItemsExtracted) -> None:
    """Keep what a model read out of a stretch that waits for it; the first answer stands."""
    memory, store = moment.memory, moment.memory.claims
    wanted = store.owed.get(entry.first)
    if wanted != ReadingRange(entry.lead, entry.first, entry.last):
        return
    kept = _kept(memory, entry)
    reading_ranges.release_range(memory, entry.first)
    _count(store, entry, len(kept))
    verdicts = _verdicts(memory, entry)
    _keep(
        store,
        [
            kept_claim
            for kept_claim in kept
            if not memory.is_redacted(kept_claim.n) and kept_claim.n not in memory.edited
        ],
        verdicts,
    )
    words = [verdict.word for verdict in verdicts.values()]
    moment.record_fact(
        "items.extracted",
        None,
        first=entry.first,
        last=entry.last,
        claims=len(kept),
        confirmed=words.count("confirmed"),
        retracted=words.count("retracted"),
        dropped=sum(_dropped(entry).values()),
    )
    for kept_claim in kept:
        moment.record_fact(
            "claim.made",
            claim_handle(kept_claim),
            label=kept_claim.label,
            participant=memory.named(kept_claim.who),
            of=kept_claim.n,
            start=kept_claim.start,
            end=kept_claim.end,
            target=kept_claim.target,
            how="model",
            rule=claim_rule(kept_claim),
            confidence=kept_claim.confidence,
        )


def claim_handle(kept_claim: KeptClaim) -> str | None:
    """M17, or M17.2 of the second item in message 17; None of a stance."""
    if not kept_claim.k:
        return None
    return f"M{kept_claim.n}" if kept_claim.k == 1 else f"M{kept_claim.n}.{kept_claim.k}"


def claim_rule(claim: KeptClaim | Verdict) -> str:
    """The derived entry that says so: the beginning of its id."""
    return f"extract:{claim.first}:{claim.last}"


def forget_message(memory: Memory, n: int) -> None:
    """Let go of what was claimed of a message whose words are gone, and of what may retell it."""
    store = memory.claims
    store.kept = [
        structs.replace(kept_claim, statement="", lead=0)
        if kept_claim.statement and kept_claim.lead <= n <= kept_claim.last
        else kept_claim
        for kept_claim in store.kept
        if kept_claim.n != n
    ]


def retract_claim(moment: FoldStep, entry: ItemCorrected) -> None:
    """A person retracts what a model claimed, made already or not: for good."""
    if entry.op == "retract":
        moment.memory.claims.touched[entry.ref] = "retract"
        moment.record_fact("item.corrected", entry.ref, by=entry.by, op=entry.op, value=None)
    else:
        moment.record_fact("correction.ignored", entry.ref, by=entry.by, op=entry.op)


def protect_item(memory: Memory, entry: ItemCorrected) -> None:
    """Remember that a person had a word on an item: no model takes that one back."""
    if _item(memory, entry.ref) is not None:
        memory.claims.touched[entry.ref] = entry.op


def _kept(memory: Memory, entry: ItemsExtracted) -> list[KeptClaim]:
    """The claims that can stand, by message and place, each once."""
    claims: dict[tuple[object, ...], KeptClaim] = {}
    by_id: dict[str, KeptClaim | None] = {}  # None: of two claims
    texts = memory.claims.heard
    silent = bool(redactions_among(memory, entry.lead, entry.last))
    ordered = sorted(
        entry.claims[:MOST], key=lambda claim: (claim.n, claim.start, claim.end, claim.label)
    )
    places: dict[int, int] = {}
    for claim in ordered:
        heard = texts.get(claim.n)
        target = _target(claim)
        is_item = claim.label in _ITEMS
        key = (claim.n, claim.label, claim.start if is_item else target)
        if heard is None or key in claims or not _is_sound(claim, heard, entry, target):
            continue
        k = 0
        if is_item:
            k = places[claim.n] = places.get(claim.n, 0) + 1
        claims[key] = _held(claim, heard, entry, k, target, silent=silent)
        if is_item and claim.id:
            by_id[claim.id] = None if claim.id in by_id else claims[key]
    linked = (_linked(kept_claim, by_id) for kept_claim in claims.values())
    return [kept_claim for kept_claim in linked if kept_claim.k or kept_claim.target is not None]


def _linked(kept_claim: KeptClaim, by_id: Mapping[str, KeptClaim | None]) -> KeptClaim:
    """The claim with the handle of what it names by id, or with no target where it may not."""
    target = kept_claim.target
    if not isinstance(target, str) or not LOCAL_ID.match(target):
        return kept_claim
    named = by_id.get(target)
    may = named is not None and may_name(kept_claim.label, kept_claim.n, named.label, named.n)
    return structs.replace(kept_claim, target=claim_handle(named) if named and may else None)


def may_name(label: Label, n: int, of_label: Label, of_n: int) -> bool:
    """Whether a claim in message `n` may be about one that its own answer makes of `of_n`.

    A decision settles a proposal, also of its own message; a stance answers an earlier one.
    """
    if label == "decision":
        return of_label == "proposal" and of_n <= n
    return of_n < n


def _is_sound(
    claim: Claim, heard: UnreadMessage, entry: ItemsExtracted, target: int | str | None
) -> bool:
    within = 0 <= claim.start < claim.end <= heard.chars
    own = entry.first <= claim.n <= entry.last and len(claim.quote) == claim.end - claim.start
    return within and own and (claim.label in _ITEMS or target is not None)


def _target(claim: Claim) -> int | str | None:
    """What it is about: an earlier message, a handle or an id; None where it names none of them."""
    target = None if claim.label == "proposal" else claim.target
    if isinstance(target, int):
        return target if 0 < target < claim.n else None
    return target if target and (_REF.match(target) or LOCAL_ID.match(target)) else None


def _held(
    claim: Claim,
    heard: UnreadMessage,
    entry: ItemsExtracted,
    k: int,
    target: int | str | None,
    *,
    silent: bool,
) -> KeptClaim:
    """The claim as it is kept; without its statement where `silent`, which may retell anything."""
    statement = clip_statement(claim.statement or "") if k and not silent else ""
    return KeptClaim(
        n=claim.n,
        k=k,
        label=claim.label,
        start=claim.start,
        end=claim.end,
        who=heard.who,
        confidence=min(max(claim.confidence, 0), SURE),
        first=entry.first,
        last=entry.last,
        text=clip(claim.quote, _TEXT_CHARS),
        target=target,
        statement=statement,
        lead=entry.lead if statement else 0,
    )


def clip_statement(text: str) -> str:
    """`text` on a line, in at most 200 characters."""
    return clip(one_line(text), _STATEMENT_CHARS)


def _verdicts(memory: Memory, entry: ItemsExtracted) -> dict[str, Verdict]:
    """The verdicts of a reading on earlier items: what it also confirms it does not take back."""
    first, last = entry.first, entry.last
    verdicts: dict[str, Verdict] = {}
    for doubt in entry.retracted[:MOST]:
        if _is_known(memory, doubt.ref, entry):
            verdicts[doubt.ref] = Verdict(first, last, "retracted", doubt.reason)
    for ref in entry.confirmed[:MOST]:
        if _is_known(memory, ref, entry):
            verdicts[ref] = Verdict(first, last, "confirmed")
    return verdicts


def _is_known(memory: Memory, ref: str, entry: ItemsExtracted) -> bool:
    """True for what stood when the stretch ended, and was shown whole with it."""
    if (named := _HANDLE.match(ref)) is not None:
        return entry.lead <= int(named[1]) < entry.first
    item = _item(memory, ref)
    return item is not None and entry.lead <= item.born and item.detected <= entry.last


def _item(memory: Memory, ref: str) -> Proposal | Decision | None:
    """The item of that very handle, whatever became of it: a landing must not ask when it lands."""
    if _REF.match(ref) is None or ref[0] == "M":
        return None
    number = int(ref[1:])
    return memory.proposals.get(number) if ref[0] == "P" else memory.decisions.get(number)


def _keep(store: Claims, kept: list[KeptClaim], verdicts: dict[str, Verdict]) -> None:
    """The newest of what is held already and what came: whatever order they came in."""
    store.kept = sorted(
        [*store.kept, *kept],
        key=lambda kept_claim: (kept_claim.n, kept_claim.k, kept_claim.start, kept_claim.label),
    )
    del store.kept[:-KEPT]
    for ref, verdict in verdicts.items():
        before = store.verdicts.get(ref)
        if before is None or before.first < verdict.first:
            store.verdicts[ref] = verdict
    surplus = len(store.verdicts) - KEPT
    for ref in sorted(store.verdicts, key=lambda ref: (store.verdicts[ref].first, ref))[:surplus]:
        del store.verdicts[ref]


def _count(store: Claims, entry: ItemsExtracted, kept: int) -> None:
    store.read += 1
    store.claimed += kept
    store.calls += _sane(entry.calls)
    store.input_tokens += _sane(entry.input_tokens)
    store.output_tokens += _sane(entry.output_tokens)
    for reason, count in _dropped(entry).items():
        store.dropped[reason] = store.dropped.get(reason, 0) + count


def _dropped(entry: ItemsExtracted) -> dict[str, int]:
    dropped = {reason: _sane(entry.dropped.get(reason, 0)) for reason in _DROPS}
    return {reason: count for reason, count in dropped.items() if count}


def _sane(count: int) -> int:
    return min(max(count, 0), _MOST_COUNT)
