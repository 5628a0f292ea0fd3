"""The nodes of the Redis that serves: which buckets each has, and what waits there to be folded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from parley.bus.connection.connections import Connections
from parley.bus.contract.keys import Keys


@dataclass(frozen=True, slots=True)
class NodeShare:
    """A node as `host:port`, how many buckets it has, and their sessions and due members."""

    node: str
    buckets: int
    sessions: int
    due: int  # in the lane `fold`: also what is in hand, or backs off


async def count_shares(connections: Connections, keys: Keys) -> tuple[NodeShare, ...]:
    """Each node that has a bucket by now, in the order of their names. Raises `Unavailable`."""
    sizes = await connections.commands(
        [("ZCARD", key) for each in keys.buckets for key in (each.sessions, each.due("fold"))]
    )
    buckets, sessions, due = Counter[str](), Counter[str](), Counter[str]()
    for place, bucket in enumerate(keys.buckets):
        node = connections.node_of(bucket.sessions)
        buckets[node] += 1
        sessions[node] += sizes[2 * place]
        due[node] += sizes[2 * place + 1]
    names = sorted(buckets)
    return tuple(NodeShare(name, buckets[name], sessions[name], due[name]) for name in names)
