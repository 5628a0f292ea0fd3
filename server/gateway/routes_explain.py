"""Where an item comes from."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
