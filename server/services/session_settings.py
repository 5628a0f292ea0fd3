"""Changing the rules of a live session: settings, packs, compaction. Each is an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from parley.bus.connection.event_log import EventLog
from parley.bus.entries import MemoryCompacted, PackRef, SettingsChanged
from parley.bus.entries.fields import describe_fault
from parley.memory.settings.session_settings import Settings as SessionSettings
from parley.memory.settings.session_settings import parse_settings
from parley.server.basics.entry_drafts import login_name
from parley.server.basics.errors import Misuse
from parley.server.basics.output import print_notice
from parley.server.basics.spelling import nearest
from parley.server.runtime.packs import read_packs
from parley.server.settings import SETTINGS, Settings
from parley.server.settings.old_names import (
    CAP,
    OLD_FIELDS,
    GivenValue,
    old_name,
    rename_old_fields,
    translate_old_names,
)
from parley.server.settings.setting import INHERITED, Setting, set_at

_logger = EventLog(__name__)

_OF_SESSIONS: Final = {
    name: setting
    for name, setting in SETTINGS.items()
    if setting.path[0] == INHERITED and name != "preset"
}


def draft_change(
    pairs: Sequence[str], settings: Settings, *, repack: bool, by: str | None
) -> SettingsChanged:
    """The entry that puts `KEY=VALUE` pairs in force, and with `repack` the packs named here.

    Old names are carried over with a warning on stderr. Raises `Misuse`,
    naming the pair at fault, and what `read_packs` does.
    """
    if not pairs and not repack:
        raise Misuse("give KEY=VALUE, such as summary.interval=6, or --repack")
    tree: dict[str, Any] = {}
    for key, given in _given(pairs).items():
        _lay(tree, key, given)
    if not tree and not repack:
        raise Misuse(f"nothing to change: {' '.join(pairs)} says what holds anyway")
    packs = read_packs(settings.packs).opening if repack else None
    return SettingsChanged(settings=tree, packs=packs, by=by or login_name())


def draft_change_of_tree(
    tree: dict[str, Any], by: str, packs: tuple[PackRef, ...] | None = None
) -> SettingsChanged:
    """The entry that puts a partial tree of a session's settings in force, and `packs`.

    Raises `Misuse` for a tree that says nothing, `SettingsRefused` naming the key.
    """
    if not tree and packs is None:
        raise Misuse("nothing to change: name a setting, or ask for the packs anew")
    if "preset" in tree:
        raise Misuse("a session keeps the preset that it was opened with")
    parse_settings(tree)
    return SettingsChanged(settings=tree, packs=packs, by=by)


def _given(pairs: Sequence[str]) -> dict[str, GivenValue]:
    """The values by today's names."""
    new: dict[str, GivenValue] = {}
    old: dict[str, GivenValue] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise Misuse(f"{pair!r} is not KEY=VALUE")
        before = None if key in _OF_SESSIONS else old_name(key)
        if before is None:
            new[key] = GivenValue(value, key)
        else:
            old[before] = GivenValue(value, key)
    carried, warnings = translate_old_names(old, new, _no_cap)
    for warning in warnings:
        print_notice(f"warning: {warning}")
    return carried | new


def _no_cap() -> int:
    raise ValueError(f"a share of {CAP}, which has to be given with it")


def _lay(tree: dict[str, Any], key: str, given: GivenValue) -> None:
    setting, path, value = _placed(key, given)
    if value is not None and not setting.fits(given.value):
        raise Misuse(f"{given.where}: {str(given.value)!r}; it takes {setting.taken}")
    alone: dict[str, Any] = {}
    set_at(alone, path, value)
    try:
        typed = SessionSettings.model_validate(alone).model_dump(exclude_unset=True)
    except ValidationError as refused:
        reason = describe_fault(refused.errors(include_url=False)[0])
        advice = "" if reason.endswith("?") else f"; it takes {setting.taken}"
        raise Misuse(f"{given.where}: {reason}{advice}") from None
    for step in path:
        typed = typed[step]
    set_at(tree, path, typed)


def _placed(key: str, given: GivenValue) -> tuple[Setting, tuple[str, ...], Any]:
    """The setting that `key` is of, its path in the tree, and the value to put there.

    Below a mapping, `note.agents.ana.limit` is one field of one name.
    """
    if key in _OF_SESSIONS:
        setting = _OF_SESSIONS[key]
        value = setting.read(given.value)
        if setting.mapping and setting.fields:
            value, warnings = rename_old_fields(value, given.where)
            for warning in warnings:
                print_notice(f"warning: {warning}")
        return setting, setting.path[1:], value
    mappings = {name: setting for name, setting in _OF_SESSIONS.items() if setting.mapping}
    for name, setting in mappings.items():
        if not key.startswith(name + "."):
            continue
        below, dot, field = key.removeprefix(name + ".").rpartition(".")
        if field in OLD_FIELDS:
            field = OLD_FIELDS[field]
            print_notice(f"warning: {given.where} is an old name; write {name}.{below}.{field}")
        leaf = setting.field(field)
        if dot and below and leaf is not None:
            value = None if given.value in ("", "null") else given.value
            return leaf, (*setting.path[1:], below, field), value
    raise _unknown(key)


def _unknown(key: str) -> Misuse:
    if key == "preset":
        return Misuse(
            "a session keeps the preset that it was opened with; set its settings one by one, "
            "or open another with 'parley session new NAME --preset …'"
        )
    if key in SETTINGS:
        return Misuse(f"{key!r} is a setting of the process, not of a session")
    near = nearest(key, list(_OF_SESSIONS))
    return Misuse(f"no setting of a session is called {key!r}; the nearest is {near!r}")


def draft_compaction(by: str | None) -> MemoryCompacted:
    """The entry that shrinks memory to its caps' targets."""
    return MemoryCompacted(by=by or login_name())
