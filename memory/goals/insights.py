"""Insights: what work taught, kept when its details go.

    discovered   a fact that a step came upon                    floors: 3
    error        a tool and the kind of its failure              query fails with TimeoutError
    replanned    why a plan was changed, in the words of its step
    success      a tool that worked, and for what                count works for count door

The same words are the same insight: counted, not kept twice
(`episodes.deduplicate`). Beyond `limits.insights` the lightest goes.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from parley.memory.goals.tallies import title_theme
from parley.memory.state.episode_state import Episode, TaskStep, ToolPattern
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.insight_state import Insight, InsightKind
from parley.memory.state.item_state import Cite
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.memory.text.text_sizes import count_tokens

# What it costs to lose one: a fact cannot be counted again, a success is the usual thing.
_WEIGHTS: Final[dict[InsightKind, int]] = {
    "discovered": 150,
    "error": 120,
    "replanned": 90,
    "success": 60,
}
_COUNTED: Final = 20  # times seen beyond which an insight weighs no more
_PER_COUNT: Final = 5
_CHARS: Final = 200


def list_insights(memory: Memory) -> list[Insight]:
    """The insights that are kept, the weightiest first, the newest of equals."""
    return sorted(memory.insights.by_ref.values(), key=_rank, reverse=True)


def insight_weight(insight: Insight) -> int:
    """By kind and by how often it was seen."""
    return _WEIGHTS[insight.kind] + _PER_COUNT * min(insight.count, _COUNTED)


def learn_from_step(moment: FoldStep, of: Episode, step: TaskStep) -> None:
    """Promote what a step discovered, or why it changed the plan, before the step goes."""
    for name, value in step.discovered:
        _learn(moment, of, "discovered", f"{name}: {value}", (step.n, step.n, 1))
    if step.form == "replanning":
        _learn(moment, of, "replanned", step.text, (step.n, step.n, 1))


def learn_from_runs(moment: FoldStep, of: Episode, patterns: dict[str, ToolPattern]) -> None:
    """Promote how tools fared in an episode that ends, in the order in which they came up."""
    about = title_theme(of.title)
    for pattern in sorted(patterns.values(), key=lambda tool_pattern: tool_pattern.first):
        seen = (pattern.first, pattern.last, pattern.count)
        if pattern.error:
            _learn(moment, of, "error", f"{pattern.tool} fails with {pattern.error}", seen)
        else:
            _learn(moment, of, "success", f"{pattern.tool} works for {about}", seen)


def evict_insight(memory: Memory, insight: Insight) -> None:
    """Let go of an insight."""
    store = memory.insights
    del store.by_ref[insight.ref]
    key = _key(insight.kind, insight.text)
    if store.keys.get(key) == insight.ref:
        del store.keys[key]
    store.size -= insight.size
    store.dropped += 1


def enforce_insight_limit(memory: Memory) -> None:
    """Hold `limits.insights`: the lightest go, the oldest of equals.

    A tenth more than must, where the limit is ten or more: the next are far off.
    """
    limit = memory.settings.limits.insights
    if len(memory.insights.by_ref) > limit:
        for insight in list_insights(memory)[limit - limit // 10 :]:
            evict_insight(memory, insight)


def _learn(
    moment: FoldStep, of: Episode, kind: InsightKind, words: str, seen: tuple[int, int, int]
) -> None:
    """Keep or count an insight that entries `seen` (first n, last n, times) show."""
    memory = moment.memory
    text = clip(one_line(words), _CHARS)
    first, last, times = seen
    key = _key(kind, text)
    store = memory.insights
    known = _known(memory, key)
    if known is None:
        store.last += 1
        known = Insight(
            ref=store.last, kind=kind, text=text, size=count_tokens(text),
            cites=_cites(first, last), count=times, episode=of.ref,
        )  # fmt: skip
        store.by_ref[known.ref] = known
        store.keys[key] = known.ref
        store.size += known.size
    else:
        known.count += times
        known.cites = _cites(min(first, known.cites[0].n), max(last, known.cites[-1].n))
    enforce_insight_limit(memory)
    if known.ref in memory.insights.by_ref:
        moment.record_fact(
            "insight.found",
            known.handle,
            kind=kind,
            text=text,
            count=known.count,
            episode=None if known.episode is None else f"E{known.episode}",
        )


def _cites(first: int, last: int) -> list[Cite]:
    return [Cite(first)] if first == last else [Cite(first), Cite(last)]


def _known(memory: Memory, key: str) -> Insight | None:
    if not memory.settings.episodes.deduplicate:
        return None
    ref = memory.insights.keys.get(key)
    return None if ref is None else memory.insights.by_ref[ref]


def _key(kind: InsightKind, text: str) -> str:
    """The key of an insight, one for texts that differ in case, white space or typography only."""
    folded = " ".join(to_plain(text).casefold().split())
    return blake2b(f"{kind} {folded}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def _rank(insight: Insight) -> tuple[int, int, int]:
    return (insight_weight(insight), insight.cites[-1].n, insight.ref)
