"""What people publish by commands and doors: messages, corrections, other names."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from ulid import ULID

from bus.drafts import Draft, Receipt, is_handle
from bus.entries import Entry, ItemCorrected, Message, ParticipantAliased
from bus.errors import StaleEpoch
from memory.claims.reading import reading
from memory.errors import UnknownRef
from memory.items import VOICE
from memory.state import Memory
from server.errors import Misuse
from server.held import Held, holding
from server.running import connected
from server.settings import Settings

DIGITS: Final = 18  # of a number that 64 bits hold whatever it is
NEVER: Final = -1  # no epoch of a floor: what is published under it lands only if it is there

Made = TypeVar("Made", bound=BaseModel)


def message(
    participant: str | None, content: str, *, act: str | None, re: str | None, topic: str | None,
    to: Sequence[str],
) -> Message:  # fmt: skip
    """The message as typed. Raises `Misuse`, naming the option that is wrong."""
    if re is not None and re.isdecimal() and len(re) > DIGITS:
        raise Misuse("re: no entry has a number that large")
    target: int | str | None = int(re) if re is not None and re.isdecimal() else re
    given = {"act": act, "re": target, "topic": topic, "to": tuple(to)}
    return made(Message, participant=_or_me(participant), content=content, **given)


def correction(ref: str, ops: Mapping[str, Any], by: str | None) -> ItemCorrected:
    """The one correction among `ops`. Raises `Misuse` for none or several."""
    given = {op: value for op, value in ops.items() if value is not None}
    if len(given) != 1:
        raise Misuse("give one of --retract, --merge REF, --topic TEXT, --by NAME")
    ((op, value),) = given.items()
    value = None if value is True else handle(value) if op == "merge" else value
    return made(ItemCorrected, ref=handle(ref), by=_or_me(by), op=op, value=value)


def handle(ref: str) -> str:
    """A handle as it is written in memory: `p3` is `P3`."""
    upper = ref.upper()
    return upper if is_handle(upper) or upper[:1] == "I" else ref


def _or_me(name: str | None) -> str:
    """The name given, else that of who is at the keyboard. Raises `Misuse` for the server's own."""
    if name is not None and name.casefold() == VOICE:
        raise Misuse(f"{name!r} is the server's own voice; speak under another name")
    return person() if name is None else name


def person() -> str:
    """Who is at the keyboard, where no name is given."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "operator"


async def say(settings: Settings, session: str, entry: Entry, own: str | None = None) -> Receipt:
    """Publishes one entry, under `own` id or a new one."""
    async with connected(settings) as running:
        receipts = await running.bus.publish(session, [Draft(own or f"cli:{ULID()}", entry)])
        return receipts[0]


async def standing(held: Held, session: str, draft: Draft) -> Receipt | None:
    """Where `draft` stands, if it was published before. Raises `Conflict`, `SessionClosed`."""
    try:
        return (await held.bus.publish(session, [draft], epoch=NEVER))[0]
    except StaleEpoch:
        return None


async def stands(held: Held, session: str, entry: Entry, id: str) -> int | None:
    """The n of `entry` where it was published under that id before: it is not judged again."""
    before = await standing(held, session, Draft(id, entry)) if id else None
    return None if before is None else before.n


async def put(held: Held, session: str, entry: Entry, id: str = "") -> Receipt:
    """Publishes one entry, under `id` or a new one."""
    return (await held.bus.publish(session, [Draft(id or f"cli:{ULID()}", entry)]))[0]


async def correct(settings: Settings, session: str, entry: ItemCorrected) -> Receipt:
    """Publishes a correction of an item that there is. Raises `UnknownRef`."""
    async with holding(settings) as held:
        return await corrected(held, session, entry)


async def corrected(held: Held, session: str, entry: ItemCorrected, id: str = "") -> Receipt:
    """Publishes a correction of an item that there is. Raises `UnknownRef`."""
    memory = await held.reader.current(session)
    refs = [entry.ref, *([entry.value] if entry.op == "merge" else [])]
    unknown = [ref for ref in refs if not _is_known(memory, ref)]
    # Only now: the same request may be under way, and have struck the item.
    if id and (before := await standing(held, session, Draft(id, entry))) is not None:
        return before
    if unknown:
        raise UnknownRef(str(unknown[0]))
    return await put(held, session, entry, id)


def _is_known(memory: Memory, ref: Any) -> bool:
    return ref in reading(memory).items or bool(ref and memory.item(ref) is not None)


async def alias(settings: Settings, session: str, nick: str, name: str, by: str | None) -> Receipt:
    """Publishes that `nick` is `name`."""
    return await say(settings, session, aliasing(nick, name, _or_me(by)))


async def aliased(held: Held, session: str, nick: str, name: str, by: str, id: str = "") -> Receipt:
    """Publishes that `nick` is `name`. Raises `Misuse`."""
    return await put(held, session, aliasing(nick, name, by), id)


def aliasing(nick: str, name: str, by: str) -> ParticipantAliased:
    """The entry that says so. Raises `Misuse` for one name, or the server's own."""
    if nick == name:
        raise Misuse(f"{nick!r} is that name already; give another NICK")
    if VOICE in (nick, name):
        raise Misuse(f"{VOICE!r} is the server's own voice, and nobody else's; give another name")
    return made(ParticipantAliased, alias=nick, participant=name, by=by)


def made(kind: type[Made], **fields: Any) -> Made:
    """The entry of those fields. Raises `Misuse`, naming the option that is wrong."""
    try:
        return kind(**fields)
    except ValidationError as refused:
        first = refused.errors(include_url=False, include_context=False)[0]
        empty = isinstance(first["input"], str) and not first["input"].strip()
        reason = "is empty; say something" if empty else first["msg"]
        raise Misuse(f"{first['loc'][0]}: {reason}") from None
