"""An assistant on a session: questions and answers, tools, and what is on the user's screen.

    assistant = SessionClient(bus, packs, "desk", "helper").assistant
    await assistant.open()
    messages = await assistant.prepare_messages("How warm is it?")
    ...
    await assistant.finalize("How warm is it?", "21 degrees.")

Nothing is kept in this object: everything is in the log, so any process may go
on where another stopped.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import orjson

from parley.bus import Draft, Receipt
from parley.bus.contract.drafts import new_id
from parley.bus.contract.errors import SessionExists
from parley.bus.entries import (
    ContextInjected,
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    Message,
    PackRef,
    SessionOpened,
    ToolReturned,
)
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.tools.toolbox import Arguments, Toolbox, ToolResult
from parley.memory.context.chat_messages import (
    Chat,
    ChatMessages,
    injection_message,
    prepare_messages,
    tool_call_messages,
)
from parley.memory.exchanges.exchanges import open_exchange
from parley.memory.exchanges.tool_cache import hash_content, list_injections
from parley.memory.exchanges.tool_keys import encode_canonical
from parley.memory.settings.presets import load_preset, opening_tree
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.state.exchange_state import Injection
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip

RECENT: Final = 50  # messages of the open exchange that are shown
_TAIL: Final = 200  # entries among which one that was sent again is looked for
USER: Final = "user"


@dataclass(frozen=True, slots=True)
class PrefetchedResult:
    """A tool's result that was fetched before anybody asked for it."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    ttl: int | None = None
    version: str = ""


class Assistant:
    """A participant that answers `user` in a session."""

    def __init__(self, access: SessionAccess, user: str = USER) -> None:
        self._access, self._user = access, user
        self._participant = access.participant
        self.tools = Toolbox(access)

    async def open(self, packs: tuple[PackRef, ...] = (), **settings: Any) -> None:
        """Open the session with the preset `assistant`, unless it is there."""
        own = {"exchange": {"users": [self._user]}, **settings}
        tree = opening_tree(overlay_trees(load_preset("assistant"), own))
        with contextlib.suppress(SessionExists):
            await self._access.bus.open(
                self._access.session, SessionOpened(settings=tree, packs=packs)
            )

    async def prepare_messages(
        self, question: str | None = None, *, budget: int | None = None
    ) -> list[Chat]:
        """What to send to a model so that it answers `question`, or what was asked last.

        Raises `ContextOverflow` where the budget is below the frame and the question.
        """
        access = self._access
        prompt = await prepare_messages_for(
            access.reader, access.session, self._participant, question, budget
        )
        return list(prompt.messages)

    async def finalize(self, question: str, answer: str, id: str | None = None) -> int:
        """Close the exchange: question and answer, unless said before, and its end. The turn.

        With an `id` of your own, doing it again soon changes nothing.
        """
        if id is not None and await self._is_done(f"exchange:{id}:end"):
            return (await self._access.memory()).exchanges.turn
        memory = await self._access.memory()
        own = id or new_id()
        entries = self._ending(memory, question, answer)
        drafts = [Draft(f"exchange:{own}:{name}", entry) for name, entry in entries.items()]
        await self._access.bus.publish(self._access.session, drafts)
        return (await self._access.memory()).exchanges.turn

    async def _is_done(self, id: str) -> bool:
        return any(
            record.id == id for record in await self._access.bus.tail(self._access.session, _TAIL)
        )

    def _ending(self, memory: Memory, question: str, answer: str) -> dict[str, Entry]:
        """What is missing in the log of the exchange that ends."""
        entries: dict[str, Entry] = {}
        exchange = open_exchange(memory)
        talk = None if exchange is None else exchange.talk
        if talk is None and memory.named(self._user) not in memory.users:
            entries["open"] = EpisodeOpened(
                participant=self._user, episode="exchange", title=question
            )
        short = clip(question, memory.settings.limits.context_text)
        if talk is None or not talk.question_n or talk.question != short:
            entries["question"] = Message(participant=self._user, content=question)
        entries["answer"] = Message(participant=self._participant, content=answer)
        entries["end"] = EpisodeClosed(participant=self._participant, episode="exchange")
        return entries

    async def add_tool_result(
        self, tool: str, arguments: Arguments, result: str, ttl: int | None = None
    ) -> Receipt:
        """Keep a read-only tool's result for `ttl` exchanges (the session's `cache.ttl`)."""
        return await self.tools.put(tool, arguments, result, ttl=ttl)

    async def lookup_tool(self, tool: str, arguments: Arguments) -> ToolResult | None:
        """A kept result, which a hit keeps for longer; None on a miss."""
        return await self.tools.lookup(tool, arguments)

    async def inject_screen_context(
        self, screen: str, content: str, results: Sequence[PrefetchedResult] = ()
    ) -> list[Chat]:
        """Note what is on the screen, and what was fetched for it, once for each content.

        The messages to show; [] while they are in the window of exchanges
        already. Of two calls at once, in whatever process, one gets them.
        """
        memory = await self._access.memory()
        shown = memory.tools.injected.get(memory.named(self._participant), {}).get(screen)
        seen = list_injections(memory, self._participant).get(screen)
        digest = hash_content(content)
        if seen is not None and seen.hash == digest:
            return []
        before = 0 if shown is None else shown.n
        own = _id(self._participant, screen, digest, before)
        noted = ContextInjected(participant=self._participant, key=screen, content=content)
        returned = [self._fetched(prefetched, own) for prefetched in results]
        first, *_ = await self._access.bus.publish(
            self._access.session,
            [Draft(own, noted), *(Draft(f"{own}:{_digest(entry)}", entry) for entry in returned)],
        )
        if first.duplicate:
            return []
        text = clip(content, memory.settings.limits.context_text)
        messages = [injection_message(screen, Injection(hash=digest, n=first.n, turn=0, text=text))]
        for entry in returned:
            arguments = encode_canonical(entry.arguments) or "{}"
            messages += tool_call_messages(entry.call_id, entry.tool, arguments, entry.content)
        return messages

    def _fetched(self, prefetched: PrefetchedResult, own: str) -> ToolReturned:
        arguments = encode_canonical(prefetched.arguments)
        call = _short(prefetched.tool, prefetched.version, arguments)
        return ToolReturned(
            participant=self._participant,
            tool=prefetched.tool,
            call_id=f"{own[-8:]}-{call}",
            content=prefetched.result,
            arguments=prefetched.arguments,
            version=prefetched.version,
            read_only=True,
            ttl=prefetched.ttl,
        )


async def prepare_messages_for(
    reader: MemoryReader,
    session: str,
    participant: str | None = None,
    question: str | None = None,
    budget: int | None = None,
) -> ChatMessages:
    """The messages of a session for `participant`, with the open exchange as it stands."""
    exchange = open_exchange(await reader.current(session))
    talk = None if exchange is None else exchange.talk
    recent = await reader.recent(session, 0 if talk is None else min(talk.messages, RECENT))
    # Reading was an await: what came since is in neither half, or in both.
    memory = await reader.current(session)
    return prepare_messages(memory, participant, question, budget=budget, recent=recent)


def _id(*parts: object) -> str:
    return f"injected:{_short(*parts)}"


def _short(*parts: object) -> str:
    text = "\n".join(map(str, parts))
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _digest(entry: ToolReturned) -> str:
    fields = [entry.tool, entry.version, entry.arguments, entry.content, entry.ttl]
    return blake2b(orjson.dumps(fields), digest_size=8).hexdigest()
