"""Markers and votes: what people type to be unmistakable, in any language's talk.

`[PROPOSAL] …`, `PROPOSED RESOLUTION: …`, `RESOLVED: …`, `+1`, `-0.5`, `aye`,
after an optional scribed `nick: `. Part of the fold, not of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from memory.clauses import Script
from memory.detection import Detection
from memory.patterns import compiled

TAG_CONFIDENCE: Final = 900
VOTE_CONFIDENCE: Final = 850
SCRIBED_VOTE_CONFIDENCE: Final = 750  # someone else's vote, typed by the scribe
MAX_EACH: Final = 64  # of each kind in one message: keeps a hostile message linear

_LEAD = (
    r"(?m)^[ \t]*(?:(?:[-*•]|#{1,6}|\d{1,2}[.)])[ \t]+)?"
    r"(?:(?P<nick>[^\s:*\[\]]{1,40})[ \t]?:[ \t]+)?(?:\*\*|__)?"
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
    r"disputed?)" + _NUMBER + r"(?P<refs>(?:[ \t:,]+[PD][1-9][0-9]{0,8}){0,8})[ \t]*\][ \t]*:?[ \t]*"
)
_VOTE = (
    r"(?m)^[ \t]*(?:[-*•][ \t]+)?(?:(?P<nick>[^\s:]{1,40})[ \t]?:[ \t]+)?\*{0,2}\[?"
    r"(?P<vote>[+-](?:\d{1,4}(?:\.\d{1,3})?|\.\d{1,3})|0(?:\.0)?|ayes?|yea|nay)\]?\*{0,2}"
)
_NAMED_VOTE = (
    r"(?P<vote>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))[ \t]+(?:(?:to|on|for)[ \t]+)?"
    r"(?P<ref>(?-i:P[1-9][0-9]{0,8}))\b"
    r"|\b(?P<ref2>(?-i:P[1-9][0-9]{0,8}))[ \t]*[:=(]?[ \t]*(?P<vote2>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))"
)
PATTERNS: Final = (_MARKER, _BRACKET, _VOTE, _NAMED_VOTE)

_DECISIONS: Final = ("resol", "deci", "agree", "consensus")
_STEMS: Final = (
    ("propos", "propose"), ("amend", "amend"), ("withdraw", "withdraw"), ("retract", "withdraw"),
    ("support", "support"), ("oppose", "oppose"), ("object", "oppose"), ("abstain", "abstain"),
    ("accept", "accept"), ("reject", "reject"), ("ratif", "ratify"), ("disput", "dispute"),
)  # fmt: skip
_NEW_WORDING: Final = ("amended", "modified", "reworded", "revised", "updated")
_NOT_A_TAG: Final = re.compile(r"\(|[ \t]*(?:tags?|markers?|labels?|prefix(?:es)?|brackets?)\b", re.I)
_NOTHING: Final = re.compile(r"(?:none|n/?a|tbd|tba|pending|not yet|to be \w+|[?\W]*)\W*$", re.I)
# After a vote: not a bigger number, a time, a date, a unit, or prose about the number itself.
_NOT_A_VOTE: Final = re.compile(
    r"[.,:/%'’°]?\w|[.,:/%°]|[ \t-]*\(?\d|[ \t]+(?:is|was|are|means|as an?|days?|weeks?|months?|"
    r"years?|hours?|minutes?|seconds?|degrees?|percent|points?|lines?|votes?|items?|ms|kb|mb)\b",
    re.I,
)
_BARE_ZERO: Final = re.compile(
    r"[ \t]*(?:$|[,;(\n-]|\.?\s*$|(?:on|to|for|from|but|since|because|here)\b|P\d)", re.I
)
_SPOKEN_VOTE: Final = re.compile(r"[ \t]*(?:$|[,;.!\n-]|(?:to|on|for|but)\b)", re.I)
_NO_DOT_RIGHT_AFTER: Final = re.compile(r"\.(?=\s|$)|,(?=\s)|:(?=\s)")

_RE: Final[tuple[Any, ...]] = tuple(compiled(pattern, "tag") for pattern in PATTERNS)
_GROUPS: Final[tuple[dict[str, int], ...]] = tuple(pattern.groupindex for pattern in _RE)


def _span(which: int, match: Any, group: str) -> tuple[int, int]:
    """Where a named group matched; re2's `span` takes numbers only."""
    start, end = match.span(_GROUPS[which][group])
    return int(start), int(end)


def find_tags(script: Script) -> list[Detection]:
    """Markers and bracketed tags in text order, each with its payload.

    A payload runs to the end of its line or to the next tag; where nothing
    follows, it is the next line, else what stands before on the same line.
    """
    marks = sorted({*_markers(script), *_brackets(script)})
    found = []
    for index, (start, end, rule, act) in enumerate(marks):
        if index and start < marks[index - 1][1]:
            continue
        following = marks[index + 1][0] if index + 1 < len(marks) else len(script.text)
        text_start, text_end = _payload(script, start, end, following)
        if act in ("propose", "decide") and text_start >= text_end:
            if act == "propose" or script.text[start] != "[":
                continue
            text_start, text_end = start + 1, script.text.index("]", start)
        elif act in ("propose", "decide") and _NOTHING.match(script.text, text_start, text_end):
            continue
        found.append(
            Detection(
                act, start, end, text_start, text_end, "tag", f"tag/{rule}", TAG_CONFIDENCE,
                script.handles(start, text_end), quotes=script.quotes,
            )
        )  # fmt: skip
    return found


