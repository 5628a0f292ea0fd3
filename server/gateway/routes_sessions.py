"""Sessions: open, list, close, remove, export, import, verify, fork, run."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
