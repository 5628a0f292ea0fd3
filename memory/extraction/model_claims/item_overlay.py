"""Items as they are read with a model's claims laid over them. Pure; the items stay as they are.

What the fold found and what people did outrank a model, whenever it answered: a
claim of what is an item already confirms that one, a stance gives way to its
participant's own later or explicit word, and only what was inferred from wording,
and nobody took up, can be taken back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from parley.memory.extraction.model_claims.kept_claims import (
    claim_handle,
    claim_rule,
    is_claim_handle,
)
from parley.memory.state.claim_state import KeptClaim, Verdict
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal, Stance
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import topic_line

_INFERRED = ("pattern", "structure", "model")


class ClaimedVoice(Struct, frozen=True, gc=False):
    """Where a model reads that somebody stands. It counts toward nothing."""

    participant: str
    stance: Stance
    origin: Origin


@dataclass(slots=True)
class ClaimedItem:
    """A proposal or a decision that a model alone reads in a message. Its handle is M17, M17.2.

    A person, or a later reading, may have retracted it.
    """

    handle: str
    kind: Literal["proposal", "decision"]
    participant: str
    topic: str
    text: str
    born: int
    origin: Origin  # its rule names the derived entry that says so
    status: Literal["claimed", "retracted"] = "claimed"
    reason: str = ""  # of a retraction
    voices: dict[str, ClaimedVoice] = field(default_factory=dict)


@dataclass(slots=True)
class ClaimOverlay:
    """All that models' claims add, by handle."""

    items: dict[str, ClaimedItem] = field(default_factory=dict)
    confirmed: dict[str, Origin] = field(default_factory=dict)  # of items of the fold
    retracted: dict[str, Origin] = field(default_factory=dict)  # likewise; the rule says by what
    reasons: dict[str, str] = field(default_factory=dict)  # of what was retracted
    voices: dict[str, dict[str, ClaimedVoice]] = field(
        default_factory=dict
    )  # handle -> by participant


def overlay_claims(memory: Memory) -> ClaimOverlay:
    """What models' claims add to `memory` as it is now; nothing where none landed."""
    found = ClaimOverlay()
    store = memory.claims
    if not store.held and not store.verdicts:
        return found
    same = _lay_items(memory, found)
    first: dict[int, str] = {}
    for handle, item in found.items.items():
        first.setdefault(item.born, handle)
    for ref, verdict in store.verdicts.items():
        _lay_verdict(memory, found, ref, verdict)
    for one in store.held:
        if not one.k:
            on = _aimed(memory, found, one, same, first)
            if on is not None:
                _lay_voice(memory, found, one, on)
    return found


def listed_status(found: ClaimOverlay, item: Proposal | Decision) -> str:
    """The status that `item` is listed with: its own, or `retracted`."""
    return "retracted" if item.handle in found.retracted else item.status


def _lay_items(memory: Memory, found: ClaimOverlay) -> dict[str, str]:
    """Enter what is new; the handles of what was an item already, and that item's."""
    same: dict[str, str] = {}
    for one in memory.claims.held:
        handle = claim_handle(one)
        if handle is None:
            continue
        known = _already(memory, one)
        if known is None:
            found.items[handle] = _read(memory, one, handle)
        else:
            same[handle] = known.handle
            found.confirmed[known.handle] = _origin(one)
    return same


def _already(memory: Memory, one: KeptClaim) -> Proposal | Decision | None:
    """The item of that kind which stands at the same words, or at the whole message."""
    kind = Proposal if one.label == "proposal" else Decision
    for handle in memory.at_refs.get(one.n, ()):
        item = memory.item(handle)
        if type(item) is kind and item.born == one.n and _overlaps(item.origin, one):
            return item
    return None


def _overlaps(origin: Origin, one: KeptClaim) -> bool:
    spans = [cite for cite in origin.cites if cite.n == one.n]
    return any(not cite.end or (cite.start < one.end and one.start < cite.end) for cite in spans)


def _read(memory: Memory, one: KeptClaim, handle: str) -> ClaimedItem:
    struck = memory.claims.touched.get(handle) == "retract"
    return ClaimedItem(
        handle=handle,
        kind="proposal" if one.label == "proposal" else "decision",
        participant=memory.named(one.who),
        topic=topic_line(one.text),
        text=one.text,
        born=one.n,
        origin=_origin(one),
        status="retracted" if struck else "claimed",
        reason="a person" if struck else "",
    )


