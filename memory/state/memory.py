"""Memory: what a session has come to, as one fold owns it.

Canonical state is what `canonical_bytes.dump` writes. The rest (`seq`, the indexes)
can be told from it, except `seq`, which belongs to a snapshot's envelope: it
keeps redelivered records out and never reaches the bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from parley.bus.entries import PackRef
from parley.memory.errors import PackMissing
from parley.memory.extraction.patterns.pattern_packs import (
    Pack,
    compile_pack,
    measure_pack,
    parse_pack,
    parse_shipped_pack,
)
from parley.memory.extraction.patterns.speech_acts import SpeechActReader, compile_guards
from parley.memory.settings.session_settings import Settings
from parley.memory.settings.setting_defaults import SummaryWish
from parley.memory.state.claim_state import Claims
from parley.memory.state.episode_state import Episodes
from parley.memory.state.exchange_state import Exchanges, ShortForm, Tools
from parley.memory.state.floor_state import Floor, Ledger
from parley.memory.state.insight_state import Insights, Lesson
from parley.memory.state.item_state import (
    Decision,
    Evictions,
    ItemCites,
    Participant,
    Proposal,
)
from parley.memory.state.line_state import EditedMessage, Structure, Writing
from parley.memory.state.notebook_state import Notebooks
from parley.memory.state.summary_state import LedgerChange, Summary, SummaryRange
from parley.memory.state.vote_state import Votes
from parley.memory.text.plain_text import resolve_name
from parley.memory.text.similarity import SimilarityIndex

CALLED: Final = re.compile(r"[a-z]{3,}")  # what somebody is called by: "glm" of "GLM-5"
FOLD: Final = "1"  # of the code below `apply`; raised by each release in which that code changed

Packs = Mapping[str, Pack]  # by "name hash", as `pack_key` writes it


def pack_key(name: str, hash: str) -> str:
    return f"{name} {hash}"


_Wanted = tuple[tuple[Pack, ...], frozenset[str]]  # and the names of those that are not known

# Readers are megabytes and 50 ms of work: while some memory has one, no other is made, and the
# newest are kept besides. Those of packs that sessions bring take no place of the others.
_readers = WeakValueDictionary[_Wanted, SpeechActReader]()


@lru_cache(maxsize=16)
def _keep_known(wanted: _Wanted) -> SpeechActReader:
    return _find_reader(wanted)


@lru_cache(maxsize=4)
def _keep_brought(wanted: _Wanted) -> SpeechActReader:
    return _find_reader(wanted)


def _find_reader(wanted: _Wanted) -> SpeechActReader:
    reader = _readers.get(wanted)
    return _readers.setdefault(wanted, SpeechActReader(*wanted)) if reader is None else reader


class Era(Struct, frozen=True, gc=False):
    """What models' texts on entries after n `after` go by, until the next era.

    A summary may be written long after its range closed, or again; what it goes
    by is that of its range, so that settings of the day change no earlier one.
    `answer` and `running` are the bytes of shorter forms; `prose`: a closed
    episode wants one.
    """

    after: int
    interval: int
    words: int
    how: SummaryWish
    packs: tuple[PackRef, ...]
    answer: int = 500
    running: int = 3000
    prose: bool = False


class Memory:
    """One session's memory. Make it with the packs this process can read with."""

    __slots__ = (
        "aliases",
        "at_refs",
        "below",
        "bots",
        "call_names",
        "chairs",
        "cites",
        "claims",
        "closed",
        "condensed",
        "decision_index",
        "decisions",
        "edited",
        "episodes",
        "eras",
        "evictions",
        "exchanges",
        "floor",
        "front",
        "full_decisions",
        "full_proposals",
        "insights",
        "interval",
        "keeps_notes",
        "lapse_after",
        "layered",
        "ledger",
        "ledger_view",
        "lessons",
        "live",
        "messages",
        "n",
        "names",
        "newest",
        "note_agents",
        "notebooks",
        "open_changes",
        "open_count",
        "open_first",
        "open_tokens",
        "opened",
        "outspoken",
        "owed",
        "pack_refs",
        "packs",
        "participants",
        "proposal_index",
        "proposals",
        "ranges",
        "reader",
        "redacted",
        "resolving",
        "scribes",
        "seq",
        "settings",
        "short_term",
        "structure",
        "summaries",
        "title",
        "tools",
        "topics",
        "uncompared",
        "unknown",
        "users",
        "votes",
        "window",
        "writing",
    )

    def __init__(self, packs: Packs) -> None:
        self.packs = packs
        self.seq = 0
        # canonical
        self.opened = False
        self.closed: str | None = None
        self.title: str | None = None
        self.n = 0
        self.messages = 0
        self.proposals: dict[int, Proposal] = {}
        self.decisions: dict[int, Decision] = {}
        self.participants: dict[str, Participant] = {}
        self.aliases: dict[str, str] = {}
        self.ranges: dict[tuple[int, int], SummaryRange] = {}
        self.summaries: dict[tuple[int, int], Summary] = {}
        # `first` of the newest ranges of level 0 that got a summary, `summary.keep` of them
        self.newest: list[int] = []
        self.open_first = 1
        self.open_count = 0
        self.open_changes: list[LedgerChange] = []  # what the open stretch did to the ledger
        self.open_tokens = 0  # of the open stretch, where `limits.short_term` wants them
        self.unknown: dict[str, int] = {}
        self.eras: list[Era] = []  # oldest first: an extract goes by that of its range's end
        self.notebooks = Notebooks()
        self.episodes = Episodes()
        self.exchanges = Exchanges()
        self.tools = Tools()
        self.insights = Insights()
        self.lessons: dict[str, Lesson] = {}  # by "session ref"
        self.condensed: dict[str, ShortForm] = {}  # by "part of"
        self.claims = Claims()
        self.evictions = Evictions()
        self.floor = Floor()
        self.ledger = Ledger()
        self.votes = Votes()
        self.structure = Structure()
        self.writing = Writing()
        self.redacted: list[int] = []  # n of entries whose content is gone, ascending
        self.edited: dict[int, EditedMessage] = {}  # by n of the message
        # told from the above
        self.live: dict[int, None] = {}  # active proposals, longest unmentioned first
        self.names: dict[str, str] = {}  # in small letters -> whoever spoke, or has a seat
        self.outspoken: dict[str, None] = {}  # participants with a position or a contribution
        self.call_names: set[str] = set()  # the first words of those, of three letters at least
        self.at_refs: dict[int, list[str]] = {}  # n -> handles born there
        self.cites = ItemCites()
        self.topics: dict[str, list[int]] = {}  # named topic -> decisions on it
        self.resolving: dict[int, int] = {}  # proposal ref -> ref of the decision that resolves it
        self.uncompared: dict[int, None] = {}  # proposals like none, that no embedding was asked of
        self.proposal_index = SimilarityIndex()
        self.decision_index = SimilarityIndex()
        self.full_proposals: dict[int, None] = {}
        self.full_decisions: dict[int, None] = {}
        self.owed: dict[tuple[int, int], None] = {}  # ranges without a summary
        self.front: dict[
            int, list[SummaryRange]
        ] = {}  # by level: ranges that none covers, oldest first
        self.below: dict[tuple[int, int], list[SummaryRange]] = {}  # range -> those it covers
        self.ledger_view: Any = None  # `ledger_of` keeps what it made of this memory here
        self.pack_refs: tuple[PackRef, ...] = ()
        self.govern(Settings())
        self.read_with(())
        self.begin_era()

    def govern(self, settings: Settings) -> None:
        """Put `settings` in force."""
        self.settings = settings
        self.interval = settings.summary.interval
        self.lapse_after = settings.lapse.after
        self.window = settings.link.window
        self.chairs = frozenset(map(self.named, settings.chair))
        self.bots = frozenset(map(self.named, settings.bots))
        self.scribes = frozenset(self.named(name).casefold() for name in settings.structure.scribes)
        self.users = frozenset(map(self.named, settings.exchange.users))
        agents = sorted(settings.note.agents.items())
        self.note_agents = {self.named(name): agent for name, agent in agents}
        self.keeps_notes = settings.note.policy != "off" or any(
            agent.policy not in (None, "off") for agent in settings.note.agents.values()
        )
        self.short_term = settings.limits.short_term.cap
        self.regard_layers()

    def regard_layers(self) -> None:
        """Note whether a message does more than speak: to a notebook, an exchange, the short term.

        Kept rather than asked for: most sessions have no such layer, and every message asks.
        """
        self.layered = bool(
            self.keeps_notes
            or self.users
            or self.short_term
            or self.exchanges.open
            or self.has_floor
            or self.is_read
        )

    @property
    def is_read(self) -> bool:
        """True where a model is to read the talk for items."""
        return self.settings.extract.how == "model"

    @property
    def has_floor(self) -> bool:
        """True where somebody took a seat, or speaking is governed."""
        return bool(self.floor.seats) or self.settings.floor.policy != "open"

    def read_with(self, refs: tuple[PackRef, ...]) -> None:
        """Put the packs that `refs` name in force. Raises `PackMissing`, `BadPattern`."""
        self.reader = self.reader_of(refs)
        self.pack_refs = refs

    def reader_of(self, refs: tuple[PackRef, ...]) -> SpeechActReader:
        """What reads with the packs that `refs` name. Raises `PackMissing`, `BadPattern`."""
        packs = self._packs_of(refs)
        brought = frozenset(
            pack.name
            for pack, ref in zip(packs, refs, strict=True)
            if ref.pack is not None and pack_key(pack.name, pack.hash) not in self.packs
        )
        return (_keep_brought if brought else _keep_known)((packs, brought))

    def _packs_of(self, refs: tuple[PackRef, ...]) -> tuple[Pack, ...]:
        packs: list[Pack] = []
        size = 0  # of those that the session brings
        for ref in refs:
            if ref.pack is not None:
                packs.append(parse_pack(ref.pack))
                size = measure_pack(packs[-1], size)
            elif (pack := self.packs.get(pack_key(ref.name, ref.hash))) is not None:
                packs.append(pack)
            else:
                raise PackMissing(ref.name, ref.hash)
        return tuple(packs)

    def compile_packs(self, refs: tuple[PackRef, ...]) -> Iterator[None]:
        """Do what takes long of `reader_of`, a few ms at a step. Raises as it does.

        A pattern that the session brings at each, then what is made of several.
        """
        size = 0
        for ref in refs:
            if ref.pack is not None:
                for instructions in compile_pack(parse_shipped_pack(ref.pack), size):
                    size = instructions
                    yield
        if size:
            yield from compile_guards(self._packs_of(refs))
        reader = self.reader_of(refs)
        yield
        yield from reader.compile()

    def begin_era(self) -> None:
        """Note what is in force for the entries after the last one folded, where it is new."""
        summary = self.settings.summary
        answer, running = self.settings.limits.answer, self.settings.limits.running
        era = Era(
            self.n,
            summary.interval,
            summary.words,
            summary.how,
            self.pack_refs,
            min(answer.cap, answer.target),
            min(running.cap, running.target),
            self.settings.episodes.prose,
        )
        if self.eras and self.eras[-1].after == self.n:
            self.eras.pop()
        if not self.eras or replace(self.eras[-1], after=self.n) != era:
            self.eras.append(era)

    def era(self, n: int) -> Era:
        """What the summary of a range that ends at `n` goes by."""
        return next(era for era in reversed(self.eras) if era.after < n)

    def named(self, participant: str) -> str:
        """The canonical name of `participant`."""
        return resolve_name(self.aliases, participant)

    def participant(self, name: str) -> Participant:
        """The participant of that canonical name, made when new."""
        participant = self.participants.get(name)
        if participant is None:
            participant = self.participants[name] = Participant(name)
            self.learn(name)
        return participant

    def learn(self, name: str) -> None:
        """Note that `name` is somebody's, whatever its case; of two that differ by it the lesser.

        A name that somebody has outranks an alias.
        """
        small = name.casefold()
        called = CALLED.match(small)
        if called is not None:
            self.call_names.add(called[0])
        known = self.names.get(small)
        if known is None or known.casefold() != small or name < known:
            self.names[small] = name

    def order_outspoken(self) -> None:
        """Tell again who has a position or a contribution."""
        self.outspoken = {
            name: None
            for name in sorted(self.participants)
            if self.participants[name].positions or self.participants[name].contributions
        }

    def order_names(self) -> None:
        """Tell again who is known by which name."""
        self.names = {}
        self.call_names = set()
        for name in (*self.participants, *self.floor.seats):
            self.learn(name)
        for nick in sorted(self.aliases):
            self.names.setdefault(nick.casefold(), self.aliases[nick])

    def proposal(self, ref: int) -> Proposal | None:
        """The proposal `ref` names now: merges are followed, struck ones are none."""
        proposal = self.proposals.get(ref)
        while proposal is not None and proposal.merged is not None:
            proposal = self.proposals.get(proposal.merged)
        return None if proposal is None or proposal.struck else proposal

    def decision(self, ref: int) -> Decision | None:
        """The decision `ref` names now: merges are followed, struck ones are none."""
        decision = self.decisions.get(ref)
        while decision is not None and decision.merged is not None:
            decision = self.decisions.get(decision.merged)
        return None if decision is None or decision.struck else decision

    def known(self, n: int) -> Proposal | Decision | None:
        """The item that entry `n` gave birth to: its last proposal, else its last decision."""
        items = [self.item(handle) for handle in self.at_refs.get(n, ())]
        known_items = [item for item in items if item is not None]
        return max(known_items, key=lambda item: (type(item) is Proposal, item.ref), default=None)

    def item(self, handle: str) -> Proposal | Decision | None:
        """The item that `handle` (P3, D2) names now."""
        number = handle[1:]
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            return None  # whatever a stranger wrote: no item has a number that long
        ref = int(number)
        if handle[0] == "P":
            return self.proposal(ref)
        return self.decision(ref) if handle[0] == "D" else None

    def has_left(self, handle: str) -> bool:
        """True if `handle` (P3, D2) names an item that left memory: the log alone has it.

        Items are numbered without a gap, so every number up to the count of all was given.
        """
        number = handle[1:]
        if handle[:1] not in ("P", "D") or not (number.isascii() and number.isdecimal()):
            return False
        held: Mapping[int, Proposal | Decision] = self.decisions
        left = self.evictions.count_decisions()
        if handle[0] == "P":
            held, left = self.proposals, self.evictions.count_proposals()
        return len(number) < 10 and int(number) not in held and 0 < int(number) <= len(held) + left

    def is_redacted(self, n: int) -> bool:
        """True where the content of entry `n` is gone."""
        place = bisect_left(self.redacted, n)
        return self.redacted[place : place + 1] == [n]

    def order_live(self) -> None:
        """Put the active proposals back in the order of their last mention."""
        active = [self.proposals[ref] for ref in self.live]
        active.sort(key=lambda proposal: (proposal.mentioned, proposal.ref))
        self.live = dict.fromkeys(proposal.ref for proposal in active)

    def rebuild_cites(self) -> None:
        """Tell again which items cite which entries."""
        self.cites.rebuild((*self.proposals.values(), *self.decisions.values()))

    def order_topics(self) -> None:
        """Tell again which decisions were made on which named topic."""
        self.topics = {}
        for decision in self.decisions.values():
            if decision.named:
                self.topics.setdefault(decision.topic.casefold(), []).append(decision.ref)

    def order_resolving(self) -> None:
        """Tell again which decision, the newest that stands, resolves which proposal."""
        self.resolving = {
            decision.resolves: decision.ref
            for decision in self.decisions.values()
            if decision.resolves is not None and decision.stands
        }

    def in_window(self, proposal: Proposal) -> bool:
        """True while `proposal` was mentioned within `link.window` messages."""
        return self.messages - proposal.mentioned <= self.window
