"""Tags: what people type to be unmistakable, whatever language the talk is in.

`[PROPOSAL] …`, `PROPOSED RESOLUTION: …`, `RESOLVED: …`, after an optional
scribed `nick: `; `## Proposal` or `**Decision**` alone on a line, for what stands
under it. Part of the fold, not of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from parley.memory.extraction.patterns.clauses import PreparedText, Span
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.regular_expressions import PatternFinder
from parley.memory.extraction.patterns.vote_marks import SIGNED, is_vote

_Mark = tuple[int, int, str, str]  # start, end, the rule's name, the act

_TAG_CONFIDENCE: Final = 900

_LEAD = (
    r"(?m)^[ \t]*(?:(?:[-*•]|#{1,6}|\d{1,2}[.)])[ \t]+)?"
    r"(?:(?P<nick>[^\s:*\[\]]+)[ \t]?:[ \t]+)?(?:\*\*|__)?"
)
_QUALIFIER = (
    r"(?P<qualifier>draft|pre|counter|straw|straw[ -]?man|alternat(?:e|ive)|revised|new|updated|"
    r"amended|modified|reworded|final|friendly|another|formal|competing)[ \t-]*"
)
_NUMBER = r"(?:[ \t]*#?[ \t]*(?:\d{1,3}(?:\.\d{1,2})?[a-z]?|[a-z])\b)?"
_MARKER = (
    _LEAD + r"(?:" + _QUALIFIER + r")?"
    r"(?P<word>proposal|proposed(?:[ \t]+(?:resolution|decision))?|"
    r"resolved|resolution|decision|decided|agreed|agreement|consensus)"
    + _NUMBER
    + r"(?:[ \t]*\([ \t]*[^()\n]{1,40}\))?(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*"
)
_BRACKET = (
    r"\[[ \t]*(?:" + _QUALIFIER + r")?(?P<word>propos(?:al|e|ed)|amend(?:ment|ed)?|"
    r"withdraw(?:n)?|retract(?:ed)?|support|oppose|object(?:ion)?|abstain|accept(?:ed)?|"
    r"reject(?:ed)?|decide(?:d)?|decision|resolved|resolution|consensus|agreed|ratif(?:y|ied)|"
    r"disputed?)"
    + _NUMBER
    + r"(?P<refs>(?:[ \t:,]+[PD][1-9][0-9]{0,8}){0,8})[ \t]*\][ \t]*:?[ \t]*"
)
_HEADING = (
    r"(?m)^[ \t]*(?:#{1,6}[ \t]+(?:\*\*|__)?|\*\*|__)(?:" + _QUALIFIER + r")?"
    r"(?P<word>proposal|proposed[ \t]+(?:resolution|decision)|resolution|decision)"
    r"(?:[ \t]+#?(?:\d{1,3}|[a-z]))?[ \t]*:?(?:\*\*|__)?[ \t]*#*[ \t]*$"
)
PATTERNS: Final = (_MARKER, _BRACKET, _HEADING)

_DECISIONS: Final = ("resol", "deci", "agree", "consensus")
_STEMS: Final = (
    ("propos", "propose"), ("amend", "amend"), ("withdraw", "withdraw"), ("retract", "withdraw"),
    ("support", "support"), ("oppose", "oppose"), ("object", "oppose"), ("abstain", "abstain"),
    ("accept", "accept"), ("reject", "reject"), ("ratif", "ratify"), ("disput", "dispute"),
)  # fmt: skip
_LINE_LEAD: Final = " \t-*•>#"
_NEW_WORDING: Final = ("amended", "modified", "reworded", "revised", "updated")
_NOT_A_TAG: Final = re.compile(
    r"\(|[ \t]*(?:tags?|markers?|labels?|prefix(?:es)?|brackets?)\b", re.IGNORECASE
)
_NOTHING: Final = re.compile(
    r"(?:none|n/?a|tbd|tba|pending|not yet|to be (?:decided|determined|done))?\W*$", re.IGNORECASE
)

_HANDLE: Final = re.compile(r"\b[PD][1-9][0-9]{0,8}\b")
_HANDLE_ALONE: Final = re.compile(r"\W*([PD][1-9][0-9]{0,8})\W*")

_MARKERS: Final = PatternFinder(_MARKER)
_BRACKETS: Final = PatternFinder(_BRACKET)
_HEADINGS: Final = PatternFinder(_HEADING)
UNDER: Final = "-heading"  # of a rule: what stands under it is meant
_BLANK: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LISTED: Final = re.compile(r"(?:[-*+•]|\d{1,2}[.)])[ \t]")
_ABOVE: Final = re.compile(r"^(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*:?[ \t]*$)", re.MULTILINE)


def find_tags(script: PreparedText) -> list[Detection]:
    """Markers and bracketed tags in text order, each with its payload.

    A payload runs to the end of its line or to the next tag. Where that is
    nothing, it is what stands before a bracketed tag on its line, else the next line.
    """
    marks = list(_first_of_each_place(script))
    detections: list[Detection] = []
    for index, (start, end, rule, act) in enumerate(marks):
        above = marks[index - 1][1] if index else 0
        following = marks[index + 1][0] if index + 1 < len(marks) else len(script.text)
        if rule.endswith(UNDER):
            text = _section(script.text, end, following)
        else:
            text = _payload(script, start, end, above, following)
        if act in ("propose", "decide"):
            if detections and detections[-1].act == act and text[0] < detections[-1].text_end:
                continue  # a closing tag for what an opening one marked
            text = _claimed(script, act, start, text)
            if text[0] >= text[1]:
                continue
        refs = _refs(script, act, (start, end), text)
        detections.append(
            Detection(
                act, start, end, *text, "tag", f"tag/{rule}", _TAG_CONFIDENCE, refs,
                quotes=script.quotes,
            )
        )  # fmt: skip
    return detections


def tagged_handles(content: str, tag: Detection) -> list[str]:
    """The handles within a tag of `content`, else the one that is all it stands before."""
    within = _HANDLE.findall(content, tag.start, tag.end)
    if within:
        return within
    alone = _HANDLE_ALONE.fullmatch(content, tag.text_start, tag.text_end)
    return [alone[1]] if alone else []


def _refs(script: PreparedText, act: str, tag: Span, text: Span) -> tuple[str, ...]:
    """The handles that a tag is about: of a stance or a ruling those within it, where it has any.

    "[SUPPORT P4] It mends what I opposed in P2" says nothing for P2.
    """
    within = script.handles(*tag) if act not in ("propose", "amend", "decide") else ()
    return within or script.handles(tag[0], max(tag[1], text[1]))


def _first_of_each_place(script: PreparedText) -> Iterator[_Mark]:
    last = -1
    for mark in sorted({*_markers(script), *_brackets(script), *_headings(script)}):
        if mark[0] >= last:
            last = mark[1]
            yield mark


def _claimed(script: PreparedText, act: str, start: int, text: Span) -> Span:
    """The payload of a proposal or a decision; an empty span where it claims nothing.

    "[CONSENSUS]" alone still says that something was agreed; "Proposal: none"
    and "PROPOSAL 2: +1", a vote on it, propose nothing.
    """
    content = script.text
    if text[0] >= text[1] and act == "decide" and content[start] == "[":
        return start + 1, content.index("]", start)
    vote = SIGNED.match(content, *text) if act == "propose" else None
    if vote is not None and is_vote(content, vote[0], vote.end()):
        return text[1], text[1]
    return (text[1], text[1]) if _NOTHING.match(content, *text) else text


def _markers(script: PreparedText) -> Iterator[_Mark]:
    for match in _MARKERS.each(script.subject):
        qualifier, word = _MARKERS.span(match, "qualifier"), _MARKERS.span(match, "word")
        start = qualifier[0] if qualifier[0] >= 0 else word[0]
        yield (start, match.end(), *_meaning(script, qualifier, word, match.end()))


def _headings(script: PreparedText) -> Iterator[_Mark]:
    """Headings that say no more than what it is that stands under them."""
    for match in _HEADINGS.each(script.subject):
        qualifier, word = _HEADINGS.span(match, "qualifier"), _HEADINGS.span(match, "word")
        start = qualifier[0] if qualifier[0] >= 0 else word[0]
        rule, act = _meaning(script, qualifier, word, match.end())
        yield start, match.end(), f"{rule}{UNDER}", act


def _brackets(script: PreparedText) -> Iterator[_Mark]:
    text = script.unquoted
    for match in _BRACKETS.each(script.subject) if "[" in text else ():
        start, end = match.span()
        if _NOT_A_TAG.match(text, text.index("]", start) + 1):
            continue  # a Markdown link, or talk about the tag
        qualifier, word = _BRACKETS.span(match, "qualifier"), _BRACKETS.span(match, "word")
        line = text.rfind("\n", 0, start) + 1
        if text[slice(*word)].isupper() or not text[line:start].strip(_LINE_LEAD):
            yield (start, end, *_meaning(script, qualifier, word, end))


def _meaning(script: PreparedText, qualifier: Span, word: Span, end: int) -> tuple[str, str]:
    """The rule's name and the act of a marker."""
    word_text = script.text[slice(*word)].lower()
    before = script.text[slice(*qualifier)].lower() if qualifier[0] >= 0 else ""
    if word_text.startswith("propos"):
        if before.startswith(_NEW_WORDING) and script.handles(word[0], end):
            return "amendment", "amend"
        draft = before.startswith(("draft", "pre", "straw"))
        return ("draft-proposal" if draft else "proposal"), "propose"
    if word_text.startswith(_DECISIONS):
        kind = "consensus" if word_text.startswith("consensus") else "decision"
        return ("resolution" if word_text.startswith("resol") else kind), "decide"
    return next((act, act) for stem, act in _STEMS if word_text.startswith(stem))


