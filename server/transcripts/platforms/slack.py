"""Slack exports: a day's list of messages, a channel's folder, or a whole export.

Threads become `re` (to the message that began them), reactions that are votes
become messages of who reacted, right after what they react to: an export does
not say when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final

import orjson

from parley.server.basics.errors import Failure
from parley.server.transcripts.formats.model_chats import find_rows
from parley.server.transcripts.platforms.slack_names import Names
from parley.server.transcripts.platforms.slack_text import to_plain_text, words_of_blocks
from parley.server.transcripts.sources.emoji_reactions import read_emoji
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import MENDED, Source, parse_json
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

_TS: Final = re.compile(r"[0-9]{1,11}(?:\.[0-9]{1,9})?\Z")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.json\Z")
# What is somebody's words all the same; every other subtype is a notice of the channel.
_SPOKEN: Final = frozenset(
    {"", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment",
     "reply_broadcast"}
)  # fmt: skip

_FILE: Final = known_fields("messages")
_ROW: Final = known_fields(
    "type subtype ts user text thread_ts parent_user_id bot_id username files",
    reactions=known_fields("name users count"),
    bot_profile=known_fields("name"),
    user_profile=known_fields("display_name real_name name"),
)
Row = dict[str, Any]
_Placed = tuple[str, str, Row]  # place, channel, message


def _tell(source: Source) -> int:
    if source.files is not None:
        return SURE if any(_DAY.search(path) for path in source.files) else NO
    rows = find_rows(source, "messages")
    return SURE if rows and any(_is_message(row) for row in rows[:50]) else NO


def _is_message(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("ts"), str):
        return False
    return _TS.match(row["ts"]) is not None and not row.keys().isdisjoint(
        {"text", "user", "subtype", "bot_id"}
    )


def _read(source: Source, taking: EntryCollector) -> None:
    taking.leave_fields("the file", source.tree, _FILE)
    placed = list(_files(source, taking) if source.files is not None else _one(source))
    placed.sort(key=lambda each: _moment(each[2]))  # stable: what has one time stays in order
    names = Names(_people(source.files or {}), [row for _, _, row in placed])
    channels = {channel for _, channel, _ in placed}
    if len(channels) > 1:
        taking.note(f"{len(channels)} channels: each message's topic is its channel")
    reader = _Reader(taking, names, topics=len(channels) > 1)
    for place, channel, row in placed:
        reader.message(place, channel, row)
    if names.bots:
        taking.transcript.meta["bots"] = sorted(names.bots)


def _one(source: Source) -> Iterator[_Placed]:
    for number, row in enumerate(find_rows(source, "messages") or ()):
        yield f"message {number}", "", row if isinstance(row, dict) else {"not": "an object"}


def _files(source: Source, taking: EntryCollector) -> Iterator[_Placed]:
    for path, data in sorted((source.files or {}).items()):
        if not _DAY.search(path):
            continue
        try:
            rows, is_mended = parse_json(data)
        except orjson.JSONDecodeError as error:
            taking.refuse(path, f"not JSON: {error}")
            continue
        if is_mended:
            taking.note(MENDED)
        channel = path.rpartition("/")[0].rpartition("/")[2]
        for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
            yield f"{path}, message {number}", channel, row if isinstance(row, dict) else {}


def _people(files: Any) -> list[Row]:
    """The rows of `users.json`, wherever it stands."""
    for path, data in files.items():
        if path.rpartition("/")[2] in ("users.json", "org_users.json"):
            try:
                rows, _ = parse_json(data)
            except orjson.JSONDecodeError as error:
                raise Failure(f"{path} is not JSON: {error}") from None
            return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return []


def _moment(row: Row) -> tuple[int, int]:
    ts = row.get("ts")
    if not isinstance(ts, str) or not _TS.match(ts):
        return 0, 0
    seconds, _, rest = ts.partition(".")
    return int(seconds), int(rest.ljust(9, "0") or 0)


class _Reader:
    """Takes messages in the order of their times."""

    def __init__(self, taking: EntryCollector, names: Names, *, topics: bool) -> None:
        self._taking, self._names, self._topics = taking, names, topics
        self._index: dict[tuple[str, str], int] = {}  # by channel and time of the message

    def message(self, place: str, channel: str, row: Row) -> None:
        taking = self._taking
        if not _is_message(row):
            taking.refuse(place, "not a message of Slack: it has no 'ts' and 'text' or 'user'")
            return
        if read_word(row.get("subtype")) not in _SPOKEN:
            taking.skip("joins, topics and other notices of a channel", place)
            return
        text = row.get("text")
        content = to_plain_text(text, self._names.of_id) if isinstance(text, str) else ""
        if not content.strip():
            content = to_plain_text(words_of_blocks(row), self._names.of_id)
        if not content.strip():
            taking.skip("files and attachments without words", place)
            return
        if row.get("files"):
            taking.skip("files attached to a message", place)
        self._say(place, channel, row, content)

    def _say(self, place: str, channel: str, row: Row, content: str) -> None:
        who = self._names.speaker(row)
        self._taking.leave_fields(place, row, _ROW)
        if row.get("subtype") == "me_message":
            content = f"* {who} {content}"
        topic = f"#{channel}" if self._topics and channel else None
        index = self._taking.say(
            place, who, content,
            timestamp=_iso(row["ts"]), topic=topic, re=self._thread(place, channel, row),
        )  # fmt: skip
        if index is not None:
            self._index[channel, row["ts"]] = index
        self._reactions(place, row, index, topic)

    def _thread(self, place: str, channel: str, row: Row) -> int | None:
        thread = row.get("thread_ts")
        if not isinstance(thread, str) or thread == row["ts"]:
            return None
        entry_id = self._index.get((channel, thread))
        if entry_id is None:
            self._taking.note(f"{place} answers a message that is not in the file")
        return entry_id

    def _reactions(self, place: str, row: Row, index: int | None, topic: str | None) -> None:
        reactions = row.get("reactions")
        for reaction in reactions if isinstance(reactions, list) else ():
            if not isinstance(reaction, dict):
                continue
            name, users, count = itemgetter("name", "users", "count")(
                {"name": "", "users": [], "count": 0, **reaction}
            )
            users = users if isinstance(users, list) else []
            users = [user for user in users if isinstance(user, str)]
            more = count - len(users) if type(count) is int else 0
            vote = read_emoji(name) if isinstance(name, str) else None
            if vote is None or index is None:
                self._taking.skip("reactions that are no vote", place, max(len(users), 1))
                continue
            for user in dict.fromkeys(users):
                self._taking.say(
                    place, self._names.of_id(user), vote.sign, act=vote.act, re=index, topic=topic
                )
            self._taking.skip("votes by reaction that name nobody", place, more)


def _iso(ts: str) -> str | None:
    try:
        moment = datetime.fromtimestamp(int(ts.partition(".")[0]), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat().replace("+00:00", "Z")


SLACK: Final = Format(
    "slack", "Slack export: a day, a channel's folder, a whole export as folder or zip",
    ("json", "zip"), _tell, _read,
)  # fmt: skip
