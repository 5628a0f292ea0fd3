"""Which of several participants a model means by a name that it wrote in its own way. Pure.

Models write names with Markdown, other case, blanks for underscores, quotes, an `@` or a sentence
around them. What people would take for one of the names is that one; what fits two is nobody.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from parley.memory.text.plain_text import plain_name

_APART: Final = re.compile(r"[\W_]+")
_LONGEST: Final = 2000  # characters of an answer that are looked at


def find_called(said: str, names: Collection[str]) -> str | None:
    """The one of `names` that `said` means: it is it, or reads as it, or names it alone.

    None if it means no one of them, or may mean several.
    """
    plain = plain_name(said)
    exact = [name for name in names if plain_name(name) == plain]
    if len(exact) == 1:
        return exact[0]
    words = _words(said[:_LONGEST])
    alike = [name for name in names if _words(name) == words]
    if len(alike) == 1:
        return alike[0]
    if alike or not words:
        return None
    spaced = f" {words} "
    within = [name for name in names if f" {_words(name)} " in spaced]
    # "Ana Lima" is no mention of "Ana" as well
    whole = [
        name
        for name in within
        if not any(_words(name) != _words(each) and _words(name) in _words(each) for each in within)
    ]
    return whole[0] if len(whole) == 1 else None


def _words(text: str) -> str:
    """The letters and digits of `text` in small letters, with single blanks for all between."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\\", "")
    return _APART.sub(" ", folded).strip()
