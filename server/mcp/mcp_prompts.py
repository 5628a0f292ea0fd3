"""Prompts that a person hands to an agent: how to take part, the grammar, the minutes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from parley.memory.text.fences import escape_invisible
from parley.memory.text.plain_text import one_line
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.callers import Caller
from parley.server.mcp import mcp_resources
from parley.server.mcp.deliberation_grammar import FENCE, describe_grammar
from parley.server.mcp.tools.tool_call import McpDependencies
from parley.server.mcp.tools.tool_offer import ToolOffer
from parley.server.services import notes

LONGEST: Final = 500  # characters of an argument
LONGEST_CONTENT: Final = 50_000  # of what happened

_SESSION: Final = PromptArgument(
    name="session", description="id of the session", required=True
)  # fmt: skip
_CONTENT: Final = PromptArgument(
    name="content", description="what just happened", required=True
)  # fmt: skip
_ROLE: Final = PromptArgument(
    name="role", description="what you are there for, such as: look after the costs"
)

PROMPTS: Final = (
    Prompt(
        name="deliberate", title="Take part in a session",
        description="How to join, listen, speak and leave", arguments=[_SESSION, _ROLE],
    ),
    Prompt(
        name="grammar", title="Acts and handles",
        description="The words that a deliberation is made of", arguments=[],
    ),
    Prompt(
        name="minutes", title="Minutes of a session",
        description="What a session came to, to tell others", arguments=[_SESSION],
    ),
    Prompt(
        name="notebook", title="Rewrite your notebook",
        description="Your notebook there, in the light of what just happened",
        arguments=[_SESSION, _CONTENT],
    ),
)  # fmt: skip

_DELIBERATE: Final = """\
Take part in the Parley session `{session}` until it is closed or you are told to stop.{role}

1. Call `join_session` with session `{session}`. Keep the `cursor` that it gives.
2. Call `get_context` once, and read it.{memory}
3. Call `wait_for_messages` with that as `after`. Use the `cursor` of each answer for the next call.
   No message is no reason to speak: wait again.
4. When something calls for you (you are addressed, a proposal is in your field, a vote is
   open), do one thing: `propose`, `support` or `oppose` with a reason, `say` an answer,
   `vote`, `decide` once enough have agreed, {ratify} a decision that is not your own.
   The answer says what is missing for it to bind.
   Before proposing, look whether it was proposed already. Then wait again.
5. Be silent when you would only repeat what was said. Never answer yourself.
6. Where one speaks at a time, what you say waits for the floor. If it is not granted, wait for
   messages, and say it again only if it still holds.{silent}{leave}

A call that got no answer may have been heard all the same. Give each call that speaks or votes
a `key`, any word that you used for no other; to repeat a call, repeat its key: the same key again
gives the same answer, and nothing is said twice.

A refusal says what to do about it. {fence}

{grammar}"""


async def get_prompt(
    door: McpDependencies,
    caller: Caller,
    name: str,
    arguments: Mapping[str, str],
    offer: ToolOffer,
) -> GetPromptResult | None:
    """The prompt of that name, filled in; None where there is none. Raises `Problem`."""
    known = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if known is None:
        return None
    if caller.only_session is not None and _SESSION in (known.arguments or ()):
        arguments = {"session": caller.only_session, **arguments}
    _check(known, arguments)
    match name:
        case "deliberate":
            mcp_resources.check_session(door, caller, arguments["session"])
            text = _deliberate(arguments["session"], arguments.get("role", ""), offer)
        case "minutes":
            minutes = await mcp_resources.minutes_text(door, caller, arguments["session"])
            text = f"Tell others what this session came to, from its minutes. {FENCE}\n\n{minutes}"
        case "notebook":
            session, content = arguments["session"], arguments["content"]
            mcp_resources.check_session(door, caller, session)
            text = (
                await notes.ask_for_update(door.deps.backend, session, caller.name, content)
            ).prompt
        case _:
            text = describe_grammar()
    prompt_message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=known.description, messages=[prompt_message])


def _deliberate(session: str, role: str, offer: ToolOffer) -> str:
    wish = f" You are there to: {escape_invisible(one_line(role))}." if role.strip() else ""
    few = offer.tools == "core"
    return _DELIBERATE.format(
        session=session, role=wish, fence=FENCE, grammar=describe_grammar(),
        memory="" if few else " `read_memory` has what is decided and open.",
        ratify="`say` with `act` ratify and `re`" if few else "`ratify`",
        silent="" if few else " `pass_floor` when you have nothing to add.",
        leave="" if few else "\n7. When you are done, call `leave_session`.",
    )  # fmt: skip


def _check(known: Prompt, arguments: Mapping[str, str]) -> None:
    taken = {prompt_argument.name: prompt_argument for prompt_argument in known.arguments or ()}
    if any(name not in taken for name in arguments):
        raise Problem("invalid", fault="extra_forbidden")
    for name, prompt_argument in taken.items():
        if prompt_argument.required and name not in arguments:
            raise Problem("invalid", field=name, fault="missing")
        longest = LONGEST_CONTENT if name == "content" else LONGEST
        if len(arguments.get(name, "")) > longest:
            raise Problem("invalid", field=name, fault="string_too_long")
