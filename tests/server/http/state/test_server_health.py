"""Whether the server lives, whether it can serve, and what it counts."""

from __future__ import annotations

import httpx2
import pytest

from parley.bus.contract.errors import Unavailable
from parley.bus.work.workforce import WorkerInfo
from parley.server.http.state.metrics import Metrics
from parley.server.http.state.server_health import (
    KEPT_SECONDS,
    PATIENCE_SECONDS,
    HealthCheck,
    HealthFinding,
)
from tests.support.doors.doors import doors
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Asked:
    """A bus that says what it is told to, and counts how often it is asked."""

    healed = 0

    def __init__(self) -> None:
        self.down, self.due_ms, self.beats_ms, self.times = False, 0, [10], 0

    async def workers(self) -> list[WorkerInfo]:
        self.times += 1
        if self.down:
            raise Unavailable("down")
        return [WorkerInfo(f"w{n}", 1, "h", (), 0, age, {}) for n, age in enumerate(self.beats_ms)]

    async def oldest_due_ms(self, lane: str) -> int:
        return self.due_ms

    async def due_count(self, lane: str) -> int:
        return len(lane)

    async def repaired_total(self) -> int:
        return 0


def health() -> tuple[HealthCheck, Asked, Clock]:
    bus, clock = Asked(), Clock()
    return HealthCheck(bus, clock), bus, clock  # type: ignore[arg-type]  # the four calls it makes


async def test_a_short_failure_of_redis_is_borne_and_a_long_one_told() -> None:
    """Five seconds from the last answer; ready again with the next."""
    own, bus, clock = health()
    assert await own.reason_unready() == ""
    bus.down = True
    clock.now += PATIENCE_SECONDS - 1
    assert await own.reason_unready() == ""
    clock.now += 2
    assert await own.reason_unready() == "Redis does not answer"
    bus.down = False
    clock.now += KEPT_SECONDS
    assert await own.reason_unready() == ""


@pytest.mark.parametrize(
    ("due_ms", "beats_ms", "ready"),
    [
        (0, [], True), (29_000, [], True), (31_000, [], False), (31_000, [20_000], False),
        (31_000, [20_000, 100], True), (3_600_000, [14_000], True),
    ],
)  # fmt: skip
async def test_late_entries_matter_where_nobody_is_at_work(
    due_ms: int, beats_ms: list[int], ready: bool
) -> None:
    """A worker that beats will come to them; without one they stay where they are."""
    own, bus, _ = health()
    bus.due_ms, bus.beats_ms = due_ms, beats_ms
    assert (await own.reason_unready() == "") is ready


async def test_redis_is_not_asked_more_often_for_more_callers() -> None:
    """Once a second, however many look."""
    own, bus, clock = health()
    for _ in range(50):
        await own.reason_unready()
    assert bus.times == 1
    clock.now += KEPT_SECONDS
    await own.reason_unready()
    assert bus.times == 2


async def test_a_server_without_redis_lives_and_is_not_ready(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/healthz` never asks; `/readyz` says why, and is well again when Redis is."""
    for name in ("PATIENCE", "KEPT"):
        monkeypatch.setattr(f"parley.server.http.state.server_health.{name}_SECONDS", 0.0)
    async with doors(redis_server.url) as d, d.client() as nobody:
        assert (await nobody.get("/readyz")).json() == {"ready": True, "because": ""}
        redis_server.kill9()
        monkeypatch.setattr("parley.server.http.state.server_health.ASKING_SECONDS", 0.3)
        response = await nobody.get("/readyz")
        assert (response.status_code, response.json()["because"]) == (503, "Redis does not answer")
        assert (await nobody.get("/healthz")).json() == {"ok": True}
        redis_server.restart()
        monkeypatch.setattr("parley.server.http.state.server_health.ASKING_SECONDS", 2.0)
        await wait_until(lambda: is_ready(nobody))


async def is_ready(client: httpx2.AsyncClient) -> bool:
    return bool((await client.get("/readyz")).status_code == 200)


async def test_counts_name_neither_sessions_nor_people(redis_url: str) -> None:
    """By route, method and status; addresses that there are not all count as one."""
    async with doors(redis_url) as d, d.client(d.token("zanzibar", session="xanadu")) as client:
        await client.get("/v1/sessions/xanadu/me")
        await client.get("/xanadu/zanzibar")
        await client.request("XANADU", "/v1/me")
        text = (await client.get("/metrics")).text
    assert "xanadu" not in text.lower()
    assert "zanzibar" not in text
    assert (
        'parley_requests_total{method="GET",route="/v1/sessions/{session}/me",status="200"} 1.0'
        in text
    )
    assert 'parley_requests_total{method="GET",route="none",status="404"} 1.0' in text
    assert 'status="405"' in text
    assert "parley_redis_up 1.0" in text


async def test_counts_are_for_this_machine_and_operators(redis_url: str) -> None:
    """What a proxy hands on is not from this machine."""
    through = {"X-Forwarded-For": "203.0.113.7"}
    async with doors(redis_url) as d, d.client() as client:
        assert (await client.get("/metrics")).status_code == 200
        assert (await client.get("/metrics", headers=through)).status_code == 401
        for token, status in ((d.token("ana"), 403), (d.operator(), 200)):
            headers = {**through, "Authorization": f"Bearer {token}"}
            assert (await client.get("/metrics", headers=headers)).status_code == status


async def test_what_was_asked_for_by_a_public_name_is_not_from_this_machine(redis_url: str) -> None:
    """A proxy on it that says nothing of whom it asks for still hands on the name."""
    async with doors(redis_url, public=("https://parley.example.org",)) as d, d.client() as client:
        for headers, status in (
            ({}, 200),
            ({"Host": "parley.example.org"}, 401),
            *(({name: "203.0.113.7"}, 401) for name in ("X-Real-IP", "Via", "CF-Connecting-IP")),
            ({"X-Forwarded-Proto": "https"}, 401),
        ):
            assert (await client.get("/metrics", headers=headers)).status_code == status, headers


def test_what_is_due_stays_as_it_was_known_while_redis_is_away() -> None:
    """A number that fell to nothing and rose again would be an alarm: something was put right."""
    metrics = Metrics()
    metrics.observe(1, HealthFinding(True, 1, 0, {"fold": 3}, repaired=2, healed=4))
    metrics.observe(1, HealthFinding(answered=False))
    read = metrics.registry.get_sample_value
    assert read("parley_redis_up") == 0
    assert read("parley_due", {"lane": "fold"}) == 3
    metrics.observe(1, HealthFinding(True, 1, 0, {"fold": 3}, repaired=2, healed=5))
    assert read("parley_repaired") == 2
    assert read("parley_healed_total") == 5
