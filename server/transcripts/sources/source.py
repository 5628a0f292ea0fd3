"""A file as every format looks at it: its bytes, its text, its JSON; each made once."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NoReturn

import orjson

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.server.basics.errors import Failure

HEAD_BYTES: Final = 65_536  # what is looked at to tell a text format; more says no more
_HEAD_LINES: Final = 200
MENDED: Final = "halves of characters are shown as U+FFFD"
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")  # how JSON writes half a character
_NOT_BLANK: Final = re.compile(r"\S")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Source:
    """What was given: one file, or (`files` by path) a folder or archive of them."""

    def __init__(
        self, data: bytes, name: str = "", files: Mapping[str, bytes] | None = None
    ) -> None:
        self.name = name
        self.speakers: frozenset[str] = frozenset()  # who alone speaks, casefolded; empty: anyone
        self.files = files
        self.notes: list[str] = []
        self.data = self._utf8(data)

    def _utf8(self, data: bytes) -> bytes:
        if data.startswith(codecs.BOM_UTF8):
            return data.removeprefix(codecs.BOM_UTF8)
        if not data.startswith(_UTF16):
            return data
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise Failure(
                f"the file begins as UTF-16 and is not: {error.reason} at byte {error.start}; "
                "save it as UTF-8"
            ) from None
        self.notes.append("read as UTF-16")
        return text.encode()

    @property
    def extension(self) -> str:
        """What the file's name ends with, in small letters and without the dot."""
        return self.name.rpartition(".")[2].lower() if "." in self.name else ""

    @cached_property
    def head(self) -> str:
        """The first part of the file as text, for a first look."""
        start = self.data[:HEAD_BYTES]
        return _lines_ended(start.decode("utf-8", "replace"))

    @cached_property
    def head_lines(self) -> list[str]:
        """The first lines that say something."""
        lines = self.head.split("\n")
        if len(self.data) > HEAD_BYTES and len(lines) > 1:
            lines.pop()  # cut in the middle
        return [line for line in lines if line.strip()][:_HEAD_LINES]

    @cached_property
    def text(self) -> str:
        """The whole file as text, lines ended by a line feed alone. Raises `Failure`."""
        nul = self.data.find(b"\0")
        if nul >= 0:
            raise Failure(
                f"byte {nul} of the file is NUL: it is no text, or UTF-16 without its mark; "
                "save it as UTF-8"
            )
        try:
            text = self.data.decode()
        except UnicodeDecodeError as error:
            text = self.data.decode("latin-1")
            self.notes.append(f"not UTF-8 (byte {error.start}): read as Latin-1")
        return _lines_ended(text)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line of the text with its number, from 1."""
        yield from enumerate(self.text.split("\n"), 1)

    @cached_property
    def tree(self) -> Any:
        """The file as one JSON value; None where it is none (or null)."""
        if self.broken_json is not None or not self._opens(b"[{"):
            return None
        return self._parsed

    @cached_property
    def broken_json(self) -> str | None:
        """Why the file, which begins as one JSON value does, is none."""
        if not self._opens(b"[{"):
            return None
        try:
            self._parsed, is_mended = parse_json(self.data)
        except ValueError as error:
            return str(error)
        if is_mended:
            self.notes.append(MENDED)
        return None

    @cached_property
    def values(self) -> list[tuple[int, Any]]:
        """The JSON values of a file of nothing else, one or one after the other, with their lines.

        [] if the file holds anything else, as one broken line.
        """
        if self._opens(b"[{") and self.broken_json is None:
            return [(1, self._parsed)]
        try:
            return list(_values(self.data.decode()))
        except (ValueError, RecursionError):
            return []

    def json_rows(self) -> Iterator[tuple[int, bytes | dict[str, Any]]]:
        """Every line that says something, with its number; if the first is no JSON and the file is,
        its objects, or those of its lists.
        """
        lines = ((n, line.strip()) for n, line in enumerate(self.data.split(b"\n"), 1))
        rows = ((n, line) for n, line in lines if line)
        first = next(rows, None)
        if first is None:
            return
        if not _is_json(first[1]):
            for number, value in self.values:
                for row in value if isinstance(value, list) else (value,):
                    yield number, row if isinstance(row, dict) else json.dumps(row).encode()
            if self.values:
                return
        yield first
        yield from rows

    def _opens(self, marks: bytes) -> bool:
        start = self.data[:HEAD_BYTES].lstrip()
        return start[:1] != b"" and start[:1] in marks


def parse_json(data: bytes | str) -> tuple[Any, bool]:
    """The value of `data`, and whether it held halves of characters, which are mended.

    Raises `orjson.JSONDecodeError`, a `ValueError`.
    """
    try:
        return orjson.loads(data), False
    except orjson.JSONDecodeError:
        raw = data.encode() if isinstance(data, str) else data
        if _HALF.search(raw) is None:
            raise
        try:
            tree = json.loads(raw, parse_constant=_refuse_constant)
            return replace_lone_surrogates(tree), True
        except (ValueError, RecursionError):
            pass
        raise


def _is_json(line: bytes) -> bool:
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Each JSON value of `text`, with the line on which it begins. Raises `ValueError`."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    at, line, counted = 0, 1, 0
    while (start := _NOT_BLANK.search(text, at)) is not None:
        value, at = decoder.raw_decode(text, start.start())
        line += text.count("\n", counted, start.start())
        counted = start.start()
        yield line, replace_lone_surrogates(value)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)


def _lines_ended(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
