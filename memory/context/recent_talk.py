"""Which messages a context shows whole, and from which on summaries stand for them. Pure.

While all messages fit they are all shown, and no summary is. Beyond that the talk is cut at the
end of a summarised range: summaries before the cut, messages after it, nothing in both. The cut
moves only if a summary lands, or if the talk no longer fits: so the prefix of a context is the
same bytes in between.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.context.item_lines import visible_line
from parley.memory.context.token_budget import price_line
from parley.memory.state import lookup
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import Summary
from parley.memory.text.fences import quote_lines
from parley.memory.text.plain_text import clip

PAGE: Final = 500  # messages that a context may show: one page of a log
LEAST_PRICE: Final = 5  # tokens of a line without words: number and author
_LEAST_WEIGHT: Final = 19  # hundredths of a token that a character has at least (`text_sizes`)
SHORT_CHARS: Final = 240  # of a message in short: its first sentence or two
_NAME_CHARS: Final = 60
_KEPT_CHARS: Final = 4000  # of a message whose line is worth keeping for the next context


@dataclass(slots=True, frozen=True)
class MessageLine:
    """A message as a context shows it, with what the line costs in tokens."""

    n: int
    text: str
    cost: int
    whole: bool


@dataclass(slots=True, frozen=True)
class RecentTalk:
    """The newest messages that a reader may see, oldest first; `is_all` if there are no others."""

    memory: Memory
    records: Sequence[Record]
    is_all: bool

    def line(self, index: int, chars: int | None = None) -> MessageLine:
        """Message `index` on its line: whole, or its first `chars` characters."""
        return message_line(self.memory, self.records[index], chars)

    def fits_whole(self, room: int) -> bool:
        """True if these are all messages and each of them fits whole in `room` tokens."""
        return self.is_all and self.count_whole(room) == len(self.records)

    def count_whole(self, room: int, last: int | None = None) -> int:
        """How many of the newest messages, from entry `last` back, fit whole in `room` tokens."""
        count = 0
        for index in range(len(self.records) - 1, -1, -1):
            if last is None or self.records[index].n <= last:
                room -= self.line(index).cost
            if room < 0:
                break
            count += 1
        return count

    def after(self, n: int) -> RecentTalk:
        """The messages after entry `n`."""
        kept = [record for record in self.records if record.n > n]
        return RecentTalk(self.memory, kept, self.is_all and len(kept) == len(self.records))

    def newest(self, count: int) -> RecentTalk:
        """The newest `count` messages."""
        kept = self.records[max(0, len(self.records) - count) :]
        return RecentTalk(self.memory, kept, self.is_all and len(kept) == len(self.records))


def read_talk(
    memory: Memory, name: str | None, recent: Sequence[Record], budget: int
) -> RecentTalk:
    """The newest messages of `recent` that `name` may see, as they stand now.

    No more are looked at than may fit in `budget` tokens.
    """
    most = memory.settings.context.recent_full
    records: list[Record] = []
    left, said = budget * 100, 0
    for record in reversed(recent):
        if len(records) >= most or left < 0:
            break
        said += record.entry.kind == "message"
        if is_visible_message(memory, name, record):
            records.append(record)
            left -= _least_price(record)
    records.reverse()
    return RecentTalk(memory, records, said >= memory.messages)


def _least_price(record: Record) -> int:
    """Hundredths of a token that a message costs at least, whole or in short."""
    chars = min(SHORT_CHARS, len(getattr(record.entry, "content", "")))
    return 100 * LEAST_PRICE + _LEAST_WEIGHT * chars


def is_visible_message(memory: Memory, name: str | None, record: Record) -> bool:
    """True for messages as they stand, without what others than that canonical name only thought.

    Of one that was edited that is the entry of its newest words.
    """
    entry: Any = record.entry
    if memory.edited or entry.kind != "message":
        if not lookup.is_standing_talk(memory, record):
            return False
    elif not record.is_message:
        return False
    return entry.form != "reasoning" or name in (None, memory.named(entry.participant))


def most_messages(memory: Memory, profile: str, budget: int | None = None) -> int:
    """How many of the newest messages a caller should have at hand for `assemble`: at most a page.

    No more can fit in `budget` tokens (the session's setting when None).
    """
    if profile in ("raw", "history"):
        return 0
    shown = memory.settings.context
    tokens = shown.budget_tokens if budget is None else budget
    return min(PAGE, tokens // LEAST_PRICE)


def is_beyond(records: Sequence[Record], tokens: int) -> bool:
    """True if these messages are more than `tokens` hold: no earlier ones need be read."""
    return sum(map(_least_price, records)) > tokens * 100


# -- the cut -------------------------------------------------------------------


def cut_talk(
    talk: RecentTalk, room: int, price_summaries: Callable[[Sequence[Summary]], int]
) -> list[Summary]:
    """The summaries that stand for the earlier messages, in log order; the cut is their end.

    It is the earliest end of a range at which they, and what is summarised already of the messages
    behind it, are within `room` tokens: messages that are not summarised yet do not move it.
    """
    memory = talk.memory
    ends = sorted({summary.last for summary in memory.summaries.values()})
    if not ends:
        return []
    count = talk.count_whole(room, ends[-1])
    earliest = talk.records[-count].n - 1 if count else ends[-1]
    for end in ends[bisect_left(ends, earliest) :]:
        covers = _cover(memory, end)
        if covers and _price_between(talk, end, ends[-1]) + price_summaries(covers) <= room:
            return covers
    return _cover(memory, ends[-1])


def _price_between(talk: RecentTalk, after: int, last: int) -> int:
    """Tokens of the whole messages after entry `after` up to entry `last`."""
    lines = map(talk.line, range(len(talk.records) - 1, -1, -1))
    behind = takewhile(lambda line: line.n > after, lines)
    return sum(line.cost for line in behind if line.n <= last)


def _cover(memory: Memory, end: int) -> list[Summary]:
    """Summaries of all that was summarised up to entry `end`, without overlap; [] if none such are.

    Of ranges within each other the widest one is taken.
    """
    by_first: dict[int, list[Summary]] = {}
    for (_, first), summary in sorted(memory.summaries.items(), reverse=True):
        by_first.setdefault(first, []).append(summary)
    chosen: list[Summary] = []
    last = 0
    for first in sorted(by_first):
        if first <= last:
            continue
        if first > end:
            break
        widest = next((each for each in by_first[first] if each.last <= end), None)
        if widest is None or _is_covered(memory, last + 1, first):
            return []
        chosen.append(widest)
        last = widest.last
    return chosen if last == end else []


def _is_covered(memory: Memory, first: int, end: int) -> bool:
    """True if a summary is of some of the entries from `first` to before `end`."""
    if first >= end:
        return False
    return any(each.first < end and each.last >= first for each in memory.summaries.values())


# -- lines ---------------------------------------------------------------------


def message_line(memory: Memory, record: Record, chars: int | None = None) -> MessageLine:
    """One message: number, who and how, then its content, clipped and quoted.

    On one line, like an item: models that are shown names and bars on lines of their
    own write such lines themselves (docs/decisions/0031).
    """
    entry: Any = record.entry
    of = entry.of if entry.kind == "message.edited" else 0
    re = None if entry.re is None else str(entry.re)
    who, content = memory.named(entry.participant), entry.content
    given = (
        record.n,
        of,
        who,
        entry.act,
        re,
        content if chars is None else _keep_clip(content, chars),
    )
    whole = chars is None or len(content) <= chars
    text, cost = (_keep_line if len(given[-1]) <= _KEPT_CHARS else _write_line)(*given)
    return MessageLine(record.n, text, cost, whole)


def _write_line(
    n: int, of: int, who: str, act: str | None, re: str | None, content: str
) -> tuple[str, int]:
    about = [f"edited n {of}"] if of else []
    if act is not None:
        about.append(act)
    if re is not None:
        about.append(f"re {visible_line(re, 20)}")
    how = f" ({', '.join(about)})" if about else ""
    line = f"- n {n} {visible_line(who, _NAME_CHARS)}{how}: {quote_lines(content)}"
    return line, price_line(line)


_keep_line = lru_cache(maxsize=4096)(_write_line)
_keep_clip = lru_cache(maxsize=4096)(clip)
