"""The minutes, as JSON, Markdown or HTML."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
