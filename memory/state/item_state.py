"""What memory holds: plain slotted data that one fold owns and changes in place.

Integers and text only; ids derive from `n`, never from a clock or chance.
`n` is the ordinal of a primary entry; a `Cite` is a half-open range of
characters of that entry's content. Proposals, decisions and positions keep
their full form while they are live or recent; settled ones beyond the caps
shrink to one line and are read back from the log on demand.

What never changes is a frozen msgspec struct (made in a third of the time that
a frozen dataclass takes), what the fold changes in place a slotted dataclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import Struct

from parley.memory.state.store import StateTree

How = Literal["act", "tag", "pattern", "structure", "vote", "rule", "model", "person"]
Stance = Literal["support", "oppose", "neutral"]
LinkedBy = Literal["", "handle", "reply", "quote", "name", "near", "answer"]
ProposalStatus = Literal[
    "active", "accepted", "adopted", "rejected", "withdrawn", "modified", "lapsed"
]
DecisionStatus = Literal["claimed", "ratified", "disputed", "superseded"]
_FIRST_REBUILD: Final = 512  # notes; below that a rebuild would cost more than it saves
UNLISTED: Final = ("candidate", "merged", "struck")  # what is not among the firm items


class Cite(Struct, frozen=True, gc=False, omit_defaults=True):
    """Characters `start`..`end` (half-open) of the content of entry `n`."""

    n: int
    start: int = 0
    end: int = 0


class Origin(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where an item, a reaction or a change of state comes from.

    `link` is how words were tied to the item that they are about: by its `handle`, as a `reply` to
    its message (`re`), by a `quote` of its words, by the `name` of its proposer, because it was
    `near`, or as the `answer` of a document. "" if they are about no other item.
    """

    cites: tuple[Cite, ...]  # at least one
    how: How
    rule: str | None = None
    confidence: int = 1000  # per mille
    link: LinkedBy = ""


class Voice(Struct, frozen=True, gc=False):
    """The last entry of `participant` that speaks of an item."""

    participant: str
    n: int


class Reaction(Struct, frozen=True, gc=False, omit_defaults=True):
    """One participant's latest stance on a proposal.

    `counted` is True for an act or a tag on that proposal, for a vote on its handle or its message,
    and for a sentence with its handle: only these count toward the quorum. `vote` is True for a
    bare vote (+1, -1, 0).
    """

    stance: Stance
    conditional: bool
    counted: bool
    vote: bool
    origin: Origin


@dataclass(slots=True)
class Proposal:
    """Something offered for agreement. `ref` 3 is written P3."""

    ref: int
    participant: str
    topic: str  # one line, at most 100 characters; survives shrinking
    text: str  # "" once shrunk
    born: int  # n of the cited entry
    detected: int  # n of the entry that revealed it
    origin: Origin
    fingerprint: tuple[int, ...]
    at: str | None = None
    typist: str = ""  # who typed it for them, as a scribe
    named: bool = False  # the topic is the speaker's own word, not read from the text
    status: ProposalStatus = "active"
    reactions: dict[str, Reaction] = field(default_factory=dict)  # {} once settled and shrunk
    tally: tuple[int, int, int] = (0, 0, 0)  # support, oppose, neutral; kept when shrunk
    amends: int | None = None  # ref of the proposal it rewords
    echoes: int | None = None  # ref of the earlier proposal it repeats
    similarity: int = 0  # how much, per mille
    shared: tuple[str, ...] = ()  # words that it has in common with that one
    alike_by: str = ""  # the embedding model that says so; "": its words do
    compared: bool = False  # an embedding was asked, whatever it found
    superseded_by: int | None = None
    settled: Origin | None = None
    mentioned: int = 0  # ordinal of the last message that touched it
    voted: bool = False  # a vote was called on it, however that ended
    merged: int | None = None  # ref of the proposal a person merged it into
    struck: bool = False  # a person retracted it; no detector brings it back
    candidate: bool = False  # on the other shelf (`memory.shelves`), until somebody takes it up
    shrunk: bool = False
    voices: list[Voice] = field(default_factory=list)  # the last two who spoke of it
    edited: int = 0  # n of the edit that changed its text: who reacted before did so to another

    @property
    def handle(self) -> str:
        return f"P{self.ref}"

    @property
    def id(self) -> str:
        return f"proposal:{self.born}:{self.ref}"

    @property
    def stands(self) -> bool:
        """True unless a person struck it or merged it into another."""
        return not self.struck and self.merged is None


