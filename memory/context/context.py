"""The context that a listener needs to decide whether to speak, and what to say.

Blocks stand with the rarely changing first (`prefix`); after the breakpoint
comes what moves with every message (`tail`). The prefix changes only when a
summary, a revision or a shorter form is made, a decision is ratified, disputed
or superseded, an item is corrected, an episode or exchange closes, a lesson is
imported, memory is compacted (as when `limits.session` is held) or settings
change; so a provider's prompt cache serves it in between. It is filled within its
own share of the budget without a look at the rest.

The size never exceeds the budget; what had to be left out or told in short is
counted in one line. Everything from the log is one visible line, or fenced line
by line: no content can pose as a heading or as somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal

from parley.bus.entries import Record
from parley.memory.context import prefix, shared_decisions, tail
from parley.memory.context.item_lines import FRAME
from parley.memory.context.shared_decisions import Shared
from parley.memory.context.token_budget import Block, BlockChoice, BudgetedLines
from parley.memory.errors import ContextOverflow
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import measure_text

Profile = Literal["full", "brief", "raw", "history"]

_MARKER_TOKENS: Final = 120  # the line that counts what was left out, at its longest


@dataclass(slots=True, frozen=True)
class Request:
    """Who asks for what: `budget` in tokens (the session's setting when None).

    Profiles: `full` to speak from; `brief` to decide whether to; `raw`, the
    participant's notebook alone; `history`, the lines that notebooks share. What
    an assistant is told is a list of messages, not a text: `chat_messages.prepare`.

    `recent` are the newest records of the log, oldest first; those that are not
    messages are passed over, and no more than the profile shows are used.

    `shared` are other sessions by name, whose ratified decisions are shown as well.
    """

    participant: str | None = None
    profile: Profile = "full"
    budget: int | None = None
    recent: Sequence[Record] = ()
    shared: Shared = ()


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

    Raises `ContextOverflow` where the budget is below the floor: the frame and
    the line that counts what was left out.
    """
    settings = memory.settings.context
    budget = settings.budget_tokens if request.budget is None else request.budget
    frame = Block("frame", FRAME, measure_text(FRAME, "tokens"))
    floor = frame.size + _MARKER_TOKENS
    if budget < floor:
        raise ContextOverflow(budget, floor)
    room = budget - floor
    share = max(0, min(budget * settings.prefix_share // 1000 - frame.size, room))
    before = BudgetedLines(share)
    prefix.fill_prefix(memory, before, request.profile, request.participant, spare=room - share)
    head = [frame, *before.blocks(prefix.BLOCKS)]
    text = "\n\n".join(block.text for block in head) + "\n\n"
    after = BudgetedLines(budget - measure_text(text, "tokens") - _MARKER_TOKENS)
    others = shared_decisions.fill_shared_decisions(
        after, request.shared, budget * shared_decisions.SHARE // 1000
    )
    tail.fill_tail(memory, after, request.profile, request.participant, request.recent)
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
            parts.append("left out for want of room: " + _counts(dropped, named))
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
