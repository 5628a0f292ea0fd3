"""The settings that shape the fold. They are logged: `session.opened` carries them.

Ratios are per mille, sizes are integers. A partial tree merges over the
defaults; an unknown key or a value out of range is `SettingsRefused`.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from parley.bus.entries.fields import describe_fault, nearest
from parley.memory.errors import SettingsRefused
from parley.memory.settings.floor_settings import (
    BudgetSettings,
    FloorSettings,
    SpeakSettings,
    VoteSettings,
)
from parley.memory.settings.setting_defaults import (
    CacheSettings,
    CapSettings,
    ContextSettings,
    EchoSettings,
    EpisodeSettings,
    ExchangeSettings,
    ExtractSettings,
    LapseSettings,
    LimitSettings,
    LinkSettings,
    NoteSettings,
    RatifySettings,
    RouteSettings,
    SettingsGroup,
    StructureSettings,
    SummarySettings,
)
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.settings.stop_rules import parse_stop_rules


class MemorySettings(SettingsGroup):
    """What is kept of the talk, and how; a scenario has it in one place."""

    preset: str = Field(
        "deliberation",
        description="named settings to start from; 'parley settings presets' lists them",
    )
    summary: SummarySettings = SummarySettings()
    extract: ExtractSettings = ExtractSettings()
    structure: StructureSettings = StructureSettings()
    ratify: RatifySettings = RatifySettings()
    lapse: LapseSettings = LapseSettings()
    link: LinkSettings = LinkSettings()
    echo: EchoSettings = EchoSettings()
    caps: CapSettings = CapSettings()
    context: ContextSettings = ContextSettings()
    note: NoteSettings = NoteSettings()
    routes: RouteSettings = RouteSettings()
    limits: LimitSettings = LimitSettings()
    cache: CacheSettings = CacheSettings()
    exchange: ExchangeSettings = ExchangeSettings()
    episodes: EpisodeSettings = EpisodeSettings()
    chair: tuple[str, ...] = Field((), description="whose word alone accepts, rejects and ratifies")
    bots: tuple[str, ...] = Field((), description="participants whose words are not read for items")


class Settings(MemorySettings):
    """One session's settings."""

    goal: str = Field("", description="what the session is to come to; every agent is told")
    floor: FloorSettings = FloorSettings()
    speak: SpeakSettings = SpeakSettings()
    vote: VoteSettings = VoteSettings()
    budget: BudgetSettings = BudgetSettings()
    stop: dict[str, Any] = Field(
        default_factory=lambda: {"any": [{"turns": 60}, {"quiescent": True}, {"hops": True}]},
        description="when a session with a floor ends; docs/protocol.md lists the rules",
    )

    @field_validator("stop")
    @classmethod
    def _known_rules(cls, tree: dict[str, Any]) -> dict[str, Any]:
        try:
            parse_stop_rules(tree)
        except SettingsRefused as refused:
            raise PydanticCustomError("stop", "{reason}", {"reason": refused.reason}) from None
        return tree


def merge_settings(settings: Settings, partial: dict[str, Any]) -> Settings:
    """`settings` with the partial tree `partial` laid over it.

    Raises `SettingsRefused`, naming the key.
    """
    if not partial:
        return settings
    try:
        return Settings.model_validate(overlay_trees(settings.model_dump(), partial))
    except ValidationError as error:
        raise _refused(error) from None


def parse_settings(partial: dict[str, Any]) -> Settings:
    """The defaults with the partial tree `partial` laid over them, as somebody asks for it now.

    Unlike `merge_settings`, by which logs are read, takes no value for another: 1e3, true and
    "5" are no whole numbers. Raises `SettingsRefused`, naming the key.
    """
    tree = json.dumps(overlay_trees(Settings().model_dump(), partial), default=str)
    try:
        return Settings.model_validate_json(tree, strict=True)
    except ValidationError as error:
        refused, first = _refused(error), error.errors()[0]
        if first["type"] == "extra_forbidden":
            reason = _describe_unknown([str(part) for part in first["loc"]])
        else:
            reason = describe_fault({**first, "msg": refused.reason})
        raise SettingsRefused(refused.key, reason) from None


def _refused(error: ValidationError) -> SettingsRefused:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return SettingsRefused(key, _TAKEN.get(first["type"], first["msg"]))


def _describe_unknown(path: list[str]) -> str:
    """What to write for a setting that is none: a dotted name nested, or the name that is near."""
    steps = ".".join(path).split(".")
    if len(steps) > len(path) and _names_below(steps[:-1]).count(steps[-1]):
        nested = "..."
        for step in reversed(steps):
            nested = f'{{"{step}": {nested}}}'
        return f"Input should be nested: {nested}"
    near = nearest(path[-1], _names_below(path[:-1]))
    return f"There is no such setting{'.' if near is None else f'; did you mean {near}?'}"


def _names_below(path: list[str]) -> list[str]:
    """The settings in the group at `path`; none where there is no such group."""
    tree: Any = Settings().model_dump()
    for step in path:
        tree = tree.get(step) if isinstance(tree, dict) else None
    return list(tree) if isinstance(tree, dict) else []


WHOLE: Final = "a whole number in digits, such as 12"
_TAKEN: Final = dict.fromkeys(
    ("int_type", "int_parsing", "int_from_float"), f"Input should be {WHOLE}"
)
