"""Lessons of other sessions."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
