"""The acts of a deliberation as methods, for whoever can `say`. Each gives what `say` does.

`re` is a handle (P3, D1), the `n` of a message, or the id of an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parley.bus.entries import Act
from parley.listeners.rooms.said import Said


class CanSay(Protocol):
    async def say(
        self,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
    ) -> Said: ...


class Acts:
    """One method an act. Those on an item may go without words: they say what they do."""

    async def propose(self: CanSay, content: str, *, topic: str | None = None) -> Said:
        return await self.say(content, act="propose", topic=topic)

    async def amend(self: CanSay, content: str, *, re: int | str) -> Said:
        """Put `content` in the place of proposal `re`."""
        return await self.say(content, act="amend", re=re)

    async def withdraw(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I withdraw {re}.", act="withdraw", re=re)

    async def support(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I support {re}.", act="support", re=re)

    async def oppose(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I oppose {re}.", act="oppose", re=re)

    async def abstain(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I abstain on {re}.", act="abstain", re=re)

    async def accept(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I accept {re}.", act="accept", re=re)

    async def reject(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I reject {re}.", act="reject", re=re)

    async def decide(
        self: CanSay, content: str, *, re: int | str | None = None, topic: str | None = None
    ) -> Said:
        return await self.say(content, act="decide", re=re, topic=topic)

    async def ratify(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I ratify {re}.", act="ratify", re=re)

    async def dispute(self: CanSay, content: str = "", *, re: int | str) -> Said:
        return await self.say(content or f"I dispute {re}.", act="dispute", re=re)

    async def ask(
        self: CanSay, content: str, *, re: int | str | None = None, to: Sequence[str] = ()
    ) -> Said:
        return await self.say(content, act="ask", re=re, to=to)

    async def inform(
        self: CanSay, content: str, *, re: int | str | None = None, to: Sequence[str] = ()
    ) -> Said:
        return await self.say(content, act="inform", re=re, to=to)
