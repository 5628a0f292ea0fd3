"""What reading routes answer. The rows of minutes are told in docs/protocol.md."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from parley.server.http.bodies.session_responses import Answer

Row = dict[str, Any]
Cite = tuple[int, int, int]  # n, start, end: characters, half-open


class Usage(Answer):
    """What the session spent. `purposes` are tokens; `budget` has null for no limit."""

    tokens: int
    micros: int
    calls: int
    failed: int
    held_tokens: int
    refused: int
    overrun: int
    purposes: dict[str, int]
    accounts: dict[str, dict[str, int]]
    budget: dict[str, int | None]


class BlockRow(Answer):
    name: str
    text: str
    size: int


class ChoiceRow(Answer):
    block: str
    what: str
    fate: str


class ContextRow(Answer):
    """`size` in tokens; `cites` are numbers of messages."""

    text: str
    blocks: list[BlockRow]
    size: int
    cites: list[int]
    dropped: dict[str, int]
    shortened: dict[str, int]
    choices: list[ChoiceRow]
    prefix_hash: str
    prefix_chars: int


class ChatRow(Answer):
    """What an assistant is told, as chat messages."""

    messages: list[Row]
    size: int
    dropped: dict[str, int]


class Explanation(Answer):
    """An item as minutes have it, with its evidence, its history and what covers it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    handle: str
    words: list[Row]
    summaries: list[Row]
    context: list[Row]
    history: list[Row]


# -- the page --------------------------------------------------------------------------


class SummaryRow(Answer):
    level: int
    first: int
    last: int
    how: str
    text: str
