"""What a model copies of the form in which the talk is shown to it, taken out of an answer. Pure.

Models imitate what they read: a bar before each line, `[n 3] ana:` above it or
`- n 3 ana:` before it, a heading of the context, the next speaker's words. None of it is what a
participant says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from parley.listeners.agents.prompts import ASKED, HOUSE_TEXT, REFUSED
from parley.listeners.models.answer_sentences import split_sentences
from parley.memory.context.tail import RECENT

_BARS: Final = re.compile(r"[ \t]*(?:\|(?:[ \t]|$))+")
_TABLE_RULE: Final = re.compile(
    r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*"
)
_NUMBER: Final = re.compile(
    r"[ \t]*(?:\[(?:n[ \t]*)?[0-9]{1,9}\]|(?P<bare>(?:-[ \t]+)?n[ \t][0-9]{1,9}[ ,]))[ \t]*"
)
_LABEL: Final = re.compile(
    r"[ \t]*(?:(?:-[ \t]+)?[PD][0-9]{1,9}[ \t]+)?\*{0,2}(?P<name>[^\s:*|][^:*|\n]{0,79}?)\*{0,2}"
    r"(?:[ \t]*\([a-z]+[^()\n]{0,40}\))?(?:[ \t](?:said|wrote))?"
    r"[ \t]*\*{0,2}:\*{0,2}(?:[ \t]+|$)"
)
_TALLY: Final = re.compile(r"[ \t]*\(\+[0-9]+ −[0-9]+ ~[0-9]+[^()\n]*\)")  # as behind a proposal
_WORD: Final = re.compile(r"\w+")
_HOUSE_WORDS: Final = f" {' '.join(_WORD.findall(HOUSE_TEXT.casefold()))}"
_HOUSE_SENTENCES: Final = frozenset(
    words
    for words in (
        tuple(_WORD.findall(sentence.casefold())) for sentence in split_sentences(HOUSE_TEXT)
    )
    if len(words) > 2
)
_LONG: Final = 20  # characters of a line of the prompt that a participant does not say by chance
_DEEPEST: Final = 32  # times that form is taken off, one within another
_REFUSED_WORDS: Final = " ".join(_WORD.findall(REFUSED.casefold())[1:])  # whosever answer it was
_ASKED_WORDS: Final = f"{' '.join(_WORD.findall(ASKED.casefold()))} "  # and whatever for
_TELLING: Final = 4  # words in a row of the prompt's own that a participant does not say by chance
_HANDLE: Final = (
    r"(?:(?:proposal|decision|vote|message)[ \t]+(?:[PDV]|n[ \t]?)?[0-9]{1,9}|[PDV][0-9]{1,9})"
)
_HANDLE_HEADING: Final = re.compile(  # "# Decision 2", "**P1**"
    rf"[ \t]*(?:#{{1,6}}[ \t]+\*{{0,2}}{_HANDLE}\*{{0,2}}:?[ \t#]*|\*\*{_HANDLE}:?\*\*:?[ \t]*)",
    re.IGNORECASE,
)
_OF_HANDLES: Final = re.compile(  # "P1 supports P1.", "P1 says that already."
    r"\s*[PDV][0-9]{1,9} (?:(?:support|oppose|repeat|amend|accept|settle)s? [PDV][0-9]{1,9}"
    r"|(?:says|proposes) that already)\W*"
)
_LISTED: Final = re.compile(  # `- P 1 "I would take tea."`, as items and messages are listed
    r"[ \t]*(?:-[ \t]+)?(?:[PDV]|n)[ \t]?[0-9]{1,9}:?[ \t]+(?=[\"“][^\"“”]+[\"”]\s*\Z)"
)
_SAY_SILENT: Final = re.compile(  # "If there was nothing else to add, write (silent)."
    r"\bnothing\b[^.!?\n]{0,20}\bto add\b[^.!?\n\w]{1,3}"
    r"(?:please |(?:you|I|we) (?:would |will |should |can )?)?(?:write|answer|say)\b"
    r"|\bin two or three sentences of (?:my|your|our) own\b",
    re.IGNORECASE,
)
_BARE_HANDLE: Final = re.compile(  # "[P1] It is cheap.", no tag; "(P1) I agree with P1."
    r"[ \t]*(?:\[[PDV][0-9]{1,9}\](?=[ \t]*[A-Z])|\((?P<handle>[PDV][0-9]{1,9})\)"
    r"(?=[ \t]*[A-Z].*\b(?P=handle)\b))[ \t]*"
)
_NOTHING: Final = frozenset({"none", "null", "n/a", "(none)"})
_QUOTED: Final = re.compile(r'"([^"]+)"|“([^“”]+)”')
# `I would write "We take tea."`, an answer to "What would you do?"
_WOULD_SAY: Final = re.compile(
    r"I(?: would|'d) (?:simply )?(?:write|say|answer|reply|respond)(?: that)?[:,]?\s+(?=[\"“])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of a speaker, and of others at the table, as they may stand before words."""

    own: Collection[str]
    others: Collection[str] = ()

    def whose(self, label: str) -> str:
        """`own`, `other`, or "" where `label` is nobody's name as the talk shows it.

        A name may be a common word: "Security: …" is a heading, "security: …" a speaker.
        """
        name = label.strip()
        return "own" if name in self.own else "other" if name in self.others else ""


