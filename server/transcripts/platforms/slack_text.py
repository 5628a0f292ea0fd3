"""Slack's markup as people read it: names for ids, plain characters for references."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from parley.server.transcripts.sources.emoji_reactions import read_emoji
from parley.server.transcripts.sources.markup import unescape

_LINK: Final = re.compile(r"<([@#!]?)([^<>|\n]{1,4000})(?:\|([^<>\n]{0,4000}))?>")
_DEEPEST: Final = 20  # blocks within each other; Slack knows five
_REFERENCES: Final = {
    "emoji": (":", "name", ":"), "user": ("<@", "user_id", ">"),
    "channel": ("<#", "channel_id", ">"), "broadcast": ("@", "range", ""),
}  # fmt: skip
_EMOJI: Final = re.compile(r":([a-z0-9_+-]{1,40}(?:::skin-tone-[2-6])?):")


def to_plain_text(text: str, name: Callable[[str], str]) -> str:
    """`text` without Slack's markup; `name` gives the name of a user's id."""

    def read(link: re.Match[str]) -> str:
        kind, target, label = link.groups()
        if kind == "@":
            return f"@{name(target)}"
        if kind == "#":
            return f"#{label or target}"
        if kind == "!":
            return label or f"@{target.partition('^')[0]}"
        return f"{label} ({target})" if label and label != target else target

    return unescape(_EMOJI.sub(_sign, _LINK.sub(read, text) if "<" in text else text))


def _sign(emoji: re.Match[str]) -> str:
    """A vote as its sign; other emoji keep their names."""
    vote = read_emoji(emoji[1])
    return vote.sign if vote else emoji[0]


def words_of_blocks(row: dict[str, Any]) -> str:
    """The words of a message that has them in blocks or, as those of programs, in attachments."""
    blocks = _words(row.get("blocks"), 0)
    if blocks.strip():
        return blocks.strip()
    attached = row.get("attachments")
    said: list[str] = []
    for each in attached if isinstance(attached, list) else ():
        if isinstance(each, dict):
            words = each.get("text") or each.get("fallback") or _words(each.get("blocks"), 0)
            said += [words] if isinstance(words, str) and words.strip() else []
    return "\n".join(said)


def _words(part: Any, depth: int) -> str:
    """The words of a block and of those within it, each stretch of them on a line of its own."""
    if isinstance(part, list):
        return "".join(_words(each, depth + 1) for each in part) if depth < _DEEPEST else ""
    if not isinstance(part, dict):
        return ""
    kind, text = part.get("type"), part.get("text")
    if kind in _REFERENCES:
        before, key, after = _REFERENCES[kind]
        return f"{before}{part[key]}{after}" if isinstance(part.get(key), str) else ""
    if isinstance(text, str):
        return text
    inner = _words(text, depth + 1) if isinstance(text, dict) else ""
    inner += "".join(_words(part.get(key), depth + 1) for key in ("fields", "elements"))
    return f"{inner}\n" if inner and kind != "rich_text" else inner
