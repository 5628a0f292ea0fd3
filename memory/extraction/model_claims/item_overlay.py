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
from parley.memory.text.sentences import topic_line

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
    statement: str = ""  # what the model says that it says; never what is quoted
    settles: str | None = None  # of a decision, the handle of a proposal
    voices: dict[str, ClaimedVoice] = field(default_factory=dict)


@dataclass(slots=True)
class ClaimOverlay:
    """All that models' claims add, by handle."""

    items: dict[str, ClaimedItem] = field(default_factory=dict)
    confirmed: dict[str, Origin] = field(default_factory=dict)  # of items of the fold
    retracted: dict[str, Origin] = field(default_factory=dict)  # likewise; the rule says by what
    reasons: dict[str, str] = field(default_factory=dict)  # of what was retracted
    statements: dict[str, str] = field(default_factory=dict)  # of what was confirmed by a claim
    settled: dict[str, str] = field(default_factory=dict)  # decision of the fold -> proposal
    voices: dict[str, dict[str, ClaimedVoice]] = field(
        default_factory=dict
    )  # handle -> by participant


def overlay_claims(memory: Memory) -> ClaimOverlay:
    """What models' claims add to `memory` as it is now; nothing where none landed."""
    overlay = ClaimOverlay()
    store = memory.claims
    if not store.kept and not store.verdicts:
        return overlay
    same = _lay_items(memory, overlay)
    first: dict[int, str] = {}
    for handle, item in overlay.items.items():
        first.setdefault(item.born, handle)
    for ref, verdict in store.verdicts.items():
        _lay_verdict(memory, overlay, ref, verdict)
    for kept_claim in store.kept:
        on = _aimed(memory, overlay, kept_claim, same, first)
        if on is None:
            continue
        if kept_claim.k:
            _lay_link(memory, overlay, kept_claim, same, on)
        else:
            _lay_voice(memory, overlay, kept_claim, on)
    return overlay


def listed_status(overlay: ClaimOverlay, item: Proposal | Decision) -> str:
    """The status that `item` is listed with: its own, or `retracted`."""
    return "retracted" if item.handle in overlay.retracted else item.status


def _lay_items(memory: Memory, overlay: ClaimOverlay) -> dict[str, str]:
    """Enter what is new; the handles of what was an item already, and that item's."""
    same: dict[str, str] = {}
    for kept_claim in memory.claims.kept:
        handle = claim_handle(kept_claim)
        if handle is None:
            continue
        known = _already(memory, kept_claim)
        if known is None:
            overlay.items[handle] = _read(memory, kept_claim, handle)
        else:
            same[handle] = known.handle
            overlay.confirmed[known.handle] = _origin(kept_claim)
            if kept_claim.statement:
                overlay.statements[known.handle] = kept_claim.statement
    return same


def _already(memory: Memory, kept_claim: KeptClaim) -> Proposal | Decision | None:
    """The item of that kind which stands at the same words, or at the whole message."""
    kind = Proposal if kept_claim.label == "proposal" else Decision
    for handle in memory.at_refs.get(kept_claim.n, ()):
        item = memory.item(handle)
        if type(item) is kind and item.born == kept_claim.n and _overlaps(item.origin, kept_claim):
            return item
    return None


def _overlaps(origin: Origin, kept_claim: KeptClaim) -> bool:
    spans = [cite for cite in origin.cites if cite.n == kept_claim.n]
    return any(
        not cite.end or (cite.start < kept_claim.end and kept_claim.start < cite.end)
        for cite in spans
    )


def _read(memory: Memory, kept_claim: KeptClaim, handle: str) -> ClaimedItem:
    struck = memory.claims.touched.get(handle) == "retract"
    return ClaimedItem(
        handle=handle,
        kind="proposal" if kept_claim.label == "proposal" else "decision",
        participant=memory.named(kept_claim.who),
        topic=topic_line(kept_claim.text),
        text=kept_claim.text,
        born=kept_claim.n,
        origin=_origin(kept_claim),
        status="retracted" if struck else "claimed",
        reason="a person" if struck else "",
        statement=kept_claim.statement,
    )


def _origin(kept_claim: KeptClaim) -> Origin:
    """The message that is cited, and by its id the entry that cites it."""
    cites = (Cite(kept_claim.n, kept_claim.start, kept_claim.end),)
    return Origin(cites, "model", claim_rule(kept_claim), kept_claim.confidence)


# -- words on what stood already ----------------------------------------------------


