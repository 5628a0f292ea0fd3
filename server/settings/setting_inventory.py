"""Settings as rows: what each is now, what it would be otherwise, and who said so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, SecretStr

from parley.memory.settings.presets import DEFAULT, PRESETS, load_preset, opening_tree
from parley.memory.settings.session_settings import Settings as SessionSettings
from parley.memory.settings.session_settings import merge_settings
from parley.server.basics.masked_addresses import MASK, hide_credentials
from parley.server.settings import SETTINGS, Settings
from parley.server.settings.setting import INHERITED, Setting
from parley.server.settings.setting_sources import Sources


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. `value` is JSON-ready; `changed`: it is not what it would be if left alone."""

    key: str
    value: Any
    usual: Any  # of the preset, else the default
    source: str  # a flag, a variable, a key with its file, "preset NAME", "default" or "session"
    changed: bool


def list_process_settings(settings: Settings, sources: Sources) -> list[Row]:
    """Every setting in force for this process, and where its value came from."""
    opened = merge_settings(SessionSettings(), settings.opening())
    now, base = settings.model_copy(update={"session": opened}), _whole(opened.preset)
    rows = []
    for setting in SETTINGS.values():
        value, usual = _shown(setting, now), _usual(setting, base)
        given = sources.values.get(setting.name)
        source = _unset(setting, opened.preset) if given is None else given.where
        if given is None and value != usual:
            source = "model_key" if settings.model_key.get_secret_value() else "model_url"
        rows.append(Row(setting.name, value, usual, source, value != usual))
    return rows


def list_session_settings(settings: SessionSettings) -> list[Row]:
    """A session's settings, against those of the preset it was opened with."""
    known = settings.preset if settings.preset in PRESETS else DEFAULT
    now, base = Settings(session=settings), _whole(known)
    rows = []
    for setting in SETTINGS.values():
        if setting.path[0] == INHERITED:
            value, usual = _shown(setting, now), _usual(setting, base)
            source = "session" if value != usual else _unset(setting, known)
            rows.append(Row(setting.name, value, usual, source, value != usual))
    return rows


def _usual(setting: Setting, base: Settings) -> Any:
    return DEFAULT if setting.name == "preset" else _shown(setting, base)


def list_presets() -> list[dict[str, Any]]:
    """Each preset and what it sets, by dotted name."""
    return [{"preset": name, "sets": dict(_flat(tree))} for name, tree in PRESETS.items()]


def _whole(name: str) -> Settings:
    tree = opening_tree(load_preset(name))
    return Settings(session=merge_settings(SessionSettings(), tree))


def _unset(setting: Setting, name: str) -> str:
    """Where the value of a setting comes from that nobody set."""
    tree: Any = {INHERITED: load_preset(name)} if setting.name != "preset" else {}
    for step in setting.path:
        tree = tree.get(step) if isinstance(tree, Mapping) else None
    return "default" if tree is None else f"preset {name}"


def _shown(setting: Setting, settings: Settings) -> Any:
    """A value as anybody may see it."""
    value = setting.of(settings)
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    if setting.mapping and not setting.fields:
        return value
    if setting.mapping:
        return {name: _tree(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else _plain(value)


def _tree(value: BaseModel) -> dict[str, Any]:
    return value.model_dump(mode="json", exclude_none=True)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return hide_credentials(str(value))


def _flat(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value
