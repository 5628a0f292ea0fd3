"""Who is a bot, who is in the chair and who takes minutes, where a transcript does not say.

Told from the words themselves, of recorded talk only: in a live session anybody
could claim to be in the chair. A name counts where somebody of that name speaks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from parley.server.basics.output import escape
from parley.server.transcripts.platforms.irc import BOTS
from parley.server.transcripts.sources.speakers import names_several
from parley.server.transcripts.sources.transcript import Transcript

_BOT: Final = re.compile(r"(?:.*[\W_]bot|.*[a-z]Bot|[a-z]{2,}bot)[\d_]*", re.DOTALL)
_PEOPLE: Final = frozenset({"abbot", "cabot", "talbot", "turbot", "robot"})  # names like others
_MACHINE: Final = re.compile(
    r"\s*(?:\*\s*)?(?:\S+ (?:has|have) (?:joined|left|quit|changed|set|been)\b|logging to \S+"
    r"|I have made the request|I(?:'m| am) (?:logging|ready)|recorded (?:action|issue)"
    r"|sees? .{0,200}\b(?:on the (?:speaker )?queue|on the phone)|.{0,80}\bthe speaker queue"
    r"|(?:created|closed|added) (?:action|issue)[- ]\d|ack'?(?:ing|ed)\b|present\b.{0,200}\bnow\b"
    r"|meeting (?:started|ended)\b|\S+ is now known as\b|(?:the )?topic (?:is|was) (?:set|changed)"
    r"|minutes(?: \(text\))?: +https?://|log: +https?://)",
    re.IGNORECASE,
)
_NAMING: Final = re.compile(
    r"\s*(?P<role>chair|scribe)(?:[ -]?nick)?s?[ \t]*[:=+][ \t]*(?P<names>[^\n]{1,100})\s*\Z",
    re.IGNORECASE,
)
_WRITER: Final = 260  # characters of a message on average: an agent that talks, called as it may be
_FEW: Final = 2  # lines of a machine before it is taken for one


@dataclass(frozen=True, slots=True)
class Roles:
    """Names as they speak; () where the file says so itself, or nobody is told to be one."""

    bots: tuple[str, ...] = ()
    chair: tuple[str, ...] = ()
    scribes: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """What was taken for what, for a person to read."""
        named = (
            ("taken for bots", self.bots),
            ("taken to be in the chair", self.chair),
            ("taken for scribes", self.scribes),
        )
        for label, names in named:
            if names:
                yield f"{label}: {', '.join(map(escape, names))}"


def infer_roles(transcript: Transcript) -> Roles:
    """The roles that the words of `transcript` tell, where its first line names nobody for them."""
    meta, people = transcript.meta, _People(transcript.speakers)
    own_lines: defaultdict[str, list[str]] = defaultdict(list)
    named: dict[str, dict[str, None]] = {"chair": {}, "scribe": {}}
    for entry in transcript.entries:
        if entry.entry.kind != "message":
            continue
        own_lines[entry.entry.participant].append(entry.entry.content)
        if naming := _NAMING.match(entry.entry.content):
            names = map(people.called, names_several(naming["names"].rstrip(". ")))
            named[naming["role"].lower()].update(dict.fromkeys(filter(None, names)))
    bots = tuple(name for name, lines in own_lines.items() if _is_bot(name, lines))
    return Roles(
        bots=() if "bots" in meta else bots,
        chair=() if "chair" in meta else tuple(n for n in named["chair"] if n not in bots),
        scribes=() if "scribe" in meta else tuple(n for n in named["scribe"] if n not in bots),
    )


def _is_bot(name: str, lines: list[str]) -> bool:
    small = name.lower()
    if small in BOTS or small.endswith("[bot]"):
        return True
    if _BOT.fullmatch(name) and small.rstrip("_0123456789") not in _PEOPLE:
        return sum(map(len, lines)) < _WRITER * len(lines)
    return len(lines) >= _FEW and all(map(_MACHINE.match, lines))


class _People:
    """Who speaks, by whatever they may be called: "Ann Lee" may be ann_lee, annlee or ann."""

    def __init__(self, speakers: list[str]) -> None:
        self._by: defaultdict[str, set[str]] = defaultdict(set)
        for name in speakers:
            self._by[_bare(name)].add(name)

    def called(self, name: str) -> str | None:
        """The one speaker of that name, else of one word of it; None for nobody, or several."""
        words = [name, *re.split(r"[\s_(),]+", name)]
        for names in (self._by.get(_bare(word), set()) for word in words if _bare(word)):
            if names:
                return next(iter(names)) if len(names) == 1 else None
        return None


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
