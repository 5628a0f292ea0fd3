"""A team's talk, without any framework: acts, what was said, and the ledger for a prompt."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, create_model

from parley.bus.entries import Act
from parley.server.basics.agent_verbs import CONTEXT, SPOKEN, Verb
from parley.server.integrations.talk_hosts import (
    REFUSALS,
    Line,
    TalkHost,
    describe_outcome,
    open_host,
)
from parley.server.integrations.talk_thread import TalkThread

VERBS: Final = (*SPOKEN, CONTEXT)
LEDGER: Final = ("ledger", "own")  # parts of a context; the framework has the transcript
_NAMES: Final = tuple(verb.name for verb in VERBS)
_ITEM: Final = frozenset({"ref", "re"})  # names of the argument that says what an act is on
NOTHING: Final = "Nothing is proposed or decided yet."
_HEADING: Final = "\n## "
_TYPES: Final[dict[str, Any]] = {"string": str, "number": float, "array": list[str]}


class TeamTalk:
    """A session in which the agents of a program speak, each by its name.

    It is on the embedded server of this machine's data directory (or as `PARLEY_REDIS` says), on
    `redis`, or on the server at `url`, which an operator's `token` opens (None: `PARLEY_TOKEN`).
    If the session is new, it is opened with `settings`, and `chair` decides in it.

    Any thread and any event loop may call it. It is opened at its first use; `close` closes it,
    as does the end of the process.
    """

    def __init__(
        self,
        session: str,
        *,
        chair: str | None = None,
        redis: str | None = None,
        url: str | None = None,
        token: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        tree = {**(settings or {}), **({} if chair is None else {"chair": [chair]})}
        bearer = os.environ.get("PARLEY_TOKEN", "") if token is None else token
        self.session = session
        self._thread = TalkThread(partial(open_host, session, redis, url, bearer, tree))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the session; it goes on, and a later use opens it again."""
        self._thread.close()

    async def act(self, name: str, verb: str, **given: Any) -> str:
        """What `name` did by `verb`, in words for a model; a refusal is such words as well."""
        return await self._thread.run(partial(_act, name, verb, given))

    def act_now(self, name: str, verb: str, **given: Any) -> str:
        """`act`, for callers without an event loop."""
        return self._thread.call(partial(_act, name, verb, given))

    def tool(self, name: str, verb: Verb) -> tuple[Callable[..., str], Callable[..., Any]]:
        """`act_now` and `act` of `name` by `verb`, as functions of the verb's arguments."""

        def now(**given: Any) -> str:
            return self.act_now(name, verb.name, **given)

        async def later(**given: Any) -> str:
            return await self.act(name, verb.name, **given)

        return now, later

    async def record(self, name: str, text: str) -> int | None:
        """Put what `name` wrote in the log; its number, or None if it wrote nothing."""
        return await self._thread.run(partial(_record, name, text)) if text.strip() else None

    def record_now(self, name: str, text: str) -> int | None:
        """`record`, for callers without an event loop."""
        return self._thread.call(partial(_record, name, text)) if text.strip() else None

    async def ledger(self, name: str) -> str:
        """What is decided and open, as `name` reads it; not the messages themselves."""
        return await self._thread.run(partial(_ledger, name))

    def ledger_now(self, name: str) -> str:
        """`ledger`, for callers without an event loop."""
        return self._thread.call(partial(_ledger, name))

    async def talk(self, name: str, limit: int | None = None) -> list[Line]:
        """The newest `limit` messages that `name` may see, oldest first; None: all."""
        return await self._thread.run(partial(_talk, name, limit))

    def talk_now(self, name: str, limit: int | None = None) -> list[Line]:
        """`talk`, for callers without an event loop."""
        return self._thread.call(partial(_talk, name, limit))

    async def take_back(self, name: str, n: int) -> None:
        """Take back the last message of `name`, which is `n`: no reader is shown it any more.

        Raises a `DomainError` if it is not theirs or not their last, or if a decision or a vote
        rests on it.
        """
        await self._thread.run(partial(_take_back, name, n))

    async def prompt(self, name: str, role: str = "") -> str:
        """`role`, then the ledger."""
        return "\n\n".join(filter(None, (role, await self.ledger(name))))


async def _act(name: str, verb: str, given: Mapping[str, Any], host: TalkHost) -> str:
    known = next((one for one in VERBS if one.name == verb), None)
    if known is None:
        return f"Refused: there is no tool {verb!r}; the tools are {', '.join(_NAMES)}"
    if (misuse := _misuse(known, given)) is not None:
        return f"Refused: {misuse}"
    if known is CONTEXT:
        return await host.context(name)
    ref = given.get("ref") or given.get("re")
    on = _target(ref) if isinstance(ref, str) else ref
    act: Act | None = known.act or given.get("act") or None  # type: ignore[assignment]  # of ACTS
    words = given.get("content") or given.get("why") or f"I {verb} {on}."
    try:
        n, outcome = await host.say(name, words, act, on)
    except REFUSALS as refused:
        return f"Refused: {refused}"
    return describe_outcome(n, outcome)


def _misuse(verb: Verb, given: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments of `verb`; `ref` and `re` are one, as models mix them up."""
    taken = [argument.name for argument in verb.arguments]
    on = _ITEM if _ITEM.intersection(taken) else frozenset[str]()
    unknown = sorted(name for name, value in given.items() if value and name not in {*taken, *on})
    if unknown:
        return f"{verb.name} takes no {unknown[0]!r}; it takes {', '.join(taken) or 'nothing'}"
    for argument in verb.arguments:
        names = on if argument.name in on else {argument.name}
        if argument.required and not any(given.get(name) for name in names):
            return f"{verb.name} needs {argument.name}: {argument.schema['description']}"
    return None


async def _record(name: str, text: str, host: TalkHost) -> int:
    n, _ = await host.say(name, text, None, None)
    return n


async def _talk(name: str, limit: int | None, host: TalkHost) -> list[Line]:
    return await host.talk(name, limit) if limit is None or limit > 0 else []


async def _take_back(name: str, n: int, host: TalkHost) -> None:
    await host.take_back(name, n)


async def _ledger(name: str, host: TalkHost) -> str:
    text = await host.context(name, LEDGER)
    return text if _HEADING in text else NOTHING


def _target(ref: str) -> int | str:
    """A handle as memory writes it, or the number of a message."""
    bare = ref.strip().lstrip("#")
    return int(bare) if bare.isascii() and bare.isdecimal() else bare.upper()


def arguments_model(verb: Verb) -> type[BaseModel]:
    """The arguments of `verb` as a model, for frameworks that take no JSON schema."""
    fields: dict[str, Any] = {}
    for argument in verb.arguments:
        kind, about = _TYPES[argument.schema["type"]], argument.schema["description"]
        fields[argument.name] = (
            (kind, Field(description=about))
            if argument.required
            else (kind | None, Field(None, description=about))
        )
    kept = ConfigDict(extra="allow")  # what a model makes up is refused in Parley's words
    model: type[BaseModel] = create_model(verb.name, __config__=kept, **fields)
    return model
