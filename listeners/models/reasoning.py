"""What a model that reasons aloud says to itself, taken out of what it answers. Pure."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = "(?:think|thinking|thought|reasoning)>"
_TAG: Final = re.compile(f"<(/?){_NAME}", re.IGNORECASE)
_NEXT: Final = re.compile(rf"\s*<{_NAME}", re.IGNORECASE)
_END: Final = re.compile(f"</{_NAME}", re.IGNORECASE)


def strip_reasoning(text: str) -> str:
    """`text` without the thoughts that it begins with; one that never ends is all of it.

    What stands before a first closing tag is a thought that the template of the chat opened.
    """
    tag = _TAG.search(text)
    if tag is None or (not tag[1] and text[: tag.start()].strip()):
        return text  # it speaks of the tag, if at all
    return _strip_next(text, tag.end() if tag[1] else 0)


def _strip_next(text: str, after: int) -> str:
    """What follows `after`, without the thoughts that it begins with."""
    while (begun := _NEXT.match(text, after)) is not None:
        ended = _END.search(text, begun.end())
        if ended is None:
            return ""
        after = ended.end()
    return text[after:]
