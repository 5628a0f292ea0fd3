"""Markers and votes: what people type to be unmistakable, in any language's talk.

`[PROPOSAL] …`, `PROPOSED RESOLUTION: …`, `RESOLVED: …`, `+1`, `-0.5`, `aye`,
after an optional scribed `nick: `. Part of the fold, not of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice, pairwise
from typing import Any, Final

from memory.clauses import Script, Span
from memory.detection import Detection
from memory.judge import Judge
from memory.patterns import compiled

_Vote = tuple[int, int, tuple[str, ...], int]  # start, end, handles, confidence
_Mark = tuple[int, int, str, str]  # start, end, the rule's name, the act

TAG_CONFIDENCE: Final = 900
VOTE_CONFIDENCE: Final = 850
SCRIBED_VOTE_CONFIDENCE: Final = 750  # someone else's vote, typed by the scribe
MAX_EACH: Final = 64  # of each kind in one message: keeps a hostile message linear

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
_VOTE = (
    r"(?m)^[ \t]*(?:[-*•][ \t]+)?(?:(?P<nick>[^\s:]+)[ \t]?:[ \t]+)?\*{0,2}\[?"
    r"(?P<vote>[+-](?:\d{1,4}(?:\.\d{1,3})?|\.\d{1,3})|0(?:\.0)?|ayes?|yea|nay)\]?\*{0,2}"
)
_NAMED_VOTE = (
    r"(?P<vote>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))[ \t]+(?:(?:to|on|for)[ \t]+)?"
    r"(?P<ref>(?-i:P[1-9][0-9]{0,8}))\b"
    r"|\b(?P<ref2>(?-i:P[1-9][0-9]{0,8}))[ \t]*[:=(]?[ \t]*"
    r"(?P<vote2>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))"
)
PATTERNS: Final = (_MARKER, _BRACKET, _VOTE, _NAMED_VOTE)
_MARKERS, _BRACKETS, _VOTES, _NAMED = range(4)

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
# After a vote: not a bigger number, a time, a date, a unit, or prose about the number itself.
_NOT_A_VOTE: Final = re.compile(
    r"[.,:/%'’°]?\w|[.,:/%°]|[ \t-]*\(?\d|[ \t]+(?:is|was|are|means|as an?|days?|weeks?|months?|"
    r"years?|hours?|minutes?|seconds?|degrees?|percent|points?|lines?|votes?|items?|ms|kb|mb)\b",
    re.IGNORECASE,
)
_BARE_ZERO: Final = re.compile(
    r"[ \t]*(?:$|[,;(\n-]|\.?\s*$|(?:on|to|for|from|but|since|because|here)\b|P\d)", re.IGNORECASE
)
_SPOKEN_VOTE: Final = re.compile(r"[ \t]*(?:$|[,;.!\n-]|(?:to|on|for|but)\b)", re.IGNORECASE)
_SIGNED: Final = re.compile(r"[+-]\d{0,3}(?:\.\d{1,3})?(?<=\d)")
_STOP_RIGHT_AFTER: Final = re.compile(r"\.(?=\s|$)|,(?=\s)|:(?=\s)")

_RE: Final[tuple[Any, ...]] = tuple(compiled(pattern, "tag") for pattern in PATTERNS)
_GROUPS: Final[tuple[dict[str, int], ...]] = tuple(pattern.groupindex for pattern in _RE)


def _span(which: int, match: Any, group: str) -> Span:
    """Where a named group matched; re2's `span` takes numbers only."""
    start, end = match.span(_GROUPS[which][group])
    return int(start), int(end)


def find_tags(script: Script, hits: Collection[int]) -> list[Detection]:
    """Markers and bracketed tags in text order, each with its payload.

    A payload runs to the end of its line or to the next tag; where nothing
    follows, it is the next line, else what stands before on the same line.
    """
    marks = list(_first_of_each_place(script, hits))
    found: list[Detection] = []
    for index, (start, end, rule, act) in enumerate(marks):
        above = marks[index - 1][1] if index else 0
        following = marks[index + 1][0] if index + 1 < len(marks) else len(script.text)
        text = _payload(script, start, end, above, following)
        if act in ("propose", "decide"):
            if found and found[-1].act == act and text[0] < found[-1].text_end:
                continue  # a closing tag for what an opening one marked
            text = _claimed(script, act, start, text)
            if text[0] >= text[1]:
                continue
        refs = script.handles(start, max(end, text[1]))
        found.append(
            Detection(
                act, start, end, *text, "tag", f"tag/{rule}", TAG_CONFIDENCE, refs,
                quotes=script.quotes,
            )
        )  # fmt: skip
    return found


def _first_of_each_place(script: Script, hits: Collection[int]) -> Iterator[_Mark]:
    marks: set[_Mark] = set()
    if _MARKERS in hits:
        marks.update(_markers(script))
    if _BRACKETS in hits:
        marks.update(_brackets(script))
    last = -1
    for mark in sorted(marks):
        if mark[0] >= last:
            last = mark[1]
            yield mark


def _claimed(script: Script, act: str, start: int, text: Span) -> Span:
    """The payload of a proposal or a decision; an empty span where it claims nothing.

    "[CONSENSUS]" alone still says that something was agreed; "Proposal: none"
    and "PROPOSAL 2: +1", a vote on it, propose nothing.
    """
    content = script.text
    if text[0] >= text[1] and act == "decide" and content[start] == "[":
        return start + 1, content.index("]", start)
    vote = _SIGNED.match(content, *text) if act == "propose" else None
    if vote is not None and _is_vote(content, vote[0], vote.end()):
        return text[1], text[1]
    return (text[1], text[1]) if _NOTHING.match(content, *text) else text


