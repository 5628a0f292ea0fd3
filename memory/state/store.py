"""The base of what one fold owns and changes in place: trees of integers, text and each other.

What has its default is left out of the canonical bytes. Beside each tree stands the room
whose rules change it.
"""

from __future__ import annotations

from msgspec import Struct


class StateTree(Struct, omit_defaults=True, kw_only=True):
    """What the fold changes in place."""
