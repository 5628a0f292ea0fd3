"""Small exports of chats, meetings and traces, made by hand from the documented fields."""

from __future__ import annotations

import json
from typing import Any, Final

_ANA: Final[dict[str, Any]] = {"id": "11", "name": "ana_l", "nickname": "Ana", "isBot": False}
_BO: Final[dict[str, Any]] = {"id": "12", "name": "bo", "nickname": "Bo", "isBot": False}
_CLOCK: Final[dict[str, Any]] = {"id": "13", "name": "Clock", "nickname": "Clock", "isBot": True}
DISCORD: Final[dict[str, Any]] = {
    "guild": {"id": "1", "name": "Garden", "iconUrl": ""},
    "channel": {"id": "2", "type": "GuildTextChat", "name": "beds", "topic": None},
    "messages": [
        {"id": "100", "type": "GuildMemberJoin", "timestamp": "2024-05-03T09:00:00+00:00",
         "content": "Joined the server.", "author": _ANA},
        {"id": "101", "type": "Default", "timestamp": "2024-05-03T09:01:00+00:00",
         "timestampEdited": "2024-05-03T09:01:30+00:00", "isPinned": False,
         "content": "I propose we plant beans.", "author": {**_ANA, "color": "#FF0000"},
         "attachments": [], "embeds": [], "stickers": [], "mentions": [],
         "reactions": [
             {"emoji": {"id": "", "name": "👍", "code": "thumbsup"}, "count": 2, "users": [_BO]},
             {"emoji": {"id": "", "name": "🌱", "code": "seedling"}, "count": 3}]},
        {"id": "102", "type": "Reply", "timestamp": "2024-05-03T09:02:00+00:00",
         "content": "Why not peas?", "author": _BO, "attachments": [{"id": "9"}],
         "reference": {"messageId": "101", "channelId": "2", "guildId": "1"}},
        {"id": "103", "type": "Default", "timestamp": "2024-05-03T09:03:00+00:00",
         "content": "It is nine.", "author": _CLOCK},
    ],
    "messageCount": 4,
}  # fmt: skip

# What a file holds, by a name for the test: the format that it is, and its bytes.
EXPORTS: Final[dict[str, tuple[str, bytes]]] = {
    "discord": ("discord", json.dumps(DISCORD, indent=2).encode()),
}
