"""Whether the process lives, and whether it can serve."""

from __future__ import annotations
