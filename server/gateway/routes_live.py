"""Live streams: server-sent events and WebSocket."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
