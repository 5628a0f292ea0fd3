"""Rows are read out of whatever a model wraps them in, and out of what is left of a cut answer."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from parley.listeners.extraction.answer_rows import read_rows
from parley.listeners.extraction.row_forms import choice, names_in, number_of

ONE: dict[str, Any] = {"is": "side", "n": 1, "quote": "Fine", "of": ["a"]}
TWO: dict[str, Any] = {"is": "task", "n": 2, "quote": "I'll {do} it", "of": []}
BOTH = json.dumps({"rows": [ONE, TWO]})


@pytest.mark.parametrize(
    "text",
    [
        BOTH,
        json.dumps([ONE, TWO]),
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}",
        f"Here are the rows:\n```json\n{BOTH}\n```\nThat is all.",
        f"<think>a {{brace}} and {BOTH}</think>{BOTH}",
        json.dumps({"answer": {"rows": [ONE, TWO]}}),
        BOTH[:-2] + ", {broken}, ]}",
    ],
)
def test_rows_are_read_from_any_wrapping(text: str) -> None:
    read = read_rows(text)
    assert list(read.rows) == [ONE, TWO]
    assert read.found


@pytest.mark.parametrize("end", range(len(BOTH) - 2, len(BOTH) // 2, -1))
def test_a_cut_answer_keeps_its_whole_rows(end: int) -> None:
    """Wherever it breaks off within the second row; that it does is seen without the endpoint."""
    read = read_rows(BOTH[:end])
    whole = end > BOTH.index(json.dumps(TWO)) + len(json.dumps(TWO)) - 1
    assert list(read.rows) == ([ONE, TWO] if whole else [ONE])
    assert not read.whole
    assert read_rows(BOTH).whole


def test_a_row_has_the_kind_that_its_list_names() -> None:
    """Also those of a list that is cut off, up to the next list."""
    text = '{"sides": [{"n": 1, "quote": "a"}, {"n": 2, "quote": "b"}], "tasks": [{"n": 3, "of":[]}'
    assert [(row["is"], row["n"]) for row in read_rows(text).rows] == [
        ("sides", 1), ("sides", 2), ("tasks", 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"rows": []}', True),
        ("[]", True),
        ('{"proposals": [], "sides": []}', True),
        ("I would rather not.", False),
        ("", False),
        ('{"rows": 3}', False),
        ('{"rows": [{"is": "pro', False),
    ],
)
def test_an_answer_of_nothing_is_told_from_no_answer(text: str, found: bool) -> None:
    read = read_rows(text)
    assert (read.rows, read.found) == ((), found)


@pytest.mark.parametrize("text", ['{"a":' * 40_000, "[" * 200_000, '{"n":"' + "{" * 200_000])
def test_no_answer_takes_long_to_read(text: str) -> None:
    begun = time.process_time()
    assert read_rows(text).rows == ()
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["P3", "#17"], ["P3", "17"]),
        ("P3, a and M17.2", ["P3", "a", "M17.2"]),
        (17, ["17"]),
        ("message 4", ["4"]),
        ([{"id": "b"}, None, True, ["x"]], ["b"]),
        ({"ref": "P1"}, ["P1"]),
        ("none", []),
    ],
)
def test_names_are_read_as_models_write_them(value: object, names: list[str]) -> None:
    assert names_in(value) == names


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("side", "Approve", "support"),
        ("side", "AGAINST", "oppose"),
        ("side", -1, "oppose"),
        ("side", "+1", "support"),
        ("side", "conditional support", "conditional"),
        ("side", "perhaps", None),
        ("out", "accepted-modified", "accepted_with_changes"),
        ("out", "Deferred", "put_off"),
        ("right", "consensus", "unopposed"),
        ("how", "counter-proposal", "replaces"),
        ("right", "Judge", "named"),
        ("why", "sarcasm", "irony"),
        ("why", "Nitpick", "nit"),
        ("why", "withdrawn", "withdrawal"),
        ("verdict", True, "right"),
        ("verdict", {"a": 1}, None),
    ],
)
def test_words_of_models_are_brought_to_ours(field: str, value: object, word: str | None) -> None:
    assert choice(field, value) == word


@pytest.mark.parametrize(
    ("value", "n"),
    [(17, 17), ("17", 17), ("[17]", 17), ("#17", 17), ("n 17", 17), (17.0, 17), (True, 0),
     (10**30, 0), ("seventeen", 0), ({}, 0), (-3, 0)],
)  # fmt: skip
def test_numbers_of_messages_are_read_as_models_write_them(value: object, n: int) -> None:
    assert number_of(value) == n