def _markers(script: Script) -> Iterator[_Mark]:
    for match in islice(_RE[_MARKERS].finditer(script.subject), MAX_EACH):
        qualifier, word = (_span(_MARKERS, match, group) for group in ("qualifier", "word"))
        start = qualifier[0] if qualifier[0] >= 0 else word[0]
        yield (start, match.end(), *_meaning(script, qualifier, word, match.end()))


def _brackets(script: Script) -> Iterator[_Mark]:
    text = script.unquoted
    for match in islice(_RE[_BRACKETS].finditer(script.subject), MAX_EACH):
        start, end = match.span()
        if _NOT_A_TAG.match(text, text.index("]", start) + 1):
            continue  # a Markdown link, or talk about the tag
        qualifier, word = (_span(_BRACKETS, match, group) for group in ("qualifier", "word"))
        line = text.rfind("\n", 0, start) + 1
        if text[slice(*word)].isupper() or not text[line:start].strip(_LINE_LEAD):
            yield (start, end, *_meaning(script, qualifier, word, end))


def _meaning(script: Script, qualifier: Span, word: Span, end: int) -> tuple[str, str]:
    """The rule's name and the act of a marker."""
    said = script.text[slice(*word)].lower()
    before = script.text[slice(*qualifier)].lower() if qualifier[0] >= 0 else ""
    if said.startswith("propos"):
        if before.startswith(_NEW_WORDING) and script.handles(word[0], end):
            return "amendment", "amend"
        draft = before.startswith(("draft", "pre", "straw"))
        return ("draft-proposal" if draft else "proposal"), "propose"
    if said.startswith(_DECISIONS):
        kind = "consensus" if said.startswith("consensus") else "decision"
        return ("resolution" if said.startswith("resol") else kind), "decide"
    return next((act, act) for stem, act in _STEMS if said.startswith(stem))


def _payload(script: Script, start: int, end: int, above: int, following: int) -> Span:
    text = script.text
    line_end = _line_end(text, end)
    span = _trimmed(text, end, min(line_end, following))
    if span[0] < span[1]:
        return span
    if following > line_end:
        after = _first_line(text, line_end, following)
        if after[0] < after[1]:
            return after
    return _trimmed(text, max(above, text.rfind("\n", 0, start) + 1), start)


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


# -- votes ---------------------------------------------------------------------


def find_votes(script: Script, hits: Collection[int], judge: Judge) -> list[Detection]:
    """Bare votes at a line's start, and votes that name their proposal anywhere.

    A reserve ("if", "but") after it makes a vote conditional.
    """
    found: dict[int, _Vote] = {}
    if _VOTES in hits:
        found.update(_line_votes(script))
    if _NAMED in hits:
        found.update(_named_votes(script))
    starts = sorted(found)
    return [
        _vote(script, judge, found[start], following)
        for start, following in pairwise([*starts, len(script.text)])
    ]


def _line_votes(script: Script) -> Iterator[tuple[int, _Vote]]:
    for match in islice(_RE[_VOTES].finditer(script.subject), MAX_EACH):
        start, end = _span(_VOTES, match, "vote")
        if _is_vote(script.unquoted, script.text[start:end].lower(), end):
            nick = _span(_VOTES, match, "nick")
            refs = script.handles(*nick) if nick[0] >= 0 else ()
            scribed = nick[0] >= 0 and not refs
            yield start, (start, end, refs, SCRIBED_VOTE_CONFIDENCE if scribed else VOTE_CONFIDENCE)


def _named_votes(script: Script) -> Iterator[tuple[int, _Vote]]:
    for match in islice(_RE[_NAMED].finditer(script.subject), MAX_EACH):
        first = _span(_NAMED, match, "vote")[0] >= 0
        start, end = _span(_NAMED, match, "vote" if first else "vote2")
        ref = _span(_NAMED, match, "ref" if first else "ref2")
        follows = _NOT_A_VOTE.match(script.unquoted, _past_stop(script.unquoted, end))
        if _stands_free(script.unquoted, *match.span()) and (first or not follows):
            yield start, (start, end, (script.text[slice(*ref)],), VOTE_CONFIDENCE)


def _is_vote(text: str, token: str, end: int) -> bool:
    """True where `token`, which ends at `end`, is a vote and not the start of something else."""
    if _STOP_RIGHT_AFTER.match(text, end) is None and _NOT_A_VOTE.match(text, end):
        return False
    if token in ("0", "0.0"):
        return _BARE_ZERO.match(text, end) is not None
    return not token.isalpha() or _SPOKEN_VOTE.match(text, end) is not None


def _past_stop(text: str, end: int) -> int:
    stop = _STOP_RIGHT_AFTER.match(text, end)
    return stop.end() if stop else end


def _stands_free(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or before in ("_", "+", "-", ".")) and not (
        after.isalnum() or after == "_"
    )


def _vote(script: Script, judge: Judge, vote: _Vote, following: int) -> Detection:
    """The vote with the handles and the reserve in its part of the line."""
    start, end, refs, confidence = vote
    token = script.text[start:end].lower()
    value = _value(token)
    act = "abstain" if value == 0 else "support" if value > 0 else "oppose"
    last = max(end, min(script.sentence(start, end)[1], following))
    while last > end and script.text[last - 1] in " ,;-":
        last -= 1
    hedged = 0 < abs(value) < 1 or judge.has("reserve", script.unquoted[end:last])
    return Detection(
        act, start, end, start, last, "tag", f"vote/{token}", confidence,
        refs or script.handles(end, last), hedged, True, script.quotes,
    )  # fmt: skip


def _value(token: str) -> float:
    if token.isalpha():
        return {"nay": -1.0}.get(token, 1.0)
    return float(token)
