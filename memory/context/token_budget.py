"""A page with a budget: lines by block, each paid for in tokens when it is put."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from parley.memory.text.text_sizes import count_tokens

_SHORT: Final = 1_500  # characters of a line whose price is worth remembering

_HEADING_CHARS: Final = len("\n## \n")

Fate = Literal["whole", "short", "left out"]


@dataclass(slots=True, frozen=True)
class Block:
    """A titled part of the context; `size` in tokens."""

    name: str
    text: str
    size: int


@dataclass(slots=True, frozen=True)
class BlockChoice:
    """What became of one thing that a context might have shown: `what` is a handle or an n."""

    block: str
    what: str
    fate: Fate


@lru_cache(maxsize=16_384)
def _choice(block: str, what: str, fate: Fate) -> BlockChoice:
    """The same things meet the same fates in one context after the other."""
    return BlockChoice(block, what, fate)


def price_line(line: str) -> int:
    """Tokens that `line` costs, its line feed included."""
    return _price(line) if len(line) <= _SHORT else count_tokens(line + "\n")


@lru_cache(maxsize=8_192)
def _price(line: str) -> int:
    """What `line` costs, kept: the same short lines stand in one context after the other."""
    return count_tokens(line + "\n")


@dataclass(slots=True)
class BudgetedLines:
    """Lines by block, within a budget of tokens: each line is paid for when it is put.

    With `chars` the lines and headings are within as many characters as well. With `only`
    lines of other blocks are passed over: they cost nothing and count as not asked for.
    """

    left: int
    chars: int | None = None
    only: frozenset[str] | None = None  # names of blocks
    spent: int = 0
    lines: dict[str, dict[int, str]] = field(default_factory=dict)
    cites: set[int] = field(default_factory=set)
    fates: dict[tuple[str, str], Fate] = field(default_factory=dict)
    more: dict[str, int] = field(default_factory=dict)  # left out, too many to name

    def wants(self, block: str) -> bool:
        """True if lines of `block` are taken."""
        return self.only is None or block in self.only

    def put(
        self,
        block: str,
        key: int,
        line: str,
        cites: Iterable[int] = (),
        *,
        what: str,
        short: bool = False,
        cost: int | None = None,
    ) -> bool:
        """Take `line` in under `key`, which orders the block; False if it does not fit.

        A line put again replaces the one before. `what` it shows is noted
        either way: whole, in short, or left out. `cost` is what it costs, where that is known.
        """
        if not self.wants(block):
            return True
        cost, chars = price_line(line) if cost is None else cost, len(line) + 1
        if block not in self.lines:
            cost += price_line(f"\n## {block}")
            chars += len(block) + _HEADING_CHARS
        before = self.lines.get(block, {}).get(key)
        if before is not None:
            cost -= price_line(before)
            chars -= len(before) + 1
        if cost > self.left or (self.chars is not None and chars > self.chars):
            self.fates.setdefault((block, what), "left out")
            return False
        self.left -= cost
        self.spent += cost
        if self.chars is not None:
            self.chars -= chars
        self.lines.setdefault(block, {})[key] = line
        self.cites.update(cites)
        self.fates[block, what] = "short" if short else "whole"
        return True

    def omit(self, block: str, whats: Sequence[str]) -> None:
        """Note what is left out without having been tried."""
        for what in whats if self.wants(block) else ():
            self.fates.setdefault((block, what), "left out")

    def omit_more(self, block: str, count: int) -> None:
        """Note that `count` things are left out which the page cannot name."""
        if count and self.wants(block):
            self.more[block] = self.more.get(block, 0) + count

    def adopt(self, other: BudgetedLines) -> None:
        """Take all that is on `other`, which began with what this page has left, as well."""
        self.left, self.chars = other.left, other.chars
        self.spent += other.spent
        for block, lines in other.lines.items():
            self.lines.setdefault(block, {}).update(lines)
        self.cites |= other.cites
        self.fates.update(other.fates)
        self.more.update(other.more)

    @contextmanager
    def limited(self, tokens: int) -> Iterator[None]:
        """Within it at most `tokens` of what is left are spent."""
        aside = max(0, self.left - max(0, tokens))
        self.left -= aside
        yield
        self.left += aside

    def counted(self, fate: Fate) -> dict[str, int]:
        """How many things met `fate`, by block."""
        counts = dict(self.more) if fate == "left out" else {}
        for (block, _), met in self.fates.items():
            if met == fate:
                counts[block] = counts.get(block, 0) + 1
        return counts

    def choices(self) -> tuple[BlockChoice, ...]:
        return tuple(_choice(block, what, fate) for (block, what), fate in self.fates.items())

    def blocks(self, names: Sequence[str]) -> list[Block]:
        made = []
        for name in names:
            if name in self.lines:
                body = "\n".join(line for _, line in sorted(self.lines[name].items()))
                text = f"## {name}\n{body}"
                made.append(Block(name, text, count_tokens(text)))
        return made
