"""What goes wrong, as `application/problem+json`: one table from exceptions to answers."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI


class Problem(Exception):
    """A refusal by its slug; `extra` are members of its answer, such as `retry_after`."""

    def __init__(self, slug: str, **extra: Any) -> None:
        super().__init__(slug)
        self.slug, self.extra = slug, extra

    @property
    def status(self) -> int:
        raise NotImplementedError

    @property
    def detail(self) -> str:
        raise NotImplementedError

    def body(self, request: str = "") -> dict[str, Any]:
        """The JSON of it, for request id `request`."""
        raise NotImplementedError


def problem_of(error: BaseException) -> Problem:
    """The problem that an exception is; `internal` for a bug."""
    raise NotImplementedError


def unechoed(text: str) -> str:
    """A domain's refusal without the values that a caller sent, and without advice for a shell."""
    raise NotImplementedError


def problems(*slugs: str) -> dict[int | str, dict[str, Any]]:
    """`responses=` of a route that may answer these, beside those of every route."""
    return {}


def install(app: FastAPI) -> None:
    """Have `app` answer every exception by the table."""
