"""Votes typed in talk: `+1`, `-0.5`, `0`, `aye`, at the start of a line or beside a handle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from parley.memory.extraction.patterns.clauses import PreparedText
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.guards import GuardJudge
from parley.memory.extraction.patterns.regular_expressions import PatternFinder
from parley.memory.text.sentences import IDEOGRAPHIC

_Vote = tuple[int, int, tuple[str, ...], int]  # start, end, handles, confidence

_VOTE_CONFIDENCE: Final = 850
_SCRIBED_CONFIDENCE: Final = 750  # someone else's vote, typed by the scribe

_VOTE = (
    r"(?m)^[ \t]*(?:[-*•][ \t]+)?(?:(?P<nick>[^\s:]+)[ \t]?:[ \t]+|"
    r"(?:<[^\s<>]+>|@[^\s:,]+,?)[ \t]+)?\*{0,2}\[?"
    r"(?P<vote>[+-](?:\d{1,6}(?:\.\d{1,3})?|\.\d{1,3})|±?0(?:\.0)?|ayes?|yea|nay|"
    r"[👍👎✅❌➕➖]|:(?:[+-]1|thumbs_?up|thumbs_?down):)\]?\*{0,2}"
    r"|\A[ \t]*(?P<alone>[+-][ \t]\d(?:\.\d{1,2})?)[ \t]*\z"
)
_NAMED_VOTE = (
    r"(?P<vote>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))[ \t]+(?:(?:to|on|for)[ \t]+|[לעב][ל]?-?)?"
    r"(?P<ref>(?-i:P[1-9][0-9]{0,8}))\b"
    r"|\b(?P<ref2>(?-i:P[1-9][0-9]{0,8}))[ \t]*[:=(にへは]?[ \t]*"
    r"(?P<vote2>[+-](?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3}))"
)
PATTERNS: Final = (_VOTE, _NAMED_VOTE)
_LINES: Final = PatternFinder(_VOTE)
_NAMED: Final = PatternFinder(_NAMED_VOTE)

SIGNED: Final = re.compile(r"[+-]\d{0,3}(?:\.\d{1,3})?(?<=\d)")
# After a vote: not a bigger number, a time, a date, a unit, or prose about the number itself.
_NOT_A_VOTE: Final = re.compile(
    r"[.,:/%'’°]?\w|[.,:/%°]|[ \t-]*\(?\d|[ \t]+(?:is|was|are|means|as an?|days?|weeks?|months?|"
    r"years?|hours?|minutes?|seconds?|degrees?|percent|points?|lines?|votes?|items?|ms|kb|mb|"
    r"ימים|יום|שעות|שעה|שבועות|דקות|אחוז|נקודות|קולות)\b|"
    r"[ \t]*[日天周週個个人点點票件分時时度円元]",
    re.IGNORECASE,
)
_BARE_ZERO: Final = re.compile(
    r"[ \t]*(?:$|[,;(\n-]|\.?\s*$|(?:on|to|for|from|but|since|because|here)\b|P\d)", re.IGNORECASE
)
_SPOKEN_VOTE: Final = re.compile(r"[ \t]*(?:$|[,;.!\n-]|(?:to|on|for|but)\b)", re.IGNORECASE)
_WORDED: Final = {
    "nay": -1.0, "👎": -1.0, "❌": -1.0, "➖": -1.0, ":-1:": -1.0, ":thumbsdown:": -1.0,
    ":thumbs_down:": -1.0, "👍": 1.0, "✅": 1.0, "➕": 1.0, ":+1:": 1.0, ":thumbsup:": 1.0,
    ":thumbs_up:": 1.0,
}  # fmt: skip
_JOINABLE: Final = re.compile(f"[א-ת{IDEOGRAPHIC}]")  # they may touch a handle
# A full stop, a comma or a colon; before ideographs without a space; and the words that
# end a sentence of nothing but a vote: "+1です", "+1吧".
_STOP_RIGHT_AFTER: Final = re.compile(
    rf"\.(?=\s|$)|\.{{2,}}|/(?=[+-])|,(?=\s)|:(?=\s)|[.,:](?=[{IDEOGRAPHIC}])|(?:です|だ|で|しま|します)[。!よねー]*(?=\W|$)"
    r"|[吧啦喔哦囉啊呀](?=\W|$)"
)


def find_votes(script: PreparedText, judge: GuardJudge) -> list[Detection]:
    """Bare votes at a line's start, and votes that name their proposal anywhere.

    A reserve ("if", "but") after it makes a vote conditional.
    """
    votes: dict[int, _Vote] = dict(_line_votes(script))
    if script.named:
        votes.update(_named_votes(script))
    starts = sorted(votes)
    return [
        _vote(script, judge, votes[start], following)
        for start, following in pairwise([*starts, len(script.text)])
    ]


def _line_votes(script: PreparedText) -> Iterator[tuple[int, _Vote]]:
    for match in _LINES.each(script.subject):
        start, end = max(_LINES.span(match, "vote"), _LINES.span(match, "alone"))
        if is_vote(script.unquoted, script.text[start:end].lower(), end):
            nick = _LINES.span(match, "nick")
            refs = script.handles(*nick) if nick[0] >= 0 else ()
            scribed = nick[0] >= 0 and not refs
            confidence = _SCRIBED_CONFIDENCE if scribed else _VOTE_CONFIDENCE
            yield start, (start, end, refs, confidence)


def _named_votes(script: PreparedText) -> Iterator[tuple[int, _Vote]]:
    for match in _NAMED.each(script.subject):
        first = _NAMED.span(match, "vote")[0] >= 0
        start, end = _NAMED.span(match, "vote" if first else "vote2")
        ref = _NAMED.span(match, "ref" if first else "ref2")
        follows = _NOT_A_VOTE.match(script.unquoted, _past_stop(script.unquoted, end))
        if _stands_free(script.unquoted, *match.span()) and (first or not follows):
            yield start, (start, end, (script.text[slice(*ref)],), _VOTE_CONFIDENCE)


def is_vote(text: str, token: str, end: int) -> bool:
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
    return not (_in_a_word(before) or before in ("+", "-", ".")) and not _in_a_word(after)


def _in_a_word(char: str) -> bool:
    return (char.isalnum() or char == "_") and _JOINABLE.match(char) is None


def _vote(script: PreparedText, judge: GuardJudge, vote: _Vote, following: int) -> Detection:
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
    worded = _WORDED.get(token)
    if worded is not None:
        return worded
    return 1.0 if token.isalpha() else float(token.replace(" ", "").replace("\t", "").lstrip("±"))
