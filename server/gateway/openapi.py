"""The API's description of itself: tags, security schemes, what each route may answer."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI


def describe(app: FastAPI) -> None:
    """Have `app.openapi` give the whole description."""


def document() -> dict[str, Any]:
    """OpenAPI of an application that serves nothing."""
    raise NotImplementedError
