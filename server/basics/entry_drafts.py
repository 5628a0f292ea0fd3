"""Entries as people mean them: what was typed, checked, under the name of who typed it."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from parley.bus.contract.drafts import is_handle
from parley.bus.entries import Message
from parley.bus.entries.fields import describe_fault
from parley.memory.voice import VOICE, is_voice
from parley.server.basics.errors import Misuse

if TYPE_CHECKING:
    from parley.bus.entries import ItemCorrected, ParticipantAliased

DIGITS: Final = 18  # of a number that 64 bits hold whatever it is

Made = TypeVar("Made", bound=BaseModel)


def draft_message(
    participant: str | None, content: str, *, act: str | None, re: str | None, topic: str | None,
    to: Sequence[str],
) -> Message:  # fmt: skip
    """The message as typed. Raises `Misuse`, naming the option that is wrong."""
    if re is not None and re.isdecimal() and len(re) > DIGITS:
        raise Misuse("re: no entry has a number that large")
    target: int | str | None = re
    if re is not None:
        target = int(re) if re.isdecimal() else re.upper() if is_handle(re.upper()) else re
    given = {"act": act, "re": target, "topic": topic, "to": tuple(to)}
    return build_entry(Message, participant=speaker_name(participant), content=content, **given)


def draft_correction(ref: str, ops: Mapping[str, Any], by: str | None) -> ItemCorrected:
    """The one correction among `ops`. Raises `Misuse` for none or several."""
    from parley.bus.entries import ItemCorrected

    given = {op: value for op, value in ops.items() if value is not None}
    if len(given) != 1:
        raise Misuse("give one of --retract, --confirm, --merge REF, --topic TEXT, --by NAME")
    ((op, value),) = given.items()
    value = None if value is True else normalize_handle(value) if op == "merge" else value
    return build_entry(
        ItemCorrected, ref=normalize_handle(ref), by=speaker_name(by), op=op, value=value
    )


def normalize_handle(ref: str) -> str:
    """A handle as it is written in memory: `p3` is `P3`."""
    upper = ref.upper()
    return upper if is_handle(upper) or upper[:1] == "I" else ref


def handle_of_kind(letter: str, ref: str, kind: str) -> str:
    """A handle as memory writes it: `v3` and `3` are `V3`. Raises `Misuse`, naming the `kind`."""
    number = ref.upper().removeprefix(letter)
    if not (number.isascii() and number.isdecimal() and 0 < int(number[:10]) < 10**9):
        raise Misuse(f"{ref!r} is no handle of {kind}; they look like {letter}3")
    return f"{letter}{int(number[:10])}"


def speaker_name(name: str | None) -> str:
    """The name given, else that of who is at the keyboard. Raises `Misuse` for the server's own."""
    if name is not None and is_voice(name):
        raise Misuse(f"{name!r} is the server's own voice; speak under another name")
    return login_name() if name is None else name


def login_name() -> str:
    """Who is at the keyboard, where no name is given."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "operator"


def draft_alias(nick: str, name: str, by: str) -> ParticipantAliased:
    """The entry that says so. Raises `Misuse` for one name, or the server's own."""
    from parley.bus.entries import ParticipantAliased

    if nick == name:
        raise Misuse(f"{nick!r} is that name already; give another NICK")
    if VOICE in (nick, name):
        raise Misuse(f"{VOICE!r} is the server's own voice, and nobody else's; give another name")
    return build_entry(ParticipantAliased, alias=nick, participant=name, by=by)


def build_entry(kind: type[Made], **fields: Any) -> Made:
    """The entry of those fields. Raises `Misuse`, naming the option that is wrong."""
    try:
        return kind(**fields)
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        empty = isinstance(first["input"], str) and not first["input"].strip()
        reason = "is empty; say something" if empty else describe_fault(first)
        raise Misuse(f"{first['loc'][0]}: {reason}") from None
