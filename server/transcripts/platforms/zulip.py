"""Zulip: messages of its API, one list or one after the other, and the files of its export.

An export's messages name people and channels by number; `realm.json` beside them says who is who.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from parley.server.transcripts.platforms.slack_names import distinct_names
from parley.server.transcripts.sources.emoji_reactions import read_emoji
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.json_values import first_values, json_values
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.markup import html_to_text
from parley.server.transcripts.sources.source import Source, parse_json
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_STREAM: Final = 2  # the kind of recipient that is a channel
_FILE: Final = known_fields("messages zerver_message result")
_ROW: Final = known_fields(  # `rendered_content` is the content once more
    "id sender sender_id sender_full_name sender_email timestamp date_sent content content_type "
    "rendered_content display_recipient recipient recipient_id stream_id type subject "
    "is_me_message",
    reactions=known_fields(
        "emoji_name emoji_code reaction_type user_id",
        user=known_fields("id user_id full_name email"),
    ),
)
# A reply that quotes: `[said](…/near/101)`, as it was written or as a page shows it
_QUOTED: Final = re.compile(
    r'\[said\]\([^()\s]{0,400}/near/([0-9]{1,18})\)|/near/([0-9]{1,18})">said<'
)
_BOT: Final = re.compile(r".*-bot@", re.DOTALL)
_LOOKED_AT: Final = 50  # messages


def _is_message(row: Any) -> bool:
    if not isinstance(row, dict) or "content" not in row:
        return False
    by_name = "sender_full_name" in row and ("display_recipient" in row or "subject" in row)
    return by_name or ("date_sent" in row and "recipient" in row and "sender" in row)


def _tell(source: Source) -> int:
    if source.files is not None:
        return SURE if any(b'"zerver_message"' in data for data in source.files.values()) else NO
    rows = [row for value in first_values(source, _LOOKED_AT) for row in _listed(value)]
    return SURE if any(map(_is_message, rows[:_LOOKED_AT])) else NO


def _rows(source: Source, taking: EntryCollector) -> Iterator[tuple[str, Any]]:
    """Every message with its place, of a list, of an answer, or one after the other."""
    if source.files is not None:
        for path, tree in _trees(source.files):
            for number, row in enumerate(_messages(tree) or ()):
                yield f"{path}, message {number}", row
        return
    for place, value in json_values(source, taking):
        if _messages(value) is None:
            yield place, value
            continue
        taking.leave_fields("the file", value, _FILE)
        for number, row in enumerate(_listed(value)):
            yield f"{place}, message {number}", row


def _listed(value: Any) -> list[Any]:
    messages = _messages(value)
    return [value] if messages is None else messages


def _messages(tree: Any) -> list[Any] | None:
    for name in ("messages", "zerver_message"):
        if isinstance(tree, dict) and isinstance(tree.get(name), list):
            return list(tree[name])
    return tree if isinstance(tree, list) else None


def _trees(files: Any) -> Iterator[tuple[str, Row]]:
    for path, data in sorted(files.items()):
        try:
            tree, _ = parse_json(data)
        except ValueError:
            continue
        if isinstance(tree, dict):
            yield path, tree


def _read(source: Source, taking: EntryCollector) -> None:
    placed = list(_rows(source, taking))
    realm = _Realm(dict(_trees(source.files)).values() if source.files is not None else ())
    rows = [row for _, row in placed if isinstance(row, dict)]
    reader = _Reader(taking, realm, rows)
    for place, row in placed:
        reader.message(place, row)
    if reader.bots:
        taking.transcript.meta["bots"] = sorted(reader.bots)


class _Realm:
    """What an export says beside its messages: people, channels, reactions; all by number."""

    def __init__(self, trees: Iterable[Row]) -> None:
        self.people: dict[str, Row] = {}
        self._streams: dict[Any, str] = {}
        self._recipients: dict[Any, Any] = {}
        self.reactions: dict[Any, list[Row]] = {}
        for tree in trees:
            for table in ("zerver_userprofile", "zerver_userprofile_crossrealm"):
                self.people.update((_text(row.get("id")), row) for row in _dicts(tree.get(table)))
            for row in _dicts(tree.get("zerver_stream")):
                self._streams[_text(row.get("id"))] = read_word(row.get("name"))
            for row in _dicts(tree.get("zerver_recipient")):
                if row.get("type") == _STREAM:
                    self._recipients[_text(row.get("id"))] = _text(row.get("type_id"))
            for row in _dicts(tree.get("zerver_reaction")):
                self.reactions.setdefault(_text(row.get("message")), []).append(row)

    def stream(self, row: Row) -> str:
        """The channel of a message; "" where it is a private one."""
        shown = row.get("display_recipient")
        if isinstance(shown, str):
            return shown
        return self._streams.get(self._recipients.get(_text(row.get("recipient"))), "")


class _Reader:
    """Takes the messages in the order of the file."""

    def __init__(self, taking: EntryCollector, realm: _Realm, rows: list[Row]) -> None:
        self._taking, self._realm = taking, realm
        self.bots: set[str] = set()
        self._index: dict[str, int] = {}  # by id of the message
        self._names = distinct_names(dict(self._shown(rows)))
        places = {(realm.stream(row), _subject(row)) for row in rows}
        self._streams = len({stream for stream, _ in places})
        self._topics = len(places) > 1
        if len(places) == 1 and any(next(iter(places))):
            taking.transcript.meta["title"] = " > ".join(filter(None, next(iter(places))))

    def _shown(self, rows: list[Row]) -> Iterator[tuple[str, tuple[str, str]]]:
        for row in rows:
            known = self._realm.people.get(_sender(row), {})
            name = read_word(row.get("sender_full_name")) or read_word(known.get("full_name"))
            email = read_word(row.get("sender_email")) or read_word(known.get("email"))
            yield _sender(row), (name.strip() or f"user {_sender(row)}", email)
            for reaction in _dicts(row.get("reactions")):
                user = reaction.get("user")
                fields = user if isinstance(user, dict) else {}
                if name := read_word(fields.get("full_name")).strip():
                    yield _reactor(reaction), (name, read_word(fields.get("email")))
        for key, person in self._realm.people.items():
            if name := read_word(person.get("full_name")).strip():
                yield key, (name, read_word(person.get("email")))

    def message(self, place: str, row: Any) -> None:
        taking = self._taking
        if not _is_message(row):
            taking.refuse(place, "not a message of Zulip: it has no sender with 'content'")
            return
        raw = read_word(row.get("content"))
        is_page = row.get("content_type") == "text/html"
        content = html_to_text(raw) if is_page else raw
        if is_page and "<blockquote" in raw:
            taking.skip("quotes of other messages", place)
        if not content.strip():
            taking.skip("messages without words", place)
            return
        who = self._name(_sender(row))
        if _BOT.match(read_word(row.get("sender_email"))) or self._is_bot(row):
            self.bots.add(who)
        taking.leave_fields(place, row, _ROW)
        if content.startswith("/me "):
            content = f"* {who} {content[4:]}"
        topic = self._topic(row)
        index = taking.say(
            place, who, content, timestamp=row.get("timestamp", row.get("date_sent")), topic=topic,
            re=self._answered(raw),
        )  # fmt: skip
        if index is not None:
            self._index[_text(row.get("id"))] = index
        reactions = _dicts(row.get("reactions")) or self._realm.reactions.get(_text(row.get("id")))
        self._votes(place, reactions or [], index, topic)

    def _name(self, key: str) -> str:
        return self._names.get(key) or f"user {key or 'unknown'}"

    def _is_bot(self, row: Row) -> bool:
        return self._realm.people.get(_sender(row), {}).get("is_bot") is True

    def _topic(self, row: Row) -> str | None:
        if not self._topics:
            return None
        stream = self._realm.stream(row) if self._streams > 1 else ""
        return " > ".join(filter(None, (stream, _subject(row)))) or None

    def _answered(self, content: str) -> int | None:
        quoted = _QUOTED.search(content)
        return self._index.get(quoted[1] or quoted[2]) if quoted else None

    def _votes(self, place: str, rows: list[Row], index: int | None, topic: str | None) -> None:
        for reaction in rows:
            vote = read_emoji(read_word(reaction.get("emoji_name")))
            if vote is None or index is None or not _reactor(reaction):
                self._taking.skip("reactions that are no vote of somebody named", place)
                continue
            who = self._name(_reactor(reaction))
            self._taking.say(place, who, vote.sign, act=vote.act, re=index, topic=topic)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""


def _sender(row: Row) -> str:
    return next(
        (key for name in ("sender_id", "sender", "sender_email") if (key := _text(row.get(name)))),
        read_word(row.get("sender_full_name")),
    )


def _reactor(reaction: Row) -> str:
    user = reaction.get("user")
    fields = user if isinstance(user, dict) else {}
    ids = (reaction.get("user_id"), reaction.get("user_profile"), fields.get("id"),
           fields.get("user_id"), fields.get("email"))  # fmt: skip
    return next((key for each in ids if (key := _text(each))), "")


def _subject(row: Row) -> str:
    return read_word(row.get("subject")).strip()


def _dicts(value: Any) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


ZULIP: Final = Format(
    "zulip", "Zulip: messages of its API, or its export's files (folder or zip)", ("json", "zip"),
    _tell, _read,
)  # fmt: skip
