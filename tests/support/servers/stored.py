"""Everything that a Redis server holds, to look for words that should be gone."""

from __future__ import annotations

import zlib
from typing import Any, cast

import redis


def stored(raw: redis.Redis) -> bytes:
    """Every byte of every key and value; on a real server as it serialises them too.

    Of a snapshot also the bytes that it holds compressed.
    """
    content = b""
    if not _is_fake(raw):
        raw.config_set("rdbcompression", "no")
    for key in raw.scan_iter("*", count=1000):
        content += key + _value(raw, key)
        if not _is_fake(raw):
            content += raw.dump(key) or b""
    return content


def _value(raw: redis.Redis, key: Any) -> bytes:
    match raw.type(key):
        case b"string":
            return cast("bytes", raw.get(key) or b"")
        case b"hash":
            fields = cast("dict[bytes, bytes]", raw.hgetall(key))
            return b"".join(name + value + _plain(value) for name, value in fields.items())
        case b"zset":
            return b"".join(cast("list[bytes]", raw.zrange(key, 0, -1)))
        case b"stream":
            return repr(raw.xrange(key)).encode()
    raise TypeError(f"no stream, hash, set or text: {key!r}")


def _plain(value: bytes) -> bytes:
    try:
        return zlib.decompress(value)
    except zlib.error:
        return b""


def _is_fake(raw: redis.Redis) -> bool:
    return "path" not in raw.connection_pool.connection_kwargs
