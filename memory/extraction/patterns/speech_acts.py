"""Reading speech acts in what was said: the envelope's, tags, votes, patterns.

`Reader.read` is linear in the message and nearly free on plain talk: one RE2
set says that nothing matches. Only where something does is the message made
ready (`clauses.Script`), searched for the spans, and each match judged by the
guards of its language before it claims anything.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Final

from parley.memory.extraction.patterns.bare_text import BareText, strip_marks
from parley.memory.extraction.patterns.clauses import PreparedText, Span
from parley.memory.extraction.patterns.detections import Detection, Sighting
from parley.memory.extraction.patterns.guards import GuardJudge, RuleMatch, select_claims
from parley.memory.extraction.patterns.match_selection import select_detections
from parley.memory.extraction.patterns.pattern_packs import REACTIONS, Guards, Pack, Rule
from parley.memory.extraction.patterns.regular_expressions import (
    PatternFinder,
    compile_pattern,
    compile_pattern_set,
)
from parley.memory.extraction.patterns.rule_gates import RuleGate, split_rules
from parley.memory.extraction.patterns.tags import PATTERNS as TAGS
from parley.memory.extraction.patterns.tags import UNDER, find_tags
from parley.memory.extraction.patterns.vote_marks import PATTERNS as VOTES
from parley.memory.extraction.patterns.vote_marks import find_votes
from parley.memory.text.plain_text import to_plain

_NOTHING: Final[tuple[Detection, ...]] = ()
_MARKS: Final = (*TAGS, *VOTES)
_TAGS: Final = frozenset(range(len(TAGS)))
_VOTES: Final = frozenset(range(len(TAGS), len(_MARKS)))
_HANDLE: Final = r"\b(?-i:[PD][1-9][0-9]{0,8})\b"
_HANDLE_HIT: Final = len(_MARKS)  # its number in a gate
_SIGNED_LINE: Final = re.compile(r"(?m)^[ \t]*[+-][\d.]+[ \t]*$")
_SHORT_CHARS: Final = 40  # +1, "I agree", "present+": said again and again
_ALONE: Final = 4  # characters before a vote that is all a message says
_SHORT_KEPT: Final = 4096
_MAX_REFS: Final = 32
_MAX_MATCHES: Final = 128  # of patterns in one message: what follows compares them in pairs
_EDGE: Final = " \t\r\n,;:-"
_LEADING: Final = " \t\r\n*_#>-•"


class SpeechActReader:
    """The packs of a session, compiled. Stateless once built; may be shared.

    Raises `BadPattern` where the packs are too large together.
    """

    def __init__(self, packs: Sequence[Pack], brought: Container[str] = ()) -> None:
        """`brought`: the names of those that come out of a log, and may take long to compile."""
        judges = _judges(packs)
        rules = [
            (f"{pack.name}/{rule.name}", rule, judges[pack.language])
            for pack in packs
            for rule in pack.rules
        ]
        self._rules = sorted(rules, key=lambda each: each[1].handle)  # stable: handles last
        self._finders = [PatternFinder(rule.pattern, name) for name, rule, _ in self._rules]
        self._free = sum(not rule.handle for _, rule, _ in self._rules)
        by_name = {pack.name: pack for pack in packs}
        asked = [(by_name[name.partition("/")[0]], rule) for name, rule, _ in self._rules]
        # Rules that name a handle have an automaton of their own, asked only
        # where there is a handle: it keeps the one for every message small.
        weights = [
            compile_pattern(rule.pattern, rule.name).programsize if pack.name in brought else 0
            for pack, rule in asked
        ]
        self._rule_gate = RuleGate((*_MARKS, _HANDLE), asked[: self._free], weights)
        self._gate = self._rule_gate.hits
        handles = [(number, rule.pattern) for number, (_, rule) in enumerate(asked)]
        self._handle_gates = split_rules(handles[self._free :], dict(enumerate(weights)))
        self._marks_gate = compile_pattern_set((*_MARKS, _HANDLE)).Match
        self._all = GuardJudge([pack.guards for pack in packs])  # a bare vote has no language
        # No `lru_cache` of a method: it would hold the reader, whose megabytes the cyclic
        # collector does not see and hardly ever frees.
        self._short: dict[tuple[str, str | None], tuple[Detection, ...]] = {}

    def compile(self) -> Iterator[None]:
        """Compile what of the packs that were brought takes long, a few ms at a step."""
        yield from self._rule_gate.compile()
        for search in self._handle_gates:
            if search.is_heavy:
                search.compile()
                yield

    def read(self, content: str, act: str | None = None) -> tuple[Detection, ...]:
        """The acts in `content`, in text order; () for nearly all plain talk.

        `act` is the speaker's own word for the whole message and comes first;
        beside it tags still count, patterns only where they name a handle.
        """
        if len(content) <= _SHORT_CHARS:
            return self._read_short(content, act)
        return self._read(content, act)

    def _read_short(self, content: str, act: str | None) -> tuple[Detection, ...]:
        detections = self._short.get((content, act))
        if detections is None:
            if len(self._short) >= _SHORT_KEPT:
                self._short.clear()
            detections = self._short[content, act] = self._read(content, act)
        return detections

    def read_marks(self, text: str) -> tuple[Detection, ...]:
        """The tags, votes and wordings with a handle in plain `text`, in text order.

        For written talk, whose other wordings, and headings, are read by where they stand: there
        a vote is one alone, or on a handle.
        """
        hits = self._marks_gate(text)
        if not hits:
            return _NOTHING
        if _HANDLE_HIT not in hits and len(text) > _SHORT_CHARS and not _SIGNED_LINE.search(text):
            hits = [hit for hit in hits if hit in _TAGS]
        marks = self._found(text, None, hits)
        return tuple(
            each for each in marks
            if (not each.vote or each.refs or _is_alone(text, each))
            and not each.rule.endswith(UNDER)
        )  # fmt: skip

    def _read(self, content: str, act: str | None) -> tuple[Detection, ...]:
        if content.isascii():
            return self._found(content, act)
        made = strip_marks(content)
        if made is None:
            return self._found(to_plain(content), act)
        return tuple(_moved(each, made) for each in self._found(to_plain(made.text), act))

    def sighted(self, content: str, act: str | None = None) -> tuple[Sighting, ...]:
        """Every place where a rule's words stand, with what keeps it from being an act.

        For those who write packs; `read` gives the same acts at less cost.
        """
        made = strip_marks(content) or BareText(
            content, tuple(range(len(content))), tuple(range(1, len(content) + 1))
        )
        text = to_plain(made.text)
        script, read = PreparedText(text), self._found(text, act)
        sightings = []
        for match in self._matches(script, self._gate(text)):
            dropped = match.judge.objection(script.unquoted, match)
            if not dropped and not any(_is(match, each) for each in read):
                dropped = "outweighed"
            start, end = made.original(match.start, match.end)
            sightings.append(Sighting(match.name, match.rule.act, start, end, dropped))
        return tuple(sightings)

    def _found(
        self, text: str, act: str | None, marks: Sequence[int] | None = None
    ) -> tuple[Detection, ...]:
        """The acts in plain `text`; of `marks` alone where they are known to occur."""
        hits = self._gate(text) if marks is None else marks
        if not hits and act is None:
            return _NOTHING
        script = PreparedText(text)
        tagged = find_tags(script) if _TAGS.intersection(hits) else []
        votes = find_votes(script, self._all) if _VOTES.intersection(hits) else []
        matches = select_claims(script, self._matches(script, hits))
        detections = select_detections(script, tagged, votes, matches)
        if act is not None:
            detections = _under(act, script, detections)
        return tuple(detections)

    def _matches(self, script: PreparedText, hits: Sequence[int]) -> list[RuleMatch]:
        first = len(_MARKS) + 1
        chosen = [hit - first for hit in hits if hit >= first]
        if first - 1 in hits and self._free < len(self._rules):
            for search in self._handle_gates:
                chosen = search.add_hits(script.subject, chosen)
        rule_matches = []
        for index in sorted(chosen):
            finder = self._finders[index]
            for place in finder.each(script.subject):
                spans = place.span(), finder.span(place, "text"), finder.span(place, "from")
                rule_matches.append(_match(script, *self._rules[index], *spans))
        rule_matches.sort(key=lambda each: each.start)
        return rule_matches[:_MAX_MATCHES]


def _is_alone(text: str, vote: Detection) -> bool:
    """True for a vote that is all a short message says, or a signed one on a line of its own."""
    if len(text) <= _SHORT_CHARS and vote.start < _ALONE:
        return True
    start = text.rfind("\n", 0, vote.start) + 1
    end = text.find("\n", vote.end)
    line = text[start : len(text) if end < 0 else end].strip()
    return line[:1] in ("+", "-") and line == text[vote.start : vote.end]


def _is(match: RuleMatch, detection: Detection) -> bool:
    return (
        detection.rule == match.name and detection.start < match.end and match.start < detection.end
    )


def _moved(detection: Detection, made: BareText) -> Detection:
    """What was found in a bare text, in places of the original."""
    start, end = made.original(detection.start, detection.end)
    first, last = made.original(detection.text_start, detection.text_end)
    quotes = tuple(made.original(*span) for span in detection.quotes)
    return replace(detection, start=start, end=end, text_start=first, text_end=last, quotes=quotes)


def compile_guards(packs: Sequence[Pack]) -> Iterator[None]:
    """Compile the guards that a reader of `packs` judges by, one at a step."""
    for guards in (*_guards(packs).values(), [pack.guards for pack in packs]):
        yield from GuardJudge.compile(guards)


def _judges(packs: Sequence[Pack]) -> dict[str, GuardJudge]:
    return {language: GuardJudge(own) for language, own in _guards(packs).items()}


def _guards(packs: Sequence[Pack]) -> dict[str, list[Guards]]:
    """By language."""
    guards: dict[str, list[Guards]] = {}
    for pack in packs:
        guards.setdefault(pack.language, []).append(pack.guards)
    return guards


def _match(
    script: PreparedText,
    name: str,
    rule: Rule,
    judge: GuardJudge,
    place: Span,
    text: Span,
    begins: Span,
) -> RuleMatch:
    """A match of `rule`, without the spaces and marks that its pattern led in with."""
    start, end = place
    shown = script.unquoted
    while start < end and not (shown[start].isalnum() or shown[start] in "+-["):
        start += 1
    while end > start + 1 and shown[end - 1] in _EDGE:
        end -= 1
    group = None if text == (-1, -1) else text
    sentence = script.sentence(start, end)
    return RuleMatch(start, end, name, rule, sentence, judge, group, begins[0])


def _under(act: str, script: PreparedText, detections: list[Detection]) -> list[Detection]:
    """`detections` beneath the envelope's act, which outranks whatever says the same."""
    text = script.text
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    same = [each for each in detections if each.how == "tag" and each.act == act and not each.vote]
    if same and not text[: same[0].start].strip(_LEADING):
        start = max(start, same.pop(0).text_start)
        end = same[0].start if same else end
    kept = [each for each in detections if each in same or _adds(each, act)]
    claimed = {ref for each in kept for ref in each.refs}
    refs = [ref for ref in script.handles(0, len(text)) if ref not in claimed]
    whole = Detection(
        act, 0, len(text), start, max(start, end), "act", f"act/{act}", 1000,
        tuple(refs[:_MAX_REFS]), quotes=script.quotes,
    )  # fmt: skip
    return [whole, *kept]


def _adds(detection: Detection, act: str) -> bool:
    """True for what the envelope's act does not say: a tag, or an act on a handle."""
    if detection.act == act or (detection.vote and act in REACTIONS):
        return False
    return bool(detection.how == "tag" or detection.refs)
