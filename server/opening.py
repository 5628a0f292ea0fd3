"""How sessions are opened and transcripts become entries: alike with a bus and without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bus.drafts import Draft
from bus.entries import SessionOpened
from server.packs import Packs
from server.settings import Settings
from server.transcripts import Said, Transcript


def opening(
    settings: Settings, packs: Packs, title: str | None = None, **given: Any
) -> SessionOpened:
    """Entry 1 of a new session; `given` are session settings that were not set otherwise."""
    tree = settings.opening({key: value for key, value in given.items() if value})
    return SessionOpened(settings=tree, packs=packs.opening, title=title)


def opening_of(transcript: Transcript, settings: Settings, packs: Packs) -> SessionOpened:
    """Entry 1 of a transcript's session: its first line may name a title, chairs and bots."""
    meta = transcript.meta
    title = meta.get("title")
    return opening(
        settings,
        packs,
        title if isinstance(title, str) and title.strip() else None,
        chair=_names(meta.get("chair")),
        bots=_names(meta.get("bots")),
    )


def drafts(said: Iterable[Said]) -> list[Draft]:
    """What is published for these messages, under ids that the file alone decides."""
    return [Draft(one.id, one.entry) for one in said]


def _names(value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
