"""What writing routes answer."""

from __future__ import annotations
