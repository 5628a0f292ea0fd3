"""Why the window took a line for an item, in words: the features that decided, said plainly."""

from __future__ import annotations

import re
from typing import Final

_LIKE: Final = {
    "same": "in the same words",
    "near": "in nearly the same words",
    "contain": "with words more or fewer",
    "alike": "in like words",
    "some": "in part",
}
_TYPED: Final = (", scribed", ", minuted")  # what `noted` puts behind a rule
_PLAIN: Final = {
    "own vote": "its own speaker votes on it",
    "a vote against": "somebody votes against it",
    "a vote between": "somebody votes neither for nor against it",
    "votes again": "people who had just voted vote anew",
    "votes before": "there were votes before it",
    "no votes before": "there were no votes before it",
    "restates an imperative": "what it says again is an imperative",
    "restates a restatement": "what it says again had been said again before",
}
_COUNTED: Final = (
    (re.compile(r"(?:bare )?voters >=(\d+)"), "voters right below it"),
    (re.compile(r"bare voters past a line >=(\d+)"), "voters below the line after it"),
    (re.compile(r"restated past votes >=(\d+)"), "votes before it is said again"),
    (re.compile(r"restates past votes >=(\d+)"), "votes since that was said first"),
    (re.compile(r"restates backed >=(\d+)"), "voters on what it says again"),
)
_WORDING: Final = re.compile(r"wording >=\d+")
_AFTER: Final = re.compile(r"votes after (>?\d+)")
_AGAIN: Final = re.compile(r"(restated|restates) (\w+)( past votes)?(, one speaker)?")
_NEAR: Final = re.compile(r"(before|after) (.+ talk|minutes|approves minutes.*)")


def explain_score(rule: str) -> str:
    """The features of a rule of `how: structure` as a reader would say them.

    Of a count its highest step is said, of a likeness the closest. A feature that
    has no words here (a cue of the wording) stands as it is called.
    """
    for typed in _TYPED:
        if rule.endswith(typed):
            return f"{explain_score(rule.removesuffix(typed))}; typed for them by a scribe"
    reasons: dict[str, tuple[int, str]] = {}
    for feature in rule.split("; "):
        about, rank, words = _said(feature)
        if rank > reasons.get(about, (-1, ""))[0]:
            reasons[about] = (rank, words)
    return "; ".join(words for _, words in reasons.values())


def _said(feature: str) -> tuple[str, int, str]:
    """What a feature is about, how much of it it tells, and its words."""
    for pattern, what in _COUNTED:
        if match := pattern.fullmatch(feature):
            count = int(match[1])
            return what, count, f"{count} or more {what}" if count > 1 else what
    if feature in _PLAIN:
        return feature, 0, _PLAIN[feature]
    if _WORDING.fullmatch(feature):
        return "wording", 0, "worded like a proposal or a decision"
    if match := _AFTER.fullmatch(feature):
        return "votes after", 0, "votes follow at once" if match[1] == "1" else "votes follow"
    if (match := _AGAIN.fullmatch(feature)) and match[2] in _LIKE:
        return _again(match)
    if match := _NEAR.fullmatch(feature):
        where = "right below it" if match[1] == "before" else "right above it"
        return feature, 0, f"{match[2].split(',')[0]} {where}"
    return feature, 0, feature


def _again(match: re.Match[str]) -> tuple[str, int, str]:
    below = match[1] == "restated"
    words = "said again below" if below else "says again what stands above"
    rank = 2 * (len(_LIKE) - list(_LIKE).index(match[2])) + bool(match[3])
    past = (" after votes" if below else ", after votes on it") if match[3] else ""
    return match[1], rank, f"{words} {_LIKE[match[2]]}{past}"
