"""The part of a context before its breakpoint: what changes with epochs only.

The ledger comes first: every binding decision is in it, on one line or, where there are
very many, as handle and clipped topic. Older ones shrink first, and all shrink before any
is left out. Where there are so many, the prefix has part of the `spare` beyond its share as
well. Summaries are in it once the talk no longer fits (`recent_talk`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from parley.memory.context.item_lines import (
    NONE,
    decision_line,
    handle_line,
    summary_lines,
    write_summary,
)
from parley.memory.context.layer_lines import (
    closed_episode_lines,
    lesson_line,
    note_lines,
    running_lines,
)
from parley.memory.context.token_budget import BudgetedLines, price_line
from parley.memory.exchanges import short_forms
from parley.memory.goals import lessons
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.notebooks import notebooks
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import Summary
from parley.memory.summaries.range_summaries import uncovered_summaries

FAR = "Session So Far"
PAST = "Earlier Phases and Goals"
LESSONS = "Lessons From Earlier Sessions"
LEDGER = "Key Decisions Made"
NEAR = "Earlier Discussion Summary"
RUNNING = "Earlier Exchanges"
NOTE = "Your Notebook"

BLOCKS: Final = (FAR, PAST, LESSONS, LEDGER, NEAR, RUNNING, NOTE)

_TOPICS: Final = (48, 24, 12)  # characters of a topic beside a bare handle, the widest that fits
_SPARE: Final = 500  # per mille of the spare that a long ledger adds to the prefix
_REST: Final = 300  # per mille of a prefix with a long ledger that are not the ledger's
_NEWEST: Final = 750  # per mille of what is left that the newest summaries may have before others
_LEAST_SUMMARY: Final = 120  # tokens of one that is cut; with less room it is left out
_SUMMARY_CHARS: Final = 4  # for each token, to begin with
_NOTE_CHARS: Final = 5  # of a notebook that are looked at for each token left: letters are 4.3


def fill_prefix(
    memory: Memory, page: BudgetedLines, profile: str, participant: str | None, spare: int
) -> None:
    """Fill `page` for that profile; `spare` tokens lie beyond its share."""
    if profile == "raw":
        _put_note(memory, page, participant)
        return
    if profile == "history":
        put_summaries(memory, page, uncovered_summaries(memory))
        return
    _put_ledger(memory, page, spare * _SPARE // 1000)
    if profile == "brief":
        return
    _put_note(memory, page, participant)
    _put_past(memory, page)
    _put_running(memory, page)
    _put_lessons(memory, page)


# -- the ledger ----------------------------------------------------------------


class _Row(NamedTuple):
    """What the ledger shows of a binding decision."""

    ref: int
    born: int
    topic: str
    named: bool
    outcome: str
    status: str
    resolves: int | None
    supersedes: int | None

    @property
    def handle(self) -> str:
        return f"D{self.ref}"


_row_of: Final = attrgetter(*_Row._fields)


def _put_ledger(memory: Memory, page: BudgetedLines, spare: int) -> None:
    """Every binding decision, newest first, as long as there is room."""
    if not page.wants(LEDGER):
        return
    denied = denied_items(memory)
    rows = tuple(
        _row_of(decision)
        for decision in reversed(memory.decisions.values())
        if decision.binds and decision.stands and not (denied and decision.handle in denied)
    )
    page.adopt(_fill_ledger(rows, page.left, page.chars, spare))


@lru_cache(maxsize=64)
def _fill_ledger(
    rows: tuple[tuple[Any, ...], ...], left: int, chars: int | None, spare: int
) -> BudgetedLines:
    """A page with the ledger of `rows` alone; kept, since it changes with epochs only."""
    page = BudgetedLines(left, chars)
    ledger = [_Row(*row) for row in rows]
    if _cost(map(decision_line, ledger), page.left) <= page.left:
        _lengthen(page, ledger, 0)
        return page
    page.left += spare
    rest = page.left * _REST // 1000
    in_all = _put_handles(page, ledger, page.left - rest)
    _lengthen(page, ledger[:in_all], rest)
    return page


def denied_items(memory: Memory) -> frozenset[str]:
    """The handles of the items of the fold that a model's reading denies."""
    wrong = [handle for handle, check in memory.claims.checks.items() if check.verdict == "wrong"]
    if not wrong:
        return NONE
    ledger = ledger_of(memory)
    found = ((handle, ledger.as_numbered(handle)) for handle in wrong)
    return frozenset(handle for handle, item in found if item and item.shelf == "denied")


def _put_handles(page: BudgetedLines, ledger: list[_Row], room: int) -> int:
    """Every decision as handle and topic, as wide as lets all into `allowed_bytes`;
    how many are in.
    """
    width = next((chars for chars in _TOPICS if _fits(ledger, chars, room)), _TOPICS[-1])
    for index, decision in enumerate(ledger):
        line = handle_line(decision, width)
        if not page.put(
            LEDGER, decision.ref, line, (decision.born,), what=decision.handle, short=True
        ):
            page.omit(LEDGER, [left.handle for left in ledger[index:]])
            return index
    return len(ledger)


