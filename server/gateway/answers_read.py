"""What reading routes answer."""

from __future__ import annotations
