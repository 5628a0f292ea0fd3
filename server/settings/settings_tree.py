"""The settings of a process: one frozen tree, built once and passed down as plain values.

Every setting has one dotted name, such as `summary.interval`, and is reached
three ways: as a flag (`--summary-interval 6`), as a variable
(`PARLEY_SUMMARY_INTERVAL=6`) and as a key of `parley.toml` or `parley.yaml` (`[summary]`,
`interval = 6`). A flag outranks a variable, a variable the file, the file the
default. A name that no setting has is refused, with the nearest one that has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from parley.bus.entries.fields import describe_fault
from parley.listeners.spending.prices import Price
from parley.memory.settings.floor_settings import VoteSettings
from parley.memory.settings.presets import load_preset, opening_tree
from parley.memory.settings.session_settings import Settings as SessionSettings
from parley.memory.settings.setting_trees import overlay_trees
from parley.server.basics.errors import Misuse
from parley.server.settings.serve_settings import ServeSettings
from parley.server.settings.setting import set_at
from parley.server.settings.setting_sources import Sources, read_sources
from parley.server.settings.setting_table import SETTINGS
from parley.server.settings.telemetry_settings import TelemetrySettings

_BALLOT_CALLS: Final = 2  # a ballot, and another where the first could not be read


class Settings(BaseModel):
    """What a process of Parley goes by. `session` is what new sessions are opened with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    redis: str = Field("", description="address of Redis; empty: the embedded server")
    embedded: Literal["auto", "path", "bundled", "fake"] = Field(
        "auto", description="which server to embed when no address is given"
    )
    data: Path = Field(
        Path("~/.local/share/parley"), description="directory of the embedded server"
    )
    packs: tuple[str, ...] = Field((), description="files of operator patterns")
    personas: tuple[str, ...] = Field((), description="directories of persona files")
    require_durable: bool = Field(
        False, description="refuse a Redis that can lose what it acknowledged"
    )
    lease_ms: int = Field(10_000, ge=100, description="how long a worker holds a session")
    effect_lease_ms: int = Field(60_000, ge=100, description="how long a runner holds an effect")
    batch: int = Field(500, ge=1, le=10_000, description="entries folded at once")
    snapshot_tail: int = Field(1000, ge=1, description="entries after which a snapshot is written")
    snapshot_seconds: float = Field(30, gt=0, description="the age at which a snapshot is written")
    effects_at_once: int = Field(4, ge=1, le=100, description="effects a runner has in hand")
    drain_seconds: float = Field(10, ge=0, description="grace after a request to stop")
    wedged_seconds: float = Field(
        30, ge=0, description="a worker silent this long is ended; 0: never"
    )
    model_url: str = Field("", description="base URL of an OpenAI-compatible endpoint")
    model_key: SecretStr = Field(SecretStr(""), description="key of that endpoint")
    model: str = Field("gpt-4o-mini", min_length=1, description="model that writes summaries")
    model_large: str = Field("", description="model that speaks; empty: the same")
    model_embedding: str = Field(
        "", description="embedding model that finds repeated ideas; empty: words alone do"
    )
    model_prices: dict[str, Price] = Field(
        default_factory=dict,
        description="micros per million tokens by model or tier: input, output, cached",
    )
    patience: float = Field(
        60, gt=0, le=3600, description="seconds that a model's answer is waited for"
    )
    model_temperature: float = Field(0.1, ge=0, le=2, description="temperature of a model call")
    model_finish_whole: tuple[str, ...] = Field(
        (), description="finish reasons of whole answers, beside those that are known"
    )
    memo_hours: int = Field(
        24, ge=0, description="how long a model's answer is used again for the same; 0: never"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="lowest level that is logged"
    )
    log_json: bool = Field(False, description="log one JSON object a line")
    token: SecretStr = Field(SecretStr(""), description="token that 'parley mcp' speaks by")
    telemetry: TelemetrySettings = Field(
        TelemetrySettings(), description="traces and metrics for a collector"
    )
    serve: ServeSettings = Field(ServeSettings(), description="the doors of 'parley serve'")
    session: SessionSettings = Field(
        SessionSettings(), description="settings that new sessions are opened with"
    )

    @property
    def has_model(self) -> bool:
        return bool(self.model_url or self.model_key.get_secret_value())

    def opening(self, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The partial tree that `session.opened` logs: the preset, with what was set laid over it.

        `given` lies between the two: what a transcript says of itself. Two are resolved here,
        once: a process with an embedding model opens sessions that go by it (`echo.how`), and
        one whose model is slow opens them with the time that two ballots take (`vote.seconds`).
        """
        own = self.session.model_dump(exclude_unset=True)
        tree = load_preset(self.session.preset) if "preset" in own else {}
        tree = opening_tree(overlay_trees(overlay_trees(tree, dict(given or {})), own))
        if not self.has_model:
            return tree
        if self.model_embedding and "how" not in tree.get("echo", {}):
            tree = overlay_trees(tree, {"echo": {"how": "embedding"}})
        seconds = math.ceil(_BALLOT_CALLS * self.patience)
        if seconds > VoteSettings().seconds and "seconds" not in tree.get("vote", {}):
            tree = overlay_trees(tree, {"vote": {"seconds": seconds}})
        return tree


def build_settings(given: Sources) -> Settings:
    """The settings in force. Raises `Misuse`, naming the setting as it was given."""
    tree: dict[str, Any] = {}
    for name, value in given.values.items():
        setting = SETTINGS[name]
        if not setting.fits(value.value):
            raise Misuse(f"{value.where}: {str(value.value)!r}; it takes {setting.taken}")
        set_at(tree, setting.path, setting.read(value.value))
    try:
        return Settings(**tree)
    except ValidationError as refused:
        raise _explained(refused, given) from None


def resolve_defaults(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Settings:
    """The settings of all sources, for callers that need not know which source gave what."""
    return build_settings(read_sources(flags, environment, file))


def environment(settings: Settings) -> dict[str, str]:
    """The variables that give a child process these settings, secrets included."""
    return {setting.variable: setting.written(settings) for setting in SETTINGS.values()}


def _explained(refused: ValidationError, given: Sources) -> Misuse:
    first = refused.errors(include_url=False)[0]
    words = describe_fault(first)
    path = tuple(str(step) for step in first["loc"])
    for name, setting in SETTINGS.items():
        if path[: len(setting.path)] == setting.path and name in given.values:
            below = ".".join(path[len(setting.path) :])
            place = given.values[name].where + (f", {below}" if setting.mapping and below else "")
            advice = "" if words.endswith("?") else f"; it takes {setting.taken}"
            return Misuse(f"{place}: {words}{advice}")
    return Misuse(f"{'.'.join(path)}: {words}")
