"""Changing the rules of a live session: settings, packs, compaction. Each is an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from bus.drafts import Receipt
from bus.entries import MemoryCompacted, SettingsChanged
from memory.settings import Settings as SessionSettings
from server.errors import Misuse
from server.packs import read_packs
from server.settings import INHERITED, SETTINGS, Settings, nearest, split
from server.talking import person, say

OF_SESSIONS: Final = {
    name: setting for name, setting in SETTINGS.items() if setting.path[0] == INHERITED
}


def change(
    pairs: Sequence[str], settings: Settings, *, repack: bool, by: str | None
) -> SettingsChanged:
    """The entry that puts `KEY=VALUE` pairs in force, and with `repack` the packs named here.

    Raises `Misuse`, naming the pair at fault, and what `read_packs` does.
    """
    if not pairs and not repack:
        raise Misuse("give KEY=VALUE, such as summary.interval=6, or --repack")
    tree: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise Misuse(f"{pair!r} is not KEY=VALUE")
        _lay(tree, key, value)
    packs = read_packs(settings.packs).opening if repack else None
    return SettingsChanged(settings=tree, packs=packs, by=by or person())


def _lay(tree: dict[str, Any], key: str, value: str) -> None:
    setting = OF_SESSIONS.get(key)
    if setting is None:
        near = nearest(key, list(OF_SESSIONS))
        raise Misuse(f"no setting of a session is called {key!r}; the nearest is {near!r}")
    path = setting.path[1:]
    alone: dict[str, Any] = {path[-1]: split(value) if setting.many else value}
    for step in reversed(path[:-1]):
        alone = {step: alone}
    try:
        typed = SessionSettings.model_validate(alone).model_dump(exclude_unset=True)
    except ValidationError as refused:
        reason = refused.errors(include_url=False, include_context=False)[0]["msg"]
        raise Misuse(f"{key}: {reason}; it takes {setting.kind}") from None
    for step in path[:-1]:
        tree, typed = tree.setdefault(step, {}), typed[step]
    tree[path[-1]] = typed[path[-1]]


def compaction(by: str | None) -> MemoryCompacted:
    """The entry that shrinks memory to its caps' targets."""
    return MemoryCompacted(by=by or person())


async def publish(
    settings: Settings, session: str, entry: SettingsChanged | MemoryCompacted
) -> Receipt:
    """Publishes the entry. Raises `SessionNotFound`, `SessionClosed`."""
    return await say(settings, session, entry)
