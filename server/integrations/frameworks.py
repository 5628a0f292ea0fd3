"""What is said where a framework is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(package: str) -> Iterator[None]:
    """For the imports of `package`. Raises `ImportError` that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is missing: pip install {package}") from error
