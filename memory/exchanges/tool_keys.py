"""What tells one call of a tool from another: a key over canonical JSON.

Arguments that mean the same have one key: `1` and `1.0`, whatever the order of
their names. What no JSON can say has none. Pure.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Final

_DEPTH: Final = (
    300  # levels; no log holds more than 254 (`parley.bus.contract.wire.is_writable_json`)
)


def cache_key(tool: str, version: str, arguments: Any) -> str | None:
    """BLAKE2b-128, in hex, of `["tool", tool, version, arguments]`; None where it has none."""
    text = encode_canonical(["tool", tool, version, arguments])
    if text is None:
        return None
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def encode_canonical(value: Any) -> str | None:
    """`value` as JSON: sorted keys, no spaces, whole floats as integers.

    None for what is no JSON (keys that are not text, not-a-number), or is
    nested deeper than any log holds.
    """
    try:
        return json.dumps(
            _plain(value, _DEPTH),
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
        )
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None


def _plain(value: Any, depth: int) -> Any:
    if depth < 0:
        raise ValueError("nested too deep")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a name that is not text")
        return {name: _plain(below, depth - 1) for name, below in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(below, depth - 1) for below in value]
    return value