@dataclass(slots=True)
class Decision:
    """Something agreed, or said to be. `ref` 2 is written D2."""

    ref: int
    participant: str  # who claimed it, or whose proposal it ratifies
    topic: str  # at most 100 characters
    outcome: str  # at most 200 characters; "" once shrunk
    born: int
    detected: int
    origin: Origin
    fingerprint: tuple[int, ...]
    at: str | None = None
    typist: str = ""  # who typed it for them, as a scribe
    named: bool = False  # the topic is the speaker's own word, not read from the text
    status: DecisionStatus = "claimed"
    resolves: int | None = None  # ref of the proposal it settles
    supporters: dict[str, Origin] = field(default_factory=dict)
    dissenters: dict[str, Origin] = field(default_factory=dict)
    abstainers: dict[str, Origin] = field(default_factory=dict)
    tally: tuple[int, int, int] = (0, 0, 0)
    supersedes: int | None = None
    superseded_by: int | None = None
    ratified: Origin | None = None
    disputed: Origin | None = None
    merged: int | None = None  # ref of the decision a person merged it into
    struck: bool = False  # a person retracted it; no detector brings it back
    candidate: bool = False  # on the other shelf (`memory.shelves`), until somebody takes it up
    shrunk: bool = False
    voices: list[Voice] = field(default_factory=list)  # the last two who spoke of it

    @property
    def handle(self) -> str:
        return f"D{self.ref}"

    @property
    def id(self) -> str:
        return f"decision:{self.born}:{self.ref}"

    @property
    def stands(self) -> bool:
        """True unless a person struck it or merged it into another."""
        return not self.struck and self.merged is None

    @property
    def binds(self) -> bool:
        """True while it is in the ledger: ratified, and still there when it is disputed."""
        return self.status in ("ratified", "disputed")


class Position(Struct, frozen=True, gc=False, omit_defaults=True):
    """Where a participant stands on `on` (a handle such as P3, or a topic)."""

    on: str
    stance: Stance
    cite: Cite
    text: str  # the sentence that says so, at most 120 characters
    # the opposite stance held before, when this is a flip; what a neutral one followed
    was: Stance | None = None
    was_cite: Cite | None = None
    # what another said of it last between the two stances: what moved them, where that can be told
    moved_by: str = ""
    moved_n: int = 0


@dataclass(slots=True)
class Participant:
    """What is known of one speaker. Counts include the messages of aliases."""

    name: str
    messages: int = 0
    positions: dict[str, Position] = field(default_factory=dict)  # oldest first, capped
    contributions: list[Cite] = field(default_factory=list)  # oldest first, capped
    last: str | None = None  # `on` of the newest position


class Evictions(StateTree):
    """How many proposals and decisions left memory, by what they were when they left.

    Keys are the status of a firm item, else "candidate", "merged" or "struck".
    """

    proposals: dict[str, int] = {}
    decisions: dict[str, int] = {}

    def count_proposals(self) -> int:
        """How many proposals left memory."""
        return sum(self.proposals.values())

    def count_decisions(self) -> int:
        """How many decisions left memory."""
        return sum(self.decisions.values())

    def count(self, item: Proposal | Decision) -> None:
        """Count an item that leaves memory."""
        counts = self.proposals if isinstance(item, Proposal) else self.decisions
        if item.stands:
            kept_as: str = "candidate" if item.candidate else item.status
        else:
            kept_as = "struck" if item.struck else "merged"
        counts[kept_as] = counts.get(kept_as, 0) + 1


class ItemCites:
    """The handles of the items whose origins cite an entry, by its n.

    An item that stopped citing an entry, because a side was taken again, may be listed until the
    next rebuild; none that cites it is missing. It is rebuilt once the notes have doubled, so it
    takes room in proportion to the items, and a note costs constant time on average.
    """

    __slots__ = ("_by_n", "_limit", "_notes")

    def __init__(self) -> None:
        self._by_n: dict[int, list[str]] = {}
        self._notes = 0
        self._limit = _FIRST_REBUILD

    def handles(self, n: int) -> list[str]:
        """The handles of items that may cite entry `n`; some of them may have left memory."""
        return self._by_n.get(n, [])

    def note(self, item: Proposal | Decision, origin: Origin) -> None:
        """Note that `origin` is now among the origins of `item`."""
        handle = item.handle
        for cite in origin.cites:
            handles = self._by_n.setdefault(cite.n, [])
            if handle not in handles:
                handles.append(handle)
                self._notes += 1

    @property
    def is_overgrown(self) -> bool:
        """True if so many notes were made that a rebuild is worth its time."""
        return self._notes > self._limit

    def rebuild(self, items: Iterable[Proposal | Decision]) -> None:
        """List what `items`, all that memory holds, cite, and nothing else."""
        self._by_n, self._notes = {}, 0
        for item in items:
            for origin in list_origins(item):
                self.note(item, origin)
        self._limit = max(_FIRST_REBUILD, 2 * self._notes)


def list_origins(item: Proposal | Decision) -> Iterator[Origin]:
    """Where `item`, its sides and its changes come from."""
    yield item.origin
    changes: tuple[Origin | None, ...]
    if isinstance(item, Proposal):
        yield from (reaction.origin for reaction in item.reactions.values())
        changes = (item.settled,)
    else:
        for side in (item.supporters, item.dissenters, item.abstainers):
            yield from side.values()
        changes = (item.ratified, item.disputed)
    yield from (origin for origin in changes if origin is not None)


class Fact(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one entry changed: the unit that subscribers hear.

    `ref` is the handle it is about; `data` is JSON-ready. docs/protocol.md lists
    the kinds and what each carries.
    """

    kind: str
    ref: str | None
    n: int
    data: dict[str, object]
