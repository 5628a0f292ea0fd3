"""Discussions, issues and pull requests of GitHub as Markdown or text: gh, gh2md, exports, copies.

A post begins where a line says who wrote it: `#### [ana](…) commented at [2024-05-03](…):`,
`## Comment by @ana (2024-05-03)`, `### Comment 1` above `**Author:** @ana`, `ana commented on
May 3, 2024`, or the block `author:` … `--` of `gh issue view --comments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from parley.server.transcripts.posts.fenced_lines import find_fenced
from parley.server.transcripts.posts.post_fields import clean_name, read_fields
from parley.server.transcripts.posts.post_heads import Head, take_posts
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import HEAD_BYTES, Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

_LOGIN: Final = r"@?(?P<who>[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})(?:\[bot\])?)"
_LINK: Final = rf"(?:\[{_LOGIN}\]\([^()\s]{{1,300}}\)|{_LOGIN.replace('?P<who>', '?P<bare>')})"
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_WHEN: Final = (
    r"(?P<at>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
    r"(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?"
    rf"|{_MONTH} \d{{1,2}}(?:, \d{{4}})?(?:,? (?:at )?\d{{1,2}}:\d\d(?: ?[AaPp][Mm])?)?"
    rf"|\d{{1,2}} {_MONTH} \d{{4}}"
    r"|(?:\d{1,3}|an?|last) (?:minute|hour|day|week|month|year)s?(?: ago)?"
    r"|yesterday)"
)
_DID: Final = (
    r"(?:commented|replied|answered|reviewed|left a (?:comment|review)|approved these changes"
    r"|requested changes|(?:opened|started|created|posted|wrote)"
    r"(?P<what>(?: (?:this|the|an?))?"
    r"(?: (?:issue|discussion|conversation|pull request|PR|comment))?))"
)
_TAIL: Final = rf"(?:[ \t,·|–—-]*(?:on|at)?[ \t]*[\[(]?{_WHEN}[\])]?(?:\([^()\s]{{1,300}}\))?)?"
_WROTE: Final = re.compile(
    rf"{_LINK}(?: ?\((?:[A-Za-z]{{4,14}}|Pull request author)\))? {_DID}{_TAIL}[ \t]*[:.]?\Z",
    re.IGNORECASE,
)
_BY: Final = re.compile(
    r"(?P<kind>comment|reply|review|answer|post|question|discussion|issue|pull request"
    rf"|original post|opened)[ \t]*(?:#?\d{{1,6}})?[ \t]*(?:[:–—-]|by|from)[ \t]*"
    rf"(?:by[ \t]+)?{_LINK}{_TAIL}[ \t]*:?\Z", re.IGNORECASE,
)  # fmt: skip
_PART: Final = re.compile(
    r"(?P<kind>comment|reply|review|answer|original post|question|description|body)"
    r"(?:[ \t]+#?\d{1,6})?[ \t]*:?\Z", re.IGNORECASE,
)  # fmt: skip
_HEADING: Final = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>\S.{0,500}?)[ \t]*\Z")
_IMAGE: Final = re.compile(r"<img [^<>]{0,300}>|!\[[^\]\n]{0,100}\]\([^()\s]{0,300}\)")
_BLOCK: Final = re.compile(r"(?:author|title):\t")
_BLOCK_FIELD: Final = re.compile(r"(?P<key>[a-z][a-z -]{1,24}):\t(?P<value>.*)\Z")
_COUNTED: Final = re.compile(
    r"(?:\d{1,5}[ \t]+)?(?:comments?|replies|answers|reviews?)[ \t]*(?:\(\d{1,5}\))?\Z",
    re.IGNORECASE,
)


def _plain(line: str) -> tuple[str, int]:
    """A line's text without heading, bold, pictures and bullets, and its level of heading."""
    heading = _HEADING.match(line) if line.startswith("#") else None
    text = heading["text"] if heading else line
    if len(text) > 1000:
        return "", 0
    text = _IMAGE.sub("", text).replace("**", "").replace("__", "").replace("`", "")
    return text.strip(" \t#"), len(heading["level"]) if heading else 0


