"""The page and its files, and the page of the API."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
