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

_ZULIP_BASE: Final[dict[str, Any]] = {
    "type": "stream",
    "stream_id": 5,
    "display_recipient": "garden",
    "subject": "beds",
    "content_type": "text/x-markdown",
    "client": "website",
    "is_me_message": False,
}
ZULIP: Final[list[dict[str, Any]]] = [
    {**_ZULIP_BASE, "id": 201, "sender_id": 11, "sender_full_name": "Ana",
     "sender_email": "ana@example.org", "timestamp": 1714726860,
     "content": "I propose we plant beans.", "reactions": [
         {"emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "unicode_emoji",
          "user_id": 12, "user": {"id": 12, "full_name": "Bo", "email": "bo@example.org"}},
         {"emoji_name": "octopus", "user_id": 12}]},
    {**_ZULIP_BASE, "id": 202, "sender_id": 12, "sender_full_name": "Bo",
     "sender_email": "bo@example.org", "timestamp": 1714726920, "reactions": [],
     "content": "@_**Ana|11** [said](https://z.example.org/#narrow/stream/5/near/201):\n"
                "```quote\nI propose we plant beans.\n```\nWhy not peas?"},
    {**_ZULIP_BASE, "id": 203, "sender_id": 13, "sender_full_name": "Clock", "subject": "clock",
     "sender_email": "clock-bot@example.org", "timestamp": 1714726980, "content": "/me strikes."},
]  # fmt: skip
SBV: Final = """\
0:00:01.000,0:00:03.500
Ana Lima: I propose we plant

0:00:03.500,0:00:05.000
beans.

0:00:06.000,0:00:07.000
Bo: I agree.
"""
OTTER: Final = """\
Garden club

Ana Lima  0:02  
I propose we plant beans.
They grow fast.

Bo  1:00:12  
I agree: beans.

Ana Lima  1:00:20  

Transcribed by https://otter.ai
"""  # noqa: W291 - two blanks end each head
MEET: Final = """\
Garden club (2024-05-03 09:00 GMT+2) - Transcript
Attendees
Ana Lima, Bo

Transcript
This editable transcript was computer generated and might contain errors.
00:00:00
Ana Lima: I propose we plant beans.
They grow fast.
Bo: Plan: beans it is.
00:05:00
Ana Lima: Good.
Transcription ended after 00:05:10
"""

# What a file holds, by a name for the test: the format that it is, and its bytes.
EXPORTS: Final[dict[str, tuple[str, bytes]]] = {
    "discord": ("discord", json.dumps(DISCORD, indent=2).encode()),
    "zulip": ("zulip", json.dumps({"result": "success", "messages": ZULIP}, indent=2).encode()),
    "zulip lines": ("zulip", b"\n".join(json.dumps(row).encode() for row in ZULIP)),
    "zulip stream": ("zulip", "\n".join(json.dumps(row, indent=1) for row in ZULIP).encode()),
    "sbv": ("sbv", SBV.encode()),
    "otter": ("otter", OTTER.encode()),
    "meet": ("meet", MEET.encode()),
}
