"""The HTTP client that models are asked with: it stays with one origin and reads so much at most.

An endpoint may be broken or hostile. A redirect to another origin would take the prompt there;
an answer without an end, or a small one that unpacks to a large one, would fill this process.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from parley.listeners.models.model_port import BadAnswer, ModelError, ModelRefused

FIXED_BYTES: Final = 1 << 20  # of an answer beside its tokens: what endpoints say of themselves
BYTES_PER_TOKEN: Final = 4096  # a token that is streamed comes as an event of some 300 bytes
BYTES_PER_VECTOR: Final = 1 << 18  # 8,192 numbers as text

_allowed: ContextVar[int] = ContextVar("allowed", default=FIXED_BYTES)


class AnswerTooLarge(Exception):
    """More came than what was asked for can be."""


class OtherOrigin(Exception):
    """The endpoint sends the question somewhere else."""


@contextmanager
def allow_bytes(count: int) -> Iterator[None]:
    """Within, an answer to a request that is begun may have `FIXED_BYTES` and `count` bytes."""
    before = _allowed.set(FIXED_BYTES + count)
    try:
        yield
    finally:
        _allowed.reset(before)


def guard(client: Any) -> Any:
    """`client`, an `AsyncClient` of httpx or its successor, kept to the origin that it asks first.

    It raises `OtherOrigin` and `AnswerTooLarge`.
    """
    origins: list[tuple[str, str, int | None]] = []

    async def stay(request: Any) -> None:
        origin = (request.url.scheme, request.url.host, request.url.port)
        origins[:] = origins or [origin]
        if origin != origins[0]:
            raise OtherOrigin(
                f"the endpoint redirects to {request.url.scheme}://{request.url.netloc.decode()}; "
                "if you trust it, give that address as the model's"
            )

    async def measure(response: Any) -> None:
        _count_bytes(response, _allowed.get())

    client.event_hooks = {"request": [stay], "response": [measure]}
    return client


def _count_bytes(response: Any, most: int) -> None:
    """Have `response` raise `AnswerTooLarge` once more than `most` bytes of it are unpacked."""
    read = response.aiter_bytes

    async def counted(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        left = most
        async for piece in read(chunk_size):
            left -= len(piece)
            if left < 0:
                raise AnswerTooLarge(f"an answer of more than {most} bytes: that was not asked for")
            yield piece

    response.aiter_bytes = counted


def find_refusal(error: BaseException) -> ModelError | None:
    """What the guard says in `error` or in what caused it; None for other errors."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, AnswerTooLarge):
            return BadAnswer(str(cause))
        if isinstance(cause, OtherOrigin):
            return ModelRefused(str(cause))
        cause = cause.__cause__ or cause.__context__
    return None
