"""Untrusted text for a reader: whatever is in it is seen, and stays inside its fence. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

FENCE: Final = "| "  # starts every line of fenced content; nothing else in a context does
INDENT: Final = "    "  # starts the further lines of quoted content
_ARABIC_SIGNS: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
_JOINERS: Final = "\u200c\u200d"
_BEFORE_MARK: Final = re.compile(r'(\\*)("|\Z)')  # backslashes, and what they could undo


def escape_invisible(text: str, keep_newlines: bool = False) -> str:
    """`text` with whatever a terminal or a reader would not see written as an escape.

    Control characters and ANSI sequences (\\x1b), direction overrides (\\u202e),
    zero-width and tag characters, line separators, lone surrogates. A joiner
    between two characters of a script or an emoji that needs it stays. One
    line, unless `keep_newlines`; "\\r\\n" is then one newline.
    """
    if text.isprintable():
        return text
    if keep_newlines:
        return "\n".join(map(escape_invisible, text.replace("\r\n", "\n").split("\n")))
    shown = []
    for index, char in enumerate(text):
        if char.isprintable() or (char in _JOINERS and _joins(text, index)):
            shown.append(char)
        else:
            shown.append(_escaped(char))
    return "".join(shown)


def _joins(text: str, index: int) -> bool:
    around = text[index - 1 : index] + text[index + 1 : index + 2]
    return len(around) == 2 and not any(char.isascii() or char in _JOINERS for char in around)


def _escaped(char: str) -> str:
    if char in _ARABIC_SIGNS:
        return char
    kind = unicodedata.category(char)
    if kind in ("Co", "Cn"):  # private use, and characters newer than this Python
        return char
    if kind == "Zs":
        return " "
    code = ord(char)
    if code < 0x100:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def fence_lines(text: str) -> str:
    """The content of one message as lines that each begin with the fence `| `.

    No content can make a line without it, so none can pose as a heading, a
    marker or another speaker.
    """
    return "\n".join(
        FENCE + line for line in escape_invisible(text, keep_newlines=True).split("\n")
    )


def unfence_lines(text: str) -> str:
    """`text` without the fence that a model copied from what it was shown; not that of tables."""
    lines = text.split("\n")
    return "\n".join(line if line.endswith("|") else line.removeprefix(FENCE) for line in lines)


def quote_lines(text: str) -> str:
    """The content of one message in quotation marks; each line after the first is indented.

    For what follows a name on its line. No content can make a line that begins at the
    margin, nor end the quotation: its own quotation marks stand behind a backslash, and a
    backslash before one, or at the end, is doubled.
    """
    shown = escape_invisible(text, keep_newlines=True)
    return quote_shown(shown).replace("\n", f"\n{INDENT}")


def quote_shown(shown: str) -> str:
    """Text that is visible already, in quotation marks that nothing in it can end."""
    return f'"{_BEFORE_MARK.sub(_behind_backslashes, shown)}"'


def _behind_backslashes(match: re.Match[str]) -> str:
    slashes, mark = match.groups()
    return f'{slashes}{slashes}\\"' if mark else f"{slashes}{slashes}"
