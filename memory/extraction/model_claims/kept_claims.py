"""Let a model's reading land: which of its claims are kept, and a person's word on them.

Nothing of it reaches the items that the fold found: it is laid over them when the ledger is
read (`memory.ledger`), so that later messages are understood the same whenever a model
answered. An entry may claim anything; a claim is kept once, if it cites a message of its own
stretch within that message's length. If a claim names another one of its entry by `id`, the
handle of that claim takes the place of the id here.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import structs

from parley.bus.entries import Claim, ItemCheck, ItemCorrected, ItemsExtracted
from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.extraction.model_claims.reading_ranges import redactions_among
from parley.memory.state.claim_state import (
    Claims,
    KeptCheck,
    KeptClaim,
    ReadingRange,
    RefusedRows,
    UnreadMessage,
)
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line

MOST: Final = 240  # claims, and checks, of one stretch: ten for each of 24 messages
MOST_TARGETS: Final = 12  # of one claim; a table of rulings is a claim a row
SURE: Final = 700  # per mille: a model's reading is below what participants mark themselves
KEPT: Final = 600  # claims, and checks, in memory; the newest
REFUSED: Final = 8  # refused rows of a stretch that are named
REFUSED_OF: Final = 4  # stretches of which memory names them
STATEMENT_CHARS: Final = 240  # of the model's own words for an item
DETAIL_CHARS: Final = 160  # of a condition, a change, a date, a question
DROPS: Final = (
    "quote", "label", "message", "target", "handle", "name", "field", "many", "answer", "cut",
    "right",
)  # fmt: skip
_TEXT_CHARS: Final = 500
_ROW_CHARS: Final = 160
_NAME_CHARS: Final = 128
_MOST_COUNT: Final = 2**40  # keeps sums of foreign numbers within 64 bits
_ITEMS: Final = ("proposal", "ruling")
_HANDLE: Final = re.compile(r"M([1-9][0-9]{0,8})(\.[1-9][0-9]?)?\Z")
_REF: Final = re.compile(r"([PD][1-9][0-9]{0,8}|M[1-9][0-9]{0,8}(\.[1-9][0-9]?)?)\Z")


def is_claim_handle(ref: str) -> bool:
    """True for M17 and M17.2: an item that a model reads in message 17."""
    return _HANDLE.match(ref) is not None


def is_handle(ref: str) -> bool:
    """True for the handle of any item: P3, D2, M17."""
    return _REF.match(ref) is not None


def keep_claims(moment: FoldStep, entry: ItemsExtracted) -> None:
    """Keep what a model read in a stretch that waits for it; the first answer stands."""
    memory, store = moment.memory, moment.memory.claims
    wanted = store.owed.get(entry.first)
    if wanted != ReadingRange(entry.lead, entry.first, entry.last):
        return
    kept = _kept(memory, entry)
    reading_ranges.release_range(memory, entry.first)
    _count(store, entry, len(kept))
    _name_refused(memory, entry)
    checks = _checks(memory, entry)
    readable = [
        claim for claim in kept if not memory.is_redacted(claim.n) and claim.n not in memory.edited
    ]
    _keep(store, readable, checks)
    verdicts = [check.verdict for check in checks.values()]
    moment.record_fact(
        "items.extracted",
        None,
        first=entry.first,
        last=entry.last,
        claims=len(kept),
        confirmed=len(verdicts) - verdicts.count("wrong"),
        retracted=verdicts.count("wrong"),
        dropped=sum(_dropped(entry).values()),
    )
    for claim in kept:
        _record_claim(moment, claim)


def _record_claim(moment: FoldStep, claim: KeptClaim) -> None:
    moment.record_fact(
        "claim.made",
        claim_handle(claim),
        label=claim.label,
        participant=moment.memory.named(claim.who),
        of=claim.n,
        start=claim.start,
        end=claim.end,
        targets=list(claim.targets),
        side=claim.side,
        outcome=claim.outcome,
        how="model",
        rule=claim_rule(claim),
        confidence=SURE,
    )


def claim_handle(claim: KeptClaim) -> str | None:
    """M17, or M17.2 for the second item of message 17; None unless it is a proposal or ruling."""
    if not claim.k:
        return None
    return f"M{claim.n}" if claim.k == 1 else f"M{claim.n}.{claim.k}"


def claim_rule(claim: KeptClaim | KeptCheck) -> str:
    """The derived entry that says so: the beginning of its id."""
    return f"extract:{claim.first}:{claim.last}"


def check_key(ref: str, who: str = "") -> str:
    """The key of a check: a handle, with a name behind it for the side of that participant."""
    return f"{ref} {who}" if who else ref


def was_read(memory: Memory, n: int) -> bool:
    """True if a model has read message `n`: its stretch is closed, and no longer owed."""
    store = memory.claims
    if not 0 < store.since <= n <= store.closed:
        return False
    return not any(owed.first <= n <= owed.last for owed in store.owed.values())


def forget_message(memory: Memory, n: int) -> None:
    """Drop the claims on a redacted message, and the words of others that may retell it."""
    store = memory.claims
    store.kept = [
        _without_words(claim) if claim.lead <= n <= claim.last else claim
        for claim in store.kept
        if claim.n != n
    ]
    store.checks = {
        key: structs.replace(check, statement="") if check.lead <= n <= check.last else check
        for key, check in store.checks.items()
    }
    store.refused = {
        first: structs.replace(refused, rows=()) if refused.lead <= n <= refused.last else refused
        for first, refused in store.refused.items()
    }


def _without_words(claim: KeptClaim) -> KeptClaim:
    return structs.replace(claim, statement="", detail="")


def retract_claim(moment: FoldStep, entry: ItemCorrected) -> None:
    """A person retracts a model's claim, made already or not: for good."""
    if entry.op in ("retract", "confirm"):
        moment.memory.claims.touched[entry.ref] = entry.op
        moment.record_fact("item.corrected", entry.ref, by=entry.by, op=entry.op, value=None)
    else:
        moment.record_fact("correction.ignored", entry.ref, by=entry.by, op=entry.op)


