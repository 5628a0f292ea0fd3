"""The garbage collector of a command: rare while it is put together, as usual once it serves.

What a command imports stays for good; to look through it again and again took a fifth of the
processor time of a short one.
"""

from __future__ import annotations

import gc
from typing import Final

_USUAL: Final = gc.get_threshold()
_RARE: Final = 100_000  # objects more than were given back, about a third of what `say` makes


def collect_rarely() -> None:
    """From now on, until `collect_as_usual`."""
    gc.set_threshold(_RARE, *_USUAL[1:])


def collect_as_usual() -> None:
    """As Python does it by itself."""
    gc.set_threshold(*_USUAL)
