"""The part of a context behind its breakpoint: what moves with every message."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.context.item_lines import (
    claimed_decision_line,
    dissent_line,
    echo_line,
    message_lines,
    model_claim_line,
    position_line,
    proposal_line,
    proposal_short,
)
from parley.memory.context.layer_lines import (
    cached_lines,
    exchange_lines,
    injection_lines,
    insight_line,
    open_work_lines,
    stage_line,
)
from parley.memory.context.token_budget import BudgetedLines
from parley.memory.context.vote_lines import failed_vote_line, vote_lines
from parley.memory.exchanges import exchanges, tool_cache
from parley.memory.extraction.model_claims.item_overlay import ClaimOverlay, overlay_claims
from parley.memory.goals import insights
from parley.memory.notebooks import notebooks
from parley.memory.state import lookup
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.summaries import short_forms

STAGE = "Where We Are"
VOTES = "Votes"
WORK = "Work in Hand"
LEARNT = "What Was Learnt"
OPEN = "Active Proposals"
OWN = "Your Previous Position"
ECHOES = "Already Discussed"
CLAIMS = "Claimed, Not Ratified"
READ = "Read by a Model"
DISSENT = "Dissent on Record"
SINCE = "Since Your Last Revision"
HISTORY = "History"
SHOWN = "What You Were Shown"
TOOLS = "Tool Results, as Participants Gave Them"
EXCHANGES = "Recent Exchanges"
RECENT = "Recent Messages"

BLOCKS: Final = (
    STAGE, VOTES, WORK, LEARNT, OPEN, OWN, ECHOES, CLAIMS, READ, DISSENT, HISTORY, SINCE, SHOWN,
    TOOLS, EXCHANGES,
)  # fmt: skip

FULL_POSITIONS: Final = 5  # own positions shown; the newest first
FULL_INSIGHTS: Final = 10  # the weightiest
LOST_VOTES: Final = 3  # closed votes that carried nothing; the newest on what is still open
MESSAGE_CHARS: Final = 4000  # one pasted log must not displace the talk
SHORT_CHARS: Final = 240  # of a message in short: its first sentence or two
LEAST_CHARS: Final = 40  # of the newest one, where hardly anything fits


def fill_tail(
    memory: Memory,
    page: BudgetedLines,
    profile: str,
    participant: str | None,
    recent: Sequence[Record],
) -> None:
    """Fill `page` for that profile."""
    name = None if participant is None else memory.named(participant)
    if profile in ("raw", "history"):
        _put_lines(memory, page, SINCE if profile == "raw" else HISTORY, name)
        return
    _put_stage(memory, page)
    _put_votes(memory, page, name)
    read = overlay_claims(memory)
    active = [memory.proposals[ref] for ref in sorted(memory.live, reverse=True)]
    active = [proposal for proposal in active if proposal.handle not in read.retracted]
    active.sort(key=lambda proposal: proposal.tentative)
    _put_proposals(page, active)
    if profile == "full":
        _put_own(memory, page, name)
        _put_echoes(memory, page, active)
        _put_work(memory, page)
    _put_messages(memory, page, _recent(memory, profile, name, recent))
    for proposal in active:
        if not proposal.shrunk:
            page.put(OPEN, proposal.ref, proposal_line(proposal), what=proposal.handle)
    if profile == "full":
        _put_unsettled(memory, page, read)
        _put_read(memory, page, read)
        _put_at_hand(memory, page, name)
        _put_exchanges(memory, page)
        _put_lines(memory, page, SINCE, name)


def _recent(
    memory: Memory, profile: str, name: str | None, recent: Sequence[Record]
) -> list[Record]:
    """The newest messages, without what others only thought to themselves."""
    settings = memory.settings.context
    count = settings.recent_brief if profile == "brief" else settings.recent_full
    records = [record for record in recent if is_visible_message(memory, name, record)]
    return records[max(0, len(records) - count) :]


def is_visible_message(memory: Memory, name: str | None, record: Record) -> bool:
    """True for messages as they stand, without what others than that canonical name only thought.

    Of one that was edited that is the entry of its newest words.
    """
    entry: Any = record.entry
    if not lookup.is_standing_talk(memory, record):
        return False
    return entry.form != "reasoning" or name in (None, memory.named(entry.participant))


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


def _put_proposals(page: BudgetedLines, active: list[Proposal]) -> None:
    """Every active proposal on a short line, the newest first; the longer lines come last."""
    for index, proposal in enumerate(active):
        if not page.put(
            OPEN, proposal.ref, proposal_short(proposal), (proposal.born,), what=proposal.handle
        ):
            page.omit(OPEN, [left.handle for left in active[index:]])
            return


def _put_own(memory: Memory, page: BudgetedLines, name: str | None) -> None:
    person = None if name is None else memory.participants.get(name)
    if person is None:
        return
    positions = sorted(
        person.positions.values(), key=lambda position: (position.cite.n, position.on), reverse=True
    )
    positions.sort(key=lambda position: position.on != person.last)
    for index, position in enumerate(positions[:FULL_POSITIONS]):
        line = position_line(memory, position)
        page.put(OWN, index, line, (position.cite.n,), what=position.on)
    page.omit(OWN, [position.on for position in positions[FULL_POSITIONS:]])


def _put_echoes(memory: Memory, page: BudgetedLines, active: list[Proposal]) -> None:
    for proposal in active:
        earlier = None if proposal.echoes is None else memory.proposal(proposal.echoes)
        if earlier is not None:
            line = echo_line(memory, proposal, earlier)
            page.put(ECHOES, proposal.ref, line, (earlier.born,), what=proposal.handle)


def _put_unsettled(memory: Memory, page: BudgetedLines, read: ClaimOverlay) -> None:
    """Claims that bind nobody yet, and who dissents from what binds."""
    for decision in list(memory.decisions.values())[-memory.settings.context.recent_full :]:
        if not decision.stands or decision.handle in read.retracted:
            continue
        if decision.status == "claimed":
            block, line = CLAIMS, claimed_decision_line(decision)
        elif decision.binds and decision.dissenters:
            block, line = DISSENT, dissent_line(decision)
        else:
            continue
        page.put(block, decision.ref, line, (decision.born,), what=decision.handle)


def _put_read(memory: Memory, page: BudgetedLines, read: ClaimOverlay) -> None:
    """What a model alone found, the newest first: it binds nobody."""
    claimed_items = [
        claimed_item for claimed_item in read.items.values() if claimed_item.status == "claimed"
    ]
    shown = claimed_items[-memory.settings.context.recent_full :][::-1]
    for index, claimed_item in enumerate(shown):
        if not page.put(
            READ,
            index,
            model_claim_line(claimed_item),
            (claimed_item.born,),
            what=claimed_item.handle,
        ):
            page.omit(READ, [left.handle for left in shown[index:]])
            return


# -- messages and lines --------------------------------------------------------


def _put_messages(memory: Memory, page: BudgetedLines, messages: list[Record]) -> None:
    """The newest message whole, the others in short, and those whole again that have room.

    Under a small budget the run of the talk is worth more than one more long message.
    """
    if not messages or not _put_newest(memory, page, messages):
        return
    shown = []
    for index in range(len(messages) - 2, -1, -1):
        if not _put_message(memory, page, messages[index], SHORT_CHARS):
            page.omit(RECENT, [f"n {record.n}" for record in messages[:index]])
            break
        shown.append(messages[index])
    for record in shown:
        if len(getattr(record.entry, "content", "")) > SHORT_CHARS:
            _put_message(memory, page, record, MESSAGE_CHARS)


def _put_newest(memory: Memory, page: BudgetedLines, messages: list[Record]) -> bool:
    """The newest message as long as it fits; False where nothing of it does."""
    chars = MESSAGE_CHARS
    while not _put_message(memory, page, messages[-1], chars):
        if chars <= LEAST_CHARS:
            page.omit(RECENT, [f"n {record.n}" for record in messages[:-1]])
            return False
        chars //= 2
    return True


def _put_message(memory: Memory, page: BudgetedLines, record: Record, chars: int) -> bool:
    return page.put(
        RECENT,
        record.n,
        message_lines(memory, record, chars),
        (record.n,),
        what=f"n {record.n}",
        short=len(getattr(record.entry, "content", "")) > chars,
    )


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
