"""The values of a JSON text, counted before it is read."""

from __future__ import annotations

import json
import random

import pytest

from parley.server.http.bodies.value_count import VALUES, ValueCount, check_value_count
from parley.server.http.problems.problem_details import Problem

WORDS = ("", "a, b", '["', "{", "\\", '\\"', "\\\\", '"', "ä,\n", ",[{" * 9)


def test_marks_in_strings_are_none_wherever_it_is_cut() -> None:
    """Whatever is escaped in them, and in whatever pieces the text comes."""
    rng = random.Random(7)
    for _ in range(200):
        rows = [{rng.choice(WORDS): [rng.choice(WORDS)]} for _ in range(rng.randint(1, 9))]
        text, count = json.dumps(rows).encode(), ValueCount()
        while text:
            size = rng.randint(1, 6)
            count.add(text[:size])
            text = text[size:]
        assert count._count == len(rows) * 3  # a comma or the list, an object and its list


@pytest.mark.parametrize("value", ["1", "[]", "{}", '"a,b"'])
def test_a_text_has_so_many_values_and_no_more(value: str) -> None:
    marks = 1 + value.count("[") + value.count("{")
    most = VALUES // marks - 1
    check_value_count(f"[{','.join([value] * most)}]".encode())
    with pytest.raises(Problem) as refused:
        check_value_count(f"[{','.join([value] * (most + 3))}]".encode())
    assert (refused.value.slug, refused.value.extra["limit"]) == ("too-large", VALUES)
