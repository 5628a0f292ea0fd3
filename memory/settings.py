"""The settings that shape the fold. They are logged: `session.opened` carries them.

Ratios are per mille, sizes are integers. A partial tree merges over the
defaults; an unknown key or a value out of range is `SettingsRefused`.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from bus.entries import VoteRule
from memory.errors import SettingsRefused
from memory.floor.stop_rules import parse


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
    strategy: Literal["background", "inline"] = Field(
        "background", description="inline: whoever adds a message waits for what it made due"
    )


class ExtractSettings(_Group):
    """A model that reads the talk for items, where tags and patterns find few."""

    how: Literal["none", "model"] = Field(
        "none", description="who reads the talk for items besides the fold: nobody, or a model"
    )
    interval: int = Field(24, ge=1, le=1000, description="messages that a model reads at once")
    overlap: int = Field(
        8, ge=0, le=100, description="messages before them that it is shown with them"
    )
    tokens: int = Field(6000, ge=500, description="tokens of a question to it")
    out: int = Field(1500, ge=100, description="tokens of its answer")


class StructureSettings(_Group):
    """How talk is read for items that no mark and no pattern shows."""

    manner: Literal["auto", "typed", "spoken"] = Field(
        "auto", description="whether talk is typed or spoken; auto: told from its first lines"
    )
    scribes: tuple[str, ...] = Field(
        (), description="who writes down what others say: what they note counts toward a quorum"
    )
    decisions: Literal["lines", "regions", "off"] = Field(
        "lines", description="what is told of likely decisions in spoken talk: lines and regions"
    )


class RatifySettings(_Group):
    quorum: int = Field(2, ge=1, description="supporters besides the proposer that accept it")


class LapseSettings(_Group):
    after: int = Field(200, ge=1, description="messages without mention until a proposal lapses")


class LinkSettings(_Group):
    window: int = Field(20, ge=1, description="messages that a link by nearness may reach")


class EchoSettings(_Group):
    how: Literal["words", "embedding"] = Field(
        "words", description="embedding: what no words show is asked of an embedding model"
    )
    embedding: int = Field(
        850, ge=1, le=1000, description="cosine of two embeddings, per mille, that makes an echo"
    )
    similarity: int = Field(
        700, ge=1, le=1000, description="resemblance, per mille, that makes an echo"
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
    summaries: int = Field(
        3, ge=0, description="newest summaries told beside a higher one that covers them"
    )
    recent_full: int = Field(15, ge=0, description="recent messages in the full profile")
    recent_brief: int = Field(5, ge=0, description="recent messages in the brief profile")


Policy = Literal["off", "append", "rewrite"]
Route = Literal["off", "append", "reflect"]


class AgentNote(_Group):
    """What one participant's notebook has otherwise than the others'."""

    policy: Policy | None = None
    limit: int | None = Field(None, ge=1)


class NoteSettings(_Group):
    policy: Policy = Field(
        "off", description="append: events are told in it; rewrite: its owner rewrites it as well"
    )
    style: Literal["narrative", "structured"] = Field(
        "narrative", description="how events are told in notebooks"
    )
    retries: int = Field(
        5, ge=1, le=20, description="answers that may be too long before giving up"
    )
    exhausted: Literal["keep_previous", "clip", "abort_run"] = Field(
        "keep_previous", description="what then becomes of the notebook, or of the session"
    )
    agents: dict[str, AgentNote] = Field(
        default_factory=dict, description="policy and limit by participant"
    )


class RouteSettings(_Group):
    """What an event does to notebooks: nothing, a line, or a line and a reflection."""

    statement: Route = Field("append", description="somebody's message")
    own: Route = Field("append", description="one's own message; reflect under note.policy rewrite")
    reasoning: Route = Field("append", description="one's own internal reasoning")
    vote: Route = Field(
        "append", description="vote initiated or confirmed; reflect: on ballots without consensus"
    )
    consensus: Route = Field("reflect", description="ballot with consensus")
    results: Route = Field("reflect", description="final results")
    phase: Route = Field(
        "append", description="phase, stage or round opened or closed; reflect: on their ends"
    )


class NoteLimit(_Group):
    cap: int = Field(50_000, ge=1, description="characters of a notebook")
    warn: int = Field(40_000, ge=1, description="characters from which a rewrite is called for")
    target: int = Field(30_000, ge=1, description="characters such a rewrite aims at")


class HistoryLimit(_Group):
    cap: int = Field(100_000, ge=1, description="characters of the history that notebooks share")
    target: int = Field(80_000, ge=0, description="characters left when the oldest go")


class AnswerLimit(_Group):
    cap: int = Field(750, ge=1, description="bytes of an answer or a tool result kept whole")
    target: int = Field(500, ge=1, description="bytes of its shorter form")


class RunningLimit(_Group):
    cap: int = Field(4000, ge=1, description="bytes of the running summary of old exchanges")
    target: int = Field(3000, ge=0, description="bytes that its compression leaves")


class ShortTermLimit(_Group):
    cap: int = Field(0, ge=0, description="tokens of talk that call for a summary; 0: no limit")
    warn: int = Field(3000, ge=0, description="tokens of talk from which it is told")


class SessionLimit(_Group):
    cap: int = Field(12_000, ge=1, description="tokens of goals, tasks, tool runs and archive")
    warn: int = Field(10_000, ge=0, description="tokens from which it is told")
    target: int = Field(9_000, ge=0, description="tokens that compaction aims at")


class ArchiveLimit(_Group):
    cap: int = Field(6000, ge=0, description="tokens of closed goals, tasks, phases and rounds")
    items: int = Field(10, ge=0, description="closed goals, tasks, phases and rounds kept")


class LimitSettings(_Group):
    """Sizes; characters, UTF-8 bytes, tokens by the fold's counter, or items."""

    statement: int = Field(300, ge=0, description="characters of a statement in notebooks; 0: all")
    reasoning: int = Field(200, ge=0, description="characters of reasoning in notebooks; 0: all")
    result: int = Field(0, ge=0, description="characters of final results in notebooks; 0: all")
    note: NoteLimit = NoteLimit()
    history: HistoryLimit = HistoryLimit()
    answer: AnswerLimit = AnswerLimit()
    exchanges: int = Field(10, ge=0, description="closed exchanges kept one by one")
    running: RunningLimit = RunningLimit()
    short_term: ShortTermLimit = ShortTermLimit()
    session: SessionLimit = SessionLimit()
    archive: ArchiveLimit = ArchiveLimit()
    tool_history: int = Field(20, ge=0, description="tool runs of an open goal kept in detail")
    failed_tasks: int = Field(5, ge=0, description="failed tasks of an open goal kept in detail")
    steps: int = Field(100, ge=0, description="steps of an open task kept")
    context_text: int = Field(2000, ge=0, description="characters of a goal's context")
    archived_text: int = Field(500, ge=0, description="characters of it once the goal is closed")
    insights: int = Field(50, ge=0, description="insights kept")
    lessons: int = Field(50, ge=0, le=500, description="lessons of other sessions told")
    cached: int = Field(100, ge=0, description="tool results kept")
    open_episodes: int = Field(100, ge=1, description="episodes open at once")


