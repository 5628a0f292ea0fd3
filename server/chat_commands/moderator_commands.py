"""A moderator's word on the floor, as the entries it is. Pure; who may say it is asked later."""

from __future__ import annotations

from parley.bus.entries import (
    EpisodeOpened,
    FloorGranted,
    FloorMuted,
    FloorPaused,
    FloorReleased,
    FloorResumed,
)
from parley.server.basics.entry_drafts import build_entry
from parley.server.basics.errors import Misuse
from parley.server.chat_commands.typed_line import Publish, TypedLine, find_seat


def grant(line: TypedLine) -> Publish:
    floor = line.memory.floor
    name = find_seat(line.memory, line.words("NAME"))
    if floor.seats[name].role != "agent":
        raise Misuse(f"{name} needs no floor: people speak without it")
    if name == floor.holder:
        raise Misuse(f"{name} has the floor already")
    lease = line.memory.settings.floor.lease_ms
    entry = FloorGranted(participant=name, epoch=floor.epoch + 1, lease_ms=lease, by=line.me)
    return Publish((entry,), "grant")


def interrupt(line: TypedLine) -> Publish:
    floor = line.memory.floor
    if not floor.holder:
        raise Misuse("nobody has the floor")
    entry = FloorReleased(
        participant=floor.holder, epoch=floor.epoch + 1, reason="revoked", by=line.me
    )
    return Publish((entry,), "interrupt")


def mute(line: TypedLine) -> Publish:
    name = find_seat(line.memory, line.words("NAME"))
    muted = line.name == "mute"
    return Publish((FloorMuted(participant=name, muted=muted, by=line.me),), "mute")


def pause(line: TypedLine) -> Publish:
    return Publish((FloorPaused(by=line.me),), "pause")


def resume(line: TypedLine) -> Publish:
    return Publish((FloorResumed(by=line.me),), "pause")


def phase(line: TypedLine) -> Publish:
    title = line.words("TITLE")
    opened = build_entry(EpisodeOpened, participant=line.me, episode="phase", title=title)
    return Publish((opened,), "phase")
