"""The acts of a deliberation as methods, for whoever can `say`. Each gives the message's `n`.

`re` is a handle (P3, D1), the `n` of a message, or the id of an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parley.bus.entries import Act


class CanSay(Protocol):
    async def say(
        self,
        text: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
    ) -> int: ...


class Acts:
    """One method an act. Those on an item may go without words: they say what they do."""

    async def propose(self: CanSay, text: str, *, topic: str | None = None) -> int:
        return await self.say(text, act="propose", topic=topic)

    async def amend(self: CanSay, text: str, *, re: int | str) -> int:
        """Put `text` in the place of proposal `re`."""
        return await self.say(text, act="amend", re=re)

    async def withdraw(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I withdraw {re}.", act="withdraw", re=re)

    async def support(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I support {re}.", act="support", re=re)

    async def oppose(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I oppose {re}.", act="oppose", re=re)

    async def abstain(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I abstain on {re}.", act="abstain", re=re)

    async def accept(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I accept {re}.", act="accept", re=re)

    async def reject(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I reject {re}.", act="reject", re=re)

    async def decide(
        self: CanSay, text: str, *, re: int | str | None = None, topic: str | None = None
    ) -> int:
        return await self.say(text, act="decide", re=re, topic=topic)

    async def ratify(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I ratify {re}.", act="ratify", re=re)

    async def dispute(self: CanSay, text: str = "", *, re: int | str) -> int:
        return await self.say(text or f"I dispute {re}.", act="dispute", re=re)

    async def ask(
        self: CanSay, text: str, *, re: int | str | None = None, to: Sequence[str] = ()
    ) -> int:
        return await self.say(text, act="ask", re=re, to=to)

    async def inform(
        self: CanSay, text: str, *, re: int | str | None = None, to: Sequence[str] = ()
    ) -> int:
        return await self.say(text, act="inform", re=re, to=to)
