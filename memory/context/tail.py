"""The part of a context behind its breakpoint: what moves with every message."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import attrgetter
from typing import Final

from parley.memory.context.item_lines import (
    claimed_decision_line,
    dissent_line,
    marks_line,
    position_line,
    proposal_line,
    read_decision_line,
)
from parley.memory.context.layer_lines import (
    cached_lines,
    exchange_lines,
    injection_lines,
    insight_line,
    open_work_lines,
    stage_line,
)
from parley.memory.context.recent_talk import SHORT_CHARS, RecentTalk
from parley.memory.context.token_budget import BudgetedLines
from parley.memory.context.vote_lines import failed_vote_line, vote_lines
from parley.memory.exchanges import exchanges, short_forms, tool_cache
from parley.memory.extraction.structure.shelves import is_marked
from parley.memory.goals import insights
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import Ledger, ledger_of
from parley.memory.notebooks import notebooks
from parley.memory.state import lookup
from parley.memory.state.item_state import Position, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote

STAGE = "Where We Are"
VOTES = "Votes"
WORK = "Work in Hand"
LEARNT = "What Was Learnt"
OPEN = "Active Proposals"
OWN = "Your Previous Position"
UNSETTLED = "Unsettled Decisions"
DECIDED = "Decided, as Read by a Model"
SINCE = "Since Your Last Revision"
HISTORY = "History"
SHOWN = "What You Were Shown"
TOOLS = "Tool Results, as Participants Gave Them"
EXCHANGES = "Recent Exchanges"
RECENT = "Recent Messages"
MARKS = "marks"  # what the line on marks is called among the things shown

BLOCKS: Final = (
    STAGE, VOTES, DECIDED, WORK, LEARNT, OPEN, OWN, UNSETTLED, HISTORY, SINCE, SHOWN, TOOLS,
    EXCHANGES,
)  # fmt: skip

FULL_POSITIONS: Final = 5  # own positions shown; the newest first
FULL_INSIGHTS: Final = 10  # the weightiest
LOST_VOTES: Final = 3  # closed votes that carried nothing; the newest on what is still open
LAYERS_SHARE: Final = 500  # per mille of what the items leave, for all layers beside the talk
UNSETTLED_LOOKED: Final = 15  # newest decisions looked at for claims and dissent
MESSAGE_CHARS: Final = 4000  # of one message once the talk does not fit: a pasted log is one
LEAST_CHARS: Final = 40  # of the newest one, where hardly anything fits


def fill_lines(memory: Memory, page: BudgetedLines, profile: str, participant: str | None) -> None:
    """Fill `page` with the lines of a notebook (`raw`), or of the history that all share."""
    name = None if participant is None else memory.named(participant)
    _put_lines(memory, page, SINCE if profile == "raw" else HISTORY, name)


def fill_items(
    memory: Memory, page: BudgetedLines, profile: str, name: str | None, talk: RecentTalk
) -> None:
    """Fill `page` with all that is told beside messages and summaries.

    Votes come first, then as much of the newest message as tells what it is about, the decisions
    that a model reads and the open proposals, the reader's own positions; then the other layers, in
    a share of what is left.
    """
    ledger = ledger_of(memory)
    chars, page.chars = page.chars, None  # the size of the talk limits neither of these
    _put_stage(memory, page)
    _put_votes(memory, page, name)
    page.chars = chars
    for chars in (SHORT_CHARS, LEAST_CHARS):
        if not talk.records or _put_message(page, talk, len(talk.records) - 1, chars):
            break
    decided = ledger.decided()
    _put_decided(page, decided)
    _put_proposals(memory, page, sorted(ledger.open_proposals(), key=_is_read_by_rules_alone))
    if profile != "full":
        return
    _put_own(memory, page, name, ledger)
    _put_unsettled(memory, page, ledger, decided)
    with page.limited(page.left * LAYERS_SHARE // 1000):
        _put_work(memory, page)
        _put_at_hand(memory, page, name)
        _put_exchanges(memory, page)
        _put_lines(memory, page, SINCE, name)


def _is_read_by_rules_alone(item: LedgerItem) -> bool:
    """True for a proposal that nobody marked, took up or confirmed, and that no model read."""
    if item.as_read or item.confirmed is not None or is_marked(item.origin):
        return False
    taken_up = isinstance(item.item, Proposal) and item.item.voted
    return not taken_up and not any(side.counted or side.as_read for side in item.sides.values())


# -- votes ---------------------------------------------------------------------


def _put_votes(memory: Memory, page: BudgetedLines, name: str | None) -> None:
    """The votes that run, then the newest that carried nothing of what is still open."""
    votes = memory.votes
    for ref in votes.running:
        vote = votes.by_ref[ref]
        if not page.put(VOTES, ref, vote_lines(vote, name), (vote.n,), what=vote.handle):
            lines = vote_lines(vote, name, short=True)
            page.put(VOTES, ref, lines, (vote.n,), what=vote.handle, short=True)
    lost = (vote for vote in reversed(votes.by_ref.values()) if vote.status in ("failed", "short"))
    for vote in islice((vote for vote in lost if _is_unsettled(memory, vote)), LOST_VOTES):
        page.put(VOTES, vote.ref, failed_vote_line(vote), (vote.n,), what=vote.handle)


def _is_unsettled(memory: Memory, vote: Vote) -> bool:
    """True for a lost vote on what is still proposed, or that was opened lately."""
    if vote.proposal is not None:
        return vote.proposal in memory.live
    return memory.messages - vote.opened <= memory.window


# -- proposals, positions, repeats ---------------------------------------------


def _put_decided(page: BudgetedLines, decided: list[LedgerItem]) -> None:
    """The decisions that a model reads, the newest first."""
    shown = [item for item in decided if item.status != "claimed"]
    order = _order(shown)
    for index, item in enumerate(shown):
        line = read_decision_line(item)
        if not page.put(DECIDED, order[item.handle], line, (item.born,), what=item.handle):
            page.omit(DECIDED, [left.handle for left in shown[index:]])
            return


def _put_proposals(memory: Memory, page: BudgetedLines, opened: list[LedgerItem]) -> None:
    """Every open proposal on its line, then what the marks beside names mean."""
    order = _order(opened)
    shown = []
    for index, item in enumerate(opened):
        line = proposal_line(memory, item)
        if not page.put(OPEN, order[item.handle], line, (item.born,), what=item.handle):
            page.omit(OPEN, [left.handle for left in opened[index:]])
            break
        shown.append(item)
    if marks := marks_line(shown):
        page.put(OPEN, len(order), marks, what=MARKS)


def _order(items: Sequence[LedgerItem]) -> dict[str, int]:
    """The place of each item in its block, by handle: the oldest comes first."""
    ascending = sorted(items, key=lambda item: (item.born, _number(item.handle)))
    return {item.handle: place for place, item in enumerate(ascending)}


def _number(handle: str) -> list[int]:
    """The numbers of P12 and M17.2: as text they would be in another order."""
    return [int(part) for part in handle[1:].split(".")]


def _put_own(memory: Memory, page: BudgetedLines, name: str | None, ledger: Ledger) -> None:
    """The reader's own positions on topics and on firm items, the last one first."""
    positions = _own_positions(memory, name)
    shown = list(islice((each for each in positions if _is_shown(ledger, each.on)), FULL_POSITIONS))
    for index, position in enumerate(shown):
        line = position_line(memory, position)
        page.put(OWN, index, line, (position.cite.n,), what=position.on)
    page.omit_more(OWN, len(positions) - len(shown) if len(shown) == FULL_POSITIONS else 0)


