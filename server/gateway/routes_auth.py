"""Logging in, tokens and tickets."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
