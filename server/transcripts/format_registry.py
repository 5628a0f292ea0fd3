"""The formats there are, in the order in which equals are tried, and which one a file has."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from parley.server.basics.errors import Failure, Misuse
from parley.server.transcripts.formats.autogen import AUTOGEN
from parley.server.transcripts.formats.captions import SRT, VTT
from parley.server.transcripts.formats.json_lines import JSON_LINES
from parley.server.transcripts.formats.langchain import LANGCHAIN
from parley.server.transcripts.formats.markdown_talk import MARKDOWN
from parley.server.transcripts.formats.model_chats import ANTHROPIC, OPENAI
from parley.server.transcripts.formats.speaker_lists import SPEAKER_LISTS
from parley.server.transcripts.platforms.github import GITHUB
from parley.server.transcripts.platforms.irc import IRC
from parley.server.transcripts.platforms.mbox import MBOX
from parley.server.transcripts.platforms.slack import SLACK
from parley.server.transcripts.posts.autogen_console import AUTOGEN_CONSOLE
from parley.server.transcripts.posts.chatdev_log import CHATDEV
from parley.server.transcripts.posts.github_markdown import GITHUB_MARKDOWN
from parley.server.transcripts.posts.message_board import BOARD
from parley.server.transcripts.posts.notebook import NOTEBOOK
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import Format

FORMATS: Final[tuple[Format, ...]] = (
    JSON_LINES, IRC, VTT, SRT, SLACK, MARKDOWN, OPENAI, ANTHROPIC, GITHUB, MBOX, AUTOGEN,
    LANGCHAIN, SPEAKER_LISTS, AUTOGEN_CONSOLE, NOTEBOOK, CHATDEV, BOARD, GITHUB_MARKDOWN,
)  # fmt: skip
NAMES: Final = tuple(each.name for each in FORMATS)
HOW_TO_FORCE: Final = "name it: --input-format, or --format of 'parley transcript'"


def find_format(name: str) -> Format:
    """The format called `name`. Raises `Misuse`, naming those there are."""
    for each in FORMATS:
        if each.name == name:
            return each
    near = get_close_matches(name, NAMES, 1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise Misuse(f"no format is called {name!r}{hint} There are {', '.join(NAMES)}")


def detect_format(source: Source) -> Format:
    """The format that the content of `source` fits best. Raises `Failure` where none does."""
    extension = source.extension
    best: Format | None = None
    most = (0, False)
    for each in FORMATS:
        sure = (each.tell(source), extension in each.extensions)
        if sure[0] and sure > most:
            best, most = each, sure
    if best is not None:
        return best
    start = source.data[:64].lstrip()[:1]
    if start == b"[" and source.broken_json is not None:
        raise Failure(f"the file starts like a JSON list and is not one: {source.broken_json}")
    if b"\0" in source.data:
        raise Failure(
            f"the file is no text: byte {source.data.index(0)} is NUL. "
            "If it is UTF-16 without its mark, save it as UTF-8"
        )
    raise Failure(
        f"the file fits no format of a transcript. Tried: {', '.join(NAMES)}. "
        f"If it is one of them, {HOW_TO_FORCE}"
    )
