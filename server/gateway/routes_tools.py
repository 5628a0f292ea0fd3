"""Results of tools that are kept."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