def _origin(one: KeptClaim) -> Origin:
    """The message that is cited, and by its id the entry that cites it."""
    cites = (Cite(one.n, one.start, one.end),)
    return Origin(cites, "model", claim_rule(one), one.confidence)


# -- words on what stood already ----------------------------------------------------


def _lay_verdict(memory: Memory, found: ClaimOverlay, ref: str, verdict: Verdict) -> None:
    if is_claim_handle(ref):
        item = found.items.get(ref)
        if item is not None and verdict.word == "retracted" and ref not in memory.claims.touched:
            item.status, item.reason = "retracted", verdict.reason
        return
    known = memory.item(ref)
    if known is None or known.handle != ref:  # struck or merged by a person since
        return
    origin = Origin(known.origin.cites[:1], "model", claim_rule(verdict))
    if verdict.word == "confirmed":
        found.confirmed.setdefault(ref, origin)
    elif ref not in found.confirmed and _is_untouched(memory, known):
        found.retracted[ref], found.reasons[ref] = origin, verdict.reason


def _is_untouched(memory: Memory, item: Proposal | Decision) -> bool:
    """True for what wording alone showed, and nobody took up in so many words."""
    if item.origin.how not in _INFERRED or item.handle in memory.claims.touched:
        return False
    if isinstance(item, Decision):
        sides = (item.supporters, item.dissenters, item.abstainers)
        origins = [origin for side in sides for origin in side.values()]
        return item.status == "claimed" and all(one.how in _INFERRED for one in origins)
    if item.status not in ("active", "lapsed") or item.voted or item.superseded_by is not None:
        return False
    if item.shrunk and item.status == "lapsed" and any(item.tally):
        return False  # who stood where is in the log alone: somebody may have said so outright
    claimed = memory.decisions.get(memory.resolving.get(item.ref, 0))
    if claimed is not None and not _is_untouched(memory, claimed):
        return False
    return all(_is_inferred(one.origin.how, vote=one.vote) for one in item.reactions.values())


def _is_inferred(how: str, *, vote: bool) -> bool:
    return how in _INFERRED and not vote


# -- stances ------------------------------------------------------------------------


def _lay_voice(memory: Memory, found: ClaimOverlay, one: KeptClaim, handle: str) -> None:
    """Enter a stance on `handle`, unless its participant said so otherwise."""
    name = memory.named(one.who)
    if _is_outspoken(memory, handle, name, one.n):
        return
    stance: Stance = "neutral"
    if one.label in ("support", "oppose"):
        stance = "support" if one.label == "support" else "oppose"
    item = found.items.get(handle)
    voices = found.voices.setdefault(handle, {}) if item is None else item.voices
    voices[name] = ClaimedVoice(
        name, stance, _origin(one)
    )  # claims come by n: the latest word stands


def _aimed(
    memory: Memory, found: ClaimOverlay, one: KeptClaim, same: dict[str, str], first: dict[int, str]
) -> str | None:
    """What the target of a stance names now; `first` has the first new item of each message."""
    target = one.target
    if isinstance(target, int):
        known = memory.known(target)
        if known is not None and known.detected <= one.last:
            return known.handle
        return first.get(target)
    if target is None:
        return None
    if is_claim_handle(target):
        item = found.items.get(target)
        return same.get(target) if item is None else _before(item, one)
    known = memory.item(target)
    own = known is None or known.born >= one.n or known.detected > one.last
    return None if own or known is None else known.handle


def _before(item: ClaimedItem, one: KeptClaim) -> str | None:
    return item.handle if item.born < one.n else None


def _is_outspoken(memory: Memory, handle: str, name: str, n: int) -> bool:
    """True where the participant's stance on the item is known, explicit or from then on."""
    item = memory.item(handle) if not is_claim_handle(handle) else None
    if isinstance(item, Proposal):
        held = item.reactions.get(name)
        said = None if held is None else held.origin
        explicit = held is not None and not _is_inferred(held.origin.how, vote=held.vote)
    elif isinstance(item, Decision):
        sides = (item.supporters, item.dissenters, item.abstainers)
        said = next((side[name] for side in sides if name in side), None)
        explicit = said is not None and said.how not in _INFERRED
    else:
        return False
    return said is not None and (explicit or said.cites[0].n >= n)
