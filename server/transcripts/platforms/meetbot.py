"""Meetings that a bot keeps the minutes of: MeetBot and its kin, by commands such as `#agreed`.

In a log of such a meeting a command is what it says: an act, a topic, a chair.
"""

from __future__ import annotations

import re
from typing import Any, Final

from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.speakers import names_several

_COMMAND: Final = re.compile(r"#(?P<word>[a-z]{3,16})(?:[ \t]+(?P<text>\S.*))?\s*\Z", re.DOTALL)
_KNOWN: Final = frozenset({"meetbot", "meetingology", "mootbot", "zodbot", "limnoria", "supybot"})
# What only a log of such a meeting has: the command that begins it, one that decides, or a bot.
_SIGN: Final = re.compile(
    r"(?:[>\]\t][ \t]*|^)#(?:startmeeting\b|(?:agreed|accepted|proposal|proposed)[ \t]+\S)"
    r"|<[ @+%&~!]?(?:meetbot|meetingology|mootbot)[_\d]*>",
    re.IGNORECASE | re.MULTILINE,
)
_STARTED: Final = re.compile(r"Meeting started\b.{0,200}\bThe chair is \S", re.DOTALL)
_ACTS: Final = {
    "agreed": "decide", "agree": "decide", "accepted": "decide", "accept": "decide",
    "proposal": "propose", "proposed": "propose", "propose": "propose", "info": "inform",
}  # fmt: skip
_MOST_CHAIRS: Final = 100  # of one meeting
_BOT_LINES: Final = "lines of the bot that keeps the minutes"
_COMMANDS: Final = "commands to the bot that keeps the minutes"


class MeetBot:
    """What the lines of a log mean; `text` is the whole, which shows if a bot keeps its minutes."""

    def __init__(self, taking: EntryCollector, text: str) -> None:
        self._taking = taking
        self._is_on = _SIGN.search(text) is not None
        self._bots: set[str] = set()
        self._topic: str | None = None

    def read(self, place: str, nick: str, text: str) -> tuple[str, dict[str, Any]] | None:
        """The words of a line and the fields of its entry; None if it is counted and no message."""
        if self._is_on and (nick.lower().rstrip("_0123456789") in _KNOWN or _STARTED.match(text)):
            self._bots.add(nick)
        if nick in self._bots:
            self._taking.skip(_BOT_LINES, place)
            return None
        fields: dict[str, Any] = {"topic": self._topic} if self._topic else {}
        command = _COMMAND.match(text) if self._is_on else None
        if command is None:
            return text, fields
        return self._command(place, command["word"], command["text"] or "", text, fields)

    def _command(
        self, place: str, word: str, said: str, text: str, fields: dict[str, Any]
    ) -> tuple[str, dict[str, Any]] | None:
        if word in _ACTS and said:
            return said, {**fields, "act": _ACTS[word]}
        if word == "action" and said:
            return f"ACTION: {said}", fields
        meta = self._taking.transcript.meta
        if word == "topic" and said:
            self._topic = said.strip()
            return text, {"topic": self._topic}
        if word == "chair" and said:
            chairs = meta.setdefault("chair", [])
            named = names_several(said.replace(" ", ","))
            if isinstance(chairs, list) and len(chairs) < _MOST_CHAIRS:
                chairs.extend(name for name in named if name not in chairs)
        elif word in ("startmeeting", "meetingname", "meetingtopic") and said:
            meta.setdefault("title", said.strip())
        elif word not in ("startmeeting", "endmeeting", "chair", "unchair", "undo"):
            return text, fields
        self._taking.skip(_COMMANDS, place)
        return None
