"""One small file of each format, written for the tests: a few people, a proposal, a vote."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.server.transcripts.export_samples import EXPORTS
from tests.server.transcripts.post_samples import POST_SAMPLES


def _json(tree: Any) -> bytes:
    return json.dumps(tree).encode()


WEECHAT: Final = """\
2024-05-03 09:00:01\t-->\tana (~ana@example.org) has joined #garden
2024-05-03 09:00:12\t@ana\tI propose we plant beans.
2024-05-03 09:00:40\tbo\t+1
2024-05-03 09:00:55\t *\tbo waves
2024-05-03 09:01:02\t--\tcy is now known as cyan
2024-05-03 09:01:10\tcyan\tprice = 3 <b>each</b>
2024-05-03 09:02:00\t<--\tbo (~bo@example.org) has quit (Quit: lunch)
"""
IRSSI: Final = """\
--- Log opened Fri May 03 09:00:00 2024
09:00 -!- ana [~ana@example.org] has joined #garden
09:00 < ana> I propose we plant beans.
09:01 <@bo> +1
09:01  * bo waves
09:02 -!- bo [~bo@example.org] has quit [Quit: lunch]
--- Day changed Sat May 04 2024
00:05 < ana> Good night.
"""
HEXCHAT: Final = """\
**** BEGIN LOGGING AT Fri May  3 09:00:00 2024

May 03 09:00:00 *\tNow talking on #garden
May 03 09:00:01 *\tana (~ana@example.org) has joined
May 03 09:00:12 <ana>\tI propose we plant beans.
May 03 09:00:40 <bo>\t+1
May 03 09:00:55 *\tbo waves
"""
ZNC: Final = """\
[09:00:01] *** Joins: ana (~ana@example.org)
[09:00:12] <ana> I propose we plant beans.
[09:00:40] <bo> +1
[09:00:55] * bo waves
[09:02:00] *** Quits: bo (~bo@example.org) (Quit: lunch)
"""
BARE_IRC: Final = """\
<ana> I propose we plant beans.
<bo> +1
* bo waves
"""
RRSAGENT: Final = """\
IRC log of garden on 2024-05-03
Timestamps are in UTC.

09:00:00 [RRSAgent]
RRSAgent has joined #garden
09:00:00 [RRSAgent]
logging to https://logs.example.org/garden
09:00:05 [ana]
Meeting: Beans
09:00:06 [ana]
Chair: Ana Lima, Bo
09:00:12 [ana]
PROPOSED: we plant beans
09:00:40 [bo]
+1
"""
VTT: Final = """\
WEBVTT - from a meeting

NOTE made by hand

1
00:00:02.000 --> 00:00:04.000
<v Ana Lima>I propose we plant</v>

2
00:00:04.000 --> 00:00:05.500 align:start
<v Ana Lima><i>beans</i> &amp; peas.</v>

00:00:06.000 --> 00:00:07.000
<v.loud Bo>I agree.</v>
"""
ZOOM: Final = """\
WEBVTT

1
00:00:02.000 --> 00:00:04.000
Ana Lima: I propose we plant

2
00:00:04.000 --> 00:00:05.500
Ana Lima: beans.

3
00:00:06.000 --> 00:00:07.000
Bo: Proposal: peas too.
"""
SRT: Final = """\
1
00:00:02,000 --> 00:00:04,000
Ana: I propose we plant

2
00:00:04,000 --> 00:00:05,500
{\\an8}beans.

3
00:00:06,000 --> 00:00:07,000
Bo: <i>I agree.</i>
"""
MARKDOWN: Final = """\
# Garden club

Chair: Ana Lima
Scribe: Cy

## Beans

**Ana Lima:** I propose we plant beans.
They grow fast.

- Bo: I agree.
  - also peas

The club agreed to plant beans.

