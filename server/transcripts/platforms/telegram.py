"""Telegram's export of a chat as JSON (`result.json`), or of all chats. Replies become `re`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.server.transcripts.sources.emoji_reactions import read_emoji_sign
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_KINDS: Final = frozenset({"message", "service"})
_FILE: Final = known_fields("chats name type id messages")
_CHAT: Final = known_fields("name type id messages")
_ROW: Final = known_fields(  # `text_entities` is the text once more
    "id type date date_unixtime from from_id text text_entities reply_to_message_id "
    "photo file media_type poll forwarded_from",
    reactions=known_fields("type emoji count", recent=known_fields("from from_id date")),
)
_LOOKED_AT: Final = 50  # messages


def _chats(source: Source) -> list[Row]:
    """The chats of the file that have messages."""
    tree = source.tree
    listed = tree.get("chats") if isinstance(tree, dict) else None
    chats = listed.get("list") if isinstance(listed, dict) else [tree]
    return [
        chat
        for chat in (chats if isinstance(chats, list) else ())
        if isinstance(chat, dict) and isinstance(chat.get("messages"), list)
    ]


def _tell(source: Source) -> int:
    rows = [row for chat in _chats(source) for row in chat["messages"][:_LOOKED_AT]]
    own = [
        isinstance(row, dict)
        and read_word(row.get("type")) in _KINDS
        and ("from_id" in row or "actor_id" in row or "text_entities" in row or "from" in row)
        for row in rows
    ]
    return SURE if own and any(own) and sum(own) * 2 >= len(own) else NO


def _read(source: Source, taking: EntryCollector) -> None:
    chats = _chats(source)
    if len(chats) == 1:
        if title := read_word(chats[0].get("name")).strip():
            taking.transcript.meta["title"] = title
    else:
        taking.note(f"{len(chats)} chats: each message's topic is its chat")
    names = _Names()
    taking.leave_fields("the file", source.tree, _FILE)
    for chat in chats:
        if chat is not source.tree:
            taking.leave_fields("a chat", chat, _CHAT)
        topic = read_word(chat.get("name")).strip() or None if len(chats) > 1 else None
        reader = _Reader(taking, names, topic)
        for number, row in enumerate(chat["messages"]):
            reader.message(f"message {number}", row)


class _Names:
    """Who speaks, by id: of two with one name the second has a number behind it."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._used: dict[str, int] = {}

    def of(self, row: Row) -> str:
        shown = read_name(read_word(row.get("from")) or read_word(row.get("from_id")))
        own = read_word(row.get("from_id")) or shown
        if own not in self._of:
            count = self._used[shown] = self._used.get(shown, 0) + 1
            self._of[own] = shown if count == 1 else f"{shown} ({count})"
        return self._of[own]


class _Reader:
    """Takes the messages of one chat in the order of the file."""

    def __init__(self, taking: EntryCollector, names: _Names, topic: str | None) -> None:
        self._taking, self._names, self._topic = taking, names, topic
        self._index: dict[Any, int] = {}  # by id of the message

    def message(self, place: str, row: Any) -> None:
        taking = self._taking
        if not isinstance(row, dict) or read_word(row.get("type")) not in _KINDS:
            taking.refuse(place, "not Telegram's: its type is neither message nor service")
            return
        if row["type"] == "service":
            taking.skip("joins, calls and other notices of a chat", place)
            return
        text = join_text(row.get("text"))
        is_pictured = any(key in row for key in ("photo", "file", "media_type", "poll"))
        if not text.strip():
            taking.skip("photos, files, polls and stickers without words", place)
            return
        if is_pictured:
            taking.skip("photos, files and polls beside words", place)
        if row.get("forwarded_from"):
            taking.note("forwarded messages are read as said by who passed them on")
        taking.leave_fields(place, row, _ROW)
        index = taking.say(
            place, self._names.of(row), text,
            timestamp=_moment(row), re=self._answered(place, row), topic=self._topic,
        )  # fmt: skip
        if index is not None and isinstance(row.get("id"), (int, str)):
            self._index[row["id"]] = index
        for each in self._reactions(place, row):
            taking.skip("reactions that are no vote of somebody named", place, each)
        self._votes(place, row, index)

    def _answered(self, place: str, row: Row) -> int | None:
        target = row.get("reply_to_message_id")
        if not isinstance(target, (int, str)):
            return None
        index = self._index.get(target)
        if index is None:
            self._taking.note(f"{place} answers a message that is not in the file")
        return index

    def _reactions(self, place: str, row: Row) -> Iterator[int]:
        """How many reactions of each kind say nothing that counts."""
        for reaction in _reactions_of(row):
            count = reaction.get("count")
            total = count if type(count) is int and count > 0 else 1
            named = len(_voters(reaction)) if read_emoji_sign(reaction.get("emoji")) else 0
            yield max(0, total - named)

    def _votes(self, place: str, row: Row, index: int | None) -> None:
        for reaction in _reactions_of(row):
            vote = read_emoji_sign(reaction.get("emoji"))
            if vote is None or index is None:
                continue
            for voter in _voters(reaction):
                self._taking.say(
                    place, self._names.of(voter), vote.sign,
                    act=vote.act, re=index, topic=self._topic, timestamp=_moment(voter),
                )  # fmt: skip


def _reactions_of(row: Row) -> list[Row]:
    reactions = row.get("reactions")
    listed = reactions if isinstance(reactions, list) else []
    return [each for each in listed if isinstance(each, dict)]


def _voters(reaction: Row) -> list[Row]:
    """Who reacted, as far as they are named; each once."""
    recent = reaction.get("recent")
    named: dict[str, Row] = {}
    for voter in recent if isinstance(recent, list) else ():
        if isinstance(voter, dict):
            named[read_word(voter.get("from_id")) or read_word(voter.get("from"))] = voter
    return [voter for who, voter in named.items() if who]


def join_text(text: Any) -> str:
    """A text that may come in parts: each part with a text of its own keeps it, as written."""
    if isinstance(text, str):
        return text
    parts = text if isinstance(text, list) else []
    said = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(part for part in said if isinstance(part, str))


def _moment(row: Row) -> Any:
    seconds = read_word(row.get("date_unixtime"))
    if seconds.isdecimal() and len(seconds) <= 12:
        return int(seconds)
    return read_word(row.get("date")) or None


TELEGRAM: Final = Format(
    "telegram", "Telegram's export of a chat, or of all, as JSON", ("json",), _tell, _read
)
