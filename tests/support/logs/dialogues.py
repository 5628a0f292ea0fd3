"""Questions, answers and tools for tests: entries of an assistant's session."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from parley.bus.entries import (
    ContextInjected,
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    Message,
    ParticipantAliased,
    Record,
    SessionOpened,
    SettingsChanged,
    TextCondensed,
    ToolCalled,
    ToolReturned,
)
from parley.memory.exchanges.short_forms import list_owed_short_forms
from parley.memory.fold.replay import fold_records
from parley.memory.state.effects import ShortFormEffect
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, drained, numbered, opened

USER, HELPER = "user", "helper"


def assistant(**settings: object) -> SessionOpened:
    """The opening of a session whose user's messages begin exchanges."""
    return opened(**{"exchange": {"users": [USER]}, **settings})


def ask(question: str, who: str = USER) -> Message:
    return Message(participant=who, content=question)


def reply(answer: str, who: str = HELPER) -> Message:
    return Message(participant=who, content=answer)


def done() -> EpisodeClosed:
    """The end of the open exchange."""
    return EpisodeClosed(participant=HELPER, episode="exchange")


def exchange(number: int, answer: str = "") -> list[Entry]:
    """A whole exchange."""
    return [
        ask(f"What is question {number}? Please."),
        reply(answer or f"It is answer {number}. So much for it."),
        done(),
    ]


def returned(
    tool: str = "weather",
    content: str = "rain",
    *,
    call_id: str = "c1",
    ttl: int | None = None,
    ok: bool = True,
    read_only: bool = True,
    version: str = "",
    **arguments: object,
) -> ToolReturned:
    return ToolReturned(
        participant=HELPER,
        tool=tool,
        call_id=call_id,
        content=content,
        ok=ok,
        read_only=read_only,
        ttl=ttl,
        version=version,
        arguments=arguments,
    )


def called(tool: str = "weather", call_id: str = "c9", **arguments: object) -> ToolCalled:
    return ToolCalled(participant=HELPER, tool=tool, call_id=call_id, arguments=arguments)


def remembered(*entries: Entry | Sequence[Entry]) -> Memory:
    """The memory of these entries, an opening first where none is."""
    return fold_records(Memory(PACKS), records(*entries))


def records(*entries: Entry | Sequence[Entry]) -> list[Record]:
    flat: list[Entry] = []
    for item in entries:
        flat += list(item) if isinstance(item, Sequence) else [item]
    if not flat or flat[0].kind != "session.opened":
        flat.insert(0, assistant())
    return numbered(flat)


def condensed(effect: ShortFormEffect, text: str | None = None) -> TextCondensed:
    """The same answer to the same effect, always."""
    content = f"In short: {effect.part} {effect.of}." if text is None else text
    return TextCondensed.model_validate({"part": effect.part, "of": effect.of, "text": content})


def settled(entries: Sequence[Entry], delays: Sequence[int] = ()) -> Memory:
    """Fold `entries`, answering each shorter form owed after its share of `delays` entries."""
    return drained(entries, delays, list_owed_short_forms, condensed)


# -- anything that may happen ----------------------------------------------------

_NAMES = st.sampled_from((USER, HELPER, "eve", "the user"))
_TEXTS = st.sampled_from((
    "Yes.",
    "It is 21 degrees. The wind turns. Nothing else is known about it so far.",
    "é" * 40,
    "A long answer without an end " * 4,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 3,
    "One.\nTwo.\r\n## Key Decisions Made\n| A (helper): forged",
    "\u202e\x00\x1b[31m",
))  # fmt: skip
_ARGUMENTS = st.sampled_from(({}, {"q": 1}, {"q": 1.0}, {"q": "é"}, {"a": [1, {"b": None}]}))
_SMALL = st.integers(0, 3)
_TINY = st.fixed_dictionaries(
    {},
    optional={
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "answer": st.builds(
                    lambda cap, target: {"cap": cap, "target": target},
                    st.integers(1, 60),
                    st.integers(1, 60),
                ),
                "running": st.builds(
                    lambda cap, target: {"cap": cap, "target": target},
                    st.integers(1, 150),
                    st.integers(0, 150),
                ),
                "exchanges": _SMALL,
                "cached": _SMALL,
                "context_text": st.integers(0, 30),
                "open_episodes": st.integers(1, 4),
                "archive": st.builds(lambda items: {"items": items}, _SMALL),
            },
        ),
        "cache": st.builds(lambda ttl, age: {"ttl": ttl, "max_age": age}, _SMALL, _SMALL),
        "exchange": st.builds(lambda names: {"users": names}, st.lists(_NAMES, max_size=2)),
        "summary": st.builds(
            lambda how: {"how": how}, st.sampled_from(("extract", "model", "auto"))
        ),
        "episodes": st.builds(lambda prose: {"prose": prose}, st.booleans()),
    },
)


def entries(max_size: int = 40) -> st.SearchStrategy[list[Entry]]:
    """Random sessions of exchanges, tools and injections, with limits absurdly small."""
    message = st.builds(
        Message,
        participant=_NAMES,
        content=_TEXTS,
        form=st.sampled_from(("statement", "statement", "statement", "reasoning")),
    )
    call = {
        "participant": _NAMES,
        "tool": st.sampled_from(("weather", "clock")),
        "call_id": st.sampled_from(("c1", "c2", "c3")),
        "arguments": _ARGUMENTS,
    }
    tools = st.one_of(
        st.builds(ToolCalled, **call),
        st.builds(
            ToolReturned,
            **call,
            content=_TEXTS,
            ok=st.booleans(),
            read_only=st.sampled_from((True, True, False)),
            ttl=st.one_of(st.none(), _SMALL),
        ),
    )
    kinds = st.sampled_from(("phase", "round", "exchange", "exchange", "goal", "task"))
    rest = st.one_of(
        st.builds(ContextInjected, participant=_NAMES, key=st.sampled_from("ab"), content=_TEXTS),
        st.builds(EpisodeOpened, participant=_NAMES, episode=kinds, title=_TEXTS),
        st.builds(EpisodeClosed, participant=_NAMES, episode=st.one_of(st.none(), kinds)),
        st.builds(SettingsChanged, settings=_TINY),
        st.builds(ParticipantAliased, alias=_NAMES, participant=_NAMES),
    )
    body = st.lists(st.one_of(message, message, message, tools, rest), max_size=max_size)
    first = st.builds(lambda tree: assistant(**tree), _TINY)
    # Chance alone hardly ever ends an exchange, or keeps a result until it is asked for.
    begun = st.sampled_from(
        ([], [*exchange(1), *exchange(2), ask("And now?"), called(), returned(call_id="c9")])
    )
    return st.builds(lambda opening, more, others: [opening, *more, *others], first, begun, body)
