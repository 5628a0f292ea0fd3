"""What this process published lately, offered again when the log went back.

A restart that lost the tail of its append-only file, or a failover, takes back
entries that were acknowledged. Every publisher keeps its own for a few seconds
and watches the newest of them: a lost suffix takes that one first. Where it is
gone, all are offered again, in order, by their client ids; what still stands is
a duplicate and changes nothing.

The watch needs no further publishing, and no draft leaves before it was seen
standing `seconds` after its acknowledgement: an outage does not age the outbox.

A publisher alone cannot give the log its old order back: what stood before a closing, a
mute or the end of a vote may be another's to offer. So each draft is offered when it would
stand where it stood. It waits as long as others put back what theirs was, and two seconds
more; a closing that stands again keeps out
what is new, not what was acknowledged. A redaction is done again: the words that it took
out came back with the older log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

import anyio
from msgspec import Struct, field

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.signal import Signal
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.drafts import OPENING, Draft, Receipt, epoch_of
from parley.bus.contract.errors import BusError, Unavailable
from parley.bus.contract.keys import Keys
from parley.bus.contract.session_info import lineage
from parley.bus.entries import DERIVED
from parley.bus.log.replies import parse_place

# Writes again what the log lost of the drafts, in order or as it comes; None where the
# session is gone for good.
Offer = Callable[
    [str, str, "Draft | None", "Sequence[KeptDraft]", bool], Awaitable["ReofferedDrafts | None"]
]

# Redacts primary entry n again
Redo = Callable[[int], Awaitable[object]]

_LOOK: Final = 0.5  # seconds between two looks, at most
_LOOK_EARLY: Final = 0.02  # where a draft waits for its place
_ORDER: Final = (
    2.0  # seconds that it waits for the other publishers' looks while nothing comes back
)
_MOST: Final = 50_000  # drafts a session keeps; two seconds of the fastest publisher
_FREE: Final = DERIVED | {"message"}  # what may stand behind where it stood
_logger = EventLog(__name__)


class KeptDraft(NamedTuple):
    """A draft that was acknowledged at `at`, a time of the loop, to stand at `seq`."""

    at: float
    draft: Draft
    seq: int


class KeptRedaction(NamedTuple):
    """A redaction of the entry called `entry`, whose tombstone is called `tombstone`."""

    at: float
    entry: str
    tombstone: str
    redo: Redo


class ReofferedDrafts(Struct):
    """The drafts that could not be written again: the first two for now, the last for good.

    What is `waiting` answers an entry, or follows an epoch, that was lost too and that
    another publisher has to offer. What is `early` would stand before entries that it stood
    behind. The epochs of the `overtaken` are others' by now.
    """

    waiting: list[Draft] = field(default_factory=list)
    early: list[Draft] = field(default_factory=list)
    overtaken: list[Draft] = field(default_factory=list)


class _KeptDrafts(Struct):
    incarnation: str = ""
    opening: Draft | None = None
    drafts: deque[KeptDraft] = field(default_factory=deque)
    redactions: list[KeptRedaction] = field(default_factory=list)
    opened: float = 0.0
    newest: float = 0.0
    waiting: list[Draft] = field(default_factory=list)  # for what is not back yet
    early: bool = False  # some of them for their place
    since: float = 0.0  # when they began to wait
    moved: float = 0.0  # when the last of them came back
    offering: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def tip(self) -> str:
        return self.drafts[-1].draft.id if self.drafts else OPENING if self.opening else ""


class Outbox:
    """The drafts acknowledged to this process within the last `seconds`."""

    def __init__(self, connections: Connections, keys: Keys, seconds: float) -> None:
        self.healed = 0  # entries that it gave back to logs that had lost them
        self._connections = connections
        self._keys = keys
        self._seconds = seconds
        self._kept: dict[str, _KeptDrafts] = {}
        self._filled = Signal()
        self._tasks = TaskHost("parley-outbox", self._restart)
        self._watcher: Child | None = None
        self.offer: Offer = _nowhere

    async def aclose(self) -> None:
        """Stops watching. What is younger than `seconds` is from here on unguarded."""
        await self._tasks.aclose()
        self._watcher = None

    def keep_opening(self, session: str, incarnation: str, opening: Draft) -> None:
        """Keeps the opening of a session, just acknowledged in the log named `incarnation`."""
        if self._seconds > 0:
            self._kept[session] = _KeptDrafts(incarnation, opening, opened=_now(), newest=_now())
            self._start()

    def keep(
        self, session: str, incarnation: str, drafts: Sequence[Draft], receipts: Sequence[Receipt]
    ) -> None:
        """Keeps the first of `drafts`, those acknowledged by `receipts` in that log."""
        if self._seconds <= 0:
            return
        kept = self._of(session, incarnation)
        kept.newest = now = _now()
        kept.drafts.extend(
            KeptDraft(now, draft, receipt.seq)
            for draft, receipt in zip(drafts, receipts, strict=False)
        )
        while len(kept.drafts) > _MOST:
            kept.drafts.popleft()
        self._start()

    def keep_redaction(
        self, session: str, incarnation: str, entry: str, tombstone: str, redo: Redo
    ) -> None:
        """Keeps the redaction of `entry`, just done; `redo` does it again."""
        if self._seconds > 0:
            kept = self._of(session, incarnation)
            kept.newest = _now()
            kept.redactions.append(KeptRedaction(kept.newest, entry, tombstone, redo))
            self._start()

    def forget(self, session: str) -> None:
        """Drops the drafts of `session`: they are not offered again."""
        self._kept.pop(session, None)

    def tip(self, session: str) -> str:
        """The id of the newest draft kept, or ''."""
        kept = self._kept.get(session)
        return kept.tip if kept else ""

    def standing_tip(self, session: str) -> str:
        """The id of the newest draft kept that waits for nothing, or ''."""
        kept = self._kept.get(session)
        if kept is None:
            return ""
        waiting = {draft.id for draft in kept.waiting}
        standing = (row.draft.id for row in reversed(kept.drafts) if row.draft.id not in waiting)
        return next(standing, "")

    async def reoffer_if_lost(self, session: str) -> None:
        """`reoffer`, where the log of `session` lacks the newest draft that is kept."""
        if tip := self.tip(session):
            (place,) = await self._connections.command("HMGET", self._keys.of(session).ids, tip)
            if place is None:
                await self.reoffer(session)

    async def reoffer_in_order(self, session: str) -> None:
        """`reoffer`, until nothing of it waits for its place: what is new comes after it."""
        await self.reoffer(session)
        while (kept := self._kept.get(session)) is not None and kept.early:
            await anyio.sleep(_LOOK_EARLY)
            await self.reoffer(session)

    async def reoffer(self, session: str) -> None:
        """Offers the drafts of `session` again; drops them where it is gone for good.

        Raises `Unavailable`; then everything is still kept.
        """
        kept = self._kept.get(session)
        if kept is None:
            return
        async with kept.offering:
            if first := not kept.waiting:
                kept.since = kept.moved = _now()
            in_order = _now() < min(kept.moved + _ORDER, kept.since + self._seconds / 2)
            drafts = list(kept.drafts)
            try:
                offered = await self.offer(
                    session, kept.incarnation, kept.opening, drafts, in_order
                )
            except Unavailable:
                raise
            except BusError as error:  # asking again changes nothing
                _logger.error("outbox_refused", session=session, reason=str(error))
                offered = None
            if first:
                standing = offered is not None
                _logger.warning(
                    "log_went_back", session=session, offered=len(drafts), standing=standing
                )
            waiting = [*offered.waiting, *offered.early] if offered else []
            if len(waiting) < len(kept.waiting):
                kept.moved = _now()
            kept.waiting = waiting
            kept.early = bool(offered and offered.early)
        if offered is None:
            if self._kept.get(session) is kept:
                del self._kept[session]
            return
        self._drop(session, kept, offered.overtaken)

    def _of(self, session: str, incarnation: str) -> _KeptDrafts:
        kept = self._kept.get(session)
        if kept is None or lineage(kept.incarnation) != lineage(incarnation):
            kept = self._kept[session] = _KeptDrafts(incarnation)
        return kept

    def _start(self) -> None:
        self._filled.set()
        if self._watcher is None:
            self._watcher = self._tasks.start("parley-outbox-watcher", self._watch)

    def _restart(self, _: Child, error: Exception) -> None:
        """What is kept stays guarded; each look is preceded by a pause."""
        _logger.error("outbox_died", reason=repr(error))
        self._watcher = None
        self._start()

    async def _watch(self) -> None:
        waiting = False
        while True:
            await self._filled.wait()
            early = any(kept.early for kept in self._kept.values())
            await anyio.sleep(_LOOK_EARLY if early else min(self._seconds / 4, _LOOK))
            try:
                await self._look()
                waiting = False
            except Unavailable as error:
                if not waiting:  # logged once an outage, not twice a second
                    _logger.warning("outbox_waits", reason=str(error))
                waiting = True
            if not self._kept:
                self._filled.clear()

    async def _look(self) -> None:
        sessions = list(self._kept)
        asked_at = _now()
        commands = [
            (
                "HMGET", self._keys.of(session).ids, kept.tip,
                *(name for row in kept.redactions for name in (row.tombstone, row.entry)),
            )
            for session, kept in ((session, self._kept[session]) for session in sessions)
        ]  # fmt: skip
        for session, reply in zip(
            sessions, await self._connections.attempts(commands), strict=True
        ):
            if isinstance(reply, BusError):  # a damaged session; the others are looked after
                self._expire(session, asked_at)
                continue
            kept = self._kept.get(session)
            if kept is not None and kept.waiting and kept.since < asked_at - self._seconds:
                self._give_up(session, kept)
            elif kept is not None and kept.tip and (reply[0] is None or kept.waiting):
                await self.reoffer(session)
            else:
                self._expire(session, asked_at)
            if kept is not None:
                await self._redact_again(session, kept, reply[1::2], reply[2::2])

    async def _redact_again(
        self,
        session: str,
        kept: _KeptDrafts,
        tombstones: Sequence[bytes | None],
        entries: Sequence[bytes | None],
    ) -> None:
        """Does the redactions again whose tombstones the log lost, once their entries are back."""
        for row, tombstone, entry in zip(list(kept.redactions), tombstones, entries, strict=False):
            if tombstone is not None or entry is None:
                continue
            kept.redactions.remove(row)
            try:
                await row.redo(parse_place(entry)[1])
            except Unavailable:
                kept.redactions.append(row)
                raise
            except BusError as error:
                _logger.error("redaction_lost", session=session, id=row.entry, reason=str(error))
            else:
                _logger.warning("redacted_again", session=session, id=row.entry)

    def _give_up(self, session: str, kept: _KeptDrafts) -> None:
        """Drops what waits for an entry that nobody offered in time."""
        waiting, kept.waiting = kept.waiting, []
        kept.early = False
        _logger.error("answers_lost", session=session, ids=sorted(draft.id for draft in waiting))
        self._drop(session, kept, waiting)

    def _drop(self, session: str, kept: _KeptDrafts, drafts: Sequence[Draft]) -> None:
        """Keeps no longer what will never stand in the log again."""
        ids = {draft.id for draft in drafts}
        if ids:
            kept.drafts = deque(row for row in kept.drafts if row.draft.id not in ids)
        if ids and not kept.tip and self._kept.get(session) is kept:
            del self._kept[session]

    def _expire(self, session: str, asked_at: float) -> None:
        kept = self._kept.get(session)
        if kept is None:
            return
        while kept.drafts and kept.drafts[0].at < asked_at - self._seconds:
            kept.drafts.popleft()
        if kept.newest < asked_at - self._seconds:
            del self._kept[session]
            return
        if kept.opened < asked_at - self._seconds:
            kept.opening = None
        kept.redactions = [row for row in kept.redactions if row.at >= asked_at - self._seconds]


def landable(lost: Sequence[Draft], epoch: int, offered: ReofferedDrafts) -> list[Draft]:
    """What of `lost` can land where the floor is in `epoch`; the rest is put into `offered`.

    An epoch that others began meanwhile is theirs. One whose turn has not come
    waits: whoever began the one before it has to offer that first.
    """
    ready: list[Draft] = []
    for draft in lost:
        begun = epoch_of(draft.entry)
        if begun is not None and begun <= epoch:
            offered.overtaken.append(draft)
            continue
        if begun is not None and begun > epoch + 1:
            offered.waiting.append(draft)
            continue
        epoch += begun is not None
        ready.append(draft)
    return ready


def id_before(draft: Draft, kept: Sequence[KeptDraft], offered: ReofferedDrafts) -> str:
    """The id of what was acknowledged before `draft`, and stands if the log lost no more; or ''."""
    left = {each.id for each in (*offered.waiting, *offered.overtaken)}
    before = ""
    for _, each, _ in kept:
        if each.id == draft.id:
            break
        if each.id not in left:
            before = each.id
    return before


def standing_in_order(
    lost: Sequence[Draft], head: int, places: Mapping[str, int], offered: ReofferedDrafts
) -> list[Draft]:
    """What of `lost` would not stand before entries that are not back; the rest is `early`.

    The log has `head` entries, and each draft stood at its seq in `places`. Where the log
    grew beyond that, a message lands at once; whatever says what others may do is early,
    for what they published before it may be missing.
    """
    for k, draft in enumerate(lost):
        ahead = places[draft.id] - (head + k + 1)
        if ahead > 0 or (ahead < 0 and draft.entry.kind not in _FREE):
            offered.early += lost[k:]
            return list(lost[:k])
    return list(lost)


def _now() -> float:
    return anyio.current_time()


async def _nowhere(
    session: str,
    incarnation: str,
    opening: Draft | None,
    kept: Sequence[KeptDraft],
    in_order: bool,
) -> ReofferedDrafts | None:
    raise RuntimeError("the outbox was not given a log")
