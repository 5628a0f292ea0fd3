"""Bytes made from samples, hostile in the ways that readers stumble over. A case is its number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final

TOKENS: Final = (
    b"null", b"true", b"[]", b"{}", b'""', b"-1", b"0", b"1e999", b"-0.0", b"9" * 40, b"[" * 200,
    b'{"a":' * 60, b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x91\xa9", b"\xe2\x80\xae",
    b"\r\n", b"\n\n", b"\t", b"---\n", b"...", b"&a *a", b"!!python/object", b"<<: *a", b"| ",
    b"# ", b"\\u0000", b"\\ud800", b'"kind":"message"', b'"v":2', b"NaN", b"1-1", b"a" * 5_000,
    b"(?P<x>", b"{1000}{1000}", b"From ", b"=?utf-8?b?", b"2025-02-30T25:61:61Z",
)  # fmt: skip
_LONGEST: Final = 60_000  # bytes of a case


def case_bytes(reader: str, number: int, samples: Sequence[bytes]) -> bytes:
    """Case `number` of `reader`: a sample, changed a few times. The same again each time."""
    chance = random.Random(f"{reader} {number}")
    data = chance.choice(samples)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        data = chance.choice(_CHANGES)(chance, data, samples)[:_LONGEST]
    return data


def _flip(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return bytes([chance.randrange(256)])
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _cut(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:first] + data[last:] if chance.random() < 0.7 else data[:first]


def _put(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    over = chance.choice((0, 0, 1, 4))
    return data[:at] + chance.choice(TOKENS) + data[at + over :]


def _repeat(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:last] + data[first:last] * chance.randrange(1, 20) + data[last:]


def _splice(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    other = chance.choice(samples)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _replace_value(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """What stands behind a colon is something else: the shape stays, the types do not."""
    places = [colon.start() for colon in re.finditer(b":", data)]
    if not places:
        return data
    first = chance.choice(places) + 1
    ends = [end for mark in b",}\n" if (end := data.find(mark, first)) > 0]
    return data[:first] + b" " + chance.choice(TOKENS) + data[min(ends, default=first) :]


_CHANGES: Final[tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...]] = (
    _flip, _cut, _put, _put, _repeat, _splice, _replace_value, _replace_value,
)  # fmt: skip
