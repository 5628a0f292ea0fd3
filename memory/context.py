"""The context that a listener needs to decide whether to speak, and what to say.

Blocks stand with the rarely changing first: frame, summaries of higher levels,
the ledger of decisions, newest summaries; then, after the breakpoint, what
moves with every message. The part before it changes only when a summary is
made, a decision is ratified, disputed or superseded, an item is corrected or
settings change, so a provider's prompt cache serves it in between. It is
filled within its own share of the budget without a look at the rest.

The size never exceeds the budget; what had to be left out is counted in the
last line but the messages. Everything from the log is one visible line, or
fenced line by line: no content can pose as a heading or as somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal

from bus.entries import Record
from memory.errors import ContextOverflow
from memory.items import Decision, Proposal, Summary
from memory.page import Block, Page
from memory.render import (
    FRAME,
    claim_line,
    decision_line,
    dissent_line,
    echo_line,
    ledger_line,
    message_lines,
    position_line,
    proposal_line,
    proposal_short,
    summary_lines,
)
from memory.state import Memory
from memory.summaries import frontier
from memory.text import measure

Profile = Literal["full", "brief", "raw"]

FULL_POSITIONS: Final = 5  # own positions shown; the newest first
MESSAGE_CHARS: Final = 4000  # one pasted log must not displace the talk

FAR = "Session So Far"
LEDGER = "Key Decisions Made"
NEAR = "Earlier Discussion Summary"
OPEN = "Active Proposals"
OWN = "Your Previous Position"
ECHOES = "Already Discussed"
CLAIMS = "Claimed, Not Ratified"
DISSENT = "Dissent on Record"
RECENT = "Recent Messages"

_BEFORE_BREAK: Final = (FAR, LEDGER, NEAR)
_AFTER_BREAK: Final = (OPEN, OWN, ECHOES, CLAIMS, DISSENT)
_MARKER_TOKENS: Final = 60  # the line that counts what was left out, at its longest


@dataclass(slots=True, frozen=True)
class Request:
    """Who asks for what: `budget` in tokens (the session's setting when None).

    `recent` are the newest records of the log, oldest first; those that are not
    messages are passed over, and no more than the profile shows are used.
    """

    participant: str | None = None
    profile: Profile = "full"
    budget: int | None = None
    recent: Sequence[Record] = ()


@dataclass(slots=True, frozen=True)
class Context:
    """What `assemble` gives: `size` ≤ budget, in tokens; `cites` are n, ascending.

    `dropped` counts by block what did not fit. `prefix_hash` names the bytes
    before the breakpoint, which are the first `prefix_chars` of `text`.
    """

    text: str
    blocks: tuple[Block, ...]
    size: int
    cites: tuple[int, ...]
    dropped: dict[str, int]
    prefix_hash: str
    prefix_chars: int


def assemble(memory: Memory, request: Request) -> Context:
    """The context that `request` asks for, never larger than its budget.

    Raises `ContextOverflow` where the budget is below the floor: the frame and
    the line that counts what was left out.
    """
    settings = memory.settings.context
    budget = settings.budget_tokens if request.budget is None else request.budget
    frame = Block("frame", FRAME, measure(FRAME, "tokens"))
    floor = frame.size + _MARKER_TOKENS
    if budget < floor:
        raise ContextOverflow(budget, floor)
    before = Page(
        max(0, min(budget * settings.prefix_share // 1000, budget - _MARKER_TOKENS) - frame.size)
    )
    if request.profile != "raw":
        _fill_prefix(memory, before, request.profile)
    head = [frame, *before.blocks(_BEFORE_BREAK)]
    prefix = "\n\n".join(block.text for block in head) + "\n\n"
    after = Page(budget - measure(prefix, "tokens") - _MARKER_TOKENS)
    _fill_tail(memory, after, request)
    dropped = {**before.dropped, **after.dropped}
    tail = after.blocks(_AFTER_BREAK)
    if dropped:
        marker = _marker(dropped)
        tail.append(Block("left out", marker, measure(marker, "tokens")))
    tail += after.blocks((RECENT,))
    text = prefix + "\n\n".join(block.text for block in tail)
    return Context(
        text=text,
        blocks=(*head, *tail),
        size=measure(text, "tokens"),
        cites=tuple(sorted(before.cites | after.cites)),
        dropped=dropped,
        prefix_hash=blake2b(prefix.encode(), digest_size=16).hexdigest(),
        prefix_chars=len(prefix),
    )


def _marker(dropped: dict[str, int]) -> str:
    counts = ", ".join(f"{count} of {name}" for name, count in dropped.items())
    return f"(left out for want of room: {counts})"


def _fill_prefix(memory: Memory, page: Page, profile: Profile) -> None:
    """The ledger as handles and topics first, then summaries, then decisions in full."""
    ledger = [
        decision
        for decision in memory.decisions.values()
        if decision.status in ("ratified", "disputed") and _stands(decision)
    ]
    kept: list[Decision] = []
    for decision in reversed(ledger):
        if not page.put(LEDGER, decision.ref, ledger_line(decision), (decision.born,)):
            break
        kept.append(decision)
    page.drop(LEDGER, len(ledger) - len(kept))
    if profile == "full":
        _put_summaries(memory, page)
    for decision in kept:
        if page.left and not decision.shrunk:
            page.put(LEDGER, decision.ref, decision_line(decision))


def _stands(item: Proposal | Decision) -> bool:
    return not item.struck and item.merged is None


def _put_summaries(memory: Memory, page: Page) -> None:
    standing = frontier(memory)
    shown = [summary for summary in standing if summary.level > 0]
    near = [summary for summary in standing if summary.level == 0]
    newest = sorted((key for key in memory.summaries if key[0] == 0), reverse=True)
    for key in newest[: memory.settings.context.summaries]:
        if memory.summaries[key] not in near:
            near.append(memory.summaries[key])
    near.sort(key=lambda summary: summary.first)
    for block, summaries in ((NEAR, near), (FAR, shown)):
        for summary in reversed(summaries):
            _put_summary(page, block, summary)


def _put_summary(page: Page, block: str, summary: Summary) -> None:
    if not page.put(block, summary.first, summary_lines(summary), (summary.first, summary.last)):
        page.drop(block)


def _fill_tail(memory: Memory, page: Page, request: Request) -> None:
    messages = _recent(memory, request)
    if request.profile != "raw":
        active = [memory.proposals[ref] for ref in sorted(memory.live, reverse=True)]
        _put_proposals(page, active)
        if request.profile == "full":
            _put_own(memory, page, request.participant)
            _put_echoes(memory, page, active)
    _put_messages(memory, page, messages)
    if request.profile != "raw":
        for proposal in active:
            if not proposal.shrunk:
                page.put(OPEN, proposal.ref, proposal_line(proposal))
        if request.profile == "full":
            _put_unsettled(memory, page)


def _recent(memory: Memory, request: Request) -> list[Record]:
    settings = memory.settings.context
    count = settings.recent_brief if request.profile == "brief" else settings.recent_full
    found = [record for record in request.recent if record.entry.kind == "message"]
    return found[max(0, len(found) - count) :]


def _put_proposals(page: Page, active: list[Proposal]) -> None:
    """Every active proposal on a short line, the newest first; the longer lines come last."""
    for index, proposal in enumerate(active):
        if not page.put(OPEN, proposal.ref, proposal_short(proposal), (proposal.born,)):
            page.drop(OPEN, len(active) - index)
            return


def _put_own(memory: Memory, page: Page, participant: str | None) -> None:
    person = None if participant is None else memory.participants.get(memory.named(participant))
    if person is None:
        return
    held = sorted(person.positions.values(), key=lambda one: (one.cite.n, one.on), reverse=True)
    held.sort(key=lambda one: one.on != person.last)
    for index, position in enumerate(held[:FULL_POSITIONS]):
        if not page.put(OWN, index, position_line(memory, position), (position.cite.n,)):
            page.drop(OWN)
    page.drop(OWN, max(0, len(held) - FULL_POSITIONS))


def _put_echoes(memory: Memory, page: Page, active: list[Proposal]) -> None:
    for proposal in active:
        earlier = None if proposal.echoes is None else memory.proposal(proposal.echoes)
        if earlier is None:
            continue
        if not page.put(ECHOES, proposal.ref, echo_line(proposal, earlier), (earlier.born,)):
            page.drop(ECHOES)


def _put_messages(memory: Memory, page: Page, messages: list[Record]) -> None:
    for index, record in enumerate(reversed(messages)):
        chars = MESSAGE_CHARS
        while chars and not page.put(
            RECENT, record.n, message_lines(memory, record, chars), (record.n,)
        ):
            chars = chars // 2 if index == 0 and chars > 40 else 0
        if not chars:
            page.drop(RECENT, len(messages) - index)
            return


def _put_unsettled(memory: Memory, page: Page) -> None:
    """Claims that bind nobody yet, and who dissents from what binds."""
    for decision in list(memory.decisions.values())[-memory.settings.context.recent_full :]:
        if not _stands(decision):
            continue
        if decision.status == "claimed":
            block, line = CLAIMS, claim_line(decision)
        elif decision.status in ("ratified", "disputed") and decision.dissenters:
            block, line = DISSENT, dissent_line(decision)
        else:
            continue
        if not page.put(block, decision.ref, line, (decision.born,)):
            page.drop(block)
