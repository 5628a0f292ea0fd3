"""Who is meant by a name in the talk: in any case, by first name where it is one person's. Pure."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Final

from parley.memory.state.memory import Memory
from parley.server.minutes.words.people import plain_nick, unique_forms

_SPELT: Final = re.compile(r"[a-z]+\d[a-z0-9]{2,}", re.IGNORECASE)  # "m1a_", not "agent2"
_MOST: Final = 500  # names that are looked for in a text: the talk of more is a crowd's


class NameIndex:
    """The participants of a session, by what they are called."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        firsts = {name: name.split()[0].casefold() for name in memory.participants if name.split()}
        shared = Counter(firsts.values())
        self._firsts = {first: name for name, first in firsts.items() if shared[first] == 1}
        nicks = {name: plain_nick(name) for name in memory.participants if _SPELT.fullmatch(name)}
        alike = Counter(nicks.values())
        self._nicks = {nick: name for name, nick in nicks.items() if alike[nick] == 1}
        self._nicks |= unique_forms(memory.participants)

    def canonical(self, participant: str) -> str:
        return self._memory.named(participant)

    def all(self) -> list[str]:
        """The names of all participants."""
        return [*self._memory.participants]

    def is_bot(self, participant: str) -> bool:
        return self.canonical(participant) in self._memory.bots

    def find(self, text: str) -> str | None:
        """The participant called `text`, by name, first name or what their nick stands for;
        None where nobody, or more than one, is."""
        small = text.casefold()
        if not small:
            return None
        known = self._memory.names.get(small) or self._firsts.get(small)
        return known or self._nicks.get(small) or self._nicks.get(plain_nick(text))

    def in_text(self, text: str) -> list[str]:
        """The participants that `text` names by a word of its own.

        A first name has to be written as a name is: "who will go" does not ask Will.
        """
        if self._pattern is None:
            return []
        names = (self._written(match[0]) for match in self._pattern.finditer(text))
        return list(dict.fromkeys(name for name in names if name is not None))

    def _written(self, text: str) -> str | None:
        name = self.find(text)
        if name is None or text.casefold() in self._memory.names:
            return name
        return name if text[:1].isupper() or not name[:1].isupper() else None

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        called = sorted({*self._memory.names, *self._firsts}, key=lambda name: (-len(name), name))
        words = "|".join(re.escape(name) for name in called[:_MOST])
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None