def protect_item(memory: Memory, entry: ItemCorrected) -> None:
    """Remember that a person corrected an item: no model judges that one."""
    if _item(memory, entry.ref) is not None:
        memory.claims.touched[entry.ref] = entry.op


# -- claims --------------------------------------------------------------------------


def _kept(memory: Memory, entry: ItemsExtracted) -> list[KeptClaim]:
    """The sound claims, by message and place, each once, their targets as handles."""
    claims: dict[tuple[object, ...], tuple[Claim, KeptClaim]] = {}
    by_id: dict[str, KeptClaim | None] = {}  # None: two claims have that id
    heard = memory.claims.heard
    silent = bool(redactions_among(memory, entry.lead, entry.last))
    ordered = sorted(
        entry.claims[:MOST], key=lambda claim: (claim.n, claim.start, claim.end, claim.label)
    )
    places: dict[int, int] = {}
    for claim in ordered:
        message = heard.get(claim.n)
        key = (
            claim.n,
            claim.label,
            claim.start,
            claim.end,
            claim.side,
            claim.outcome,
            claim.targets,
        )
        if message is None or key in claims or not _is_sound(claim, message, entry):
            continue
        k = 0
        if claim.label in _ITEMS:
            k = places[claim.n] = places.get(claim.n, 0) + 1
        kept = _held(claim, message, entry, k, silent=silent)
        claims[key] = claim, kept
        if k and claim.id:
            by_id[claim.id] = None if claim.id in by_id else kept
    linked = (
        structs.replace(kept, targets=_handles(claim, by_id)) for claim, kept in claims.values()
    )
    return [claim for claim in linked if claim.targets or claim.label != "side"]


def _handles(claim: Claim, by_id: dict[str, KeptClaim | None]) -> tuple[str, ...]:
    """The targets as handles, each once; ids of claims that it may not name are left out."""
    handles: list[str] = []
    for target in claim.targets[:MOST_TARGETS]:
        handle: str | None = target if _REF.match(target) else None
        if handle is None and (named := by_id.get(target)) is not None:
            may = may_name(claim, named.n)
            handle = claim_handle(named) if may else None
        if handle is not None and handle not in handles:
            handles.append(handle)
    return tuple(handles)


def may_name(claim: Claim, of_n: int) -> bool:
    """True if `claim` may be about an item that its own answer finds in message `of_n`.

    A side answers an earlier message; the other kinds may speak of their own message, too.
    """
    return of_n < claim.n if claim.label == "side" else of_n <= claim.n


def _is_sound(claim: Claim, message: UnreadMessage, entry: ItemsExtracted) -> bool:
    """True if it cites a message of the stretch, and has the fields that its label needs."""
    within = 0 <= claim.start < claim.end <= message.chars
    own = entry.first <= claim.n <= entry.last and len(claim.quote) == claim.end - claim.start
    if not (within and own):
        return False
    if claim.label == "side":
        return claim.side is not None and bool(claim.targets)
    if claim.label == "ruling":
        return claim.outcome is not None
    return claim.label != "right" or bool(claim.who and claim.who.strip())


