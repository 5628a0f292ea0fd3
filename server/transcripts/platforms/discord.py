"""Discord channels as DiscordChatExporter writes them in JSON. Replies become `re`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.server.transcripts.platforms.slack_names import distinct_names
from parley.server.transcripts.sources.emoji_reactions import read_emoji, read_emoji_sign
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
# What is somebody's words; every other type (GuildMemberJoin, Call, …) is a notice. The numbers
# are those of kinds that the exporter has no name for: answers to commands and menus.
_SPOKEN: Final = frozenset({"Default", "Reply", "20", "23"})
_AUTHOR: Final = known_fields("id name nickname isBot")
_FILE: Final = known_fields(
    "messages messageCount", guild=known_fields("id name"), channel=known_fields("id name")
)
_ROW: Final = known_fields(
    "id type timestamp content attachments embeds stickers",
    author=_AUTHOR,
    forwardedMessage=known_fields("content"),
    reference=known_fields("messageId channelId guildId"),
    reactions=known_fields("emoji count", users=_AUTHOR),
)
_PICTURED: Final = ("attachments", "embeds", "stickers")
_LOOKED_AT: Final = 50  # messages


def _rows(source: Source) -> list[Any]:
    rows = source.tree.get("messages") if isinstance(source.tree, dict) else None
    return rows if isinstance(rows, list) else []


def _tell(source: Source) -> int:
    return SURE if any(map(_is_message, _rows(source)[:_LOOKED_AT])) else NO


def _is_message(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("author"), dict)
        and isinstance(row.get("type"), str)
        and {"id", "timestamp", "content"} <= row.keys()
    )


def _read(source: Source, taking: EntryCollector) -> None:
    rows = _rows(source)
    taking.leave_fields("the file", source.tree, _FILE)
    places = [source.tree.get(key) for key in ("guild", "channel")] if rows else []
    names = [read_word(place.get("name")) for place in places if isinstance(place, dict)]
    if title := " #".join(name.strip() for name in names if name.strip()):
        taking.transcript.meta["title"] = title
    people = _People([row for row in rows if isinstance(row, dict)])
    reader = _Reader(taking, people)
    for number, row in enumerate(rows):
        reader.message(f"message {number}", row)
    if people.bots:
        taking.transcript.meta["bots"] = sorted(people.bots)
    for handle, name in people.other_names():
        taking.alias(handle, name)


class _People:
    """Who is who, by id: shown by the nickname, of two alike with the account's name behind it."""

    def __init__(self, rows: list[Row]) -> None:
        self.bots: set[str] = set()
        self._spoke: set[str] = set()
        self._handle: dict[str, str] = {}
        shown: dict[str, tuple[str, str]] = {}
        for person in _everybody(rows):
            handle = read_word(person.get("name")).strip()
            name = read_word(person.get("nickname")).strip() or handle
            shown.setdefault(_key(person), (name, handle))
            self._handle.setdefault(_key(person), handle)
        self._name = distinct_names(shown)

    def of(self, person: Row) -> str:
        name = self._name.get(_key(person)) or read_name(_key(person))
        self._spoke.add(_key(person))
        if person.get("isBot") is True:
            self.bots.add(name)
        return name

    def other_names(self) -> Iterator[tuple[str, str]]:
        """The account's name of each who is shown by a nickname, unless somebody else has it."""
        taken = {name.casefold() for name in self._name.values()}
        for key, handle in self._handle.items():
            name = self._name.get(key)
            if key in self._spoke and name and handle and handle.casefold() not in taken:
                taken.add(handle.casefold())
                yield handle, name


def _everybody(rows: list[Row]) -> Iterator[Row]:
    for row in rows:
        if isinstance(row.get("author"), dict):
            yield row["author"]
        for reaction in _dicts(row.get("reactions")):
            yield from _dicts(reaction.get("users"))


def _words_of_embeds(row: Row) -> str:
    """What a program writes beside no words of its own."""
    embeds = _dicts(row.get("embeds"))
    words = (read_word(each.get(key)) for each in embeds for key in ("title", "description"))
    return "\n".join(filter(str.strip, words))


def _key(person: Row) -> str:
    """What tells a person from all others: the id, else the name."""
    return read_word(person.get("id")) or read_word(person.get("name"))


def _dicts(value: Any) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class _Reader:
    """Takes the messages of one channel in the order of the file."""

    def __init__(self, taking: EntryCollector, people: _People) -> None:
        self._taking, self._people = taking, people
        self._index: dict[str, int] = {}  # by id of the message

    def _passed_on(self, row: Row) -> str:
        """The words of a message that this one forwards."""
        passed = row.get("forwardedMessage")
        text = read_word(passed.get("content")) if isinstance(passed, dict) else ""
        if text.strip():
            self._taking.note("forwarded messages are read as said by who passed them on")
        return text

    def message(self, place: str, row: Any) -> None:
        taking = self._taking
        if not isinstance(row, dict) or not isinstance(row.get("author"), dict):
            taking.refuse(place, "not a message of Discord: it has no 'author'")
            return
        if read_word(row.get("type")) not in _SPOKEN:
            taking.skip("joins, pins, calls and other notices of a channel", place)
            return
        passed, own = self._passed_on(row), read_word(row.get("content"))
        if own.strip() and passed:
            taking.skip("forwarded messages beside words", place)
        text = own or passed or _words_of_embeds(row)
        pictured = sum(len(row[key]) for key in _PICTURED if isinstance(row.get(key), list))
        if not text.strip():
            taking.skip("pictures, files and embeds without words", place)
            return
        taking.skip("pictures, files and embeds beside words", place, pictured)
        taking.leave_fields(place, row, _ROW)
        index = taking.say(
            place, self._people.of(row["author"]), text,
            timestamp=read_word(row.get("timestamp")) or None, re=self._answered(place, row),
        )  # fmt: skip
        if index is not None:
            self._index[read_word(row.get("id"))] = index
        for reaction in _dicts(row.get("reactions")):
            self._votes(place, reaction, index)

    def _answered(self, place: str, row: Row) -> int | None:
        reference = row.get("reference")
        target = read_word(reference.get("messageId")) if isinstance(reference, dict) else ""
        if target and target not in self._index:
            self._taking.note(f"{place} answers a message that is not in the file")
        return self._index.get(target)

    def _votes(self, place: str, reaction: Row, index: int | None) -> None:
        emoji = reaction.get("emoji")
        fields = emoji if isinstance(emoji, dict) else {}
        vote = read_emoji_sign(fields.get("name")) or read_emoji(read_word(fields.get("code")))
        users = {_key(user): user for user in _dicts(reaction.get("users"))}
        count = reaction.get("count")
        total = max(count if type(count) is int else 1, len(users))
        if vote is None or index is None:
            self._taking.skip("reactions that are no vote", place, total)
            return
        for user in users.values():
            self._taking.say(place, self._people.of(user), vote.sign, act=vote.act, re=index)
        self._taking.skip("votes by reaction that name nobody", place, total - len(users))


DISCORD: Final = Format(
    "discord", "Discord channel, as DiscordChatExporter writes it in JSON", ("json",), _tell, _read
)
