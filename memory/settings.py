"""The settings that shape the fold. They are logged: `session.opened` carries them.

Ratios are per mille, sizes are integers. A partial tree merges over the
defaults; an unknown key or a value out of range is `SettingsRefused`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.errors import SettingsRefused


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SummarySettings(_Group):
    interval: int = Field(12, ge=1, le=10_000, description="messages between two summaries")
    words: int = Field(200, ge=10, le=2_000, description="words a summary may have")
    fanout: int = Field(6, ge=2, le=100, description="summaries that one of the next level covers")
    how: Literal["extract", "model"] = Field(
        "extract", description="which summary is wanted: a model's, or the extract alone"
    )
    keep: int = Field(3, ge=0, le=100, description="newest summaries of level 0 kept in full")


class RatifySettings(_Group):
    quorum: int = Field(2, ge=1, description="supporters besides the proposer that accept it")


class LapseSettings(_Group):
    after: int = Field(200, ge=1, description="messages without mention until a proposal lapses")


class LinkSettings(_Group):
    window: int = Field(20, ge=1, description="messages that a link by nearness may reach")


class EchoSettings(_Group):
    similarity: int = Field(
        500, ge=1, le=1000, description="shared share of shingles, per mille, that makes an echo"
    )


class CapSettings(_Group):
    summaries: int = Field(20, ge=1, description="summaries kept in full, all levels")
    decisions: int = Field(50, ge=1, description="decisions kept in full")
    proposals: int = Field(30, ge=1, description="proposals kept in full")
    key_points: int = Field(20, ge=1, description="key contributions kept per participant")
    positions: int = Field(15, ge=1, description="positions kept per participant")
    threshold: int = Field(900, ge=1, le=1000, description="share of a cap that starts compaction")
    target: int = Field(500, ge=0, le=1000, description="share of a cap that compaction leaves")


class ContextSettings(_Group):
    budget_tokens: int = Field(4000, ge=1, description="tokens a context may have")
    prefix_share: int = Field(600, ge=0, le=1000, description="share of the budget for the prefix")
    summaries: int = Field(3, ge=0, description="newest summaries shown in the full profile")
    recent_full: int = Field(15, ge=0, description="recent messages in the full profile")
    recent_brief: int = Field(5, ge=0, description="recent messages in the brief profile")


class Settings(_Group):
    """One session's settings."""

    summary: SummarySettings = SummarySettings()
    ratify: RatifySettings = RatifySettings()
    lapse: LapseSettings = LapseSettings()
    link: LinkSettings = LinkSettings()
    echo: EchoSettings = EchoSettings()
    caps: CapSettings = CapSettings()
    context: ContextSettings = ContextSettings()
    chair: tuple[str, ...] = Field((), description="who may accept, reject and ratify")
    bots: tuple[str, ...] = Field((), description="participants whose words are not read for items")


def merged(settings: Settings, partial: dict[str, Any]) -> Settings:
    """`settings` with the partial tree `partial` laid over it.

    Raises `SettingsRefused`, naming the key.
    """
    try:
        return Settings.model_validate(_overlay(settings.model_dump(), partial))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise SettingsRefused(key, first["msg"]) from None


def _overlay(base: dict[str, Any], partial: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in partial.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            value = _overlay(below, value)
        result[key] = value
    return result
