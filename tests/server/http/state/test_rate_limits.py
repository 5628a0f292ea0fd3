"""What a caller may take: so much a second, so long a body, so many bad tokens."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.server.http.state.rate_limits import RateLimits, TokenBucket
from parley.server.http.transport.asgi_middleware import STRANGERS_BYTES
from parley.server.settings.serve_settings import ServeSettings
from tests.support.doors.doors import doors

JSON = {"Content-Type": "application/json"}


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


# -- buckets -------------------------------------------------------------------


@given(
    st.integers(1, 100),
    st.lists(st.tuples(st.integers(0, 600), st.floats(-1, 10)), max_size=60),
)
def test_no_more_is_had_than_the_rate_and_one_burst(
    rate: int, asked: list[tuple[int, float]]
) -> None:
    """Whatever is asked for and when, even where the clock goes back, over any stretch of time."""
    bucket = TokenBucket(rate, rate * 4, rate * 4, 0.0)
    now = passed = had = largest = 0.0
    for cost, wait in asked:
        now += wait
        passed += max(0.0, wait)
        if not bucket.take(cost, now):
            had, largest = had + cost, max(largest, cost)
    assert had <= rate * 4 + passed * rate + largest + 1e-6


@given(st.integers(1, 100), st.lists(st.integers(1, 600), min_size=1, max_size=30))
def test_who_waits_as_long_as_told_is_served(rate: int, costs: list[int]) -> None:
    """A second attempt after the time that the first was told takes what it asked for."""
    bucket, now = TokenBucket(rate, rate * 4, rate * 4, 0.0), 0.0
    for cost in costs:
        if wait := bucket.take(cost, now):
            now += wait + 1e-6
            assert bucket.take(cost, now) == 0.0


def test_callers_share_no_bucket_and_operators_have_more() -> None:
    """One who asks too much costs nobody else."""
    clock = Clock()
    buckets = RateLimits(ServeSettings(rate=1, reads=1), clock)
    assert [buckets.take("a", "publish") for _ in range(5)] == [0, 0, 0, 0, 1]
    assert buckets.take("b", "publish") == 0
    assert buckets.take("a", "read") == 0
    assert [buckets.take("o", "publish", operator=True) for _ in range(41)].count(0) == 40
    assert buckets.take("a", "publish", 0) == 0
    clock.now += 1
    assert buckets.take("a", "publish") == 0


def test_a_batch_longer_than_the_burst_is_taken_and_owed() -> None:
    """Of a full bucket, less the request's own 1; then nothing is had until it is paid."""
    clock = Clock()
    buckets = RateLimits(ServeSettings(rate=50), clock)
    assert buckets.take("a", "publish") == 0
    assert buckets.take("a", "publish", 499) == 0
    assert buckets.take("a", "publish") == pytest.approx(6.02)


