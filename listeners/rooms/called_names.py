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
    """The one of `names` that `said` means: it is it, reads as it, is a part of it, or names it.

    None if it means no one of them, or may mean several.
    """
    if plain_name(said) in (plain := {plain_name(name): name for name in names}):
        return plain[plain_name(said)]
    said = said[:_LONGEST]
    for form in (_words, _bare):
        alike = [name for name in names if form(name) == form(said) != ""]
        if alike:
            return alike[0] if len(alike) == 1 else None
    spaced = f" {_words(said)} "
    named = []
    for name in sorted(names, key=len, reverse=True):
        words = f" {_words(name)} "
        if words.strip() and words in spaced:
            named.append(name)
            spaced = spaced.replace(words, "  ")  # "Ana Lima" is no mention of "Ana" as well
    if not named and spaced.strip():
        named = [name for name in names if spaced in f" {_words(name)} "]  # a first name
    return named[0] if len(named) == 1 else None


def _words(text: str) -> str:
    """The letters and digits of `text` in small letters, with single blanks for all between."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\\", "")
    return _APART.sub(" ", folded).strip()


def _bare(text: str) -> str:
    """The letters and digits of `text` alone, without accents: `Storywriter`, `Jose`."""
    apart = unicodedata.normalize("NFKD", _words(text))
    return "".join(each for each in apart if not unicodedata.combining(each) and each != " ")
