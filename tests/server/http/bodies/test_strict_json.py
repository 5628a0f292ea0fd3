"""What is kept is what was sent, or it is refused: over HTTP and over a WebSocket alike."""

from __future__ import annotations

import json
import math
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect

from parley.server.http.bodies.strict_json import check_exact_numbers
from parley.server.http.state.dependencies import MAX_INTEGER
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import PATH, begin
from tests.support.servers.patience import PATIENCE

JSON = {"Content-Type": "application/json"}
CALL = '{"tool":"t","arguments":{"x":VALUE}'
NUMBERS = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
WORSE = st.integers(MAX_INTEGER + 1) | st.integers(max_value=-MAX_INTEGER - 1) | st.sampled_from(
    [math.inf, -math.inf, math.nan]
)  # fmt: skip


def trees(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves | st.booleans() | st.text() | st.none(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )


@given(trees(NUMBERS))
def test_a_tree_of_usual_numbers_is_left_as_it_is(tree: Any) -> None:
    """Whatever its shape."""
    assert check_exact_numbers(tree) is tree


@given(trees(NUMBERS), WORSE, st.integers(0, 5))
def test_one_number_too_many_is_found_however_deep(tree: Any, worse: Any, depth: int) -> None:
    """Beside what is well, in lists in objects."""
    for level in range(depth):
        worse = [tree, worse] if level % 2 else {"a": worse, "b": tree}
    with pytest.raises(ValueError, match="a number"):
        check_exact_numbers(worse)


async def sent(over: httpx2.AsyncClient | ClientConnection, row: str) -> tuple[bool, str]:
    """Whether `row` was taken, and the field at fault."""
    body = '{"as":"ana","entries":[' + row + "]"
    if isinstance(over, httpx2.AsyncClient):
        response = await over.post(f"{PATH}/entries", content=body + "}", headers=JSON)
        return response.status_code == 201, response.json().get("field", "")
    await over.send(body + ',"type":"publish","ref":"1"}')
    tree = json.loads(await over.recv())
    assert tree["ref"] == "1"
    return tree["type"] == "ack", tree.get("problem", {}).get("field", "")


async def test_numbers_in_free_form_are_kept_or_refused(redis_url: str) -> None:
    """A whole number that JavaScript cannot tell from its neighbour, and what is no number."""
    kept = ["9007199254740991", "-9007199254740991", "0.1", "1.0", "1e300", '"9007199254740993"']
    lost = [
        "9007199254740992", "[[-9007199254740993]]", '{"a":18446744073709551617}', "1e400", "-1e999"
    ]  # fmt: skip
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await begin(d)
        bearer = {"Authorization": f"Bearer {d.operator()}"}
        base = d.url.replace("http", "ws")
        async with connect(
            f"{base}{PATH}/ws", additional_headers=bearer, open_timeout=PATIENCE
        ) as socket:
            await socket.recv()
            for over in (operator, socket):
                for value in kept + lost:
                    row = f'{CALL},"kind":"tool.called","call_id":"c"}}'.replace("VALUE", value)
                    field = "" if value in kept else "entries.0.arguments"
                    assert await sent(over, row) == (value in kept, field), value
        path = f"{PATH}/tools/results"
        for value in kept + lost:
            body = f'{CALL},"as":"ana","result":"r"}}'.replace("VALUE", value)
            response = await operator.post(path, content=body, headers=JSON)
            assert response.status_code == (201 if value in kept else 422), value
            assert value in kept or response.json()["field"] == "arguments"
        rows = (await operator.get(f"{PATH}/entries?limit=500")).json()["items"]
        numbers = [row["entry"]["arguments"]["x"] for row in rows if "arguments" in row["entry"]]
        assert numbers == 3 * [json.loads(value) for value in kept]


OTHERS = {
    '"at": {"a": 1}': "at",
    '"timestamp": [1]': "at",
    '"at": true': "at",
    '"at": "2026-01-01T00:00:00Z", "timestamp": "2027-01-01T00:00:00Z"': "at",
    '"topic": {}': "topic",
    '"topic": false': "topic",
    '"form": 0': "form",
    '"act": 0': "act",
    '"to": {}': "to",
    '"re": true': "re",
    '"re": 1.0': "re",
    '"kind": "step", "form": "validation", "ok": "yes"': "ok",
    '"kind": "step", "form": "validation", "confidence": "5"': "confidence",
    '"kind": "step", "form": "validation", "confidence": 5.0': "confidence",
    '"kind": "results.final", "earnings": true': "earnings",
}


async def test_nothing_is_made_of_a_value_of_another_kind(redis_url: str) -> None:
    """A number in quotes is no number, a truth no time: refused by its field, and not dropped."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await begin(d)
        for row, field in OTHERS.items():
            answer = await sent(operator, f'{{"content": "x", {row}}}')
            assert answer == (False, f"entries.0.{field}"), row
        assert (await operator.get(f"{PATH}/messages")).json()["items"] == []
