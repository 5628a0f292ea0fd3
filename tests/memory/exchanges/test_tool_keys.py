"""One key for what means the same, another for what does not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parley.memory.exchanges.tool_keys import cache_key, encode_canonical

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
TREES = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3), st.dictionaries(st.text(max_size=3), below, max_size=3)
    ),
    max_leaves=8,
)


def test_the_key_is_the_documented_one() -> None:
    """BLAKE2b-128 over the canonical array, in hex."""
    assert encode_canonical(["tool", "weather", "", {"b": 1.0, "a": "é"}]) == (
        '["tool","weather","",{"a":"é","b":1}]'
    )
    assert cache_key("weather", "", {"city": "Oslo"}) == "4a694d3c31da817db5530e69867f71dc"


def test_numbers_that_are_equal_have_one_key() -> None:
    """1 and 1.0 are the same argument; 1, "1" and true are not."""
    keys = [cache_key("t", "", {"q": value}) for value in (1, 1.0, "1", True, 1.5)]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


def test_tool_and_arguments_cannot_be_confused() -> None:
    """Nor a version with a name: the parts of a key are apart."""
    assert cache_key("a:b", "", {}) != cache_key("a", "b", {})
    assert cache_key("a", "1", {}) != cache_key("a", "2", {})


@given(st.dictionaries(st.text(max_size=3), TREES, max_size=4))
def test_order_of_names_does_not_matter(arguments: dict[str, Any]) -> None:
    """The same names and values in another order have the same key."""
    turned = dict(reversed(arguments.items()))
    assert cache_key("t", "", turned) == cache_key("t", "", arguments) is not None


def test_what_no_json_can_say_has_no_key() -> None:
    """It raises nothing, and nothing is kept under it."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    strange: list[Any] = [deep, {"a": {1}}, {1: 2}, {"a": float("nan")}, {"a": float("inf")}]
    for arguments in strange:
        assert cache_key("t", "", arguments) is None
    assert cache_key("t", "", {"a": 1e300, "b": 2**200}) is not None
