"""A moderator's word on the floor, as the entries it is. Pure; who may say it is asked later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from parley.bus.entries import (
    Entry,
    EpisodeOpened,
    FloorGranted,
    FloorMuted,
    FloorPaused,
    FloorReleased,
    FloorResumed,
)
from parley.memory.floor.seats import lease_ms
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import build_entry
from parley.server.basics.errors import Misuse
from parley.server.chat_commands.typed_line import Publish, TypedLine, find_seat

Verb = Literal["grant", "interrupt", "mute", "unmute", "pause", "resume", "phase"]

_TARGETS: Final = {"grant": "NAME", "mute": "NAME", "unmute": "NAME", "phase": "TITLE"}
_RIGHTS: Final = {"unmute": "mute", "resume": "pause"}


@dataclass(frozen=True, slots=True)
class Moderation:
    """What a moderator has happen: `target` is who it happens to, or the title of a phase."""

    verb: Verb
    target: str = ""

    @property
    def right(self) -> str:
        """The capability that it takes."""
        return _RIGHTS.get(self.verb, self.verb)


def read_moderation(line: TypedLine) -> Publish:
    """The entries of what was typed, such as `/mute ana`. Raises `Misuse`."""
    moderation = Moderation(line.name, line.rest)  # type: ignore[arg-type]  # one of the verbs
    return Publish((draft_moderation(moderation, line.me, line.memory),), moderation.right)


def draft_moderation(moderation: Moderation, by: str, memory: Memory) -> Entry:
    """The entry that has it happen, in the name of `by`. Raises `Misuse`."""
    verb, target = moderation.verb, moderation.target.strip()
    if verb in _TARGETS and not target:
        raise Misuse(f"say more: /{verb} {_TARGETS[verb]}")
    match verb:
        case "grant":
            return _grant(find_seat(memory, target), by, memory)
        case "interrupt":
            return _interrupt(by, memory)
        case "mute" | "unmute":
            muted = verb == "mute"
            return FloorMuted(participant=find_seat(memory, target), muted=muted, by=by)
        case "phase":
            return build_entry(EpisodeOpened, participant=by, episode="phase", title=target)
    return FloorPaused(by=by) if verb == "pause" else FloorResumed(by=by)


def _grant(name: str, by: str, memory: Memory) -> FloorGranted:
    floor = memory.floor
    if floor.seats[name].role != "agent":
        raise Misuse(f"{name} needs no floor: people speak without it")
    if name == floor.holder:
        raise Misuse(f"{name} has the floor already")
    return FloorGranted(
        participant=name, epoch=floor.epoch + 1, lease_ms=lease_ms(memory, name), by=by
    )


def _interrupt(by: str, memory: Memory) -> FloorReleased:
    floor = memory.floor
    if not floor.holder:
        raise Misuse("nobody has the floor")
    return FloorReleased(participant=floor.holder, epoch=floor.epoch + 1, reason="revoked", by=by)
