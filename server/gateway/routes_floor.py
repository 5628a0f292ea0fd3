"""The floor: bids, grants, phases."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
