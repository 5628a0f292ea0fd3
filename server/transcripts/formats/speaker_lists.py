"""Lists of messages that name who speaks: `{agent, speaker, name or role; message or text}`.

As one JSON list, bare or under `messages`, `history` and their like, or one object a line.
Message lists of model APIs (`role` and `content`) are `openai` and `anthropic`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from parley.server.basics.entry_json import InvalidField
from parley.server.transcripts.formats.model_chats import FRAME, FRAMES, SILENT, join_parts
from parley.server.transcripts.posts.post_heads import is_output, mark_bots
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name
from parley.server.transcripts.sources.json_values import first_values, json_values
from parley.server.transcripts.sources.known_fields import KnownFields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

Row = dict[str, Any]
_WHO: Final = ("agent", "agent_name", "speaker", "name", "author", "sender", "from", "participant",
               "role")  # fmt: skip
_TEXT: Final = ("message", "content", "text", "utterance")
_UNDER: Final = ("messages", "chat_history", "history", "conversation", "conversations", "dialogue",
                 "transcript", "turns", "chat", "log", "result", "data")  # fmt: skip
_AT: Final = ("timestamp", "time", "date", "created_at", "ts")
_TO: Final = ("to", "recipient", "target")
_MACHINES: Final = frozenset({"tool", "function"})
_LOOKED_AT: Final = 50  # rows
_DEEP: Final = 3  # wrappers within wrappers


def _tell(source: Source) -> int:
    listed: list[Any] | None
    path: tuple[str, ...]
    if source.tree is None:
        listed, path = first_values(source, _LOOKED_AT), ("lines",)
    else:
        listed, path = _listed(source.tree)
    rows = (listed or [])[:_LOOKED_AT]
    known = [row for row in rows if _is_row(row)]
    if not known or any("index" in row or "kind" in row or "source" in row for row in known):
        return NO
    named = sum(any(key in row for key in _WHO[:-1] if key != "name") for row in known)
    texts = sum("content" not in row for row in known)
    if named or texts:
        return SURE - 1
    return LIKELY - 1 if path in ((), ("messages",)) else LIKELY + 1


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and _who(row) is not None and any(key in row for key in _TEXT)


def _who(row: Row) -> str | None:
    return _named(row)[0]


def _named(row: Row) -> tuple[str | None, str]:
    """Who speaks, and the field that says it, dotted if it is in an object."""
    for key in _WHO:
        value, field = row.get(key), key
        if isinstance(value, dict):
            inner = next((k for k in ("name", "login", "id") if k in value), None)
            value, field = value.get(inner), f"{key}.{inner}"
        if isinstance(value, str) and value.strip():
            return value, field
    return None, ""


@cache
def _known(*names: str) -> KnownFields:
    """Fields of a row, dotted if they are in an object of it."""
    inner = [name.partition(".") for name in names if "." in name]
    return KnownFields(
        frozenset(name.partition(".")[0] for name in names),
        {outer: KnownFields(frozenset({name}), {}) for outer, _, name in inner},
    )


def _listed(tree: Any) -> tuple[list[Any] | None, tuple[str, ...]]:
    """The list of messages and the names that it stands under."""
    path: tuple[str, ...] = ()
    for _ in range(_DEEP):
        if isinstance(tree, list):
            break
        name = next(
            (n for n in _UNDER if isinstance(tree, dict) and isinstance(tree.get(n), (list, dict))),
            None,
        )
        if name is None:
            return None, path
        tree, path = tree[name], (*path, name)
    return (tree if isinstance(tree, list) else None), path


def _rows(source: Source, taking: EntryCollector) -> Iterator[tuple[str, Any]]:
    if source.tree is not None:
        rows, _ = _listed(source.tree)
        yield from ((f"message {number}", row) for number, row in enumerate(rows or []))
        return
    yield from json_values(source, taking)


def _read(source: Source, taking: EntryCollector) -> None:
    tree = source.tree
    taking.leave_fields("the file", tree, _known("title", *_UNDER))
    title = tree.get("title") if isinstance(tree, dict) else None
    if isinstance(title, str) and title.strip():
        taking.transcript.meta["title"] = title.strip()
    machines: dict[str, bool] = {}
    for place, row in _rows(source, taking):
        try:
            _say(place, row, taking, machines)
        except InvalidField as wrong:
            taking.refuse(place, str(wrong))
    mark_bots(taking, machines)


def _say(place: str, row: Any, taking: EntryCollector, machines: dict[str, bool]) -> None:
    if not isinstance(row, dict):
        raise InvalidField("not a JSON object")
    role, (who, named) = row.get("role"), _named(row)
    if isinstance(role, str) and role in FRAME and who == role:
        taking.skip(FRAMES, place)
        return
    if who is None:
        raise InvalidField(f"nobody is named: give one of {', '.join(_WHO)} as a text")
    name = next((key for key in _TEXT if row.get(key) is not None), None)
    if name is None:
        if any(key in row for key in _TEXT):
            taking.skip(SILENT, place)
            return
        raise InvalidField(f"nothing is said: give one of {', '.join(_TEXT)}")
    text, others = join_parts(row[name], taking, place)
    if not isinstance(text, str):
        raise InvalidField(f"field {name!r} is neither text nor a list")
    if not text.strip():
        if not others:
            taking.skip(SILENT, place)
        return
    who = read_name(who)
    is_machine = role in _MACHINES if isinstance(role, str) else False
    machines[who] = machines.get(who, True) and (is_machine or is_output(text))
    at = next((key for key in _AT if type(row.get(key)) in (str, int, float)), "")
    to = next((key for key in _TO if isinstance(row.get(key), str) and row[key].strip()), "")
    taking.leave_fields(place, row, _known(named, name, at, to, "role"))
    taking.say(place, who, text, timestamp=row.get(at), to=(row[to],) if to else None)


SPEAKER_LISTS: Final = Format(
    "speakers", "JSON list of {agent, speaker, name or role; message, content or text}", ("json",),
    _tell, _read,
)  # fmt: skip
