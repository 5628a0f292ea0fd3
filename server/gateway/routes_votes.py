"""Votes: call, confirm, cast, count."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
