"""Canonical bytes: the same memory is the same bytes, whoever folded it.

JSON with sorted keys, integers and no floats; what has its default is left out.
`load(dump(memory))` folds on exactly as `memory` would have (law 2).
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from dataclasses import MISSING, fields
from hashlib import blake2b
from typing import Any, Final, TypeVar

import msgspec

from parley.bus.entries import PackRef
from parley.memory.errors import SnapshotMismatch
from parley.memory.items.embedding_comparisons import wants_comparison
from parley.memory.settings.session_settings import Settings
from parley.memory.state.claim_state import Claims
from parley.memory.state.episode_state import Episodes
from parley.memory.state.exchange_state import Exchanges, ShortForm, Tools
from parley.memory.state.floor_state import Floor, Ledger
from parley.memory.state.insight_state import Insights, Lesson
from parley.memory.state.item_state import Decision, Evictions, Participant, Proposal
from parley.memory.state.line_state import EditedMessage, Structure, Writing
from parley.memory.state.memory import FOLD, Era, Memory, Packs
from parley.memory.state.notebook_state import Notebooks
from parley.memory.state.summary_state import LedgerChange, Summary, SummaryRange
from parley.memory.state.vote_state import Votes
from parley.memory.text.text_sizes import COUNTER

_Item = TypeVar("_Item")

_STORES: Final = {
    "claims": Claims,
    "condensed": dict[str, ShortForm],
    "episodes": Episodes,
    "evictions": Evictions,
    "exchanges": Exchanges,
    "floor": Floor,
    "insights": Insights,
    "ledger": Ledger,
    "lessons": dict[str, Lesson],
    "notebooks": Notebooks,
    "structure": Structure,
    "tools": Tools,
    "votes": Votes,
    "writing": Writing,
}
_VERSIONS: Final = ("fold", "counter")
_TYPED: Final = {  # by their names in the bytes: what is decoded as what it is, in one go
    **_STORES,
    "eras": list[Era],
    "participants": list[Participant],
    "ranges": list[SummaryRange],
    "summaries": list[Summary],
}
# msgspec takes a dataclass apart when it first meets it, and two threads that meet one at
# once can end the process (0.22, a segmentation fault): all are met here, on import.
_DECODERS: Final[dict[Any, msgspec.json.Decoder[Any]]] = {
    kind: msgspec.json.Decoder(kind)
    for kind in (
        dict[str, msgspec.Raw], *_STORES.values(), list[Decision], list[Era], list[Participant],
        list[Proposal], list[SummaryRange], list[Summary], list[LedgerChange],
        dict[int, EditedMessage],
    )
}  # fmt: skip


def dump(memory: Memory) -> bytes:
    """The canonical bytes of `memory`."""
    state = {
        "aliases": memory.aliases,
        "closed": memory.closed,
        "counter": COUNTER,
        "decisions": [_plain(item) for item in memory.decisions.values()],
        "fold": FOLD,
        "messages": memory.messages,
        "n": memory.n,
        "newest": memory.newest,
        "open": {
            "changes": memory.open_changes,
            "count": memory.open_count,
            "first": memory.open_first,
            "tokens": memory.open_tokens,
        },
        "opened": memory.opened,
        "eras": memory.eras,
        "participants": [_plain(memory.participants[name]) for name in sorted(memory.participants)],
        "proposals": [_plain(item) for item in memory.proposals.values()],
        "redacted": memory.redacted,
        "ranges": [_plain(memory.ranges[key]) for key in sorted(memory.ranges)],
        "settings": memory.settings.model_dump(mode="json"),
        "summaries": [_plain(memory.summaries[key]) for key in sorted(memory.summaries)],
        "title": memory.title,
        "unknown": memory.unknown,
        **{name: _tree(getattr(memory, name)) for name in _STORES},
    }
    if memory.edited:
        state["edited"] = _tree(memory.edited)
    return msgspec.json.encode(state, order="sorted")


def checksum(data: bytes) -> str:
    """32 hex digits: the BLAKE2b-128 of a memory's bytes."""
    return blake2b(data, digest_size=16).hexdigest()


def load(data: bytes, packs: Packs, seq: int = 0) -> Memory:
    """The memory that `dump` wrote, standing at `seq`.

    Raises `SnapshotMismatch` where the bytes are not a memory of this fold
    version and its counter (the cure is to refold), `PackMissing` where a pack is not here.
    """
    try:
        state = _decode(data, dict[str, msgspec.Raw])
        fold, counter = (msgspec.json.decode(state.pop(key, b"null")) for key in _VERSIONS)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SnapshotMismatch(f"not a memory: {error}") from None
    if fold != FOLD:
        raise SnapshotMismatch(f"not a memory of fold version {FOLD}")
    if counter != COUNTER:  # sizes in it are of another kind than those to come
        raise SnapshotMismatch(f"tokens counted by {counter!r}, not {COUNTER!r}")
    try:
        return _restore(state, packs, seq)
    except (LookupError, TypeError, ValueError, struct.error, msgspec.ValidationError) as error:
        raise SnapshotMismatch(f"not a whole memory: {error}") from None


def packs_of(data: bytes) -> tuple[PackRef, ...]:
    """The packs in force in the memory that `dump` wrote; none where it is no whole memory."""
    try:
        eras: list[Era] = _decode(_decode(data, dict[str, msgspec.Raw])["eras"], list[Era])
        return eras[-1].packs
    except (LookupError, msgspec.DecodeError, UnicodeDecodeError):
        return ()


