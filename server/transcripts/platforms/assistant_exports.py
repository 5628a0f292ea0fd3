"""What assistants export: ChatGPT's `conversations.json`, Claude's, of one talk or of all.

Where a talk was branched by an edit, the branch that its owner last saw is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from parley.server.transcripts.formats.model_chats import FRAME, FRAMES, RESULT, SILENT, join_parts
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_BRANCHES: Final = "messages of other branches"
_HIDDEN: Final = "hidden from who took part"
_SPOKEN: Final = frozenset({"text", "multimodal_text"})  # kinds of content that people see
_CHATGPT_TALK: Final = known_fields("id conversation_id title mapping current_node")
_NODE: Final = known_fields(
    "id parent children",
    message=known_fields(
        "id create_time recipient",
        author=known_fields("role name"),
        content=known_fields("content_type parts"),
        metadata=known_fields("is_visually_hidden_from_conversation"),
    ),
)
_CLAUDE_TALK: Final = known_fields("uuid name title chat_messages")
_ROW: Final = known_fields(
    "uuid parent_message_uuid sender created_at text content attachments files"
)
_LOOKED_AT: Final = 20  # talks
# A reference to what was searched, which the page shows as a link: `\ue200cite\ue202…\ue201`
_CITED: Final = re.compile(r"[ ]?\ue200[^\ue200\ue201]{0,2000}\ue201")


def _talks(source: Source, key: str, kind: type) -> list[Row]:
    """The talks of the file, whose messages are a `kind` under `key`."""
    tree = source.tree
    talks = tree if isinstance(tree, list) else [tree]
    return [talk for talk in talks if isinstance(talk, dict) and isinstance(talk.get(key), kind)]


def _title(talk: Row) -> str:
    return (read_word(talk.get("title")) or read_word(talk.get("name"))).strip()


def _begin(taking: EntryCollector, talks: list[Row]) -> None:
    if len(talks) == 1 and (title := _title(talks[0])):
        taking.transcript.meta["title"] = title
    elif len(talks) > 1:
        taking.note(f"{len(talks)} talks: each message's topic is its talk")


# -- ChatGPT ---------------------------------------------------------------------------


def _tell_chatgpt(source: Source) -> int:
    talks = _talks(source, "mapping", dict)[:_LOOKED_AT]
    nodes = [node for talk in talks for node in talk["mapping"].values()]
    return SURE if any(isinstance(node, dict) and "message" in node for node in nodes) else NO


def _read_chatgpt(source: Source, taking: EntryCollector) -> None:
    talks = _talks(source, "mapping", dict)
    _begin(taking, talks)
    for number, talk in enumerate(talks):
        topic = _title(talk) or None if len(talks) > 1 else None
        nodes = talk["mapping"]
        taking.leave_fields(f"talk {number}", talk, _CHATGPT_TALK)
        shown = _branch(nodes, talk.get("current_node"))
        spoken = [name for name, node in nodes.items() if _words_in(node)]
        taking.skip(_BRANCHES, f"talk {number}", len(set(spoken) - set(shown)))
        for name in shown:
            _say_node(f"talk {number}, message {name}", nodes[name], topic, taking)


def _branch(nodes: Row, last: Any) -> list[str]:
    """The nodes from the first to `last`, or to the newest leaf if that is not there."""
    if not isinstance(last, str) or last not in nodes:
        last = next(reversed(nodes), None)
    path: dict[str, None] = {}
    while isinstance(last, str) and last in nodes and last not in path:
        path[last] = None
        node = nodes[last]
        last = node.get("parent") if isinstance(node, dict) else None
    return list(reversed(path))


def _words_in(node: Any) -> bool:
    message = node.get("message") if isinstance(node, dict) else None
    author = message.get("author") if isinstance(message, dict) else None
    return isinstance(author, dict) and author.get("role") in ("user", "assistant")


def _say_node(place: str, node: Any, topic: str | None, taking: EntryCollector) -> None:
    message = node.get("message") if isinstance(node, dict) else None
    if not isinstance(message, dict):
        return  # a root holds none
    author, content = message.get("author"), message.get("content")
    role = read_word(author.get("role")) if isinstance(author, dict) else ""
    fields = content if isinstance(content, dict) else {}
    metadata = message.get("metadata")
    if role in FRAME:
        taking.skip(FRAMES, place)
    elif role == "tool" or message.get("recipient") not in (None, "all"):
        taking.skip(RESULT if role == "tool" else "a tool's call", place)
    elif isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        taking.skip(_HIDDEN, place)
    elif not role:
        taking.refuse(place, "nobody is named: field 'author' has no role")
    elif (read_word(fields.get("content_type")) or "text") not in _SPOKEN:
        taking.skip("thoughts, code and other parts that are no words", place)
    else:
        name = read_word(author.get("name")) if isinstance(author, dict) else ""
        parts = fields.get("parts")
        text = _parts_of(parts if isinstance(parts, list) else [], place, taking)
        if text.strip():
            taking.leave_fields(place, node, _NODE)
            taking.say(place, name or role, text, timestamp=message.get("create_time"), topic=topic)
        else:
            taking.skip(SILENT, place)


def _parts_of(parts: Iterable[Any], place: str, taking: EntryCollector) -> str:
    said = []
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            said.append(_CITED.sub("", text))
        else:
            taking.skip("pictures and files", place)
    return "\n\n".join(said)


# -- Claude ----------------------------------------------------------------------------


def _tell_claude(source: Source) -> int:
    talks = _talks(source, "chat_messages", list)[:_LOOKED_AT]
    rows = [row for talk in talks for row in talk["chat_messages"]]
    return SURE if any(isinstance(row, dict) and "sender" in row for row in rows) else NO


def _read_claude(source: Source, taking: EntryCollector) -> None:
    talks = _talks(source, "chat_messages", list)
    _begin(taking, talks)
    for number, talk in enumerate(talks):
        topic = _title(talk) or None if len(talks) > 1 else None
        taking.leave_fields(f"talk {number}", talk, _CLAUDE_TALK)
        for place, row in _shown(number, talk["chat_messages"], taking):
            _say_row(place, row, topic, taking)


def _shown(number: int, rows: list[Any], taking: EntryCollector) -> list[tuple[str, Row]]:
    """The messages of the branch that ends in the newest one; all, where nothing names a parent."""
    placed = [(f"talk {number}, message {at}", row) for at, row in enumerate(rows)]
    known = [(place, row) for place, row in placed if isinstance(row, dict)]
    for place, _ in (each for each in placed if not isinstance(each[1], dict)):
        taking.refuse(place, "not a JSON object")
    by_id = {row["uuid"]: row for _, row in known if isinstance(row.get("uuid"), str)}
    if not any(read_word(row.get("parent_message_uuid")) in by_id for _, row in known):
        return known
    path: set[str] = set()
    last = known[-1][1].get("uuid")
    while isinstance(last, str) and last in by_id and last not in path:
        path.add(last)
        last = by_id[last].get("parent_message_uuid")
    shown = [(place, row) for place, row in known if read_word(row.get("uuid")) in path]
    taking.skip(_BRANCHES, f"talk {number}", len(known) - len(shown))
    return shown


def _say_row(place: str, row: Row, topic: str | None, taking: EntryCollector) -> None:
    who = read_word(row.get("sender"))
    if not who:
        taking.refuse(place, "nobody is named: field 'sender' is missing")
        return
    files = [row.get(key) for key in ("attachments", "files")]
    taking.skip("pictures and files", place, sum(len(f) for f in files if isinstance(f, list)))
    text, _ = join_parts(row.get("content"), taking, place)
    if not isinstance(text, str) or not text.strip():
        text = read_word(row.get("text"))
    if text.strip():
        taking.leave_fields(place, row, _ROW)
        taking.say(place, who, text, timestamp=row.get("created_at"), topic=topic)
    else:
        taking.skip(SILENT, place)


CHATGPT: Final = Format(
    "chatgpt", "ChatGPT's export: conversations.json, or one talk of it", ("json",),
    _tell_chatgpt, _read_chatgpt,
)  # fmt: skip
CLAUDE: Final = Format(
    "claude", "Claude's export: conversations.json, or one talk of it", ("json",),
    _tell_claude, _read_claude,
)  # fmt: skip