def _fits(ledger: list[_Row], chars: int, room: int) -> bool:
    return _cost((handle_line(decision, chars) for decision in ledger), room) <= room


def _lengthen(page: BudgetedLines, ledger: list[_Row], rest: int) -> None:
    """The newest on a line of their own words, as long as `rest` is left."""
    for decision in ledger:
        if page.left <= rest or not page.put(
            LEDGER, decision.ref, decision_line(decision), (decision.born,), what=decision.handle
        ):
            return


def _cost(lines: Iterable[str], most: int) -> int:
    """What `lines` cost under their heading; may stop counting beyond `most`."""
    total = price_line(f"\n## {LEDGER}")
    for line in lines:
        total += price_line(line)
        if total > most:
            break
    return total


# -- summaries, notebook, episodes, lessons ------------------------------------


def put_summaries(memory: Memory, page: BudgetedLines, summaries: Sequence[Summary]) -> None:
    """Put `summaries`, in log order and without overlap, on `page`: those of level 0 first."""
    gone = denied_items(memory)
    newest = [summary for summary in reversed(summaries) if summary.level == 0]
    higher = [summary for summary in reversed(summaries) if summary.level > 0]
    share = _NEWEST if higher else 1000
    _put_group(page, NEAR, newest, page.left * share // 1000, gone)
    _put_group(page, FAR, higher, page.left, gone)


def price_summaries(memory: Memory, most: int, summaries: Sequence[Summary]) -> int:
    """Tokens of `summaries`; at most the `most` that they are cut to."""
    gone = denied_items(memory)
    return min(most, sum(price_line(summary_lines(each, gone)) for each in summaries))


def _put_group(
    page: BudgetedLines, block: str, summaries: Sequence[Summary], allowed_tokens: int,
    gone: frozenset[str],
) -> None:  # fmt: skip
    """The summaries, newest first, in so many tokens; the longest with their longest lines cut."""
    costs = [price_line(summary_lines(summary, gone)) for summary in summaries]
    heading = 0 if block in page.lines else price_line(f"\n## {block}")
    left, level = allowed_tokens - heading, 0
    for place, cost in enumerate(sorted(costs)):
        level = left // (len(costs) - place)
        if cost > level:
            break
        left -= cost
    for summary, cost in zip(summaries, costs, strict=True):
        cut = _LEAST_SUMMARY <= level < cost
        page.put(
            block,
            summary.first,
            _cut_summary(summary, level, gone) if cut else summary_lines(summary, gone),
            (summary.first, summary.last),
            what=f"n {summary.first}-{summary.last}",
            short=cut,
        )


def _cut_summary(summary: Summary, allowed_tokens: int, gone: frozenset[str]) -> str:
    """The lines of a summary in so many tokens."""
    return _keep_cut(summary.first, summary.last, summary.how, summary.text, allowed_tokens, gone)


@lru_cache(maxsize=1024)
def _keep_cut(
    first: int, last: int, how: str, text: str, allowed_tokens: int, gone: frozenset[str]
) -> str:
    """Kept, since a summary is cut to the same size until an epoch ends."""
    chars = allowed_tokens * _SUMMARY_CHARS
    while True:
        lines = write_summary(first, last, how, text, chars, gone)
        price = price_line(lines)
        if price <= allowed_tokens or chars <= 0:
            return lines
        chars = min(chars - 1, chars * allowed_tokens // price)


def _put_note(memory: Memory, page: BudgetedLines, participant: str | None) -> None:
    """The standing revision of the participant's notebook, clipped to the room there is."""
    if participant is None or not memory.keeps_notes:
        return
    text, cause = notebooks.standing_revision(memory, memory.named(participant))
    if not text:
        return
    chars = min(len(text), page.left * _NOTE_CHARS)
    while chars and not page.put(
        NOTE,
        0,
        note_lines(text, cause, chars),
        (cause,) if cause else (),
        what=f"revision {cause}",
        short=chars < len(text),
    ):
        chars = chars * 3 // 4 if chars > 40 else 0


def _put_past(memory: Memory, page: BudgetedLines) -> None:
    """What closed phases, rounds, goals and tasks came to, the newest first."""
    closed = [
        episode
        for episode in memory.episodes.by_ref.values()
        if episode.closed and episode.talk is None
    ]
    closed.sort(key=lambda episode: (episode.closed or 0, episode.ref), reverse=True)
    for episode in closed:
        lines = closed_episode_lines(episode, short_forms.episode_text(memory, episode))
        if not page.put(
            PAST, episode.ref, lines, (episode.opened, episode.closed or 0), what=episode.handle
        ):
            short = closed_episode_lines(episode, "", short=True)
            page.put(PAST, episode.ref, short, (episode.opened,), what=episode.handle, short=True)


def _put_running(memory: Memory, page: BudgetedLines) -> None:
    text = short_forms.running_text(memory)
    if text:
        through = memory.exchanges.through
        page.put(RUNNING, 0, running_lines(text), (through,), what=f"up to n {through}")


def _put_lessons(memory: Memory, page: BudgetedLines) -> None:
    for index, lesson in enumerate(lessons.list_lessons(memory)):
        page.put(LESSONS, index, lesson_line(lesson), what=f"{lesson.session} {lesson.ref}")
