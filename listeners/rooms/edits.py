"""Other words for one's own last message, or none: what may be edited, and the entry for it."""

from __future__ import annotations

from typing import Any, Final

from parley.bus import Bus, Receipt
from parley.bus.contract.drafts import validate_entry
from parley.bus.entries import MessageEdited, Record
from parley.memory.errors import EditRefused, UnknownMessage
from parley.memory.fold.edits import edit_refusal
from parley.memory.state.memory import Memory

REACH: Final = 500  # newest entries among which it has to be


async def draft_edit(
    bus: Bus, memory: Memory, session: str, name: str, n: int, content: str
) -> MessageEdited:
    """The entry by which `name` gives message `n` other words; "" takes it back.

    Raises `UnknownMessage` where there is none, `EditRefused` where it is somebody else's or not
    their last one, older than `REACH` entries, or something rests on it.
    """
    records = await bus.tail(session, REACH)
    known = {record.n: record for record in records if record.entry.kind == "message"}
    if n not in known:
        if not 0 < n <= memory.n:
            raise UnknownMessage(n, memory.n)
        raise EditRefused(n, f"it is none of the messages among the newest {REACH} entries")
    who, entry = memory.named(name), _entry(known[n])
    if memory.named(entry.participant) != who:
        raise EditRefused(n, "somebody else wrote it")
    gone = {_entry(each).of for each in records if _takes_back(each)}
    if any(later > n and _is_by(memory, known[later], who) for later in known.keys() - gone):
        raise EditRefused(n, "you have spoken since")
    if reason := edit_refusal(memory, who, n):
        raise EditRefused(n, reason)
    return validate_entry(
        MessageEdited, participant=entry.participant, of=n, content=content, act=entry.act,
        re=entry.re, topic=entry.topic, to=entry.to, form=entry.form,
    )  # fmt: skip


async def find_edit(bus: Bus, session: str, id: str, n: int, content: str) -> Receipt | None:
    """Where the same edit stands that was published under `id` before: it is not judged again."""
    record = await bus.find(session, id)
    if record is None or record.entry.kind != "message.edited":
        return None
    entry = _entry(record)
    same = (entry.of, entry.content) == (n, content)
    return Receipt(record.seq, record.n, duplicate=True) if same else None


def _entry(record: Record) -> Any:
    return record.entry


def _takes_back(record: Record) -> bool:
    return record.entry.kind == "message.edited" and not _entry(record).content


def _is_by(memory: Memory, record: Record, who: str) -> bool:
    return memory.named(_entry(record).participant) == who