> what the leaflet said
"""
PLAIN: Final = """\
Ana: I propose we plant beans.
Bo: I agree.
Ana: Then it is decided: beans.
Bo: See https://example.org: it has seeds.
"""
TELEGRAM: Final = {
    "name": "Garden", "type": "private_supergroup", "id": 1, "messages": [
        {"id": 1, "type": "service", "date": "2024-05-03T09:00:00", "date_unixtime": "1714726800",
         "actor": "Ana", "actor_id": "user1", "action": "create_group", "text": ""},
        {"id": 2, "type": "message", "date": "2024-05-03T09:01:00", "date_unixtime": "1714726860",
         "from": "Ana", "from_id": "user1",
         "text": ["I propose we plant ", {"type": "bold", "text": "beans"}, "."],
         "text_entities": [],
         "reactions": [{"type": "emoji", "count": 2, "emoji": "👍🏽",
                        "recent": [{"from": "Bo", "from_id": "user2", "date": "x"}]},
                       {"type": "emoji", "count": 1, "emoji": "🌱"}]},
        {"id": 3, "type": "message", "date": "2024-05-03T09:02:00", "date_unixtime": "1714726920",
         "from": "Ana", "from_id": "user3", "reply_to_message_id": 2, "text": "Not peas?"},
        {"id": 4, "type": "message", "date": "2024-05-03T09:03:00", "from": "Bo",
         "from_id": "user2", "photo": "photos/1.jpg", "text": ""},
    ],
}  # fmt: skip
WHATSAPP_ANDROID: Final = """\
5/31/24, 9:00 AM - Messages and calls are end-to-end encrypted. Tap to learn more.
5/31/24, 9:01 AM - Ana: I propose we plant beans:
they need little water.
5/31/24, 9:02 PM - Bo: <Media omitted>
5/31/24, 9:03 PM - Bo: +1 <This message was edited>
"""
WHATSAPP_IOS: Final = """\
[31/05/2024, 09:01:07] Ana: I propose we plant beans.
[31/05/2024, 21:02:00] Bo: \u200eimage omitted
[31/05/2024, 21:03:00] ~ Bo: Not beans: peas.
"""
CHATGPT: Final = [{
    "title": "Beans", "create_time": 1714726800.5, "current_node": "d", "mapping": {
        "root": {"id": "root", "message": None, "parent": None, "children": ["s"]},
        "s": {"id": "s", "parent": "root", "children": ["a"], "message": {
            "author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}},
        "a": {"id": "a", "parent": "s", "children": ["b", "c"], "message": {
            "author": {"role": "user"}, "create_time": 1714726860.0,
            "content": {"content_type": "text", "parts": ["What shall we plant?"]}}},
        "b": {"id": "b", "parent": "a", "children": [], "message": {
            "author": {"role": "assistant"},
            "content": {"content_type": "text", "parts": ["Peas."]}}},
        "c": {"id": "c", "parent": "a", "children": ["d"], "message": {
            "author": {"role": "assistant"}, "recipient": "all", "create_time": 1714726870.0,
            "content": {"content_type": "multimodal_text",
                        "parts": ["I suggest beans.", {"content_type": "image_asset_pointer"}]}}},
        "d": {"id": "d", "parent": "c", "children": [], "message": {
            "author": {"role": "user"}, "create_time": 1714726880.0,
            "content": {"content_type": "text", "parts": ["Good, beans it is."]}}},
    },
}]  # fmt: skip
CLAUDE: Final = [{
    "uuid": "t", "name": "Beans", "chat_messages": [
        {"uuid": "1", "sender": "human", "created_at": "2024-05-03T09:00:00Z",
         "text": "What shall we plant?", "attachments": [{}], "files": []},
        {"uuid": "2", "parent_message_uuid": "1", "sender": "assistant", "text": "Peas.",
         "content": [{"type": "text", "text": "Peas."}]},
        {"uuid": "3", "parent_message_uuid": "1", "sender": "assistant", "text": "",
         "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Beans."}]},
    ],
}]  # fmt: skip
MBOX: Final = """\
From ana@example.org Fri May  3 09:00:00 2024
From: Ana Lima <ana@example.org>
Subject: Beans
Date: Fri, 03 May 2024 09:00:00 +0200
Message-ID: <one@example.org>

I propose we plant beans.

-- 
Ana, gardener

From bo@example.org Fri May  3 10:00:00 2024
From: =?utf-8?q?B=C3=B6?= <bo@example.org>
Subject: Re: Beans
Date: Fri, 03 May 2024 10:00:00 +0200
Message-ID: <two@example.org>
In-Reply-To: <one@example.org>

On Fri, May 3, 2024 at 9:00 AM Ana Lima
<ana@example.org> wrote:
> I propose we plant beans.
I agree.

From cy@example.org Fri May  3 11:00:00 2024
From: Cy <cy@example.org>
Subject: Re: Beans
Date: Fri, 03 May 2024 11:00:00 +0200
Message-ID: <three@example.org>
In-Reply-To: <two@example.org>

