"""The registry of tools: what is listed, checked, run, told and tested goes by it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from parley.server.basics import agent_verbs
from parley.server.mcp.tools import (
    ballot_tools,
    reading_tools,
    result_text,
    speech_tools,
    tool_arguments,
    tool_results,
)
from parley.server.mcp.tools.tool_call import Tool, ToolCall
from parley.server.mcp.tools.tool_offer import ToolOffer
from parley.server.mcp.tools.tool_results import SpeechResult
from parley.server.mcp.tools.waiting_tools import wait_for_messages


def _act(
    name: str, title: str, description: str, args: type[BaseModel],
    run: Callable[[ToolCall], Awaitable[SpeechResult]],
) -> Tool:  # fmt: skip
    """An act of the deliberation: said like a message, and told by what it made of the memory."""
    return Tool(name, title, description, args, SpeechResult, "speak", run, result_text.act_text)


TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        "list_sessions", "List sessions",
        "The sessions that you may enter. Call it first when you were not told which one.",
        tool_arguments.ListSessions, tool_results.Sessions, "token",
        reading_tools.list_sessions, result_text.sessions_text,
    ),
    Tool(
        "create_session", "Open a session",
        "Open a new session. Only when you were asked to begin one.",
        tool_arguments.CreateSession, tool_results.Created, "operator",
        reading_tools.create_session, result_text.created_text,
    ),
    Tool(
        "join_session", "Take a seat",
        "Sit down in a session. Call it before anything that speaks; again after a refusal that "
        "says so. Its answer says how to take part, and where to wait from.",
        tool_arguments.JoinSession, tool_results.Joined, "speak",
        speech_tools.join_session, result_text.joined_text,
    ),
    Tool(
        "wait_for_messages", "Wait for what comes",
        "What others said since `after`, or the next thing they say, within `timeout` seconds. "
        "Call it again and again while you take part: it returns as soon as something comes, and "
        "costs nothing while nothing does. Have one wait open at a time.",
        tool_arguments.WaitForMessages, tool_results.Waited, "read",
        wait_for_messages, result_text.waited_text,
    ),
    Tool(
        "say", "Say something",
        "Say something to everybody: an answer, a question, a fact. For proposals, reactions and "
        "decisions call propose, support, oppose, decide, ratify. Where the floor is needed it "
        "waits for it. To be able to repeat a call that got no answer, give it a `key`: the same "
        "key again gives the same answer, and nothing is said twice.",
        tool_arguments.Say, SpeechResult, "speak", speech_tools.say, result_text.speech_text,
    ),
    _act(
        "propose", "Propose",
        "Put something up for agreement, in words that can be decided as they stand. It gets a "
        "handle such as P1. Look whether it was proposed before: then support or amend that.",
        tool_arguments.Propose, speech_tools.propose,
    ),
    _act(
        "support", "Support",
        "Say that you are for a proposal or decision, and why.",
        tool_arguments.React, speech_tools.support,
    ),
    _act(
        "oppose", "Oppose",
        "Say that you are against a proposal or decision, and what would change your mind.",
        tool_arguments.React, speech_tools.oppose,
    ),
    Tool(
        "vote", "Cast a ballot",
        "Cast your ballot in a vote that is open (V1). Cast another and that one counts. The last "
        "ballot that is awaited closes the vote.",
        tool_arguments.Ballot, SpeechResult, "speak", ballot_tools.vote, result_text.speech_text,
    ),
    Tool(
        "confirm_vote", "Agree to a vote",
        "Say whether a vote that was called is to be held now. Only a vote whose status is called "
        "waits for it; once it is open, call vote.",
        tool_arguments.Confirm, tool_results.VoteRow, "speak",
        ballot_tools.confirm_vote, result_text.vote_text,
    ),
    _act(
        "decide", "Claim a decision",
        "Say that the group has decided, when enough have said they are for it. Unless you are "
        "the chair it is a claim; the answer says what it lacks.",
        tool_arguments.Decide, speech_tools.decide,
    ),
    _act(
        "ratify", "Ratify",
        "Confirm a decision (D1) or a proposal as decided, one that you did not make yourself. "
        "Unless you are the chair it counts as support; the answer says what is missing.",
        tool_arguments.React, speech_tools.ratify,
    ),
    Tool(
        "call_vote", "Call a vote",
        "Ask the group to vote, when talk does not settle a question.",
        tool_arguments.CallVote, tool_results.VoteRow, "vote",
        ballot_tools.call_vote, result_text.vote_text,
    ),
    Tool(
        "extend_vote", "Give a vote more time",
        "Have an open vote counted later than it would be, where somebody is still awaited.",
        tool_arguments.ExtendVote, tool_results.VoteRow, "vote",
        ballot_tools.extend_vote, result_text.vote_text,
    ),
    Tool(
        "bid_for_floor", "Ask for the floor",
        "Ask to speak where one speaks at a time, without waiting for it; wait_for_messages tells "
        "when it is yours. say asks by itself: call this to say how urgent it is.",
        tool_arguments.Bid, tool_results.Floor, "speak",
        speech_tools.bid_for_floor, result_text.floor_text,
    ),
    Tool(
        "pass_floor", "Pass",
        "Say that you have nothing to add now, so that others get the floor.",
        tool_arguments.Pass, tool_results.Floor, "speak",
        speech_tools.pass_floor, result_text.floor_text,
    ),
    Tool(
        "read_memory", "Read the memory",
        "Decisions, proposals, positions and votes with the messages that show them; now, or as "
        "it stood after a message.",
        tool_arguments.ReadMemory, tool_results.Memory, "read",
        reading_tools.read_memory, result_text.memory_text,
    ),
    Tool(
        "read_brief", "Read the Brief",
        "What was decided and what is open, with counts and the strongest dissent; who does what "
        "by when; what waits for you. Read it first; now, or as it stood after a message.",
        tool_arguments.ReadBrief, tool_results.Brief, "read",
        reading_tools.read_brief, result_text.brief_text,
    ),
    Tool(
        "get_context", "Get the context",
        "What you need to know to speak now, within a budget of tokens: the goal, what is decided "
        "and open, summaries, the newest messages. Call it after joining and when you lost track.",
        tool_arguments.GetContext, tool_results.ContextText, "read",
        reading_tools.get_context, result_text.context_text,
    ),
    Tool(
        "explain", "Explain an item",
        "Why something is in the memory: its words, who said them, and what became of it.",
        tool_arguments.Explain, tool_results.Explained, "read",
        reading_tools.explain, result_text.explained_text,
    ),
    Tool(
        "read_messages", "Read messages",
        "Messages by their numbers, word for word; one alone is given whole.",
        tool_arguments.ReadMessages, tool_results.Messages, "read",
        reading_tools.read_messages, result_text.messages_text,
    ),
    Tool(
        "leave_session", "Leave",
        "Give up your seat when you are done. The session goes on without you.",
        tool_arguments.Leave, tool_results.Left, "speak",
        speech_tools.leave_session, result_text.left_text,
    ),
)  # fmt: skip

BY_NAME: Final[dict[str, Tool]] = {tool.name: tool for tool in TOOLS}


_SESSION: Final = agent_verbs.Argument("session", {"type": "string", "description": "its id"})


@cache
def list_tools(offer: ToolOffer, session: str | None = None) -> tuple[Listed, ...]:
    """The tools as a client is told of them that may enter `session` alone; None: every one."""
    if offer.tools == "all":
        return tuple(
            _listed(tool, tool.description, input_schema(tool.name, session) or {}, output=True)
            for tool in TOOLS
        )
    before = () if session is not None else (_SESSION,)
    return tuple(
        _listed(
            BY_NAME[verb.name], verb.description, verb.schema(*before), output=offer.output_schemas
        )
        for verb in agent_verbs.CORE
    )


def _listed(tool: Tool, description: str, schema: dict[str, Any], *, output: bool) -> Listed:
    return Listed(
        name=tool.name, title=tool.title, description=description, input_schema=schema,
        output_schema=tool.result.model_json_schema(mode="serialization") if output else None,
        annotations=ToolAnnotations(
            title=tool.title, read_only_hint=tool.read_only, destructive_hint=False,
            open_world_hint=False,
        ),
    )  # fmt: skip


@cache
def input_schema(name: str, session: str | None = None) -> dict[str, Any] | None:
    """The JSON schema of a tool's arguments; None for a name that no tool has.

    Who may enter `session` alone need not name it.
    """
    tool = BY_NAME.get(name)
    if tool is None:
        return None
    schema = tool.args.model_json_schema()
    if session is not None and tool.in_session:
        schema["properties"]["session"]["default"] = session
        schema["required"] = [field for field in schema["required"] if field != "session"]
    return schema
