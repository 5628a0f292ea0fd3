"""Memory: whole, by layer, decisions, proposals, positions, summaries, usage."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
