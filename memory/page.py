"""A page with a budget: lines by block, each paid for in tokens when it is put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.text import measure


@dataclass(slots=True, frozen=True)
class Block:
    """A titled part of the context; `size` in tokens."""

    name: str
    text: str
    size: int


@dataclass(slots=True)
class Page:
    """Lines by block, within a budget: each line is paid for when it is put."""

    left: int
    lines: dict[str, dict[int, str]] = field(default_factory=dict)
    cites: set[int] = field(default_factory=set)
    dropped: dict[str, int] = field(default_factory=dict)

    def put(self, block: str, key: int, line: str, cites: Sequence[int] = ()) -> bool:
        """Take `line` in under `key`, which orders the block; False where it does not fit."""
        cost = measure(line + "\n", "tokens")
        if block not in self.lines:
            cost += measure(f"\n## {block}\n", "tokens")
        before = self.lines.get(block, {}).get(key)
        if before is not None:
            cost -= measure(before + "\n", "tokens")
        if cost > self.left:
            return False
        self.left -= cost
        self.lines.setdefault(block, {})[key] = line
        self.cites.update(cites)
        return True

    def drop(self, block: str, count: int = 1) -> None:
        if count:
            self.dropped[block] = self.dropped.get(block, 0) + count

    def blocks(self, names: Sequence[str]) -> list[Block]:
        made = []
        for name in names:
            if name in self.lines:
                body = "\n".join(line for _, line in sorted(self.lines[name].items()))
                text = f"## {name}\n{body}"
                made.append(Block(name, text, measure(text, "tokens")))
        return made
