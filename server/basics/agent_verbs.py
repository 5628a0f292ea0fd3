"""What an agent can do in a deliberation, in the words that its model reads. Pure.

MCP's tools of `--tools core` and the tools of `parley.integrations` are made of these rows. The
words are short: every agent pays for them in each of its prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from parley.bus.entries import ACTS


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a verb: `schema` is its JSON schema; without `required` it may be left out."""

    name: str
    schema: dict[str, Any]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Verb:
    """A tool for an agent; `act` is what its words do, "" if they say it themselves."""

    name: str
    description: str
    arguments: tuple[Argument, ...] = ()
    act: str = ""

    def schema(self, *before: Argument) -> dict[str, Any]:
        """The JSON schema of its arguments, and of those `before` them."""
        taken = (*before, *self.arguments)
        return {
            "type": "object",
            "properties": {argument.name: argument.schema for argument in taken},
            "required": [argument.name for argument in taken if argument.required],
        }


def _text(about: str) -> dict[str, Any]:
    return {"type": "string", "description": about}


_ITEM: Final = _text("its handle, such as P3 or D1, or a message's number")
_WHY: Final = Argument("why", _text("your reason; others go by it"), required=False)

SPOKEN: Final[tuple[Verb, ...]] = (
    Verb(
        "propose",
        "Put something up for agreement, in words that can be decided as they are. It gets a "
        "handle such as P1. If the ledger has it already, support or oppose that instead.",
        (Argument("content", _text("the whole proposal")),),
        "propose",
    ),
    Verb(
        "support", "Say that you are for a proposal or decision, and why.",
        (Argument("ref", _ITEM), _WHY), "support",
    ),
    Verb(
        "oppose",
        "Say that you are against a proposal or decision, and what would change your mind.",
        (Argument("ref", _ITEM), _WHY), "oppose",
    ),
    Verb(
        "decide",
        "Say that something is decided. A chair's word decides; anybody else's is a claim until "
        "the group confirms it.",
        (
            Argument("content", _text("the decision in words")),
            Argument("re", _text("the proposal that it adopts, such as P1"), required=False),
        ),
        "decide",
    ),
    Verb(
        "say",
        "Say anything else to everybody: an answer, a question, a fact, or an act that is no "
        "tool of its own.",
        (
            Argument("content", _text("what you say")),
            Argument(
                "act",
                {"type": "string", "enum": list(ACTS), "description": "what it does, if not clear"},
                required=False,
            ),
            Argument("re", _text("what it is on: a handle or a message's number"), required=False),
        ),
    ),
)  # fmt: skip

CONTEXT: Final = Verb(
    "get_context",
    "What is decided, open and disputed, who is for and against it, and what was said last. Read "
    "it before you speak.",
)
VOTE: Final = Verb(
    "vote",
    "Cast your ballot in an open vote; casting again replaces it.",
    (
        Argument("ref", _text("the vote, such as V1")),
        Argument(
            "choice",
            {"type": "array", "items": {"type": "string"},
             "description": "one option, or abstain; in a ranked vote several, the best first"},
        ),
        _WHY,
    ),
)  # fmt: skip
JOIN: Final = Verb(
    "join_session",
    "Take your seat, and learn where to wait from. Whatever else you call takes it too.",
    (Argument("description", _text("who you are, for the others"), required=False),),
)
WAIT: Final = Verb(
    "wait_for_messages",
    "What others said since `after`, or the next thing they say. Call it again after the cursor "
    "that it gives, for as long as you take part.",
    (
        Argument("after", _text("`cursor` of your last wait or of joining; 0: from the start")),
        Argument(
            "timeout",
            {"type": "number", "description": "seconds to wait, up to 25"},
            required=False,
        ),
    ),
)  # fmt: skip

CORE: Final[tuple[Verb, ...]] = (JOIN, WAIT, CONTEXT, *SPOKEN, VOTE)
