"""The log of a session: open, publish, close, and read."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract import errors
from parley.bus.contract.drafts import CLOSING, OPENING, Draft, Receipt, SealedDraft, is_entry_id
from parley.bus.contract.drafts import seal as seal_draft
from parley.bus.contract.errors import (
    BusError,
    OutOfOrder,
    SessionDamaged,
    SessionExists,
    SessionNotFound,
    UnknownReference,
    damage_of,
)
from parley.bus.contract.keys import Keys, SessionKeys
from parley.bus.contract.session_info import lineage
from parley.bus.contract.tracing import tracer
from parley.bus.entries import Record
from parley.bus.log.batches import BATCH_DRAFTS, check_drafts, check_one_step, next_batch
from parley.bus.log.charges import Quotas
from parley.bus.log.outbox import (
    KeptDraft,
    Outbox,
    ReofferedDrafts,
    id_before,
    landable,
    standing_in_order,
)
from parley.bus.log.references import referenced_id
from parley.bus.log.replies import (
    STATE,
    FactRecord,
    LogStretch,
    id_after_fact,
    parse_facts,
    parse_place,
    parse_receipts,
    parse_records,
    parse_stretch,
    refusal_of,
)
from parley.bus.log.wholeness import check_length, mend_index, read_head

if TYPE_CHECKING:
    from parley.bus.entries import SessionOpened

BACKLOG: Final = 100_000  # entries between head and folded; see docs/protocol.md


class Log:
    """The logs of all sessions on one Redis."""

    def __init__(
        self, connections: Connections, keys: Keys, outbox: Outbox, quotas: Quotas, backlog: int
    ) -> None:
        self._connections = connections
        self._quotas = quotas
        self._keys = keys
        self._outbox = outbox
        self._backlog = backlog
        outbox.offer = self._offer_again

    async def open(self, session: str, opened: SessionOpened) -> Receipt:
        """Starts `session` with its settings as entry 1.

        Raises `SessionExists`, and `QuotaExceeded` and `Busy` as `publish` does.
        """
        draft, seal = Draft(OPENING, opened), seal_draft(OPENING, opened)
        self._keys.of(session)  # an id that is none is refused before anything is counted
        charge = await self._quotas.charge(session, [draft])
        incarnation, receipt = secrets.token_hex(8), Receipt(1, 0, duplicate=False)
        landed: list[tuple[Draft, Receipt]] = []
        try:
            if await self._open(session, incarnation, seal, again=False) == "exists":
                raise SessionExists(session)
            landed.append((draft, receipt))
        finally:
            if charge is not None:
                await self._quotas.give_back(charge, landed)
        self._outbox.keep_opening(session, incarnation, draft)
        return receipt

    async def publish(
        self,
        session: str,
        drafts: Sequence[Draft],
        *,
        epoch: int | None = None,
        incarnation: str = "",
    ) -> list[Receipt]:
        """Appends `drafts` in order, each once: publishing a draft again returns its place.

        Up to 500 drafts land whole or not at all; a longer batch lands in such
        parts, so after a refusal some may stand, and resending all is safe.
        `re` may be the id of an entry; it is replaced by that entry's `n`.
        `incarnation`, where given, is that of the log that `drafts` were made from.
        Under an `epoch` all land in that epoch of the floor, whole, or none does; an
        entry that begins an epoch lands where it is the next one.

        Raises `SessionNotFound`, `SessionClosed`, `Conflict`, `InvalidEntry`,
        `UnknownReference`, `Busy`, `QuotaExceeded`, `StaleEpoch`, or `Fenced` where the log is
        another by now: replaced, or redacted.
        """
        keys = self._keys.of(session)
        check_drafts(drafts, epoch)
        landed: list[Receipt] = []
        charge = await self._quotas.charge(session, drafts)
        try:
            with tracer().publishing(session, drafts):
                while len(landed) < len(drafts):
                    part = drafts[len(landed) : len(landed) + BATCH_DRAFTS]
                    lineage, placed = await self._publish(session, keys, part, epoch, incarnation)
                    self._outbox.keep(session, lineage, part, placed)
                    landed += placed
        finally:
            if charge is not None:
                await self._quotas.give_back(charge, [*zip(drafts, landed, strict=False)])
        return landed

    async def close(
        self,
        session: str,
        reason: str,
        by: str | None = None,
        *,
        rule: str | None = None,
        totals: Mapping[str, int] | None = None,
    ) -> Receipt:
        """Ends `session`: its last entry says why, and it takes no more.

        Raises `SessionClosed` where it was closed with other words.
        """
        from parley.bus.entries import SessionClosed

        last = SessionClosed(reason=reason, by=by, rule=rule, totals=dict(totals or {}))
        draft = Draft(CLOSING, last)
        keys = self._keys.of(session)
        try:
            incarnation, receipts = await self._publish(session, keys, [draft])
        except errors.Conflict:
            raise errors.SessionClosed(session) from None
        self._outbox.keep(session, incarnation, [draft], receipts)
        return receipts[0]

    async def read(
        self, session: str, after: int = 0, *, to: int | None = None, count: int = 500
    ) -> list[Record]:
        """Up to `count` records with `after` < seq ≤ `to`, in order."""
        keys = self._keys.of(session)
        with damage_of(session):
            return await self._whole(session, keys, _range(keys, after, to, count))

    async def find(self, session: str, id: str) -> Record | None:
        """The entry of that id; None where none has it."""
        keys = self._keys.of(session)
        (value,) = await self._connections.command("HMGET", keys.ids, id)
        if value is None and await mend_index(self._connections, session, keys):
            (value,) = await self._connections.command("HMGET", keys.ids, id)
        if value is None:
            return None
        seq, _ = parse_place(value)
        return next(iter(await self.read(session, seq - 1, to=seq)), None)

    async def read_many(
        self, starts: Sequence[tuple[str, int]], *, count: int = 500
    ) -> list[LogStretch | None]:
        """For each (session, after) what `read` gives, with the log's state, in one round trip.

        None where there is no such session.
        """
        commands: list[Sequence[Argument]] = []
        for session, after in starts:
            keys = self._keys.of(session)
            commands.append(("HMGET", keys.meta, *STATE))
            commands.append(_range(keys, after, None, count))
            commands.append(("XLEN", keys.log))
        replies = iter(await self._connections.attempts(commands))
        return [
            _stretch(session, next(replies), next(replies), next(replies)) for session, _ in starts
        ]

    async def tail(self, session: str, count: int) -> list[Record]:
        """The newest `count` records, oldest first."""
        keys = self._keys.of(session)
        with damage_of(session):
            newest = ("XREVRANGE", keys.log, "+", "-", "COUNT", count)
            return (await self._whole(session, keys, newest))[::-1]

    async def fact_rows(
        self, session: str, after: tuple[int, int] = (0, -1), count: int = 500
    ) -> list[FactRecord]:
        """Up to `count` facts after (seq, k), in order. The oldest are cut off at 10,000."""
        keys = self._keys.of(session)
        with damage_of(session):
            reply = await self._connections.command(
                "XRANGE", keys.facts, id_after_fact(after), "+", "COUNT", count
            )
            return parse_facts(reply)

    async def _whole(
        self, session: str, keys: SessionKeys, range_: tuple[Argument, ...]
    ) -> list[Record]:
        """The records of `range_`, of a log that has all its entries.

        Raises `SessionNotFound`, and `SessionDamaged` for a log that has not.
        """
        (head,), reply, length = await self._connections.commands(
            [("HMGET", keys.meta, "head"), range_, ("XLEN", keys.log)]
        )
        if head is None and not reply:
            raise SessionNotFound(session)
        check_length(session, read_head(session, head), length)
        return parse_records(reply)

    async def _open(self, session: str, incarnation: str, seal: SealedDraft, *, again: bool) -> str:
        keys = self._keys.of(session)
        reply = await self._connections.run(
            "open",
            [*keys.appending(), keys.gone],
            [
                session, keys.wake, keys.bucket.wake, incarnation, self._backlog,
                int(again), seal.id, seal.fingerprint, seal.body,
            ],
        )  # fmt: skip
        return bytes(reply[0]).decode()

    async def _resolved(
        self, session: str, keys: SessionKeys, drafts: Sequence[Draft], tip: str = ""
    ) -> list[SealedDraft]:
        """The first part of `drafts`, with the numbers of the entries that they name.

        Raises `_WentBack` where those are looked up in a log that lost `tip`.
        """
        references = (referenced_id(draft) for draft in drafts)
        names = [name for name in references if name is not None and is_entry_id(name)]
        places: dict[str, int] = {}
        if names:
            values = await self._connections.command("HMGET", keys.ids, *names, tip)
            if tip and values[-1] is None:
                raise _WentBack
            places = {
                name: parse_place(value)[1]
                for name, value in zip(names, values[:-1], strict=True)
                if value is not None
            }
        return next_batch(session, drafts, places)

    async def _publish(
        self,
        session: str,
        keys: SessionKeys,
        drafts: Sequence[Draft],
        epoch: int | None = None,
        incarnation: str = "",
    ) -> tuple[str, list[Receipt]]:
        """The incarnation, and where the first part of `drafts` stands.

        Where the log lost what this process published before, that comes first,
        and the entries that `drafts` name are looked up again.
        """
        tip = self._outbox.tip(session)
        try:
            with damage_of(session):
                while True:
                    try:
                        return await self._land(session, keys, drafts, epoch, tip, incarnation)
                    except UnknownReference:
                        if not await mend_index(self._connections, session, keys):
                            raise
                    except _WentBack:
                        await self._outbox.reoffer_in_order(session)
                        tip = self._outbox.standing_tip(session)
        except OutOfOrder:
            raise await self._stranger(session, keys) from None

    async def _stranger(self, session: str, keys: SessionKeys) -> SessionDamaged:
        """Which entry at the end of the log Parley did not write, and how to leave it out.

        To delete it would not be enough: Redis takes no number again that it has deleted.
        """
        reply = await self._connections.command("XREVRANGE", keys.log, "+", "-", "COUNT", 1)
        last = reply[0][0].decode() if reply else "its last one"
        return SessionDamaged(
            session,
            f"entry {last}, which Parley did not write, stands at the end of its log; "
            f"'parley session export {session}' leaves it out",
        )

    async def _land(
        self,
        session: str,
        keys: SessionKeys,
        drafts: Sequence[Draft],
        epoch: int | None,
        tip: str,
        incarnation: str,
    ) -> tuple[str, list[Receipt]]:
        seals = await self._resolved(session, keys, drafts, tip)
        check_one_step(seals, drafts, epoch)
        reply = await self._append(session, keys, seals, epoch, tip, incarnation)
        if tip and reply[0] in (b"lost", b"missing"):
            raise _WentBack
        if reply[0] != b"ok":
            raise refusal_of(session, reply, seals, epoch)
        return bytes(reply[1]).decode(), parse_receipts(reply, seals)

    async def _append(
        self,
        session: str,
        keys: SessionKeys,
        seals: Sequence[SealedDraft],
        epoch: int | None,
        tip: str,
        incarnation: str = "",
        *,
        again: bool = False,
    ) -> list[Any]:
        args: list[Argument] = [
            session, keys.wake, keys.bucket.wake, "" if epoch is None else epoch, tip, incarnation,
            "1" if again else "",
        ]  # fmt: skip
        for seal in seals:
            args += (seal.id, seal.fingerprint, seal.kind, seal.body)
        while True:
            reply: list[Any] = await self._connections.run("publish", keys.appending(), args)
            if reply[0] != b"unindexed":
                return reply
            await mend_index(self._connections, session, keys)

    async def _offer_again(
        self,
        session: str,
        incarnation: str,
        opening: Draft | None,
        kept: Sequence[KeptDraft],
        in_order: bool,
    ) -> ReofferedDrafts | None:
        """Writes what the log lost of `kept`, in their order.

        With `in_order`, each waits until it can stand where it stood. All wait where the
        session is not there and its opening is another's to offer.
        None where it is gone for good: removed, or another by now.
        """
        keys = self._keys.of(session)
        standing = await self._standing(session, keys, incarnation, opening)
        if standing is None:
            return None
        if not standing:
            return ReofferedDrafts(waiting=[draft for _, draft, _ in kept])
        with damage_of(session):
            await mend_index(self._connections, session, keys)  # or all would seem to be lost
        offered = ReofferedDrafts()
        places = {draft.id: seq for _, draft, seq in kept}
        lost = await self._missing(keys, [draft for _, draft, _ in kept])
        while lost:
            epoch, head = await self._connections.command("HMGET", keys.meta, "epoch", "head")
            lost = landable(lost, int(epoch or 0), offered)
            if in_order:
                lost = standing_in_order(lost, read_head(session, head), places, offered)
            if not lost:
                break
            lost = await self._offer_part(session, keys, standing, lost, kept, offered, in_order)
        return offered

    async def _offer_part(
        self,
        session: str,
        keys: SessionKeys,
        standing: str,
        lost: list[Draft],
        kept: Sequence[KeptDraft],
        offered: ReofferedDrafts,
        in_order: bool,
    ) -> list[Draft]:
        """Writes the first of `lost` to the log named `standing`; what is still lost."""
        try:
            seals = await self._resolved(session, keys, lost[:BATCH_DRAFTS])
        except UnknownReference as error:
            answer = next(draft for draft in lost if referenced_id(draft) == error.re)
            offered.waiting.append(answer)
            return [draft for draft in lost if draft is not answer]
        tip = id_before(lost[0], kept, offered)
        reply = await self._append(session, keys, seals, None, tip, standing, again=True)
        match reply[0]:
            case b"ok":
                self._outbox.healed += len(seals) - (len(reply) - 4) // 3
                return lost[len(seals) :]
            case b"lost":  # more is gone than when it was looked at
                gone = await self._missing(keys, [draft for _, draft, _ in kept])
                left = {draft.id for draft in (*offered.waiting, *offered.overtaken)}
                return [draft for draft in gone if draft.id not in left]
            case b"missing" | b"fenced":  # gone, or rewritten, since it was looked at
                (offered.early if in_order else offered.waiting).extend(lost)
                return []
            case b"stale" | b"conflict":  # another was quicker: what it wrote stands
                return await self._missing(keys, lost)
        raise refusal_of(session, reply, seals, None)

    async def _standing(
        self, session: str, keys: SessionKeys, incarnation: str, opening: Draft | None
    ) -> str | None:
        """The incarnation of what `incarnation` named, opened again where that was lost too.

        '' where only whoever opened it can do that; None where it is gone for good.
        """
        (stored,) = await self._connections.command("HMGET", keys.meta, "incarnation")
        if stored is not None:
            standing: str = stored.decode()
            return standing if lineage(standing) == lineage(incarnation) else None
        if opening is None:
            removed = await self._connections.command("GET", keys.gone)
            return None if lineage((removed or b"").decode()) == lineage(incarnation) else ""
        seal = seal_draft(opening.id, opening.entry)
        opened = await self._open(session, incarnation, seal, again=True)
        return incarnation if opened in ("ok", "there") else None

    async def _missing(self, keys: SessionKeys, drafts: Sequence[Draft]) -> list[Draft]:
        if not drafts:
            return []
        ids = (draft.id for draft in drafts)
        places = await self._connections.command("HMGET", keys.ids, *ids)
        return [draft for draft, place in zip(drafts, places, strict=True) if place is None]


class _WentBack(Exception):
    """The log lost what it acknowledged to this process."""


def _range(keys: SessionKeys, after: int, to: int | None, count: int) -> tuple[Argument, ...]:
    return ("XRANGE", keys.log, after + 1, "+" if to is None else to, "COUNT", count)


def _stretch(session: str, state: Any, reply: Any, length: Any) -> LogStretch | None:
    """What three replies say, each of which may be a refusal. Raises `SessionDamaged`."""
    for part in (state, reply, length):
        if isinstance(part, BusError):
            raise SessionDamaged(session, str(part))
    stretch = parse_stretch(session, state, reply)
    if stretch is not None:
        check_length(session, stretch.head, length)
    return stretch
