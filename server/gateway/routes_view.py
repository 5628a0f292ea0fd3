"""What the page shows: the board, and the timeline."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
