"""What the floor goes by, what its listeners are asked with, how votes end, what all may spend."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries import VoteRule
from parley.memory.settings.setting_defaults import SettingsGroup

FloorPolicy = Literal["open", "bid", "round_robin", "panel", "moderated", "scripted"]


class FloorSettings(SettingsGroup):
    """Who speaks when. Under `open` everyone at any time, as people always may."""

    policy: FloorPolicy = Field("open", description="how agents come to speak")
    order: tuple[str, ...] = Field(
        (), description="who speaks in turn under round_robin and scripted; empty: as they joined"
    )
    finisher: str = Field("", description="who has the last word of each round of round_robin")
    evaluation: Literal["self", "panel", "rules"] = Field(
        "self", description="who judges whether a listener should speak: its model, one for all, no"
    )
    auction_ms: int = Field(400, ge=0, description="wait for more bids after the first")
    evaluation_ms: int = Field(6000, ge=1, description="time a listener has to bid or pass")
    lease_ms: int = Field(90_000, ge=1, description="time a holder has to speak")
    moderator_ms: int = Field(30_000, ge=1, description="wait for a moderator before bids decide")
    cooldown: int = Field(1, ge=0, description="turns of others between two of the same agent")
    restarts: int = Field(2, ge=0, description="drafts a holder may begin anew in one grant")
    queue: int = Field(
        2, ge=0, description="listeners asked at once, less the bids that stand; 0: everyone"
    )
    bid_turns: int = Field(4, ge=0, description="turns that a bid which lost still stands")
    hops_soft: int = Field(3, ge=0, description="turns a head since a person spoke: nudge; 0: none")
    hops_hard: int = Field(6, ge=0, description="turns a head since a person spoke: pause; 0: none")
    pair: int = Field(6, ge=0, description="turns that two alternate until both cool; 0: any")
    seed: int = Field(0, ge=0, description="what decides between equal bids")


class SpeakSettings(SettingsGroup):
    """What a listener's model is asked with, in tokens and messages."""

    eval_tokens: int = Field(320, ge=200, description="tokens of context to decide whether to")
    eval_out: int = Field(120, ge=16, description="tokens of that decision")
    tokens: int = Field(1500, ge=400, description="tokens of context to speak from")
    out: int = Field(600, ge=16, description="tokens of what is said")


class VoteSettings(SettingsGroup):
    rule: VoteRule = Field("majority", description="what carries an option")
    quorum: int = Field(500, ge=0, le=1000, description="weight that must be cast, per mille")
    secret: bool = Field(False, description="who chose what is not shown")
    confirm: Literal["none", "majority", "all"] = Field(
        "none", description="who must agree that a vote is held now"
    )
    seconds: int = Field(120, ge=1, description="time until a vote is counted with what is there")
    window: int = Field(10, ge=1, description="messages without objection that carry by consent")
    fallback: str = Field("", description="the outcome where a session ends without consensus")


class BudgetSettings(SettingsGroup):
    """What the agents of a session may spend together; None: no limit of this kind."""

    tokens: int | None = Field(None, ge=0, description="tokens sent and received")
    micros: int | None = Field(None, ge=0, description="millionths of the currency")
    calls: int | None = Field(None, ge=0, description="model calls")