def shorten_own(memory: Memory, page: BudgetedLines, name: str | None) -> None:
    """Take the words off those positions whose message is shown whole."""
    on = {position.on: position for position in _own_positions(memory, name)}
    own = [what for (block, what), fate in page.fates.items() if block == OWN and fate == "whole"]
    for index, what in enumerate(own):
        n = on[what].cite.n
        if page.fates.get((RECENT, f"n {n}")) == "whole":
            page.put(OWN, index, position_line(memory, on[what], short=True), what=what)


def _own_positions(memory: Memory, name: str | None) -> list[Position]:
    person = None if name is None else memory.participants.get(name)
    if person is None:
        return []
    key = attrgetter("cite.n", "on")
    positions = sorted(person.positions.values(), key=key, reverse=True)
    positions.sort(key=lambda position: position.on != person.last)
    return positions


def _is_shown(ledger: Ledger, on: str) -> bool:
    """True for a topic, and for an item that is firm."""
    item = ledger.item(on) if ledger.may_be_firm(on) else None
    return item.shelf == "firm" if item is not None else ledger.memory.item(on) is None


def _put_unsettled(
    memory: Memory, page: BudgetedLines, ledger: Ledger, decided: Sequence[LedgerItem]
) -> None:
    """Claims that bind nobody yet, and who dissents from what binds."""
    claimed = {item.handle: item for item in decided if item.status == "claimed"}
    dissent = []
    for decision in islice(reversed(memory.decisions.values()), UNSETTLED_LOOKED):
        if not decision.stands or (decision.binds and not decision.dissenters):
            continue
        item = ledger.item(decision.handle)
        if item is None or item.shelf != "firm":
            continue
        if item.status == "claimed":
            claimed[item.handle] = item
        elif decision.binds:
            dissent.append((item, dissent_line(decision)))
    rows = [(item, claimed_decision_line(item)) for item in claimed.values()] + dissent
    order = _order([item for item, _ in rows])
    for item, line in rows:
        page.put(UNSETTLED, order[item.handle], line, (item.born,), what=item.handle)