def _payload(script: PreparedText, start: int, end: int, above: int, following: int) -> Span:
    text = script.text
    line_end = _line_end(text, end)
    span = _trimmed(text, end, min(line_end, following))
    if span[0] >= span[1] and text[start] == "[":  # a tag that closes its line
        span = _trimmed(text, max(above, text.rfind("\n", 0, start) + 1), start)
    if span[0] >= span[1] and following > line_end:
        span = _first_line(text, line_end, following)
    return span


def _section(text: str, start: int, end: int) -> Span:
    """What stands under a heading: its first paragraph or list, a list with its lead-in."""
    start, end = _trimmed(text, start, end)
    at = start
    while (blank := _BLANK.search(text, at, end)) is not None:
        led = text[start : blank.start()].rstrip().endswith(":")
        if not led and not _LISTED.match(text, blank.end(), end):
            end = blank.start()
            break
        at = blank.end()
    above = _ABOVE.search(text, start, end)
    return _trimmed(text, start, above.start() if above else end)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _first_line(text: str, start: int, end: int) -> Span:
    """The first line of `text[start:end]` that is not blank."""
    while start < end and text[start].isspace():
        start += 1
    return _trimmed(text, start, min(_line_end(text, start), end))


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in " \t\r\n*_:":
        start += 1
    while start < end and text[end - 1] in " \t\r\n*_":
        end -= 1
    return start, end
