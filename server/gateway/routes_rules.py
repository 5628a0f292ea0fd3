"""A session's settings, corrections, compaction, redaction."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
