"""What the writer of a mail says, without quotes, signatures and footers of lists."""

from __future__ import annotations

import re
from typing import Final

_QUOTED: Final = re.compile(r"[ \t]{0,3}(?:[A-Za-z]{0,4}>|\|[ \t])")
_DATED_LEAD: Final = re.compile(
    r"(?:on|le|am|el|il)\b.{0,300}\b(?:wrote|writes|said|écrit|schrieb|escribió|scritto)[ \t]*:",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r".{1,200}\b(?:wrote|writes)[ \t]*:|[\"“].{1,200}[\"”][ \t]*<[^<>]{1,200}>.{0,100}:",
    re.IGNORECASE,
)
_BELOW: Final = re.compile(
    r"-{2,}[ \t]*(?:original message|forwarded message|ursprüngliche nachricht|"
    r"message d'origine)[ \t]*-{2,}",
    re.IGNORECASE,
)
# What an archive of pipermail took out, and what it says of it
_SCRUBBED: Final = re.compile(
    r"^-{10,20} next part -{10,20}\n(?:An? [^\n]{1,80} was scrubbed\.\.\.\n"
    r"(?:[ \t]*(?:From|Subject|Date|Name|Type|Size|Desc|URL)[ \t]*:[^\n]*(?:\n|\Z))*)?",
    re.IGNORECASE | re.MULTILINE,
)
_FORGE_LEAD: Final = re.compile(r"\A\s*\S{1,60} left a comment \([^()\n]{1,120}#\d+\)\n")
_FOOTER: Final = re.compile(r"_{20,}[ \t]*\Z|-{40,}[ \t]*\Z")
_LONG: Final = 1000  # characters: no line that leads in a quote


def strip_scrubbed(text: str) -> tuple[str, int]:
    """`text` without what an archive or a forge says of it, and how many parts were taken out."""
    return _SCRUBBED.subn("", _FORGE_LEAD.sub("", text))


def strip_quotes(text: str) -> str:
    """The lines of a mail that are the writer's; "" where there are none."""
    lines = _above_the_end(text.replace("\r", "").split("\n"))
    kept: list[str] = []
    for line in lines:
        if not _QUOTED.match(line):
            kept.append(line.rstrip())
        else:
            _without_lead(kept)
            if kept and kept[-1] != "":
                kept.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _above_the_end(lines: list[str]) -> list[str]:
    """The lines above the signature, a footer, or a whole mail that was left below."""
    for number, line in enumerate(lines):
        if line in ("-- ", "--") or _BELOW.match(line) or _FOOTER.match(line):
            return lines[:number]
    return lines


def _without_lead(kept: list[str]) -> None:
    """Drops "On … she wrote:" from the end, which may take three lines."""
    end = len(kept)
    while end and not kept[end - 1]:
        end -= 1
    for count, leads in ((3, _DATED_LEAD), (2, _DATED_LEAD), (1, _DATED_LEAD), (1, _LEAD)):
        lead = " ".join(kept[max(end - count, 0) : end])
        if end >= count and len(lead) <= _LONG and leads.fullmatch(lead.strip()):
            del kept[end - count :]
            return
