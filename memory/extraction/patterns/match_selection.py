"""From matches to detections: one act a place, the clause that outweighs, the payload."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from parley.memory.extraction.patterns.clauses import PreparedText, Span
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.guards import GuardJudge, RuleMatch
from parley.memory.extraction.patterns.pattern_packs import REACTIONS

_MORE_HANDLES: Final = re.compile(
    r"(?:\s*(?:,|&|/|\band\b|\bor\b|,\s*and\b|、|と|や|[和跟与與及]|ו-?ל?-?)"
    r"\s*(?:proposals?\s+)?[PD][1-9][0-9]{0,8}(?![A-Za-z0-9_])){1,16}"
)
_EDGE: Final = " \t\r\n.,;:!?*_-\x1a。、…"


def select_detections(
    script: PreparedText,
    tagged: Sequence[Detection],
    votes: Sequence[Detection],
    matches: Sequence[RuleMatch],
) -> list[Detection]:
    """Everything found in a message, in text order, at most one act a place."""
    matches = _one_a_place(_outside(tagged, votes, script, matches))
    matches = _one_a_sentence(script, matches)
    selected = []
    for index, match in enumerate(matches):
        detection = _detection(script, matches, index)
        if detection is not None:
            selected.append((match.judge, detection))
    kept = _weighed(script, selected)
    return sorted([*tagged, *votes, *kept], key=lambda each: (each.start, each.end))


def _outside(
    tagged: Sequence[Detection],
    votes: Sequence[Detection],
    script: PreparedText,
    matches: Sequence[RuleMatch],
) -> list[RuleMatch]:
    """Matches that no tag and no vote on the same ground says already."""
    kept = []
    for match in matches:
        tag = next((each for each in tagged if _covers(each, match.start)), None)
        if tag is not None and not (match.rule.handle and match.sentence[0] > tag.end):
            continue
        vote = next((each for each in votes if _same_line(script, each, match.start)), None)
        if vote is not None and match.rule.act in REACTIONS:
            named = set(_named(script, match))
            if not named or named & set(vote.refs):
                continue
        kept.append(match)
    return kept


def _covers(tag: Detection, at: int) -> bool:
    return min(tag.start, tag.text_start) <= at < max(tag.end, tag.text_end)


def _same_line(script: PreparedText, vote: Detection, at: int) -> bool:
    low, high = sorted((vote.start, at))
    return script.text.find("\n", low, high) < 0


def _one_a_place(matches: Sequence[RuleMatch]) -> list[RuleMatch]:
    """Of matches that overlap, the surest; of equally sure ones, the longest."""
    order = sorted(matches, key=lambda m: (-m.rule.confidence, m.start - m.end, m.start, m.name))
    kept: list[RuleMatch] = []
    for match in order:
        if not any(match.overlaps(other) for other in kept):
            kept.append(match)
    return sorted(kept, key=lambda m: m.start)


def _one_a_sentence(script: PreparedText, matches: Sequence[RuleMatch]) -> list[RuleMatch]:
    """Leaves out what an earlier match of the same sentence says already."""
    kept: list[RuleMatch] = []
    for match in matches:
        same = [other for other in kept if other.sentence == match.sentence]
        if match.rule.act == "propose" and any(m.rule.act == "amend" for m in same):
            continue
        if match.rule.act == "amend":
            kept = [m for m in kept if m not in same or m.rule.act != "propose"]
        if not any(_said(script, other, match) for other in same):
            kept.append(match)
    return kept


def _said(script: PreparedText, earlier: RuleMatch, match: RuleMatch) -> bool:
    between = script.unquoted[earlier.end : match.start]
    act = match.rule.act
    if match.rule.handle:
        return False
    if earlier.rule.act == "propose" and (act == "decide" or act in REACTIONS):
        return not match.judge.has("contrast", between)
    if act == earlier.rule.act == "propose":
        return not any(mark in between for mark in ",;") or len(between.split()) < 3
    return act == earlier.rule.act == "decide"


def _detection(script: PreparedText, matches: Sequence[RuleMatch], index: int) -> Detection | None:
    match = matches[index]
    following = next(
        (m.start for m in matches[index + 1 :] if m.rule.act == match.rule.act), len(script.text)
    )
    text = _payload(script, match, following)
    if text[0] >= text[1]:
        return None
    refs = _named(script, match) if match.rule.handle else _around(script, text, match)
    conditional = match.conditional or _reserved(script, matches, index)
    return Detection(
        match.rule.act, match.start, match.end, *text, "pattern", match.name,
        match.rule.confidence, refs, conditional, quotes=script.quotes,
    )  # fmt: skip


def _reserved(script: PreparedText, matches: Sequence[RuleMatch], index: int) -> bool:
    """True for a reaction with a reserve: "I agree if …", "I agree in part, but …".

    In "I support P1 but oppose P2" the contrast is between two proposals and
    takes nothing back.
    """
    match = matches[index]
    if match.rule.act not in REACTIONS:
        return False
    start, end = match.start, match.sentence[1]
    for other in matches[index + 1 :] if match.rule.handle else ():
        if other.start >= end:
            break
        if other.rule.handle and set(_named(script, match)).isdisjoint(_named(script, other)):
            end = _clause(script, match)[1]
    return match.judge.has("reserve", script.unquoted[start:end])


def _named(script: PreparedText, match: RuleMatch) -> tuple[str, ...]:
    """The handles in the match and, where it ends with one, in the list that goes on after it:
    P1, P2 and P3. "P1 is withdrawn, P2 stands" is on P1 alone.
    """
    end = match.end
    ends_named = script.text[end - 1].isdigit()
    if ends_named and match.rule.handle and script.handles(match.start, end):
        more = _MORE_HANDLES.match(script.unquoted, end)
        end = more.end() if more else end
    return script.handles(match.start, end)


def _around(script: PreparedText, text: Span, match: RuleMatch) -> tuple[str, ...]:
    """The handles in what the match is about, else in its sentence."""
    return script.handles(match.start, text[1]) or script.handles(*match.sentence)


def _clause(script: PreparedText, match: RuleMatch) -> Span:
    """The part of the sentence between the contrasts around the match."""
    first, last = match.sentence
    start = first + match.judge.last_contrast(script.unquoted[first : match.start])
    stop = match.judge.first_contrast(script.unquoted[match.end : last])
    return _trimmed(script, start, last if stop is None else match.end + stop)


def _payload(script: PreparedText, match: RuleMatch, following: int) -> Span:
    if match.rule.act in REACTIONS:
        return _clause(script, match)
    if match.text is not None:
        return _trimmed(script, *match.text)
    first, last = match.sentence
    if match.rule.payload == "before":
        text = _trimmed(script, first, match.start)
        if not match.judge.names_nothing(script.text[slice(*text)]):
            return text
    if match.rule.payload == "after":
        end = min(last, max(following, match.end))
        begin = match.end if match.begins < 0 else match.begins
        skip = match.judge.skipped(script.text[begin:end])
        text = _trimmed(script, begin + skip, end)
        if not match.judge.names_nothing(script.text[slice(*text)]):
            return text
        if script.text[match.end : last + 1].rstrip().endswith(":"):
            text = _next_line(script, last)
            if text[0] < text[1]:
                return text
    return _trimmed(script, first, last)


def _next_line(script: PreparedText, at: int) -> Span:
    text = script.text
    while at < len(text) and text[at].isspace():
        at += 1
    end = text.find("\n", at)
    return _trimmed(script, at, len(text) if end < 0 else end)


def _trimmed(script: PreparedText, start: int, end: int) -> Span:
    text = script.text
    while start < end and text[start] in _EDGE:
        start += 1
    while start < end and text[end - 1] in _EDGE:
        end -= 1
    return start, end


# -- reactions that contradict each other ----------------------------------------


def _weighed(
    script: PreparedText, detections: Sequence[tuple[GuardJudge, Detection]]
) -> list[Detection]:
    """`detections` with one reaction where one sentence has several.

    The clause after a contrast outweighs the one before; where none tells,
    opposition outweighs, because a doubt on the record costs less than a
    support that was none. What is left is conditional.
    """
    kept: list[Detection] = []
    for judge, each in detections:
        last = next((other for other in reversed(kept) if other.reacts), None)
        if last is None or not each.reacts or not _together(script, judge, last, each):
            kept.append(each)
            continue
        kept.remove(last)
        refs = tuple(dict.fromkeys(last.refs + each.refs))
        if last.act == each.act:
            kept.append(replace(last, refs=refs, conditional=last.conditional or each.conditional))
            continue
        contrast = judge.has("contrast", script.unquoted[last.end : each.start])
        wins = each if contrast or each.act == "oppose" else last
        kept.append(replace(wins, refs=wins.refs or refs, conditional=True))
    return kept


def _together(
    script: PreparedText, judge: GuardJudge, detection: Detection, two: Detection
) -> bool:
    """True where two reactions speak of the same thing, in one breath."""
    if detection.refs and two.refs and not set(detection.refs) & set(two.refs):
        return False
    first, last = script.sentence(detection.start, detection.end)
    if first <= two.start < last:
        return True
    opening = script.sentence(two.start, two.end)[0]
    lead = script.unquoted[opening : two.start].lstrip()
    return (
        not script.text[last:opening].strip()
        and "\n\n" not in script.text[last:opening]
        and judge.has("contrast", lead)
        and judge.first_contrast(lead) == 0
    )
