"""Whoever follows a session with redis-py and docs/wire.md, and nothing of Parley's."""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable
from typing import Any

import redis
from redis.exceptions import RedisError

Row = tuple[bytes, dict[bytes, bytes]]


class Stranger:
    """One session of a cluster, by the address of any node."""

    def __init__(self, url: str, session: str) -> None:
        self.client: Any = redis.RedisCluster.from_url(url)
        buckets = int(self.client.hget("parley:meta", "buckets") or 1)
        bucket = binascii.crc_hqx(session.encode(), 0) % buckets
        self.log = f"parley:{{{bucket}}}:s:{session}:log"
        self.wake = f"parley:{{{bucket}}}:s:{session}:wake"
        self.said: list[tuple[str, str]] = []  # place and words of each message

    def read_with_group(self, is_over: Callable[[], bool]) -> None:
        """A consumer group of its own: what was delivered and not acknowledged comes first."""
        self.client.xgroup_create(self.log, "tap", "0")
        start = "0"
        while not is_over():
            try:
                reply = self.client.xreadgroup("tap", "me", {self.log: start}, count=100)
                rows = _rows(reply)
                for row in rows:
                    self._keep(row)
                if rows:
                    self.client.xack(self.log, "tap", *(place for place, _ in rows))
                start = "0" if start == ">" and not rows else ">"
            except RedisError:
                start = "0"

    def subscribe(self, is_over: Callable[[], bool]) -> None:
        """Hints from the channel; the log from the last entry that was read, inclusive."""
        hints = self.client.pubsub()
        hints.subscribe(self.wake)
        last: Row | None = None
        while not is_over():
            try:
                first = last[0] if last else "-"
                rows: list[Row] = self.client.xrange(self.log, min=first, count=500)
                if last is not None:
                    assert rows[0] == last, "the log is another"
                    rows = rows[1:]
                for row in rows:
                    self._keep(row)
                    last = row
                if not rows:
                    hints.get_message(timeout=1.0)
            except RedisError:
                continue
        hints.close()

    def _keep(self, row: Row) -> None:
        place, fields = row
        entry = json.loads(fields[b"entry"])
        key = (place.decode(), entry.get("content", ""))
        if entry["kind"] == "message" and key not in self.said[-200:]:  # delivered once more
            self.said.append(key)


def _rows(reply: Any) -> list[Row]:
    """The entries of the one stream, in either form that redis-py gives them."""
    streams = reply.values() if isinstance(reply, dict) else [rows for _, rows in reply]
    rows = [row for stream in streams for row in stream]
    return (
        [row for nested in rows for row in nested] if rows and isinstance(rows[0], list) else rows
    )
