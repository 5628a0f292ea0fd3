"""Where a team's session is: in the hands of this process, or on a server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import anyio.to_thread

from parley.bus.contract.errors import InvalidEntry, Unavailable
from parley.bus.entries import Act
from parley.memory.context.parts import Part
from parley.memory.errors import DomainError
from parley.memory.ledger.decision_rule import ALONE
from parley.server.library.opened_session import OpenSession, Session

_SECONDS: Final = 60.0  # for an answer of a server
_FOLD_SECONDS: Final = 5  # for which a server waits to say what a message did
_HTTP_CONFLICT: Final = 409
_PAGE: Final = 500  # entries, the most that a server gives at once
_LAST: Final = 2**53 - 1  # beyond the number of any message: the largest that a server takes

Outcome = Mapping[str, Any]  # `parley.memory.ledger.outcome_rows.OutcomeRow`


@dataclass(frozen=True, slots=True)
class Line:
    """Message `n` of the talk: who said it, and its words as they are now."""

    n: int
    who: str
    text: str


class ServerRefused(DomainError):
    """A server refused a request; says why in the server's words."""


class TalkHost(Protocol):
    """A session in which anybody may speak."""

    async def say(
        self, who: str, content: str, act: Act | None, re: int | str | None
    ) -> tuple[int, Outcome | None]:
        """The number of the message, and what it did. Raises what says why it was not taken."""

    async def context(self, who: str, parts: Sequence[Part] = ()) -> str:
        """The full context of `who`, or its `parts`."""

    async def talk(self, who: str, limit: int | None) -> list[Line]:
        """The newest `limit` messages that `who` may see, oldest first; None: all."""

    async def take_back(self, who: str, n: int) -> None:
        """Take back `who`'s last message `n`. Raises what says why it was not."""


class SessionHost:
    """A session of this process."""

    def __init__(self, session: OpenSession) -> None:
        self._session = session

    async def say(
        self, who: str, content: str, act: Act | None, re: int | str | None
    ) -> tuple[int, Outcome | None]:
        said = await self._session.say(who, content, act=act, re=re)
        return said.n, said.outcome

    async def context(self, who: str, parts: Sequence[Part] = ()) -> str:
        return await self._session.context(who, parts=parts)

    async def talk(self, who: str, limit: int | None) -> list[Line]:
        lines = []
        for by, record in await self._session.talk(who, limit):
            entry: Any = record.entry
            lines.append(Line(getattr(entry, "of", record.n), by, entry.content))
        return lines

    async def take_back(self, who: str, n: int) -> None:
        await self._session.edit(who, n, "")


@asynccontextmanager
async def open_here(
    session: str, redis: str | None, settings: Mapping[str, Any]
) -> AsyncIterator[TalkHost]:
    """`session` on that Redis; None: on the embedded server, or as `PARLEY_REDIS` says."""
    async with Session.open(session, redis, settings=settings) as opened:
        yield SessionHost(opened)


class ServerHost:
    """A session of a server, by an operator's token: it records in the name of each agent."""

    def __init__(self, url: str, session: str, token: str) -> None:
        self._url, self._session = f"{url.rstrip('/')}/v1/sessions", quote(session)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    async def open(self, session: str, settings: Mapping[str, Any]) -> None:
        """Open it there, unless it is there already."""
        try:
            await self._ask("", {"session": session, "settings": settings})
        except ServerRefused as refused:
            if not isinstance(refused.__cause__, HTTPError):
                raise
            if refused.__cause__.code != _HTTP_CONFLICT:
                raise

    async def say(
        self, who: str, content: str, act: Act | None, re: int | str | None
    ) -> tuple[int, Outcome | None]:
        said = {"as": who, "content": content, "act": act, "re": re}
        body = {name: value for name, value in said.items() if value is not None}
        path = f"/{self._session}/messages?outcome={_FOLD_SECONDS}"
        receipt = await self._ask(path, body)
        return int(receipt["n"]), receipt if receipt.get("made") is not None else None

    async def context(self, who: str, parts: Sequence[Part] = ()) -> str:
        asked = urlencode([("as", who), *(("parts", part) for part in parts)])
        return str((await self._ask(f"/{self._session}/context?{asked}"))["text"])

    async def talk(self, who: str, limit: int | None) -> list[Line]:
        lines: list[Line] = []
        seen: set[int] = set()
        before: int | None = _LAST
        while before is not None:
            asked = urlencode({"others": "true", "limit": _PAGE, "before": before})
            page = await self._ask(f"/{self._session}/messages?{asked}")
            lines += _standing_lines(reversed(page["items"]), seen)
            before = page["next"] if limit is None or len(lines) < limit else None
        return lines[:limit][::-1]

    async def take_back(self, who: str, n: int) -> None:
        await self._ask(f"/{self._session}/messages/{n}", {"as": who, "content": ""}, "PUT")

    async def _ask(
        self, path: str, body: Mapping[str, Any] | None = None, method: str | None = None
    ) -> Any:
        return await anyio.to_thread.run_sync(self._fetch, path, body, method)

    def _fetch(self, path: str, body: Mapping[str, Any] | None, method: str | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._url}{path}"
        request = Request(url, data, self._headers, method=method)  # noqa: S310 - its user's URL
        try:
            with urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
                return json.load(reply)
        except HTTPError as refused:
            raise ServerRefused(_reason(refused)) from refused
        except URLError as silent:
            raise Unavailable(f"no server answers at {self._url}: {silent.reason}") from silent


def _reason(refused: HTTPError) -> str:
    try:
        problem = json.load(refused)
        return f"{problem['type'].rpartition(':')[2]}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"The server answered {refused.code}."


def _standing_lines(rows: Iterable[Mapping[str, Any]], seen: set[int]) -> list[Line]:
    """Entry rows of a log, the newest first, as what was said: each in its newest words.

    `seen` has the messages of the newer rows before them; those of `rows` are added.
    """
    lines = []
    for row in rows:
        entry = row["entry"]
        if entry["kind"] not in ("message", "message.edited"):
            continue
        n = entry.get("of", row["n"])
        if n not in seen and entry.get("content") and entry.get("form") != "reasoning":
            lines.append(Line(n, entry["participant"], entry["content"]))
        seen.add(n)
    return lines


def open_host(
    session: str, redis: str | None, url: str | None, token: str, settings: Mapping[str, Any]
) -> AbstractAsyncContextManager[TalkHost]:
    """The host of `session`: on the server at `url`, else here. Raises `ValueError` for both."""
    if url is None:
        return open_here(session, redis, settings)
    if redis is not None:
        raise ValueError("give redis= or url=, not both")
    return _open_there(session, ServerHost(url, session, token), settings)


@asynccontextmanager
async def _open_there(
    session: str, host: ServerHost, settings: Mapping[str, Any]
) -> AsyncIterator[TalkHost]:
    await host.open(session, settings)
    yield host


def describe_outcome(n: int, outcome: Outcome | None) -> str:
    """What message `n` did, in words for a model; None if its server has not folded it yet."""
    lines = [f"Recorded as #{n}."]
    if outcome is not None:
        if outcome["made"]:
            lines.append(f"It made {', '.join(outcome['made'])}.")
        if outcome["touched"]:
            lines.append(f"It is on {', '.join(outcome['touched'])}.")
        lines += [f"{words}." for words in outcome["missing"]]
        lines += [f"{row['says']}." for row in outcome["repeats"]]
        if outcome["rule"]:
            lines.append(ALONE)  # all of it is too long for every such answer
    return " ".join(lines)


REFUSALS: Final = (DomainError, InvalidEntry)  # their text says to a model what to do