> I agree.
"""  # noqa: W291 - a signature begins with a dash, a dash and a space
SLACK: Final[list[dict[str, Any]]] = [
    {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1714726800.000100",
     "text": "<@U1> has joined the channel"},
    {"type": "message", "user": "U1", "ts": "1714726812.000200", "thread_ts": "1714726812.000200",
     "text": "I propose we plant <https://example.org/b|beans> &amp; peas, <@U2>",
     "user_profile": {"display_name": "", "real_name": "Ana Lima", "name": "ana"},
     "reactions": [{"name": "+1", "users": ["U2"], "count": 2},
                   {"name": "tada", "users": ["U2"], "count": 1}]},
    {"type": "message", "user": "U2", "ts": "1714726840.000300", "text": "Why not :+1:",
     "thread_ts": "1714726812.000200", "parent_user_id": "U1"},
    {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "Clock",
     "ts": "1714726850.000400", "text": "It is nine."},
    {"type": "message", "user": "U2", "ts": "1714726860.000500", "text": "", "files": [{}]},
]  # fmt: skip
OPENAI: Final[list[dict[str, Any]]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "name": "Ana", "content": "I propose we plant beans."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "content": "42", "tool_call_id": "c1"},
    {"role": "assistant", "name": "Bo", "content": [{"type": "text", "text": "I agree."}]},
]
ANTHROPIC: Final[list[dict[str, Any]]] = [
    {"role": "user", "content": "I propose we plant beans."},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I agree."},
        {"type": "tool_use", "id": "t1", "name": "seeds", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]},
]  # fmt: skip
GITHUB_REST: Final[list[dict[str, Any]]] = [
    {"id": 1, "user": {"login": "ana", "type": "User"}, "created_at": "2024-05-03T09:00:00Z",
     "body": "I propose we plant beans.", "reactions": {"total_count": 2, "+1": 2}},
    {"id": 2, "user": {"login": "tidy[bot]", "type": "Bot"}, "created_at": "2024-05-03T09:01:00Z",
     "body": "<!-- hidden -->Labelled."},
    {"id": 3, "user": None, "created_at": "2024-05-03T09:02:00Z", "body": "+1"},
]  # fmt: skip
GITHUB_GH: Final[dict[str, Any]] = {
    "title": "Beans", "number": 7, "author": {"login": "ana"}, "body": "I propose beans.",
    "createdAt": "2024-05-03T09:00:00Z",
    "comments": [
        {"id": "IC_1", "author": {"login": "bo"}, "body": "I agree.",
         "createdAt": "2024-05-03T09:05:00Z",
         "reactionGroups": [{"content": "HEART", "users": {"totalCount": 3}}]},
        {"id": "IC_2", "author": {"login": "cy"}, "body": "Spam.", "isMinimized": True,
         "createdAt": "2024-05-03T09:06:00Z"},
    ],
}  # fmt: skip
DISCUSSION: Final[dict[str, Any]] = {"data": {"repository": {"discussion": {
    "title": "Beans", "author": {"login": "ana"}, "body": "I propose beans.",
    "createdAt": "2024-05-03T09:00:00Z",
    "comments": {"nodes": [
        {"id": "DC_1", "author": {"login": "bo"}, "body": "Peas instead?",
         "createdAt": "2024-05-03T09:05:00Z",
         "reactions": {"nodes": [{"content": "THUMBS_UP", "user": {"login": "ana"}}]},
         "replies": {"nodes": [{"id": "DC_3", "author": {"login": "ana"}, "body": "Both.",
                                "createdAt": "2024-05-03T09:20:00Z"}]}},
        {"id": "DC_2", "author": None, "body": "Fine.", "createdAt": "2024-05-03T09:10:00Z"},
    ]},
}}}}  # fmt: skip
AUTOGEN_LIST: Final[list[dict[str, Any]]] = [
    {"source": "user", "models_usage": None, "content": "Plant what?", "type": "TextMessage"},
    {"source": "ana", "content": [{"id": "c", "name": "seeds"}], "type": "ToolCallRequestEvent"},
    {"source": "ana", "content": "42", "type": "ToolCallSummaryMessage"},
    {"source": "ana", "content": "I propose beans.", "type": "TextMessage",
     "created_at": "2024-05-03T09:00:00Z"},
    {"source": "ana", "target": "bo", "content": "Over to you.", "type": "HandoffMessage"},
    {"source": "bo", "content": ["I agree.", {"data": "AA=="}], "type": "MultiModalMessage"},
]  # fmt: skip
AUTOGEN_STATE: Final[dict[str, Any]] = {
    "type": "TeamState", "version": "1.0.0", "agent_states": {
        "ana": {"type": "ChatAgentContainerState", "message_buffer": []},
        "RoundRobinGroupChatManager": {"type": "RoundRobinManagerState", "current_turn": 0,
                                       "message_thread": AUTOGEN_LIST},
    },
}  # fmt: skip
AUTOGEN_02: Final[dict[str, Any]] = {
    "chat_id": None, "summary": "", "cost": {}, "chat_history": [
        {"content": "Plant what?", "role": "assistant", "name": "user_proxy"},
        {"content": "I propose beans.", "role": "user", "name": "ana"},
    ],
}  # fmt: skip
LANGCHAIN_DATA: Final[list[dict[str, Any]]] = [
    {"type": "system", "data": {"content": "Be brief."}},
    {"type": "human", "data": {"content": "I propose beans.", "name": "Ana"}},
    {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "seeds"}]}},
    {"type": "tool", "data": {"content": "42", "tool_call_id": "t"}},
    {"type": "ai", "data": {"content": [{"type": "text", "text": "I agree."}]}},
]
LANGCHAIN_LC: Final[dict[str, Any]] = {"values": {"messages": [
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
     "kwargs": {"content": "I propose beans.", "type": "human"}},
    {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "AIMessageChunk"],
     "kwargs": {"content": "I agree.", "name": "Bo"}},
]}}  # fmt: skip
LANGCHAIN_FLAT: Final[list[dict[str, Any]]] = [
    {"type": "human", "content": "I propose beans.", "id": "1", "additional_kwargs": {}},
    {"type": "ai", "content": "I agree.", "id": "2", "name": "Bo"},
]
JSONL: Final = b"""{"title": "Beans"}
{"index": 0, "agent_id": "Ana", "content": "I propose beans."}
{"index": 1, "agent_id": "Bo", "content": "+1", "re": 0}
"""

# What a file holds, by a name for the test: the format that it is, and its bytes.
SAMPLES: Final[dict[str, tuple[str, bytes]]] = {
    "jsonl": ("jsonl", JSONL),
    "weechat": ("irc", WEECHAT.encode()),
    "irssi": ("irc", IRSSI.encode()),
    "hexchat": ("irc", HEXCHAT.encode()),
    "znc": ("irc", ZNC.encode()),
    "bare irc": ("irc", BARE_IRC.encode()),
    "rrsagent": ("irc", RRSAGENT.encode()),
    "vtt": ("vtt", VTT.encode()),
    "zoom": ("vtt", ZOOM.encode()),
    "srt": ("srt", SRT.encode()),
    "slack": ("slack", _json(SLACK)),
    "telegram": ("telegram", _json(TELEGRAM)),
    "whatsapp android": ("whatsapp", WHATSAPP_ANDROID.encode()),
    "whatsapp ios": ("whatsapp", WHATSAPP_IOS.encode()),
    "chatgpt": ("chatgpt", _json(CHATGPT)),
    "claude": ("claude", _json(CLAUDE)),
    "markdown": ("markdown", MARKDOWN.encode()),
    "plain": ("markdown", PLAIN.encode()),
    "openai": ("openai", _json(OPENAI)),
    "anthropic": ("anthropic", _json(ANTHROPIC)),
    "github rest": ("github", _json(GITHUB_REST)),
    "github gh": ("github", _json(GITHUB_GH)),
    "discussion": ("github", _json(DISCUSSION)),
    "mbox": ("mbox", MBOX.encode()),
    "autogen list": ("autogen", _json(AUTOGEN_LIST)),
    "autogen state": ("autogen", _json(AUTOGEN_STATE)),
    "autogen 0.2": ("autogen", _json(AUTOGEN_02)),
    "langchain data": ("langchain", _json(LANGCHAIN_DATA)),
    "langchain lc": ("langchain", _json(LANGCHAIN_LC)),
    "langchain flat": ("langchain", _json(LANGCHAIN_FLAT)),
    **EXPORTS,
    **{name: (sample.format, sample.text.encode()) for name, sample in POST_SAMPLES.items()},
}
