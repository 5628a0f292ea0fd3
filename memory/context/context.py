"""The context that a listener needs to decide whether to speak, and what to say.

What rarely changes comes first (`prefix`), so that a provider's prompt cache serves it; after
the breakpoint comes what moves with every message (`tail`). While all messages fit the budget
they are shown, each once and whole. Beyond that summaries are in the prefix, and messages from
where they end (`recent_talk`). The prefix changes only when a summary, a revision or a shorter
form is made, a decision is ratified, disputed or superseded, an item is corrected or denied, an
episode or exchange closes, a lesson is imported, memory is compacted (as when `limits.session`
is held), settings change, or the talk no longer fits.

The size never exceeds the budget; what had to be left out or shortened is counted in one line.
Each decision and open proposal has one short line. Everything from the log is one visible line,
or fenced line by line: no content can pose as a heading or as somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Final, Literal

from parley.bus.entries import Record
from parley.memory.context import prefix, shared_decisions, tail
from parley.memory.context.brief_size import LONG, BriefSize, limit_brief
from parley.memory.context.item_lines import FRAME
from parley.memory.context.parts import Part, blocks_of
from parley.memory.context.recent_talk import RecentTalk, cut_talk, read_talk
from parley.memory.context.shared_decisions import Shared
from parley.memory.context.token_budget import Block, BlockChoice, BudgetedLines
from parley.memory.errors import ContextOverflow
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.text_sizes import measure_text

Profile = Literal["full", "brief", "raw", "history"]

_MARKER_TOKENS: Final = 120  # the line that counts what was left out, at its longest
_UNTIL_CUT: Final = 650  # per mille, beside a filled prefix, for summaries and what they end before


@dataclass(slots=True, frozen=True)
class Request:
    """Who asks for what: `budget` in tokens (the session's setting when None).

    Profiles: `full` to speak from; `brief` to decide whether to; `raw`, the
    participant's notebook alone; `history`, the lines that notebooks share. What
    an assistant is told is a list of messages, not a text: `chat_messages.prepare`.

    `recent` are the newest records of the log, oldest first; those that are not messages are
    passed over. A caller gives as many as may fit: `recent_talk.most_messages`.

    `shared` are other sessions by name, whose ratified decisions are shown as well.

    With `parts` only these are in a full or a brief context; () for all of them.
    """

    participant: str | None = None
    profile: Profile = "full"
    budget: int | None = None
    recent: Sequence[Record] = ()
    shared: Shared = ()
    parts: Sequence[Part] = ()


@dataclass(slots=True, frozen=True)
class Context:
    """What `assemble` gives: `size` ≤ budget, in tokens; `cites` are n, ascending.

    `dropped` counts by block what did not fit, `shortened` what is told in
    short; `choices` names each thing and its fate. `prefix_hash` names the bytes
    before the breakpoint, which are the first `prefix_chars` of `text`.
    """

    text: str
    blocks: tuple[Block, ...]
    size: int
    cites: tuple[int, ...]
    dropped: dict[str, int]
    shortened: dict[str, int]
    choices: tuple[BlockChoice, ...]
    prefix_hash: str
    prefix_chars: int


def assemble(memory: Memory, request: Request) -> Context:
    """The context that `request` asks for, never larger than its budget.

    Raises `ContextOverflow` if the budget is below the floor: the frame and the line that counts
    what was left out.
    """
    budget = _budget_of(memory, request)
    floor = measure_text(FRAME, "tokens") + _MARKER_TOKENS
    if budget < floor:
        raise ContextOverflow(budget, floor)
    name = None if request.participant is None else memory.named(request.participant)
    talk = read_talk(memory, name, request.recent, budget)
    if request.profile != "brief":
        return _assemble_within(memory, request, talk, budget - floor, None)
    if memory.messages < LONG:
        whole = _assemble_within(memory, request, talk, budget - floor, limit_brief(talk, budget))
        if not whole.dropped and not whole.shortened:
            return whole
    return _assemble_within(
        memory, request, talk, budget - floor, limit_brief(talk, budget, with_marker=True)
    )


def _budget_of(memory: Memory, request: Request) -> int:
    return memory.settings.context.budget_tokens if request.budget is None else request.budget


def _assemble_within(
    memory: Memory, request: Request, talk: RecentTalk, room: int, limit: BriefSize | None
) -> Context:
    """The context in `room` tokens beside its frame, and in the characters of `limit`."""
    frame = Block("frame", FRAME, measure_text(FRAME, "tokens"))
    portion = _budget_of(memory, request) * memory.settings.context.prefix_share // 1000
    share = max(0, min(portion - frame.size, room))
    only = blocks_of(request.parts)
    before, after = BudgetedLines(share, only=only), BudgetedLines(room, only=only)
    if limit is not None:
        before.chars, after.chars = limit.before, limit.after
    prefix.fill_prefix(memory, before, request.profile, request.participant, spare=room - share)
    others = _fill_rest(memory, request, talk, before, after, room - before.spent)
    return _join([frame, *before.blocks(prefix.BLOCKS)], before, after, others)


def _fill_rest(
    memory: Memory, request: Request, talk: RecentTalk,
    before: BudgetedLines, after: BudgetedLines, room: int,
) -> tuple[str, ...]:  # fmt: skip
    """Fill `after` in `room` tokens, and `before` with summaries; the names of shared blocks.

    What the prefix has left is kept for summaries until it is known that the talk fits.
    """
    full = request.profile == "full"
    kept = min(before.left, room) if full and memory.summaries and before.wants(prefix.NEAR) else 0
    after.left = room - kept
    if not full and request.profile != "brief":
        tail.fill_lines(memory, after, request.profile, request.participant)
        return ()
    share = _budget_of(memory, request) * shared_decisions.SHARE // 1000
    if before.chars is not None and after.chars is not None:
        after.chars += before.chars
    others = shared_decisions.fill_shared_decisions(after, request.shared, share)
    name = None if request.participant is None else memory.named(request.participant)
    tail.fill_items(memory, after, request.profile, name, talk)
    if not full:
        tail.put_recent(after, talk.newest(memory.settings.context.recent_brief))
        return others
    _fill_talk(memory, talk, before, after, kept, room)
    tail.shorten_own(memory, after, name)
    return others


def _fill_talk(
    memory: Memory, talk: RecentTalk,
    before: BudgetedLines, after: BudgetedLines, kept: int, room: int,
) -> None:  # fmt: skip
    """Put messages on `after`, and on `before` the summaries of those that are not shown.

    Summaries have the `kept` tokens, which messages have once the talk fits whole.
    """
    before.left = kept
    if not after.wants(tail.RECENT):
        prefix.put_summaries(memory, before, uncovered_summaries(memory))
    elif talk.fits_whole(after.left + kept):
        after.left += kept
        tail.put_whole(after, talk)
    elif not before.wants(prefix.NEAR):
        tail.put_recent(after, talk)
    else:
        until_cut = room * _UNTIL_CUT // 1000
        summaries = cut_talk(talk, until_cut, partial(prefix.price_summaries, memory, kept))
        prefix.put_summaries(memory, before, summaries)
        after.left += before.left
        tail.put_recent(after, talk.after(summaries[-1].last) if summaries else talk)


def _join(
    head: Sequence[Block], before: BudgetedLines, after: BudgetedLines, others: Sequence[str]
) -> Context:
    """The context of what both pages hold."""
    text = "\n\n".join(block.text for block in head) + "\n\n"
    dropped = {**before.counted("left out"), **after.counted("left out")}
    shortened = {**before.counted("short"), **after.counted("short")}
    rest = after.blocks((*others, *tail.BLOCKS))
    if marker := _marker(dropped, shortened):
        rest.append(Block("left out", marker, measure_text(marker, "tokens")))
    rest += after.blocks((tail.RECENT,))
    whole = text + "\n\n".join(block.text for block in rest)
    return Context(
        text=whole,
        blocks=(*head, *rest),
        size=measure_text(whole, "tokens"),
        cites=tuple(sorted(before.cites | after.cites)),
        dropped=dropped,
        shortened=shortened,
        choices=(*before.choices(), *after.choices()),
        prefix_hash=blake2b(text.encode(), digest_size=16).hexdigest(),
        prefix_chars=len(text),
    )


def _marker(dropped: dict[str, int], shortened: dict[str, int]) -> str:
    """The line that counts what is not there, or not whole; "" where all is.

    Blocks are named as long as the line has room for their names.
    """
    for named in range(len(dropped) + len(shortened), -1, -1):
        parts = []
        if dropped:
            parts.append("left out: " + _counts(dropped, named))
        if shortened:
            parts.append("in short: " + _counts(shortened, max(0, named - len(dropped))))
        marker = f"({'; '.join(parts)})" if parts else ""
        if measure_text(marker + "\n\n", "tokens") <= _MARKER_TOKENS:
            return marker
    return ""


def _counts(of: dict[str, int], most: int) -> str:
    named = [f"{count} of {name}" for name, count in list(of.items())[:most]]
    others = sum(list(of.values())[most:])
    return ", ".join([*named, f"{others} others"] if others else named)
