"""Messages and entries: publish and read."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
