"""Small exports of chats, meetings and traces, made by hand from the documented fields."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
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
ZULIP_EXPORT: Final[dict[str, Any]] = {  # people and channels by number, in another file
    "realm.json": {
        "zerver_userprofile": [{"id": 11, "full_name": "Ana", "email": "a@x"},
                               {"id": 12, "full_name": "Bo", "email": "b@x", "is_bot": False}],
        "zerver_stream": [{"id": 5, "name": "garden"}],
        "zerver_recipient": [{"id": 9, "type": 2, "type_id": 5}],
        "zerver_reaction": [{"message": 201, "user_profile": 12, "emoji_name": "+1"}],
    },
    "messages-000001.json": {"zerver_message": [
        {"id": 201, "sender": 11, "recipient": 9, "subject": "beds", "date_sent": 1714726860.5,
         "content": "I propose beans."},
    ]},
}  # fmt: skip
OTTER_UNTIMED: Final = """\
Ana Lima
I propose we plant beans.
In May.

They need little water.

Bo
+1

Speaker 3
Hm.

Transcribed by https://otter.ai
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

AGENT_ITEMS: Final[list[dict[str, Any]]] = [
    {"role": "user", "content": "What shall we plant?"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "seeds",
     "arguments": "{\"bed\": 3}", "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "beans: 42"},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "I propose beans.", "annotations": [], "logprobs": []}]},
]  # fmt: skip
RESPONSE: Final[dict[str, Any]] = {
    "id": "resp_1", "object": "response", "created_at": 1714726860, "status": "completed",
    "model": "m", "instructions": "Be brief.", "output": AGENT_ITEMS[1:], "usage": {"total": 9},
}  # fmt: skip


def session_database() -> bytes:
    """A session of the Agents SDK, in the tables that it makes."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, "
            "updated_at TIMESTAMP);"
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, "
            "message_data TEXT, created_at TIMESTAMP);"
        )
        rows = [("s", json.dumps(item), "2024-05-03 09:01:00") for item in AGENT_ITEMS]
        database.executemany("INSERT INTO agent_messages (session_id, message_data, created_at) "
                             "VALUES (?, ?, ?)", rows)  # fmt: skip
        database.commit()
        data = database.serialize()
    return data[:18] + b"\2\2" + data[20:]  # as it is written through a log


_ASKED: Final = {"role": "user", "content": "What shall we plant?"}
_PROPOSED: Final = {"role": "assistant", "content": "I propose beans."}
LANGFUSE: Final[dict[str, Any]] = {
    "id": "t1", "name": "garden", "timestamp": "2024-05-03T09:00:00Z", "userId": "u",
    "input": None, "output": None, "observations": [
        {"id": "o1", "traceId": "t1", "type": "AGENT", "name": "Ana", "parentObservationId": None,
         "startTime": "2024-05-03T09:00:01Z", "input": None, "output": None},
        {"id": "o2", "traceId": "t1", "type": "TOOL", "name": "seeds", "parentObservationId": "o1",
         "startTime": "2024-05-03T09:00:02Z", "input": {"bed": 3}, "output": "beans: 42"},
        {"id": "o3", "traceId": "t1", "type": "GENERATION", "name": "m", "model": "m",
         "parentObservationId": "o1", "startTime": "2024-05-03T09:00:03Z",
         "input": [{"role": "system", "content": "Be brief."}, _ASKED], "output": _PROPOSED},
        {"id": "o4", "traceId": "t1", "type": "GENERATION", "name": "m", "level": "DEFAULT",
         "parentObservationId": None, "startTime": "2024-05-03T09:00:04Z",
         "input": {"messages": [_ASKED, _PROPOSED, {"role": "user", "content": "Why?"}]},
         "output": {"choices": [{"message": {"role": "assistant", "content": "They grow."}}]}},
    ],
}  # fmt: skip
LANGSMITH: Final[list[dict[str, Any]]] = [
    {"id": "r1", "trace_id": "r1", "name": "graph", "run_type": "chain", "parent_run_id": None,
     "start_time": "2024-05-03T09:00:00", "inputs": {"x": 1}, "outputs": {}, "status": "success"},
    {"id": "r2", "trace_id": "r1", "name": "ChatModel", "run_type": "llm", "parent_run_id": "r1",
     "start_time": "2024-05-03T09:00:01",
     "inputs": {"messages": [[
         {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"],
          "kwargs": {"content": "What shall we plant?", "name": "Ana"}}]]},
     "outputs": {"generations": [[{"text": "I propose beans.", "message": {
         "lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"],
         "kwargs": {"content": "I propose beans."}}}]]}},
    {"id": "r3", "trace_id": "r1", "name": "seeds", "run_type": "tool", "parent_run_id": "r1",
     "start_time": "2024-05-03T09:00:02", "inputs": {"bed": 3}, "outputs": {"output": "42"}},
]  # fmt: skip


def _event(receiver: str, sender: str, message: Any) -> str:
    state = json.dumps({"message": message, "sender": sender, "valid": True})
    return json.dumps({
        "source_id": 1, "source_name": receiver, "event_name": "received_message",
        "agent_module": "m", "agent_class": "C", "json_state": state,
        "timestamp": "2024-05-03 09:01:00.000000", "thread_id": 7,
    })  # fmt: skip


AUTOGEN_LOG: Final = "\n".join((
    "Started new session with Session ID: 1",
    json.dumps({"id": 1, "agent_name": "ana", "wrapper_id": "", "session_id": "1",
                "current_time": "x", "agent_type": "ConversableAgent", "args": {}, "thread_id": 7}),
    _event("manager", "ana", "I propose beans."),
    _event("bo", "manager", {"content": "I propose beans.", "name": "ana", "role": "user"}),
    json.dumps({"source_id": 2, "source_name": "bo", "agent_module": "m", "agent_class": "C",
                "timestamp": "2024-05-03 09:02:00", "thread_id": 7,
                "input_args": "{\"bed\": 3}", "returns": "\"42\""}),
    json.dumps({"invocation_id": "i", "client_id": 1, "wrapper_id": 1, "request": {},
                "response": "", "source_name": "bo"}),
    _event("manager", "bo", {"content": "I agree.", "role": "user", "name": "bo"}),
))  # fmt: skip

# What a file holds, by a name for the test: the format that it is, and its bytes.
EXPORTS: Final[dict[str, tuple[str, bytes]]] = {
    "discord": ("discord", json.dumps(DISCORD, indent=2).encode()),
    "zulip": ("zulip", json.dumps({"result": "success", "messages": ZULIP}, indent=2).encode()),
    "zulip lines": ("zulip", b"\n".join(json.dumps(row).encode() for row in ZULIP)),
    "zulip stream": ("zulip", "\n".join(json.dumps(row, indent=1) for row in ZULIP).encode()),
    "agents session": ("openai-agents", session_database()),
    "agents items": ("openai-agents", json.dumps(AGENT_ITEMS).encode()),
    "response": ("openai-agents", json.dumps(RESPONSE, indent=2).encode()),
    "langfuse": ("langfuse", json.dumps(LANGFUSE).encode()),
    "langfuse steps": ("langfuse", json.dumps({"data": LANGFUSE["observations"]}).encode()),
    "langsmith": ("langsmith", json.dumps(LANGSMITH).encode()),
    "langsmith lines": ("langsmith", b"\n".join(json.dumps(r).encode() for r in LANGSMITH)),
    "autogen log": ("autogen-log", AUTOGEN_LOG.encode()),
    "sbv": ("sbv", SBV.encode()),
    "otter": ("otter", OTTER.encode()),
    "otter untimed": ("otter", OTTER_UNTIMED.encode()),
    "meet": ("meet", MEET.encode()),
}
