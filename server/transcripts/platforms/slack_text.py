"""Slack's markup as people read it: names for ids, plain characters for references."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parley.server.transcripts.sources.emoji_reactions import read_emoji
from parley.server.transcripts.sources.markup import unescape

_LINK: Final = re.compile(r"<([@#!]?)([^<>|\n]{1,4000})(?:\|([^<>\n]{0,4000}))?>")
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
