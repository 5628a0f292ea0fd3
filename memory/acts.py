"""Reading speech acts in what was said: the envelope's, tags, votes, patterns.

`Reader.read` is linear in the message and nearly free on plain talk: one RE2
set says that nothing matches. Only where something does is the message made
ready (`clauses.Script`), searched for the spans, and each match judged by the
guards of its language before it claims anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from memory import tags
from memory.clauses import Script, Span
from memory.detection import Detection as Detection
from memory.judge import Judge, Match
from memory.patterns import REACTIONS, Pack, Rule, compiled, compiled_set
from memory.settle import settled
from memory.text import plain

_NOTHING: Final[tuple[Detection, ...]] = ()
_BARE_VOTES: Final = ("+1", "-1", "0", "+0", "-0", "+0.5", "-0.5")
_MAX_REFS: Final = 32
_EDGE: Final = " \t\r\n,;:-"
_LEADING: Final = " \t\r\n*_#>-•"


class Reader:
    """The packs of a session, compiled. Stateless once built; may be shared.

    Raises `BadPattern` where the packs are too large together.
    """

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._rules = [(f"{pack.name}/{rule.name}", rule) for pack in packs for rule in pack.rules]
        self._patterns = [compiled(rule.pattern, name) for name, rule in self._rules]
        self._texts = [pattern.groupindex.get("text", 0) for pattern in self._patterns]
        gate = (*tags.PATTERNS, *(rule.pattern for _, rule in self._rules))
        self._gate = compiled_set(gate).Match
        self._judge = Judge([pack.guards for pack in packs])
        self._bare = {vote: self._read(vote, None) for vote in _BARE_VOTES}

    def read(self, content: str, act: str | None = None) -> tuple[Detection, ...]:
        """The acts in `content`, in text order; () for nearly all plain talk.

        `act` is the speaker's own word for the whole message and comes first;
        beside it tags still count, patterns only where they name a handle.
        """
        if act is None and content in self._bare:
            return self._bare[content]
        return self._read(content, act)

    def _read(self, content: str, act: str | None) -> tuple[Detection, ...]:
        text = plain(content)
        hits = self._gate(text)
        if not hits and act is None:
            return _NOTHING
        script = Script(text)
        tagged, votes = [], []
        if hits and min(hits) < len(tags.PATTERNS):
            tagged = tags.find_tags(script)
            votes = tags.find_votes(script, self._judge.reserve)
        matches = self._judge.upheld(script, self._matches(script, hits))
        found = settled(script, tagged, votes, matches, self._judge)
        if act is not None:
            found = _under(act, script, found)
        return tuple(found)

    def _matches(self, script: Script, hits: Iterable[int]) -> list[Match]:
        found = []
        for hit in sorted(hits):
            index = hit - len(tags.PATTERNS)
            if index < 0:
                continue
            name, rule = self._rules[index]
            places = self._patterns[index].finditer(script.unquoted)
            for place in islice(places, tags.MAX_EACH):
                text = place.span(self._texts[index]) if self._texts[index] else (-1, -1)
                found.append(_match(script, name, rule, place.span(), text))
        return found


def _match(script: Script, name: str, rule: Rule, place: Span, text: Span) -> Match:
    """A match of `rule`, without the spaces and marks that its pattern led in with."""
    start, end = place
    shown = script.unquoted
    while start < end and not (shown[start].isalnum() or shown[start] in "+-["):
        start += 1
    while end > start + 1 and shown[end - 1] in _EDGE:
        end -= 1
    group = None if text == (-1, -1) else text
    return Match(start, end, name, rule, script.sentence(start, end), group)


def _under(act: str, script: Script, found: list[Detection]) -> list[Detection]:
    """`found` beneath the envelope's act, which outranks whatever says the same."""
    text = script.text
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    same = [each for each in found if each.how == "tag" and each.act == act and not each.vote]
    if same and not text[: same[0].start].strip(_LEADING):
        start = max(start, same.pop(0).text_start)
        end = same[0].start if same else end
    kept = [each for each in found if each in same or _adds(each, act)]
    claimed = {ref for each in kept for ref in each.refs}
    refs = [ref for ref in script.handles(0, len(text)) if ref not in claimed]
    whole = Detection(
        act, 0, len(text), start, max(start, end), "act", f"act/{act}", 1000,
        tuple(refs[:_MAX_REFS]), quotes=script.quotes,
    )  # fmt: skip
    return [whole, *kept]


def _adds(found: Detection, act: str) -> bool:
    """True for what the envelope's act does not say: a tag, or an act on a handle."""
    if found.act == act or (found.vote and act in REACTIONS):
        return False
    return bool(found.how == "tag" or found.refs)