# -- messages and lines --------------------------------------------------------


def put_whole(page: BudgetedLines, talk: RecentTalk) -> None:
    """All messages of `talk`, whole: the newest first, so that what lacks room is the oldest."""
    for index in range(len(talk.records) - 1, -1, -1):
        _put_message(page, talk, index, None)


def put_recent(page: BudgetedLines, talk: RecentTalk) -> None:
    """The newest message whole, the others in short, and those whole again that have room.

    Under a small budget the run of the talk is worth more than one more long message.
    """
    records = talk.records
    if not records:
        return
    if not _put_newest(page, talk):
        page.omit(RECENT, [f"n {record.n}" for record in records[:-1]])
        return
    room = page.left + talk.line(len(records) - 1, MESSAGE_CHARS).cost
    if page.chars is None and talk.count_whole(room) == len(records):
        put_whole(page, talk)
        return
    shown = []
    for index in range(len(records) - 2, -1, -1):
        if not _put_message(page, talk, index, SHORT_CHARS):
            page.omit(RECENT, [f"n {record.n}" for record in records[:index]])
            break
        shown.append(index)
    for index in shown:
        if not talk.line(index, SHORT_CHARS).whole:
            _put_message(page, talk, index, MESSAGE_CHARS)


def _put_newest(page: BudgetedLines, talk: RecentTalk) -> bool:
    """The newest message as long as it fits; False where nothing of it does."""
    chars = MESSAGE_CHARS
    while not _put_message(page, talk, len(talk.records) - 1, chars):
        if chars <= LEAST_CHARS:
            return False
        chars //= 2
    return True


def _put_message(page: BudgetedLines, talk: RecentTalk, index: int, chars: int | None) -> bool:
    line = talk.line(index, chars)
    return page.put(
        RECENT, line.n, line.text, (line.n,), what=f"n {line.n}", short=not line.whole,
        cost=line.cost,
    )  # fmt: skip


def _put_lines(memory: Memory, page: BudgetedLines, block: str, name: str | None) -> None:
    """The lines of a notebook since its revision, or of the whole history, newest first."""
    if not memory.keeps_notes or (name is None and block == SINCE):
        return
    lines = notebooks.list_lines_since(memory, name if block == SINCE else None)
    for index in range(len(lines) - 1, -1, -1):
        line = notebooks.render_line(memory, lines[index])
        if not page.put(block, index, f"| {line}", what=f"line {index + 1}"):
            page.omit_more(block, index)
            return


# -- episodes, insights, exchanges, tools --------------------------------------


def _put_stage(memory: Memory, page: BudgetedLines) -> None:
    for episode in lookup.current_stages(memory):
        page.put(STAGE, episode.ref, stage_line(episode), (episode.opened,), what=episode.handle)


def _put_work(memory: Memory, page: BudgetedLines) -> None:
    """Open goals and tasks, the newest first, and the weightiest insights."""
    for ref in reversed(memory.episodes.open):
        episode = memory.episodes.by_ref[ref]
        if episode.work is None:
            continue
        if not page.put(
            WORK, episode.ref, open_work_lines(episode), (episode.opened,), what=episode.handle
        ):
            short = open_work_lines(episode, short=True)
            page.put(WORK, episode.ref, short, (episode.opened,), what=episode.handle, short=True)
    for index, insight in enumerate(islice(insights.list_insights(memory), FULL_INSIGHTS)):
        cites = [cite.n for cite in insight.cites]
        page.put(LEARNT, index, insight_line(insight), cites, what=insight.handle)


def _put_exchanges(memory: Memory, page: BudgetedLines) -> None:
    window = exchanges.list_kept_exchanges(memory)
    for index in range(len(window) - 1, -1, -1):
        episode = window[index]
        lines = exchange_lines(episode, short_forms.answer_text(memory, episode))
        if not page.put(EXCHANGES, episode.ref, lines, (episode.opened,), what=episode.handle):
            page.omit(EXCHANGES, [left.handle for left in window[:index]])
            return


def _put_at_hand(memory: Memory, page: BudgetedLines, name: str | None) -> None:
    """Tool results that may be served again, and what the participant was shown."""
    shown = {} if name is None else tool_cache.list_injections(memory, name)
    for index, (key, injection) in enumerate(shown.items()):
        page.put(SHOWN, index, injection_lines(key, injection), (injection.n,), what=key)
    for index, cached in enumerate(tool_cache.list_live_results(memory)):
        lines = cached_lines(memory, cached, short_forms.result_text(memory, cached))
        page.put(TOOLS, index, lines, (cached.n,), what=f"{cached.tool} n {cached.n}")