def _restore(state: dict[str, msgspec.Raw], packs: Packs, seq: int) -> Memory:
    typed = {name: _decode(state.pop(name), kind) for name, kind in _TYPED.items()}
    edited = _decode(state.pop("edited", b"{}"), dict[int, EditedMessage])
    plain = {name: msgspec.json.decode(value) for name, value in state.items()}
    memory = Memory(packs)
    memory.seq = seq
    memory.aliases = dict(plain["aliases"])
    memory.govern(Settings.model_validate(plain["settings"]))
    memory.eras = typed["eras"]
    memory.read_with(memory.eras[-1].packs)
    memory.opened, memory.closed = plain["opened"], plain["closed"]
    memory.title = plain["title"]
    memory.n, memory.messages = plain["n"], plain["messages"]
    memory.open_count, memory.open_first = plain["open"]["count"], plain["open"]["first"]
    memory.open_tokens = plain["open"]["tokens"]
    memory.open_changes = msgspec.convert(plain["open"]["changes"], list[LedgerChange])
    memory.newest = list(plain["newest"])
    memory.unknown = dict(plain["unknown"])
    memory.proposals = {item.ref: item for item in _items(plain["proposals"], Proposal)}
    memory.decisions = {item.ref: item for item in _items(plain["decisions"], Decision)}
    memory.participants = {participant.name: participant for participant in typed["participants"]}
    memory.ranges = {summary_range.key: summary_range for summary_range in typed["ranges"]}
    memory.summaries = {(summary.level, summary.first): summary for summary in typed["summaries"]}
    for name in _STORES:
        setattr(memory, name, typed[name])
    memory.regard_layers()
    memory.claims.heard = dict(sorted(memory.claims.heard.items()))
    memory.claims.owed = dict(sorted(memory.claims.owed.items()))
    memory.episodes.by_ref = dict(sorted(memory.episodes.by_ref.items()))  # as text, 10 is before 2
    memory.insights.by_ref = dict(sorted(memory.insights.by_ref.items()))
    memory.votes.by_ref = dict(sorted(memory.votes.by_ref.items()))
    memory.redacted = msgspec.convert(plain["redacted"], list[int])
    memory.edited = dict(sorted(edited.items()))
    _index(memory)
    return memory


def _decode(data: Any, kind: Any) -> Any:
    return _DECODERS[kind].decode(data)


def _tree(store: Any) -> Any:
    """A store as plain data: refs that are keys become text, as JSON needs them."""
    return msgspec.to_builtins(store, str_keys=True)


def _index(memory: Memory) -> None:
    """Tell from the canonical state what the fold keeps beside it."""
    for proposal in memory.proposals.values():
        memory.proposal_index.add(proposal.ref, proposal.fingerprint)
        memory.at_refs.setdefault(proposal.born, []).append(proposal.handle)
        if wants_comparison(proposal):
            memory.uncompared[proposal.ref] = None
        if not proposal.shrunk:
            memory.full_proposals[proposal.ref] = None
        if proposal.status == "active" and proposal.stands:
            memory.live[proposal.ref] = None
    for decision in memory.decisions.values():
        memory.decision_index.add(decision.ref, decision.fingerprint)
        memory.at_refs.setdefault(decision.born, []).append(decision.handle)
        if not decision.shrunk:
            memory.full_decisions[decision.ref] = None
    memory.rebuild_cites()
    memory.order_live()
    memory.order_resolving()
    memory.order_topics()
    memory.order_names()
    memory.order_outspoken()
    _index_ranges(memory)


def _index_ranges(memory: Memory) -> None:
    for key in sorted(memory.ranges):
        summary_range = memory.ranges[key]
        if key not in memory.summaries:
            memory.owed[key] = None
        if summary_range.above is None:
            memory.front.setdefault(summary_range.level, []).append(summary_range)
        elif (summary_range.level + 1, summary_range.above) in memory.ranges:
            memory.below.setdefault((summary_range.level + 1, summary_range.above), []).append(
                summary_range
            )


def _plain(item: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, as JSON can hold them."""
    result = {}
    for name, default in _defaults(type(item)):
        value = getattr(item, name)
        if value != default:
            result[name] = _packed(value) if name == "fingerprint" else value
    return result


def _defaults(kind: type[Any]) -> list[tuple[str, Any]]:
    defaults = _KNOWN.get(kind)
    if defaults is None:
        defaults = _KNOWN[kind] = [
            (
                field.name,
                field.default_factory() if field.default_factory is not MISSING else field.default,
            )
            for field in fields(kind)
        ]
    return defaults


_KNOWN: dict[type[Any], list[tuple[str, Any]]] = {}


def _packed(fingerprint: tuple[int, ...]) -> str:
    """32-bit numbers as base64 of their big-endian bytes: half of what digits take."""
    return b64encode(struct.pack(f">{len(fingerprint)}I", *fingerprint)).decode()


def _unpacked(text: str) -> tuple[int, ...]:
    data = b64decode(text, validate=True)
    return struct.unpack(f">{len(data) // 4}I", data)


def _items(rows: list[dict[str, Any]], kind: type[_Item]) -> list[_Item]:
    for row in rows:
        if "fingerprint" in row:
            row["fingerprint"] = _unpacked(row["fingerprint"])
    return msgspec.convert(rows, list[kind])  # type: ignore[valid-type]  # a variable type
