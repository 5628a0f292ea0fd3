"""The formats there are, in the order in which equals are tried, and which one a file has."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Final, cast

from parley.server.basics.errors import Failure, Misuse
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import SURE, Format

# Loaded when it is asked for: most files are of the first one.
_PLACES: Final = {
    "jsonl": "formats.json_lines:JSON_LINES",
    "irc": "platforms.irc:IRC",
    "vtt": "formats.captions:VTT",
    "srt": "formats.captions:SRT",
    "sbv": "formats.captions:SBV",
    "otter": "formats.meeting_texts:OTTER",
    "meet": "formats.meeting_texts:MEET",
    "slack": "platforms.slack:SLACK",
    "discord": "platforms.discord:DISCORD",
    "telegram": "platforms.telegram:TELEGRAM",
    "zulip": "platforms.zulip:ZULIP",
    "whatsapp": "platforms.whatsapp:WHATSAPP",
    "chatgpt": "platforms.assistant_exports:CHATGPT",
    "claude": "platforms.assistant_exports:CLAUDE",
    "markdown": "formats.markdown_talk:MARKDOWN",
    "openai": "formats.model_chats:OPENAI",
    "anthropic": "formats.model_chats:ANTHROPIC",
    "github": "platforms.github:GITHUB",
    "mbox": "platforms.mbox:MBOX",
    "openai-agents": "traces.agents_sdk:OPENAI_AGENTS",
    "langfuse": "traces.trace_formats:LANGFUSE",
    "langsmith": "traces.trace_formats:LANGSMITH",
    "autogen-log": "traces.autogen_log:AUTOGEN_LOG",
    "autogen": "formats.autogen:AUTOGEN",
    "langchain": "formats.langchain:LANGCHAIN",
    "speakers": "formats.speaker_lists:SPEAKER_LISTS",
    "autogen-console": "posts.autogen_console:AUTOGEN_CONSOLE",
    "notebook": "posts.notebook:NOTEBOOK",
    "chatdev": "posts.chatdev_log:CHATDEV",
    "board": "posts.message_board:BOARD",
    "github-markdown": "posts.github_markdown:GITHUB_MARKDOWN",
}
NAMES: Final = tuple(_PLACES)
HOW_TO_FORCE: Final = "name it: --input-format, or --format of 'parley transcript'"
ALWAYS_READ: Final = (
    'What can always be read is one line of JSON a message: {"index": 0, "agent_id": "ana", '
    '"content": "Hello."}'
)


@cache
def load_format(name: str) -> Format:
    """The format called `name`. Raises `KeyError`."""
    module, _, constant = _PLACES[name].partition(":")
    return cast("Format", getattr(import_module(f"parley.server.transcripts.{module}"), constant))


def all_formats() -> Iterator[Format]:
    """Every format, each loaded as it is come to."""
    return map(load_format, NAMES)


def find_format(name: str) -> Format:
    """The format called `name`. Raises `Misuse`, naming those there are."""
    if name in _PLACES:
        return load_format(name)
    near = get_close_matches(name, NAMES, 1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise Misuse(f"no format is called {name!r}{hint} There are {', '.join(NAMES)}")


def detect_format(source: Source) -> Format:
    """The format that the content of `source` fits best. Raises `Failure` where none does."""
    extension = source.extension
    best: Format | None = None
    most = (0, False)
    for each in all_formats():
        sure = (each.tell(source), extension in each.extensions)
        if sure[0] and sure > most:
            best, most = each, sure
        if most == (SURE, True):
            break  # none can be surer
    if best is not None:
        return best
    start = source.data[:64].lstrip()[:1]
    if start == b"[" and source.broken_json is not None:
        raise Failure(
            f"the file starts like a JSON list and is not one: {source.broken_json}. {ALWAYS_READ}"
        )
    from parley.server.transcripts.sources.refusals import name_content

    content = name_content(source)
    if b"\0" in source.data and not content:
        raise Failure(
            f"the file is no text: byte {source.data.index(0)} is NUL. "
            f"If it is UTF-16 without its mark, save it as UTF-8. {ALWAYS_READ}"
        )
    raise Failure(
        f"the file {f'is {content}, and ' if content else ''}fits no format of a transcript. "
        f"Tried: {', '.join(NAMES)}. If it is one of them, {HOW_TO_FORCE}. {ALWAYS_READ}"
    )
