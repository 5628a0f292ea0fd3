"""What the doctor says of keys that hold what Parley never put there; its cures cure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from parley.bus import Bus
from parley.bus.contract.keys import WORKERS, Keys
from parley.bus.scripts.lua import NAMES, Scripts, key_types
from tests.support.sessions.talks import commit_of, everything, message_draft, snapshot_of, talk

A: Final = Keys(1).of("a")
BUCKET: Final = A.bucket
OWN: Final = {
    "log": A.log, "meta": A.meta, "ids": A.ids, "facts": A.facts, "snapshot": A.memory("1"),
}  # fmt: skip
SHARED: Final = {
    "sessions": BUCKET.sessions, "dead": BUCKET.dead, "due:fold": BUCKET.due("fold"),
    "claims:votes": BUCKET.claims("votes"), "due:effects": BUCKET.due("effects"),
    "workers": WORKERS,
}  # fmt: skip


async def _session(bus: Bus) -> None:
    """One with all its keys, and a neighbour."""
    await talk(bus, "b", 2)
    await talk(bus, "a", 3)
    records = await everything(bus, "a")
    taken = await bus.take("fold", "w", count=2, lease_ms=60_000)
    (claim,) = (claim for claim in taken.claims if claim.session == "a")
    await bus.commit(claim, commit_of(records[3], "a", snapshot=snapshot_of(records[3])), done=True)


async def test_nothing_is_wrong_with_what_parley_wrote(bus: Bus) -> None:
    assert await bus.damaged_keys() == []
    await _session(bus)
    await bus.beat("w", {})
    assert await bus.damaged_keys() == []


@pytest.mark.parametrize("name", [*OWN, *SHARED])
@pytest.mark.parametrize("other", ["string", "list"])
async def test_a_key_of_another_type_is_named(bus: Bus, raw: Any, name: str, other: str) -> None:
    """With what it is, and what it should be; and no other key is."""
    await _session(bus)
    key = {**OWN, **SHARED}[name]
    raw.delete(key)
    raw.set(key, "x") if other == "string" else raw.rpush(key, "x")
    (found,) = await bus.damaged_keys()
    assert (found.key, found.holds) == (key, f"is a {other}")
    assert found.should.startswith("a ")
    assert found.cure
    assert found.session == ("a" if name in OWN else "")


Damage = Callable[[Any], object]
WRONG: Final[dict[str, tuple[Damage, str, str, str]]] = {
    "a lease": (lambda raw: raw.hset(BUCKET.claims("fold"), "a", "x"), BUCKET.claims("fold"),
                "has 'x' for the lease of 'a'", "warn"),
    "a lease of no text": (lambda raw: raw.hset(BUCKET.claims("fold"), "a", b"\xff\x00"),
                           BUCKET.claims("fold"), "has '\ufffd?' for the lease", "warn"),
    "head": (lambda raw: raw.hset(A.meta, "head", "x"), A.meta, "has 'x' for head", "fail"),
    "folded": (lambda raw: raw.hdel(A.meta, "folded"), A.meta, "has '' for folded", "fail"),
    "no state": (lambda raw: raw.delete(A.meta), A.meta, "is not there", "fail"),
    "no name": (lambda raw: raw.hdel(A.meta, "incarnation"), A.meta, "has no incar", "fail"),
    "trimmed": (lambda raw: raw.xtrim(A.log, maxlen=1, approximate=False), A.log,
                "has 1 of 4 entries", "fail"),
    "deleted": (lambda raw: raw.delete(A.log), A.log, "has 0 of 4 entries", "fail"),
    "no index": (lambda raw: raw.delete(A.ids), A.ids, "has 0 of 4 ids", "warn"),
}  # fmt: skip


@pytest.mark.parametrize("damage", WRONG)
async def test_a_key_with_a_wrong_part_is_named(bus: Bus, raw: Any, damage: str) -> None:
    await _session(bus)
    put, key, holds, state = WRONG[damage]
    put(raw)
    (found,) = await bus.damaged_keys()
    assert (found.key, found.state, found.session) == (key, state, "a")
    assert found.holds.startswith(holds)
    assert found.cure


async def test_what_is_to_be_deleted_may_be(bus: Bus, raw: Any) -> None:
    """Where the cure is to delete the key, the session goes on, and nothing is said of it."""
    await _session(bus)
    for key in (A.memory("1"), A.ids, A.facts, *SHARED.values()):
        raw.delete(key)
        raw.set(key, "x")
        (found,) = (each for each in await bus.damaged_keys() if each.key == key)
        assert f"redis-cli DEL {key}" in found.cure
        raw.delete(key)
    await bus.publish("a", [message_draft(9)])
    await bus.publish("b", [message_draft(9)])
    assert await bus.damaged_keys() == []


def test_what_keys_should_be_is_what_the_scripts_declare() -> None:
    for name in NAMES:
        assert key_types(name)
        kinds = ", ".join(f"'{kind.rstrip('?')}'" for kind in key_types(name))
        assert f"local TYPES, CACHES = {{{kinds}}}" in Scripts()[name].text
