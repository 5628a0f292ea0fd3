"""Group chats as AutoGen prints them: `name (to other):`, or `---------- name ----------`.

The first form is that of 0.2 (and AG2), the second of 0.4's `Console`. A header counts
where AutoGen would have printed it: below a ruler or a notice of its own, outside of code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from parley.server.transcripts.posts.fenced_lines import find_fenced
from parley.server.transcripts.posts.post_heads import Head, choose_names, take_posts
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, PERHAPS, SURE, Format

_ANSI: Final = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TO: Final = re.compile(r"(?P<who>[^\s()][^()\n]{0,63}) \(to (?P<to>[^()\n]{1,64})\):[ \t]*\Z")
_RULER: Final = re.compile(r"(?:-{60,100}|\*{60,100}|_{60,100})[ \t]*\Z")
_NOTICE: Final = re.compile(
    r"(?:>{8} (?:EXECUTING|USING|NO HUMAN|TERMINATING)\b.*|Next speaker: .{1,64}|-{1,40}>.*"
    r"|={5,40} Step \d+ ={5,40}|Starting (?:a new )?chat\b.*|\[autogen\..*)\Z"
)
_TYPED: Final = re.compile(
    r"-{10} (?P<type>[A-Z][A-Za-z]{2,60}(?:Message|Event|Chunk)) \((?P<who>[^()\n]{1,64})\) -{10}"
)
_NAMED: Final = re.compile(r"-{10} (?P<who>[^\s()-][^()\n]{0,63}?) -{10}")
_SPOKEN: Final = frozenset({"TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage"})
_RESULTS: Final = frozenset({"ToolCallSummaryMessage", "ToolCallExecutionEvent"})
_USAGE: Final = re.compile(
    r"\n\[Prompt tokens: \d+, Completion tokens: \d+(?:, Duration: [\d.]+)?\]\s*\Z"
)
_CALL: Final = re.compile(r"\s*\[FunctionCall\(")
_RESULT: Final = re.compile(r"\s*\[FunctionExecutionResult\(")
_SUMMARY: Final = re.compile(r"\s*(?:Number of (?:inner )?messages|Finish reason): ")
NOTICES: Final = "notices that AutoGen prints"
RESULT: Final = "a tool's result"


def strip_colors(text: str) -> str:
    """`text` as it was before a terminal coloured it."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def _is_head(line: str) -> bool:
    return line.endswith((":", ": ", "----------")) and (
        _TO.match(line) is not None or _NAMED.match(line) is not None
        or _TYPED.match(line) is not None
    )  # fmt: skip


def find_heads(lines: Sequence[str], only: frozenset[str]) -> tuple[list[Head], list[str]]:
    """The heads of a printed chat in `lines`, and the names of those that were taken for text."""
    fenced = find_fenced(lines, _is_head)
    printed = [(n, line) for n, line in enumerate(lines) if line.strip() and not fenced[n]]
    typed = any(_TYPED.match(line) for _, line in printed)
    has_rulers = any(_RULER.match(line) for _, line in printed)
    addressed: list[Head] = []
    named: list[Head] = []
    others: list[Head] = []
    last, begins = -1, True
    for number, line in printed:
        if last >= 0 and number > last + 1 and any(fenced[last + 1 : number]):
            begins = False
        last = number
        if match := _TYPED.match(line):
            named.append(_typed_head(number, match))
            begins = False
        elif not typed and (match := _NAMED.match(line)):
            named.append(Head(number, number + 1, match["who"], certain=False))
            begins = False
        elif (match := _TO.match(line)) and (begins or not has_rulers):
            to = match["to"].strip()
            addressed.append(Head(number, number + 1, match["who"].strip(), to=(to,)))
            begins = False
        elif _RULER.match(line):
            begins = True
        elif _NOTICE.match(line):
            if begins or line.startswith((">>>>>>>>", "Next speaker: ")):
                others.append(Head(number, number + 1, None, NOTICES))
                begins = True
        else:
            begins = False
    kept, dropped = _keep_known([*addressed, *named], only)
    return sorted([*kept, *others], key=lambda head: head.line) if kept else [], dropped


def _typed_head(number: int, match: re.Match[str]) -> Head:
    kind = match["type"]
    if kind in _SPOKEN:
        return Head(number, number + 1, match["who"])
    reason = RESULT if kind in _RESULTS else f"no words of anyone ({kind})"
    return Head(number, number + 1, None, reason)


def _keep_known(heads: list[Head], only: frozenset[str]) -> tuple[list[Head], list[str]]:
    """Heads of names that count: they come again, are spoken to again, or print no to-line."""
    parts = Counter(name for head in heads for name in (head.who, *head.to) if name)
    declared = {name for name, count in parts.items() if count > 1}
    declared |= {head.who for head in heads if head.who and head.to and head.to[0] in declared}
    declared |= {head.who for head in heads if head.who and head.certain and not head.to}
    declared |= {h.who for h in heads if h.who and not h.certain and h.who.isidentifier()}
    names, dropped = choose_names((head.who for head in heads if head.who), declared, only)
    return [head for head in heads if head.who is None or head.who in names], dropped


def clean_message(text: str) -> str:
    """What is said, without the count of tokens that 0.4 prints below it."""
    return _USAGE.sub("", f"\n{text}").strip("\n")


def set_aside_calls(lines: Sequence[str], heads: list[Head]) -> None:
    """Takes calls and results of tools, and the closing summary, out of whose words they are."""
    ends = [*(head.line for head in heads[1:]), len(lines)]
    for head, end in zip(heads, ends, strict=False):
        start = next((line for line in lines[head.body : end] if line.strip()), "")
        if head.who is None or head.to:
            continue
        if _CALL.match(start):
            head.who, head.reason = None, "calls a tool without words"
        elif _RESULT.match(start):
            head.who, head.reason = None, RESULT
        elif head.who == "Summary" and _SUMMARY.match(start):
            head.who, head.reason = None, NOTICES


def note_dropped(taking: EntryCollector, dropped: Sequence[str]) -> None:
    """Notes the names that stand once and were taken for text, and the way to have them."""
    if dropped:
        shown = ", ".join(dict.fromkeys(dropped[:8]))
        taking.note(
            f"read as text, since the name stands once: {shown}. "
            "If they speak, name every speaker: --speaker NAME, again for each"
        )


def _tell(source: Source) -> int:
    lines = strip_colors(source.head).split("\n")
    heads, _ = find_heads(lines, frozenset())
    spoken = [head for head in heads if head.who]
    if not spoken or source.tree is not None:
        return NO
    return SURE + 10 if len(spoken) > 1 else PERHAPS


def _read(source: Source, taking: EntryCollector) -> None:
    lines = strip_colors(source.text).split("\n")
    heads, dropped = find_heads(lines, source.speakers)
    set_aside_calls(lines, heads)
    if heads and any(line.strip() for line in lines[: heads[0].line]):
        heads.insert(0, Head(0, 0, None, "text before the first speaker"))
    note_dropped(taking, dropped)
    taking.guess(head.who for head in heads if head.who and not head.certain)
    take_posts(lines, heads, taking, clean=clean_message)


AUTOGEN_CONSOLE: Final = Format(
    "autogen-console", "what AutoGen prints: name (to other): …, ---------- name ----------",
    ("txt", "log", "out"), _tell, _read,
)  # fmt: skip
