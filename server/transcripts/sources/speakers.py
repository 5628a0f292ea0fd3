"""Who speaks in text that says it in words: `Name: what they say`.

Much has a colon that is no name: `Proposal: …`, `https://…`, `Note: …`. A name is
a few words at the start of a line, none of them a word of minutes.
"""

from __future__ import annotations

import re
from typing import Final

_PREFIX: Final = re.compile(
    r"(?P<name>[^\W_][^:\n<>{}|=*\"“”?!;]{0,63}?)[ \t]?:(?:[ \t]+(?P<text>\S.*)|[ \t]*)\Z",
    re.DOTALL,
)
_BETWEEN: Final = re.compile(r"[,;&]|(?<=\s)and(?=\s)")
_WORDS: Final = 6  # of a name; "Maria da Silva e Souza (Guest)" is one
# Words that begin a line of minutes and are nobody: also memory's tags, which must stay in place.
_WORDS_OF_MINUTES: Final = """
    proposal proposed proposals resolved resolution resolutions decision decisions decided agreed
    agreement consensus action actions todo to-do note notes nb topic topics agenda date time when
    where location present attendees attendance participants regrets absent apologies chair chairs
    scribe scribes secretary minutes summary subject re fwd next result results outcome outcomes
    motion vote votes question questions answer answers background context example examples issue
    issues option options pro pros con cons risk risks status update updates warning important
    http https ftp mailto file title meeting link links url see e.g i.e ps p.s fyi tl;dr tldr
    discussion conclusion conclusions introduction deadline owner due
    reason rationale goal goals item items step steps reference references recording previous
    amendment withdraw withdrawn objection support oppose q a
    so well ok okay yes no yeah nope and but or also then now still again anyway however first
    second third finally next maybe perhaps because thanks hello hi hey right sure plus wait look
    listen
    error errors info debug warn fatal critical trace traceback exception exitcode timestamp latency
"""
NOT_NAMES: Final = frozenset(_WORDS_OF_MINUTES.split())


def split_speaker(line: str) -> tuple[str, str] | None:
    """The name and the words of a line that begins as a speaker's would; the words may be ""."""
    match = _PREFIX.match(line)
    if match is None:
        return None
    name = match["name"].strip()
    words = name.split()
    if len(words) > _WORDS or name.endswith((".", ",")):
        return None
    last = words[-1].lower()
    if words[0].lower() in NOT_NAMES or last in NOT_NAMES or name.isdecimal():
        return None
    return name, match["text"] or ""


def is_capitalized(name: str) -> bool:
    """True where every longer word begins as names do: not a small letter."""
    return all(not word[0].islower() for word in name.split() if len(word) > 3)


def names_several(names: str) -> list[str]:
    """The names of a list such as "Ana, Bo and Cy"."""
    parts = (part.strip() for part in _BETWEEN.split(names))
    return [part for part in parts if part]