def _lay_verdict(memory: Memory, overlay: ClaimOverlay, ref: str, verdict: Verdict) -> None:
    if is_claim_handle(ref):
        item = overlay.items.get(ref)
        if item is not None and verdict.word == "retracted" and ref not in memory.claims.touched:
            item.status, item.reason = "retracted", verdict.reason
        return
    known = memory.item(ref)
    if known is None or known.handle != ref:  # struck or merged by a person since
        return
    origin = Origin(known.origin.cites[:1], "model", claim_rule(verdict))
    if verdict.word == "confirmed":
        overlay.confirmed.setdefault(ref, origin)
    elif ref not in overlay.confirmed and _is_untouched(memory, known):
        overlay.retracted[ref], overlay.reasons[ref] = origin, verdict.reason


def _is_untouched(memory: Memory, item: Proposal | Decision) -> bool:
    """True for what wording alone showed, and nobody took up in so many words."""
    if item.origin.how not in _INFERRED or item.handle in memory.claims.touched:
        return False
    if isinstance(item, Decision):
        sides = (item.supporters, item.dissenters, item.abstainers)
        origins = [origin for side in sides for origin in side.values()]
        return item.status == "claimed" and all(origin.how in _INFERRED for origin in origins)
    if item.status not in ("active", "lapsed") or item.voted or item.superseded_by is not None:
        return False
    if item.shrunk and item.status == "lapsed" and any(item.tally):
        return False  # who stood where is in the log alone: somebody may have said so outright
    claimed = memory.decisions.get(memory.resolving.get(item.ref, 0))
    if claimed is not None and not _is_untouched(memory, claimed):
        return False
    return all(
        _is_inferred(reaction.origin.how, vote=reaction.vote)
        for reaction in item.reactions.values()
    )


def _is_inferred(how: str, *, vote: bool) -> bool:
    return how in _INFERRED and not vote


# -- stances, and what decisions settle ------------------------------------------------


def _lay_link(
    memory: Memory, overlay: ClaimOverlay, kept_claim: KeptClaim, same: dict[str, str], on: str
) -> None:
    """Enter that a decision settles proposal `on`; where the fold knows what, that stands."""
    handle = claim_handle(kept_claim) or ""
    item = overlay.items.get(handle)
    of = overlay.items.get(on)
    if not (on[0] == "P" if of is None else of.kind == "proposal"):
        return
    if item is not None:
        item.settles = on
        return
    known = memory.item(same[handle])
    if isinstance(known, Decision) and known.resolves is None:
        overlay.settled[known.handle] = on


def _lay_voice(memory: Memory, overlay: ClaimOverlay, kept_claim: KeptClaim, handle: str) -> None:
    """Enter a stance on `handle`, unless its participant said so otherwise."""
    name = memory.named(kept_claim.who)
    if _is_outspoken(memory, handle, name, kept_claim.n):
        return
    stance: Stance = "neutral"
    if kept_claim.label in ("support", "oppose"):
        stance = "support" if kept_claim.label == "support" else "oppose"
    item = overlay.items.get(handle)
    voices = overlay.voices.setdefault(handle, {}) if item is None else item.voices
    voices[name] = ClaimedVoice(
        name, stance, _origin(kept_claim)
    )  # claims come by n: the latest word stands


def _aimed(
    memory: Memory,
    overlay: ClaimOverlay,
    kept_claim: KeptClaim,
    same: dict[str, str],
    first: dict[int, str],
) -> str | None:
    """What the target of a claim names now; `first` has the first new item of each message."""
    target = kept_claim.target
    if isinstance(target, int):
        known = memory.known(target)
        if known is not None and known.detected <= kept_claim.last:
            return known.handle
        return first.get(target)
    if target is None:
        return None
    if is_claim_handle(target):
        item = overlay.items.get(target)
        return same.get(target) if item is None else _before(item, kept_claim)
    known = memory.item(target)
    if known is None or known.detected > kept_claim.last or not _precedes(known.born, kept_claim):
        return None
    return known.handle


def _before(item: ClaimedItem, kept_claim: KeptClaim) -> str | None:
    return item.handle if _precedes(item.born, kept_claim) else None


def _precedes(born: int, kept_claim: KeptClaim) -> bool:
    """Whether a claim may be about what was born at entry `born`.

    A decision may settle what its own message proposes; a stance answers what was said earlier.
    """
    return born <= kept_claim.n if kept_claim.k else born < kept_claim.n


def _is_outspoken(memory: Memory, handle: str, name: str, n: int) -> bool:
    """True where the participant's stance on the item is known, explicit or from then on."""
    item = memory.item(handle) if not is_claim_handle(handle) else None
    if isinstance(item, Proposal):
        reaction = item.reactions.get(name)
        origin = None if reaction is None else reaction.origin
        explicit = reaction is not None and not _is_inferred(
            reaction.origin.how, vote=reaction.vote
        )
    elif isinstance(item, Decision):
        sides = (item.supporters, item.dissenters, item.abstainers)
        origin = next((side[name] for side in sides if name in side), None)
        explicit = origin is not None and origin.how not in _INFERRED
    else:
        return False
    return origin is not None and (explicit or origin.cites[0].n >= n)