def _markers(script: Script) -> Iterator[tuple[int, int, str, str]]:
    for match in islice(_RE[0].finditer(script.unquoted), MAX_EACH):
        start = _span(0, match, "qualifier" if match["qualifier"] else "word")[0]
        yield (start, match.end(), *_meaning(match, script))


def _brackets(script: Script) -> Iterator[tuple[int, int, str, str]]:
    text = script.unquoted
    for match in islice(_RE[1].finditer(text), MAX_EACH):
        start, end = match.span()
        if _NOT_A_TAG.match(text, text.index("]", start) + 1):
            continue  # a Markdown link, or talk about the tag
        line = text.rfind("\n", 0, start) + 1
        if match["word"].isupper() or not text[line:start].strip(" \t-*•>#"):
            yield (start, end, *_meaning(match, script))


def _meaning(match: Any, script: Script) -> tuple[str, str]:
    """The rule's name and the act of a marker."""
    word, qualifier = match["word"].lower(), (match["qualifier"] or "").lower()
    if word.startswith("propos"):
        if qualifier in _NEW_WORDING and script.handles(*match.span()):
            return "amendment", "amend"
        return ("draft-proposal" if qualifier in ("draft", "pre", "straw") else "proposal"), "propose"
    if word.startswith(_DECISIONS):
        kind = "consensus" if word.startswith("consensus") else "decision"
        return ("resolution" if word.startswith("resol") else kind), "decide"
    return next((act, act) for stem, act in _STEMS if word.startswith(stem))


def _payload(script: Script, start: int, end: int, following: int) -> tuple[int, int]:
    text = script.text
    line_end = _line_end(text, end)
    span = _trimmed(text, end, min(line_end, following))
    if span[0] < span[1]:
        return span
    if following > line_end:
        after = _first_line(text, line_end, following)
        if after[0] < after[1]:
            return after
    return _trimmed(text, text.rfind("\n", 0, start) + 1, start)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _first_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The first line of `text[start:end]` that is not blank."""
    while start < end and text[start].isspace():
        start += 1
    return _trimmed(text, start, min(_line_end(text, start), end))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t\r\n*_:":
        start += 1
    while start < end and text[end - 1] in " \t\r\n*_":
        end -= 1
    return start, end


# -- votes ---------------------------------------------------------------------


def find_votes(script: Script, reserve: Any) -> list[Detection]:
    """Bare votes at a line's start, and votes that name their proposal anywhere.

    `reserve` finds the words that make a vote conditional, or is None.
    """
    found: dict[int, Detection] = {}
    for match in islice(_RE[2].finditer(script.unquoted), MAX_EACH):
        span = _span(2, match, "vote")
        if _votes(script.unquoted, match["vote"].lower(), match.end()):
            nick = match["nick"] or ""
            refs = script.handles(*_span(2, match, "nick")) if nick else ()
            confidence = SCRIBED_VOTE_CONFIDENCE if nick and not refs else VOTE_CONFIDENCE
            found[span[0]] = _vote(script, span, refs, confidence, reserve)
    for match in islice(_RE[3].finditer(script.unquoted), MAX_EACH):
        group = "vote" if match["vote"] else "vote2"
        span = _span(3, match, group)
        named = match["ref"] or match["ref2"]
        if _stands_free(script.unquoted, *match.span()) and not (
            group == "vote2" and _NOT_A_VOTE.match(script.unquoted, _past_stop(script, span[1]))
        ):
            found[span[0]] = _vote(script, span, (named,), VOTE_CONFIDENCE, reserve)
    return _within_each_other(script, [found[start] for start in sorted(found)])


def _votes(text: str, token: str, end: int) -> bool:
    """True where `token`, which ends at `end`, is a vote and not the start of something else."""
    stop = _NO_DOT_RIGHT_AFTER.match(text, end)
    if stop is None and _NOT_A_VOTE.match(text, end):
        return False
    if token in ("0", "0.0"):
        return _BARE_ZERO.match(text, end) is not None
    return not token.isalpha() or _SPOKEN_VOTE.match(text, end) is not None


def _past_stop(script: Script, end: int) -> int:
    stop = _NO_DOT_RIGHT_AFTER.match(script.unquoted, end)
    return stop.end() if stop else end


def _stands_free(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or before in ("_", "+", "-", ".")) and not (
        after.isalnum() or after == "_"
    )


def _vote(
    script: Script, span: tuple[int, int], refs: tuple[str, ...], confidence: int, reserve: Any
) -> Detection:
    token = script.text[slice(*span)].lower()
    value = _value(token)
    act = "abstain" if value == 0 else "support" if value > 0 else "oppose"
    last = script.sentence(*span)[1]
    hedged = 0 < abs(value) < 1 or (
        reserve is not None and reserve.search(script.unquoted[span[1] : last]) is not None
    )
    return Detection(
        act, *span, span[0], last, "tag", f"vote/{token}", confidence, refs, hedged, True,
        script.quotes,
    )  # fmt: skip


def _value(token: str) -> float:
    if token.isalpha():
        return -1 if token == "nay" else 1
    return float(token)


def _within_each_other(script: Script, votes: list[Detection]) -> list[Detection]:
    """Votes whose text ends where the next one begins, with the handles in their own part."""
    from dataclasses import replace

    result = []
    for index, vote in enumerate(votes):
        last = vote.text_end
        if index + 1 < len(votes):
            last = max(vote.end, min(last, votes[index + 1].start))
        refs = vote.refs or script.handles(vote.end, last)
        result.append(replace(vote, text_end=last, refs=refs))
    return result
