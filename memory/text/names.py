"""Names that are one to whoever reads them: differently composed, spaced, or with signs unseen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from unicodedata import ucd_3_2_0 as unicode  # the same in every Python

_UNSEEN: Final = "Cf"  # the Unicode category of format characters
_BLANK_UNSEEN: Final = "\u200b"  # which Unicode 3.2 has among the blanks


def resolve_name(aliases: Mapping[str, str], name: str) -> str:
    """The canonical name of `name`: of whom it is an alias, else what it is called as one reads it.

    `aliases` are canonical names by alias.
    """
    known = aliases.get(name)
    if known is None:
        plain = plain_name(name)
        known = plain if plain == name else aliases.get(plain, plain)
    return known


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """`name` composed (NFC), without format characters, its blanks single and none at its ends.

    Names of which that is the same are one person's. A name of nothing else is as it is.
    """
    if name.isascii() and name.isprintable() and "  " not in name and name == name.strip():
        return name
    seen = [sign for sign in name if sign != _BLANK_UNSEEN and unicode.category(sign) != _UNSEEN]
    return unicode.normalize("NFC", " ".join("".join(seen).split())) or name