def telling_lines(shown: str) -> frozenset[str]:
    """Lines of a prompt that nobody says by chance: its headings, items and whole sentences."""
    lines = map(str.strip, shown.split("\n"))
    return frozenset(line for line in lines if line.startswith("#") or len(line) >= _LONG)


def strip_transcript_form(text: str, names: Names, shown: Collection[str] = ()) -> tuple[str, bool]:
    """The speaker's own words in `text`, and whether it begins as somebody else's.

    Bars, numbers and the speaker's own name go from the beginnings of lines, and
    quotation marks from around it all; lines of `shown` go. What follows another's
    name, or the heading of the newest messages, is not the speaker's, and ends it. Idempotent.
    Nothing is left of what is form within form without an end: its time is bounded.
    """
    for _ in range(_DEEPEST):
        words, foreign = _strip_once(text, names, shown)
        if words == text or foreign:
            return words, foreign
        text = words
    return "", False


def _strip_once(text: str, names: Names, shown: Collection[str]) -> tuple[str, bool]:
    kept: list[str] = []
    for line, as_it_is in _drop_handle_heading(_lines(_TALLY.sub("", text.replace("\r\n", "\n")))):
        bared = line if as_it_is else _BARS.sub("", line, count=1)
        bared = _LISTED.sub("", _BARE_HANDLE.sub("", bared), count=1)
        words, whose = (line, "") if as_it_is else _strip_label(bared, names)
        begun = any(kept_line.strip() for kept_line in kept)
        if whose == "other" and not begun:
            return "", True
        heads_messages = words.strip("#*: \t").casefold() == RECENT.casefold()
        if begun and (whose == "other" or heads_messages):
            break
        own_words = words if as_it_is else _drop_house_text(words, shown)
        if words and not own_words:
            continue
        words = own_words
        if not heads_messages and (words == line or words.strip().casefold() not in _NOTHING):
            kept.append(words)
    return _unquote("\n".join(kept).strip()), False


def _drop_house_text(line: str, shown: Collection[str]) -> str:
    """`line` without sentences that every prompt says itself, or that are lines of `shown`."""
    if line.strip() in shown:
        return ""
    sentences = split_sentences(line)
    kept = [
        sentence for sentence in sentences
        if sentence.strip() not in shown and not _is_house_text(sentence)
    ]  # fmt: skip
    rest = "".join(kept).strip()
    if len(kept) == len(sentences):
        return line
    return rest if any(map(str.isalpha, rest)) else ""  # the number of a list's item


def _is_house_text(sentence: str) -> bool:
    """Whether the prompt says it itself, its last word cut or not, or it is of handles alone."""
    if _OF_HANDLES.fullmatch(sentence) is not None or _SAY_SILENT.search(sentence) is not None:
        return True
    words = _WORD.findall(sentence.casefold())
    sentence_words = f" {' '.join(words)}"
    if tuple(words) in _HOUSE_SENTENCES:
        return True
    return len(words) >= _TELLING and (
        sentence_words in _HOUSE_WORDS
        or _REFUSED_WORDS in sentence_words
        or sentence_words.startswith(f" {_ASKED_WORDS}")
    )


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of `text`, each with whether it is code or of a Markdown table."""
    lines = text.split("\n")
    in_code = in_table = False
    for index, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if not in_table:
            in_table = "|" in line and "|" in following and _is_rule(following)
        in_table = in_table and "|" in line
        yield line, in_code or in_table


def _drop_handle_heading(lines: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """`lines` without headings that only say a handle, as above items: they head nothing.

    Two that have words below them divide an answer to two things, and stay.
    """
    kept, sections, heading = list(lines), 0, False
    for line, as_it_is in kept:
        is_heading = not as_it_is and _HANDLE_HEADING.fullmatch(line) is not None
        sections += heading and not is_heading and bool(line.strip())
        heading = is_heading or (heading and not line.strip())
    if sections > 1:
        return kept
    return [
        (line, as_it_is) for line, as_it_is in kept
        if as_it_is or _HANDLE_HEADING.fullmatch(line) is None
    ]  # fmt: skip


def _is_rule(line: str) -> bool:
    return _TABLE_RULE.fullmatch(line) is not None


def _strip_label(line: str, names: Names) -> tuple[str, str]:
    """`line` without number and name in front of it, and whose words these say it is."""
    number = _NUMBER.match(line)
    after = line[number.end() :] if number else line
    label = _LABEL.match(after)
    whose = "" if label is None else names.whose(label["name"])
    if label is not None and whose == "own":
        words = after[label.end() :]
        return (_unquote(words.strip()) if number else words), whose
    if whose or number is None:
        return after, whose
    if number["bare"]:
        return line, ""  # "n 3 is wrong"
    if label is not None and label.end() == len(after):
        return after, "other"  # as above messages, of nobody who is here
    return (line if after[:1].islower() else after), ""  # "[n 3] is wrong"


def _unquote(text: str) -> str:
    lead = _WOULD_SAY.match(text)
    quoted = _QUOTED.fullmatch(text, 0 if lead is None else lead.end())
    return text if quoted is None else (quoted[1] or quoted[2]).strip()