def _held(
    claim: Claim, message: UnreadMessage, entry: ItemsExtracted, k: int, *, silent: bool
) -> KeptClaim:
    """The claim as it is kept; without the model's own words if `silent`: they may retell."""
    return KeptClaim(
        n=claim.n,
        k=k,
        label=claim.label,
        start=claim.start,
        end=claim.end,
        who=message.who,
        first=entry.first,
        last=entry.last,
        lead=entry.lead,
        text=clip(claim.quote, _TEXT_CHARS),
        statement="" if silent else clip_statement(claim.statement or ""),
        side=claim.side if claim.label == "side" else None,
        outcome=claim.outcome if claim.label == "ruling" else None,
        right=claim.right if claim.label == "ruling" else None,
        relation=claim.relation if claim.label == "proposal" else None,
        detail="" if silent else clip(one_line(claim.detail or ""), DETAIL_CHARS),
        named=clip(one_line(claim.who or ""), _NAME_CHARS),
        done=claim.done and claim.label == "task",
    )


def clip_statement(text: str) -> str:
    """`text` on one line, in at most 240 characters."""
    return clip(one_line(text), STATEMENT_CHARS)


# -- checks --------------------------------------------------------------------------


def _checks(memory: Memory, entry: ItemsExtracted) -> dict[str, KeptCheck]:
    """The verdicts of a reading by item or side; a `right` outweighs a `wrong` on the same one."""
    silent = bool(redactions_among(memory, entry.lead, entry.last))
    checks: dict[str, KeptCheck] = {}
    for check in sorted(entry.checks[:MOST], key=lambda check: check.verdict != "wrong"):
        if not _was_listed(memory, check, entry):
            continue
        statement = "" if silent else clip_statement(check.statement or "")
        verdict = check.verdict
        if verdict == "reworded" and (not statement or check.who):
            verdict = "right"
        key = check_key(check.ref, memory.named(check.who) if check.who else "")
        reason = check.reason if verdict == "wrong" else None
        checks[key] = KeptCheck(entry.first, entry.last, entry.lead, verdict, reason, statement)
    return checks


def _was_listed(memory: Memory, check: ItemCheck, entry: ItemsExtracted) -> bool:
    """True for an item that existed when the stretch ended."""
    if (named := _HANDLE.match(check.ref)) is not None:
        return int(named[1]) < entry.first
    item = _item(memory, check.ref)
    return item is not None and item.detected <= entry.last


def _item(memory: Memory, ref: str) -> Proposal | Decision | None:
    """The item of that very handle, whatever became of it: landing must not depend on when."""
    if _REF.match(ref) is None or ref[0] == "M":
        return None
    number = int(ref[1:])
    return memory.proposals.get(number) if ref[0] == "P" else memory.decisions.get(number)


# -- the store -----------------------------------------------------------------------


def _keep(store: Claims, kept: list[KeptClaim], checks: dict[str, KeptCheck]) -> None:
    """Keep the newest of both, in whatever order answers landed."""
    store.kept = sorted(
        [*store.kept, *kept],
        key=lambda claim: (claim.n, claim.k, claim.start, claim.label, claim.targets),
    )
    del store.kept[:-KEPT]
    for ref, check in checks.items():
        before = store.checks.get(ref)
        if before is None or before.first < check.first:
            store.checks[ref] = check
    surplus = len(store.checks) - KEPT
    for ref in sorted(store.checks, key=lambda ref: (store.checks[ref].first, ref))[:surplus]:
        del store.checks[ref]


def _count(store: Claims, entry: ItemsExtracted, kept: int) -> None:
    store.read += 1
    store.claimed += kept
    store.calls += _sane(entry.calls)
    store.input_tokens += _sane(entry.input_tokens)
    store.output_tokens += _sane(entry.output_tokens)
    for reason, count in _dropped(entry).items():
        store.dropped[reason] = store.dropped.get(reason, 0) + count


def _name_refused(memory: Memory, entry: ItemsExtracted) -> None:
    """Keep the refused rows of the newest stretches, in whatever order answers landed."""
    refused = memory.claims.refused
    rows = tuple(
        (row.reason, clip(one_line(row.row), _ROW_CHARS)) for row in entry.refused[:REFUSED]
    )
    if redactions_among(memory, entry.lead, entry.last):
        rows = ()
    refused[entry.first] = RefusedRows(entry.lead, entry.last, rows)
    newest = sorted(refused)[-REFUSED_OF:]
    memory.claims.refused = {first: refused[first] for first in newest}


def _dropped(entry: ItemsExtracted) -> dict[str, int]:
    dropped = {reason: _sane(entry.dropped.get(reason, 0)) for reason in DROPS}
    return {reason: count for reason, count in dropped.items() if count}


def _sane(count: int) -> int:
    return min(max(count, 0), _MOST_COUNT)