def _written(line: str) -> tuple[str, str | None, bool] | None:
    """Who, when, and whether it is a reply, of a line that says who wrote what is below."""
    if line.startswith((">", "    ", "- ", "* ")) or not line.strip():
        return None
    text, _ = _plain(line)
    match = _WROTE.match(text) or _BY.match(text)
    if match is None:
        return None
    if not (line.startswith(("#", "**", "__", "[", "<")) or match["at"]):
        return None  # prose, such as "ana approved these changes."
    who = match["who"] or match["bare"]
    groups = match.groupdict()
    if groups.get("what") == "" and not match["at"]:
        return None  # "Files created:"
    is_reply = (groups.get("kind") or text[len(who) :].strip().split(" ")[0]).lower() in (
        "reply", "replied",
    )  # fmt: skip
    return who, match["at"], is_reply


def _is_head(line: str) -> bool:
    return _written(line) is not None


def _find(lines: Sequence[str], only: frozenset[str]) -> Iterator[Head]:
    fenced = find_fenced(lines, _is_head)
    taken, depth = 0, 0
    for number, line in enumerate(lines):
        if fenced[number] or number < taken or not line.strip():
            continue
        head = _block(lines, number) or _head(lines, number, fenced)
        if head is not None and head.who and only and head.who.casefold() not in only:
            head = None
        if head is not None:
            taken = head.body
            depth = _plain(line)[1] or depth
            yield head
        else:
            text, level = _plain(line)
            if level and depth and (_COUNTED.match(text) or (level < depth and _PART.match(text))):
                yield Head(number, number + 1, None, "headings and rules")


def _head(lines: Sequence[str], number: int, fenced: Sequence[bool]) -> Head | None:
    written = _written(lines[number])
    if written is not None:
        who, at, is_reply = written
        return Head(number, number + 1, who, at=at, is_reply=is_reply)
    text, level = _plain(lines[number])
    part = _PART.match(text) if level else None
    if part is None and level != 1:
        return None
    below = next((n for n in range(number + 1, min(number + 4, len(lines)))
                  if lines[n].strip()), number)  # fmt: skip
    fields = read_fields(lines, below, fenced) if below > number else None
    if fields is None or fields.who is None or " " in clean_name(fields.who):
        return None
    who = clean_name(re.sub(r"\A\[(@?[^\[\]]{1,64})\]\([^()]*\)\Z", r"\1", fields.who))
    is_reply = part is not None and part["kind"].lower() == "reply"
    return Head(number, fields.end, who, at=fields.at, is_reply=is_reply)


def _block(lines: Sequence[str], number: int) -> Head | None:
    """A block as `gh` prints it to a pipe: fields with a tab, closed by `--`."""
    if not _BLOCK.match(lines[number]):
        return None
    fields: dict[str, str] = {}
    for at in range(number, min(number + 20, len(lines))):
        if lines[at] == "--":
            who = fields.get("author")
            return Head(number, at + 1, clean_name(who)) if who else None
        if (match := _BLOCK_FIELD.match(lines[at])) is None:
            return None
        fields.setdefault(match["key"], match["value"].strip())
    return None


def _tell(source: Source) -> int:
    lines = source.head.split("\n")
    if len(source.data) > HEAD_BYTES:
        lines.pop()
    if source.tree is not None or "\0" in source.head:
        return NO
    heads = [head for head in _find(lines, frozenset()) if head.who]
    if len(heads) > 1:
        return SURE + 20
    return LIKELY if heads else NO


def _read(source: Source, taking: EntryCollector) -> None:
    lines = source.text.split("\n")
    heads = list(_find(lines, source.speakers))
    for line in lines[:40]:
        if line.startswith("# ") and _written(line) is None:
            taking.transcript.meta["title"] = _plain(line)[0][:200]
            break
        if (match := _BLOCK_FIELD.match(line)) and match["key"] == "title":
            taking.transcript.meta["title"] = match["value"].strip()[:200]
            break
    bots = [head.who for head in heads if head.who and head.who.lower().endswith("[bot]")]
    if bots:
        taking.transcript.meta["bots"] = list(dict.fromkeys(bots))
    if heads and any(line.strip() for line in lines[: heads[0].line]):
        heads.insert(0, Head(0, 0, None, "text before the first post"))
    take_posts(lines, heads, taking)


GITHUB_MARKDOWN: Final = Format(
    "github-markdown", "issue, pull request or discussion as Markdown, or as gh prints it",
    ("md", "markdown", "txt"), _tell, _read,
)  # fmt: skip
