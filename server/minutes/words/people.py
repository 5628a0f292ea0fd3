"""Which names are plainly one person's: "Ida Stone" and "ida", "Ida_Stone" and "istone".

By what people do to their own name for a nick, and only where one person fits. A bare first
name that is written as a name, "Ida", may be another one's, as "Critic" is not "Critic Two". Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

_WORDS: Final = re.compile(r"[^\W_]+")
_BRACKETED: Final = re.compile(r"[\[(]([^\])]*)[\])]")
_DIGITS: Final = str.maketrans("013457", "oieast")  # "m1a", "j0e"
_SHORT: Final = 3  # letters of a nick that are few enough to be anybody's
_LONG: Final = 6  # letters of a first name that one wrong letter does not make another's


def other_names(names: Iterable[str]) -> dict[str, str]:
    """The name that each other name of the same person goes by: their full one.

    A name that fits two people, or none, is nobody else's.
    """
    listed = [*names]
    full = [name for name in listed if len(_words(name)) > 1]
    nicks = [name for name in listed if len(_words(name)) == 1 and not name.istitle()]
    fits = unique_forms(full)
    joined = _same_letters(listed)
    for nick in nicks:
        found = {fits[form] for form in (plain_nick(nick), _bare(nick)) if form in fits}
        found = found or {name for name in full if _is_misspelt(nick, name)}
        if len(found) == 1 and nick not in joined:
            joined[nick] = found.pop()
    return joined


def unique_forms(names: Iterable[str]) -> dict[str, str]:
    """What each full name among `names` may be called for short, where it is nobody else's."""
    fits: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        if len(_words(name)) > 1 and name[0].isupper():
            for form in name_forms(name):
                fits[form].add(name)
    return {form: owners.pop() for form, owners in fits.items() if len(owners) == 1}


def _same_letters(names: Iterable[str]) -> dict[str, str]:
    """Names that differ in capitals and marks alone, by the first that has capitals."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if len(_bare(name)) > _SHORT and not any(map(str.isdigit, name)):
            alike[_bare(name)].append(name)
    joined = {}
    for same in alike.values():
        chosen = max(same, key=lambda name: (len(_words(name)), sum(map(str.isupper, name))))
        joined.update({name: chosen for name in same if name != chosen})
    return joined


def name_forms(name: str) -> set[str]:
    """What somebody of this full name may be called for short, in small letters."""
    words = _words(_BRACKETED.sub(" ", name)) or _words(name)
    forms = {"".join(words)}
    if len(words) > 1:
        first, last = words[0], words[-1]
        forms |= {first, first + last[0], first[0] + last, first + last}
    forms |= {"".join(_words(inner)) for inner in _BRACKETED.findall(name)}
    return {form for form in forms if len(form) >= _SHORT}


def plain_nick(nick: str) -> str:
    """A nick without the digits in it that stand for letters, and those behind it: "m1a_2"."""
    bare = _bare(nick).rstrip("0123456789")
    return bare.translate(_DIGITS)


def _bare(name: str) -> str:
    return "".join(_words(name))


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(name)]


def _is_misspelt(nick: str, name: str) -> bool:
    """Whether it is the first name of `name` but for one letter, and long enough to tell."""
    small, first = _bare(nick), _words(name)[0]
    if len(small) != len(first) or len(first) < _LONG:
        return False
    return sum(one != other for one, other in zip(small, first, strict=True)) == 1
