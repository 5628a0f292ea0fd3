"""Groups of settings: how talk is read, what is kept of it, and how large each may become.

Ratios are per mille, sizes are integers.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from parley.memory.settings.setting_trees import NEW_WISH


class SettingsGroup(BaseModel):
    """What belongs together; a tree names it, and none of it that it leaves as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


SummaryWish = Literal["auto", "extract", "model"]


class SummarySettings(SettingsGroup):
    interval: int = Field(12, ge=1, le=10_000, description="messages between two summaries")
    words: int = Field(200, ge=10, le=2_000, description="words a summary may have")
    fanout: int = Field(6, ge=2, le=100, description="summaries that one of the next level covers")
    how: SummaryWish = Field(
        "extract",  # of a log that names none; a new session names one (`presets.OPENING`)
        json_schema_extra={"default": NEW_WISH},
        description="auto: a model's where the worker has one, else an extract until one answers;"
        " model: as auto, and every extract is kept for it; extract: no model is asked",
    )
    keep: int = Field(8, ge=0, le=100, description="newest summaries of level 0 kept in full")
    strategy: Literal["background", "inline"] = Field(
        "background", description="inline: whoever adds a message waits for what it made due"
    )


class ExtractSettings(SettingsGroup):
    """A model that reads the talk for items, where tags and patterns find few."""

    how: Literal["none", "model"] = Field(
        "none", description="who reads the talk for items besides the fold: nobody, or a model"
    )
    interval: int = Field(
        24, ge=1, le=1000, description="messages that a model reads at once, at most"
    )
    overlap: int = Field(
        4, ge=0, le=100, description="messages before them that it is shown for context, clipped"
    )
    tokens: int = Field(
        16_000,
        ge=500,
        description="tokens of a question to it; more talk is read in more stretches",
    )
    out: int = Field(
        8_000, ge=100, description="tokens of its answer, at most; fewer about a short stretch"
    )
    quiet: int = Field(
        300,
        ge=0,
        description="seconds without a message after which the end of the talk is read; 0: not"
        " before the session ends",
    )


class StructureSettings(SettingsGroup):
    """How talk is read for items that no mark and no pattern shows."""

    scribes: tuple[str, ...] = Field(
        (), description="who writes down what others say: what they note counts toward a quorum"
    )


class RatifySettings(SettingsGroup):
    quorum: int = Field(
        2, ge=1, description="others than the proposer whose support accepts, or who must vote"
    )


class LapseSettings(SettingsGroup):
    after: int = Field(200, ge=1, description="messages without mention until a proposal lapses")


class LinkSettings(SettingsGroup):
    window: int = Field(20, ge=1, description="messages that a link by nearness may reach")


class EchoSettings(SettingsGroup):
    how: Literal["words", "embedding"] = Field(
        "words", description="embedding: what no words show is asked of an embedding model"
    )
    embedding: int = Field(
        850, ge=1, le=1000, description="cosine of two embeddings, per mille, that makes an echo"
    )
    similarity: int = Field(
        700, ge=1, le=1000, description="resemblance, per mille, that makes an echo"
    )


class CapSettings(SettingsGroup):
    summaries: int = Field(20, ge=1, description="summaries kept in full, all levels")
    decisions: int = Field(50, ge=1, description="decisions kept in full")
    proposals: int = Field(30, ge=1, description="proposals kept in full")
    key_points: int = Field(20, ge=1, description="key contributions kept per participant")
    positions: int = Field(15, ge=1, description="positions kept per participant")
    # Held whole or shrunk, a proposal takes some 600 bytes of a snapshot and a decision 550, where
    # measured on agents' talk; what a participant holds takes 2 KB. These caps keep all of that
    # near 850 KB, and a session of a few hundred messages within them.
    live: int = Field(
        400, ge=1, description="open proposals held; beyond it the longest unmentioned lapse"
    )
    settled: int = Field(
        300, ge=1, description="settled proposals held; the oldest leave memory for the log"
    )
    candidates: int = Field(
        100, ge=1, description="lapsed proposals held that were candidates to the end"
    )
    claims: int = Field(
        100, ge=1, description="decisions held that nobody ratified; the oldest leave memory"
    )
    ratified: int = Field(
        200, ge=1, description="ratified decisions held; the oldest leave memory for the log"
    )
    outspoken: int = Field(
        100, ge=1, description="participants whose positions and key contributions are kept"
    )
    threshold: int = Field(900, ge=1, le=1000, description="share of a cap that starts compaction")
    target: int = Field(500, ge=0, le=1000, description="share of a cap that compaction leaves")


class ContextSettings(SettingsGroup):
    budget_tokens: int = Field(4000, ge=1, description="tokens a context may have")
    prefix_share: int = Field(600, ge=0, le=1000, description="share of the budget for the prefix")
    recent_full: int = Field(
        500, ge=0, description="most messages in the full profile, where the budget has room"
    )
    recent_brief: int = Field(5, ge=0, description="most messages in the brief profile")


Policy = Literal["off", "append", "rewrite"]
Route = Literal["off", "append", "reflect"]


class AgentNote(SettingsGroup):
    """What one participant's notebook has otherwise than the others'."""

    policy: Policy | None = None
    limit: int | None = Field(None, ge=1)


class NoteSettings(SettingsGroup):
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


class RouteSettings(SettingsGroup):
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


class NoteLimit(SettingsGroup):
    cap: int = Field(50_000, ge=1, description="characters of a notebook")
    warn: int = Field(40_000, ge=1, description="characters from which a rewrite is called for")
    target: int = Field(30_000, ge=1, description="characters such a rewrite aims at")


class HistoryLimit(SettingsGroup):
    cap: int = Field(100_000, ge=1, description="characters of the history that notebooks share")
    target: int = Field(80_000, ge=0, description="characters left when the oldest go")


class AnswerLimit(SettingsGroup):
    cap: int = Field(750, ge=1, description="bytes of an answer or a tool result kept whole")
    target: int = Field(500, ge=1, description="bytes of its shorter form")


class RunningLimit(SettingsGroup):
    cap: int = Field(4000, ge=1, description="bytes of the running summary of old exchanges")
    target: int = Field(3000, ge=0, description="bytes that its compression leaves")


class ShortTermLimit(SettingsGroup):
    cap: int = Field(0, ge=0, description="tokens of talk that call for a summary; 0: no limit")
    warn: int = Field(3000, ge=0, description="tokens of talk from which it is told")


class SessionLimit(SettingsGroup):
    cap: int = Field(12_000, ge=1, description="tokens of goals, tasks, tool runs and archive")
    warn: int = Field(10_000, ge=0, description="tokens from which it is told")
    target: int = Field(9_000, ge=0, description="tokens that compaction aims at")


class ArchiveLimit(SettingsGroup):
    cap: int = Field(6000, ge=0, description="tokens of closed goals, tasks, phases and rounds")
    items: int = Field(10, ge=0, description="closed goals, tasks, phases and rounds kept")


class LimitSettings(SettingsGroup):
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


class CacheSettings(SettingsGroup):
    ttl: int = Field(3, ge=0, description="exchanges that a tool result may be served for")
    max_age: int = Field(12, ge=0, description="exchanges after which no hit keeps it alive")


class ExchangeSettings(SettingsGroup):
    users: tuple[str, ...] = Field((), description="whose message begins an exchange")


class EpisodeSettings(SettingsGroup):
    supersede: bool = Field(True, description="a new goal archives the one before it")
    prose: bool = Field(False, description="a model words what a closed episode came to")
    deduplicate: bool = Field(True, description="the same insight twice is counted, not kept twice")
