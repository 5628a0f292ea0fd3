"""Participants, seats and aliases."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
