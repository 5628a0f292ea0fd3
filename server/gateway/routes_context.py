"""What a participant is told before it speaks."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