def test_as_many_callers_as_come_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bucket that was asked longest ago is forgotten."""
    monkeypatch.setattr("parley.server.http.state.rate_limits.KEPT", 10)
    buckets = RateLimits(ServeSettings(), Clock())
    for n in range(100):
        buckets.take(f"caller {n}", "read")
    assert len(buckets._buckets) == 10


# -- over HTTP -----------------------------------------------------------------


async def test_over_the_rate_is_told_when_to_come_back(redis_url: str) -> None:
    """429 with Retry-After, for that token alone; after that time it is served again."""
    clock = Clock()
    async with (
        doors(redis_url, clock=clock, reads=1) as d,
        d.client(d.token("ana")) as ana,
        d.client(d.token("bo")) as bo,
    ):
        responses = [await ana.get("/v1/me") for _ in range(5)]
        assert [response.status_code for response in responses] == [200] * 4 + [429]
        assert responses[-1].headers["Retry-After"] == "1"
        assert responses[-1].headers["RateLimit-Remaining"] == "0"
        assert responses[-1].json()["retry_after"] == 1
        assert (await bo.get("/v1/me")).status_code == 200
        clock.now += 1
        assert (await ana.get("/v1/me")).status_code == 200


async def test_many_tickets_give_no_more_than_one_token(redis_url: str) -> None:
    """What a ticket is traded for has the rate of the token that asked for it."""
    async with doors(redis_url, clock=Clock(), reads=1) as d, d.client(d.token("ana")) as ana:
        ticket = (await ana.post("/v1/tickets", json={})).json()["ticket"]
        assert [(await ana.get("/v1/me")).status_code for _ in range(4)] == [200] * 3 + [429]
        async with d.client() as browser:
            assert (await browser.post("/v1/login", json={"ticket": ticket})).status_code == 200
            assert (await browser.get("/v1/me")).status_code == 429


async def test_bad_tokens_are_slowed_down_by_where_they_come_from(redis_url: str) -> None:
    """Ten a minute, tickets among them; whoever has a good token there is not held up."""
    ticket = {"ticket": "bad"}
    async with (
        doors(redis_url, clock=Clock()) as d,
        d.client("bad") as bad,
        d.client(d.operator()) as good,
    ):
        statuses = [(await bad.get("/v1/me")).status_code for _ in range(9)]
        statuses += [(await bad.post("/v1/login", json=ticket)).status_code for _ in range(2)]
        assert statuses == [401] * 10 + [429]
        assert (await good.get("/v1/me")).status_code == 200
        assert (await bad.get("/v1/me")).status_code == 429
        assert (await bad.get("/healthz")).status_code == 200


async def test_no_token_at_all_is_slowed_down_too(redis_url: str) -> None:
    """Ten a second, and forty at once."""
    async with doors(redis_url, clock=Clock()) as d, d.client() as nobody:
        statuses = [(await nobody.get("/v1/me")).status_code for _ in range(41)]
    assert statuses == [401] * 40 + [429]


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_that_is_too_long_is_refused(redis_url: str, declared: bool) -> None:
    """By its declared length before it is read, or once more has come than may."""

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(8):
            yield b" " * 1024

    content = b" " * 8192 if declared else parts()
    async with doors(redis_url, body_bytes=4096) as d, d.client(d.operator()) as operator:
        response = await operator.post("/v1/tokens", content=content, headers=JSON)
        assert (response.status_code, response.json()["limit"]) == (413, 4096)
        assert response.headers["Content-Type"] == "application/problem+json"
        fits = await operator.post("/v1/tokens", content=b" " * 4096, headers=JSON)
        assert fits.status_code == 400


async def test_strangers_send_no_long_bodies(redis_url: str) -> None:
    """They are told what is wrong with their token before the rest is taken in."""
    long = b" " * (STRANGERS_BYTES + 1)
    async with doors(redis_url) as d, d.client() as nobody:
        for token, status, slug in ((None, 401, "missing"), ("bad", 401, "invalid")):
            headers = JSON if token is None else {**JSON, "Authorization": f"Bearer {token}"}
            response = await nobody.post("/v1/login", content=long, headers=headers)
            assert (response.status_code, response.json()["type"][-7:]) == (status, slug)
        own = {**JSON, "Authorization": f"Bearer {d.token('ana')}"}
        assert (await nobody.post("/v1/login", content=long, headers=own)).status_code == 400
        assert (await nobody.post("/v1/login", content=long[1:], headers=JSON)).status_code == 400


async def test_an_import_may_be_longer_than_other_bodies(redis_url: str) -> None:
    """And has a limit of its own."""
    path = "/v1/sessions/harbour/import"
    async with (
        doors(redis_url, body_bytes=4096, import_bytes=8192) as d,
        d.client(d.operator()) as operator,
    ):
        assert (await operator.put(path, content=b"x" * 8000)).status_code != 413
        assert (await operator.put(path, content=b"x" * 9000)).status_code == 413
        assert (await operator.post(path, content=b"x" * 8000)).status_code == 413


async def test_a_query_that_is_too_long_is_refused(redis_url: str) -> None:
    """Whatever it asks for; one that is not is read, and what it names is looked at."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        assert (await operator.get("/v1/me?" + "a" * 8192)).status_code == 422
        response = await operator.get("/v1/me?" + "a" * 8193)
        assert (response.status_code, response.json()["type"][-14:]) == (414, "query-too-long")


@pytest.mark.parametrize(("proxies", "status"), [((), 429), (("127.0.0.1",), 401)])
async def test_where_one_comes_from_is_a_proxys_to_say(
    redis_url: str, proxies: tuple[str, ...], status: int
) -> None:
    """Of the proxies in the settings alone: else whoever is slowed down would be somebody else."""
    async with doors(redis_url, clock=Clock(), proxies=proxies) as d, d.client("bad") as bad:
        for n in range(11):
            headers = {"X-Forwarded-For": f"203.0.113.{n}"}
            response = await bad.get("/v1/me", headers=headers)
        assert response.status_code == status


async def test_a_network_of_addresses_is_one_sender(redis_url: str) -> None:
    """Whoever has one address of IPv6 has 2^64 of them."""
    async with doors(redis_url, proxies=("127.0.0.1",)) as d, d.client("nonsense") as client:
        statuses = set()
        for number in range(12):
            headers = {"X-Forwarded-For": f"2001:db8:0:7:{number:x}::1"}
            statuses.add((await client.get("/v1/me", headers=headers)).status_code)
        assert statuses == {401, 429}
        for other in ("2001:db8:0:8::1", "::ffff:203.0.113.7", "::ffff:203.0.113.8", "unknown"):
            headers = {"X-Forwarded-For": other}
            assert (await client.get("/v1/me", headers=headers)).status_code == 401
