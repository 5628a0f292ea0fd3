"""What is wrong with a Redis by its own report, each fault with its cure. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from parley.bus.connection.server_info import FULL
from parley.bus.diagnosis.denied_commands import ALLOWED
from parley.bus.diagnosis.node_reports import NodeReport, ServerReport

State = Literal["warn", "fail"]

_NEARLY_FULL: Final = 0.85  # of maxmemory, and of the connections that are allowed
_CLOCK_MS: Final = 2000  # what a token or a lease may be off by without anybody noticing
_IDLE_SECONDS: Final = 300  # a pause in a talk
_SLOTS: Final = 16384
_OLD_LINE, _MENDED = (6, 2), (6, 2, 20)  # the line of the bundled server, and where it was mended


class Fault(Struct, frozen=True):
    """What is wrong: `fail` keeps Parley from its work, `warn` may do so one day."""

    what: str  # one word
    state: State
    finding: str  # what is wrong; the cure


def find_faults(report: ServerReport) -> list[Fault]:
    """Every fault of the nodes, in their order, then those of the whole."""
    faults = [
        Fault(what, state, f"{node.name} {finding}")
        for node in report.nodes
        for rule in _RULES
        for what, state, finding in rule(node)
    ]
    if report.denied:
        names = ", ".join(report.denied)
        cure = f"'ACL SETUSER NAME {ALLOWED}' grants it all"
        faults.append(Fault("user", "fail", f"Redis denies this user {names}; {cure}"))
    if any(node.cluster for node in report.nodes) and report.buckets == 1:
        faults.append(
            Fault(
                "buckets", "warn",
                "all sessions are on one node of this cluster, since it was no cluster when they "
                "began; 'parley backup DIR', and 'parley restore DIR' on a cluster that is empty",
            )
        )  # fmt: skip
    return faults


Rule = Callable[[NodeReport], Iterator[tuple[str, State, str]]]


def _memory(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    used, most = _number(node.facts, "used_memory"), _number(node.facts, "maxmemory")
    if most and most * _NEARLY_FULL <= used < most * FULL:
        yield (
            "memory", "warn",
            f"is nearly full ({used >> 20} of {most >> 20} MB); give it more memory (maxmemory), "
            "or archive and remove old sessions",
        )  # fmt: skip


def _disk(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    facts, config = node.facts, node.config
    if facts.get("aof_last_write_status") == "err":
        yield (
            "disk", "fail",
            "cannot write its append-only file; free space on its disk, and see its log",
        )  # fmt: skip
    elif facts.get("rdb_last_bgsave_status") == "err" and (
        config.get("stop-writes-on-bgsave-error") == "yes" and config.get("save")
    ):
        yield (
            "disk", "fail",
            "could not save and refuses writes; free space, see its log, or do without saves "
            "('CONFIG SET save \"\"') beside an append-only file",
        )  # fmt: skip
    elif facts.get("aof_last_bgrewrite_status") == "err":
        yield (
            "disk", "warn",
            "could not rewrite its append-only file, which grows; free space, then BGREWRITEAOF",
        )  # fmt: skip


def _replay(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    if node.limits_default and node.facts.get("aof_enabled") == "1":
        yield (
            "default", "warn",
            "replays its append-only file as the user default, which may not do everything: Redis "
            "7.0 drops each transaction that it may not, all of Parley, at the next start; 'ACL "
            "SETUSER default off allkeys allchannels +@all' closes it and keeps the file whole",
        )  # fmt: skip


def _replication(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    if node.facts.get("role") == "slave":
        primary = f"{node.facts.get('master_host')}:{node.facts.get('master_port')}"
        yield (
            "replica", "fail",
            f"is a replica, which takes no writes; point PARLEY_REDIS at its primary ({primary}), "
            "or at the Sentinels that know it",
        )  # fmt: skip
        return
    wanted = _number(node.config, "min-replicas-to-write")
    there = _number(node.facts, "min_slaves_good_slaves")
    if wanted and there < wanted:
        yield (
            "replicas", "fail",
            f"refuses writes: {there} of {wanted} replicas follow it; start them, or lower "
            "min-replicas-to-write",
        )  # fmt: skip
    if node.cluster and node.facts.get("connected_slaves") == "0":
        yield (
            "replicas", "warn",
            "has no replica: its sessions stand still while it is away; add one "
            "('redis-cli --cluster add-node … --cluster-slave')",
        )  # fmt: skip


def _connections(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    used = _number(node.facts, "connected_clients")
    most = _number(node.config, "maxclients") or _number(node.facts, "maxclients")
    if most and used >= most * _NEARLY_FULL:
        yield (
            "connections", "warn",
            f"has {used} of {most} connections in use; raise maxclients, and its limit of open "
            "files with it",
        )  # fmt: skip
    idle = _number(node.config, "timeout")
    if 0 < idle < _IDLE_SECONDS:
        yield (
            "timeout", "warn",
            f"hangs up on whoever is silent for {idle} s, so that each pause costs a new "
            "connection; set timeout 0 and tcp-keepalive 60",
        )  # fmt: skip


def _exposure(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    config = node.config
    if not node.lets_in or config.get("protected-mode") != "no" or config.get("port") == "0":
        return
    if _listens_beyond(config.get("bind", "")):
        yield (
            "exposure", "fail",
            f"takes commands from whoever reaches it (bind {config.get('bind')}, protected-mode "
            "no, no password); set requirepass, or bind 127.0.0.1",
        )  # fmt: skip


def _version(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    version = node.facts.get("redis_version", "")
    if not lacks_fixes(version) or node.config.get("port") == "0":
        return
    if _listens_beyond(node.config.get("bind", "")):
        yield "version", "warn", f"listens beyond this machine; {describe_lack(version)}"


def _clock(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    ahead = node.clock_ahead_ms
    if abs(ahead) > _CLOCK_MS:
        where = "ahead of" if ahead > 0 else "behind"
        yield (
            "clock", "warn",
            f"is {abs(ahead) / 1000:.0f} s {where} this machine's clock: tokens expire, votes end "
            "and messages are dated by either; let both keep time (chrony, systemd-timesyncd)",
        )  # fmt: skip


def _cluster(node: NodeReport) -> Iterator[tuple[str, State, str]]:
    facts = node.cluster
    if not facts:
        return
    uncovered = _SLOTS - _number(facts, "cluster_slots_ok")
    if uncovered:
        yield (
            "slots", "fail",
            f"sees {uncovered} slots without a node: their sessions cannot be reached; start the "
            "node that had them, or 'redis-cli --cluster fix HOST:PORT'",
        )  # fmt: skip
    if node.config.get("cluster-require-full-coverage") == "yes":
        yield (
            "coverage", "warn",
            "stops altogether when another loses its slots; set cluster-require-full-coverage no",
        )  # fmt: skip


_RULES: Final[tuple[Rule, ...]] = (
    _memory, _disk, _replay, _replication, _connections, _exposure, _version, _clock, _cluster,
)  # fmt: skip


def lacks_fixes(version: str) -> bool:
    """Whether a Redis of that version has faults whose mending came later in its own line."""
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return numbers[: len(_OLD_LINE)] == _OLD_LINE and numbers < _MENDED


def describe_lack(version: str) -> str:
    """What to do about a server of a version that lacks fixes, where others reach it."""
    return (
        f"Redis {version} lacks security fixes, of its scripts among them: it is for this machine "
        "alone; where others come, install a newer one (6.2.20, 7.2.11, Valkey 8) and point "
        "PARLEY_REDIS at it"
    )


def _listens_beyond(bind: str) -> bool:
    """Whether a server that listens there can be reached from other machines."""
    places = [place.lstrip("-") for place in bind.split()]
    return not places or not all(map(_is_loopback, places))


def _is_loopback(place: str) -> bool:
    try:
        return ipaddress.ip_address(place).is_loopback
    except ValueError:
        return place == "localhost"


def _number(facts: Mapping[str, str], name: str) -> int:
    value = facts.get(name, "")
    return int(value) if value.isdigit() else 0