class CacheSettings(_Group):
    ttl: int = Field(3, ge=0, description="exchanges that a tool result may be served for")
    max_age: int = Field(12, ge=0, description="exchanges after which no hit keeps it alive")


class ExchangeSettings(_Group):
    users: tuple[str, ...] = Field((), description="whose message begins an exchange")


class EpisodeSettings(_Group):
    supersede: bool = Field(True, description="a new goal archives the one before it")
    prose: bool = Field(False, description="a model words what a closed episode came to")
    deduplicate: bool = Field(True, description="the same insight twice is counted, not kept twice")


FloorPolicy = Literal["open", "bid", "round_robin", "panel", "moderated", "scripted"]


class FloorSettings(_Group):
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


class SpeakSettings(_Group):
    """What a listener's model is asked with, in tokens and messages."""

    eval_tokens: int = Field(320, ge=200, description="tokens of context to decide whether to")
    eval_out: int = Field(120, ge=16, description="tokens of that decision")
    tokens: int = Field(1500, ge=400, description="tokens of context to speak from")
    out: int = Field(600, ge=16, description="tokens of what is said")


class VoteSettings(_Group):
    rule: VoteRule = Field("majority", description="what carries an option")
    quorum: int = Field(500, ge=0, le=1000, description="weight that must be cast, per mille")
    secret: bool = Field(False, description="who chose what is not shown")
    confirm: Literal["none", "majority", "all"] = Field(
        "none", description="who must agree that a vote is held now"
    )
    seconds: int = Field(120, ge=1, description="time until a vote is counted with what is there")
    window: int = Field(10, ge=1, description="messages without objection that carry by consent")
    fallback: str = Field("", description="the outcome where a session ends without consensus")


class BudgetSettings(_Group):
    """What the agents of a session may spend together; None: no limit of this kind."""

    tokens: int | None = Field(None, ge=0, description="tokens sent and received")
    micros: int | None = Field(None, ge=0, description="millionths of the currency")
    calls: int | None = Field(None, ge=0, description="model calls")


class MemorySettings(_Group):
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
    chair: tuple[str, ...] = Field((), description="who may accept, reject and ratify")
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
            parse(tree)
        except SettingsRefused as refused:
            raise PydanticCustomError("stop", "{reason}", {"reason": refused.reason}) from None
        return tree


def merged(settings: Settings, partial: dict[str, Any]) -> Settings:
    """`settings` with the partial tree `partial` laid over it.

    Raises `SettingsRefused`, naming the key.
    """
    try:
        return Settings.model_validate(overlay(settings.model_dump(), partial))
    except ValidationError as error:
        raise _refused(error) from None


def asked(partial: dict[str, Any]) -> Settings:
    """The defaults with the partial tree `partial` laid over them, as somebody asks for it now.

    Unlike `merged`, by which logs are read, takes no value for another: 1e3, true and
    "5" are no whole numbers. Raises `SettingsRefused`, naming the key.
    """
    tree = json.dumps(overlay(Settings().model_dump(), partial), default=str)
    try:
        return Settings.model_validate_json(tree, strict=True)
    except ValidationError as error:
        raise _refused(error) from None


def _refused(error: ValidationError) -> SettingsRefused:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return SettingsRefused(key, _TAKEN.get(first["type"], first["msg"]))


WHOLE: Final = "a whole number in digits, such as 12"
_TAKEN: Final = dict.fromkeys(
    ("int_type", "int_parsing", "int_from_float"), f"Input should be {WHOLE}"
)


def overlay(base: dict[str, Any], partial: dict[str, Any]) -> dict[str, Any]:
    """`base` with each value of `partial` in its place; groups are merged, `stop` is one value."""
    result = dict(base)
    for key, value in partial.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(value, dict) and key not in _WHOLE:
            value = overlay(below, value)
        result[key] = value
    return result


_WHOLE = ("stop",)  # trees that are one value: another takes its place, and is not laid over it
