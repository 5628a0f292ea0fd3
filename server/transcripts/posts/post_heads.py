"""Heads of posts, which of the names in them count, and the posts as they are taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name

_RULE: Final = re.compile(r"[ \t]*(?:-[ \t-]*-|\*[ \t*]*\*|_[ \t_]*_|=[=]+)[ \t]*\Z")
_MACHINE_NAME: Final = re.compile(
    r"(?:.*[\W_])?(?:(?:code|python|shell|tool|function)?[\W_]?execut(?:or|er)|tools?|functions?"
    r"|interpreter|computer_?terminal|sandbox)(?:[\W_]?(?:agent|proxy))?[\d_]*",
    re.IGNORECASE,
)
_MACHINE_CAMEL: Final = re.compile(r".*[a-z](?:Executor|Tool|Interpreter|Terminal)[\d_]*\Z")
_OUTPUT: Final = re.compile(
    r"\s*(?:exitcode: -?\d+ \(execution \w+\)|\*{5} Response from calling (?:function|tool)\b"
    r"|\[FunctionExecutionResult\(|The script ran(?:, then| but)\b"
    r"|No code blocks found in the thread\b)"
)
_NO_POST: Final = "text outside of posts"


@dataclass(slots=True)
class Head:
    """Where a post, or something that is none, begins; its body ends where the next head begins."""

    line: int  # its first line, from 0
    body: int  # the first line of what is said
    who: str | None  # None: nobody's words
    reason: str = _NO_POST  # why it is left out, where nobody says it
    at: str | None = None
    to: tuple[str, ...] = ()
    topic: str | None = None
    is_reply: bool = False  # to the last post that is none
    certain: bool = True  # the head declares a speaker; else it may only look as if
    lead: tuple[str, ...] = ()  # lines of the head that are part of what is said


def is_rule(line: str) -> bool:
    """True for a line that is a ruler of Markdown: dashes, stars, underscores or equal signs."""
    return _RULE.match(line) is not None


def take_posts(
    lines: Sequence[str],
    heads: Iterable[Head],
    taking: EntryCollector,
    place: Callable[[int], str] = lambda number: f"line {number + 1}",
    clean: Callable[[str], str] = str,
) -> None:
    """Takes what stands below each head as its post, rulers and blank lines at its ends cut."""
    machines: dict[str, bool] = {}
    parent: int | None = None
    ordered = sorted(heads, key=lambda head: head.line)
    ends = [*(head.line for head in ordered[1:]), len(lines)]
    for head, end in zip(ordered, ends, strict=False):
        where = place(head.line)
        if head.who is None:
            taking.skip(head.reason, where)
            continue
        text = clean("\n".join((*head.lead, *_trimmed(lines, head.body, end))))
        who = read_name(head.who)
        if not text.strip():
            taking.skip("posts without words", where)
            continue
        machines[who] = machines.get(who, True) and is_output(text)
        index = taking.say(
            where, who, text, timestamp=head.at, topic=head.topic, to=head.to or None,
            re=parent if head.is_reply else None,
        )  # fmt: skip
        if not head.is_reply:
            parent = index
    mark_bots(taking, machines)


def _trimmed(lines: Sequence[str], start: int, end: int) -> Sequence[str]:
    while start < end and (not lines[start].strip() or is_rule(lines[start])):
        start += 1
    while end > start and (not lines[end - 1].strip() or is_rule(lines[end - 1])):
        end -= 1
    return lines[start:end]


def is_output(text: str) -> bool:
    """True for what a program put out: the result of code or of a function that was called."""
    return _OUTPUT.match(text) is not None


def mark_bots(taking: EntryCollector, machines: dict[str, bool]) -> None:
    """Marks as bots who only says what programs put out, or is called what runs them."""
    bots = [
        name
        for name, only_output in machines.items()
        if only_output or _MACHINE_NAME.fullmatch(name) or _MACHINE_CAMEL.match(name)
    ]
    if bots:
        known = taking.transcript.meta.setdefault("bots", [])
        known.extend(name for name in bots if name not in known)


def choose_names(
    names: Iterable[str], declared: Iterable[str], only: frozenset[str]
) -> tuple[frozenset[str], list[str]]:
    """The names that count as speakers, and those that were dropped.

    `only` those where it is not empty. Else those that come again or are `declared`; where these
    are fewer than two there is nothing to compare with, and all count.
    """
    counted = Counter(names)
    if only:
        return frozenset(name for name in counted if name.casefold() in only), []
    known = {name.casefold() for name in declared}
    sure = frozenset(n for n, count in counted.items() if count > 1 or n.casefold() in known)
    if len(sure) < 2:
        return frozenset(counted), []
    return sure, [name for name in counted if name not in sure]
