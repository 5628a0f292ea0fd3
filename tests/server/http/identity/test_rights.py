"""Whom each route lets in: a table over all of them, for every way not to have a right."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import httpx2
import jwt
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.routing import BaseRoute
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from parley.bus import Draft
from parley.bus.entries import ACTS, ParticipantJoined, SessionOpened
from parley.personas.persona_file import CAPABILITIES
from parley.server.http.http_app import build_app, list_routes
from parley.server.http.identity.authorization import RIGHTS, RequiresRight
from parley.server.http.identity.credentials import COOKIE, KEY_QUERY, hash_key
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import Keyring, Role, build_claims
from parley.server.http.tokens.callers import Caller
from parley.server.runtime.signing_secret import key_id
from tests.support.doors.doors import SECRET, Hurrying, Standing, doors
from tests.support.servers.patience import PATIENCE

SESSION: Final = "harbour"
PUBLIC: Final = {
    "/", "/s/{session}", "/static/{path:path}", "/docs", "/openapi.json", "/asyncapi.json",
    "/healthz", "/readyz", "/v1/login", "/v1/visit", "/v1/sessions/{session}/visit",
}  # fmt: skip
OTHER: Final = "another secret that is not less long"
MONTHS: Final = 80 * 86_400.0  # the clock of these tests hurries


@dataclass(frozen=True, slots=True)
class Row:
    """A route as it is called, and the right that it needs."""

    method: str  # "" of a socket
    path: str
    right: str

    @property
    def url(self) -> str:
        filled = self.path.replace("{session}", SESSION)
        return re.sub(r"\{\w+(:\w+)?\}", "1", filled)


def needs(dependant: Dependant) -> Iterator[str]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, RequiresRight):
            yield dependency.call.right
        yield from needs(dependency)


def table(base_routes: Sequence[BaseRoute]) -> list[Row]:
    """Every method of every route; those that end a session come last."""
    rows = []
    for route in base_routes:
        assert isinstance(route, APIRoute | APIWebSocketRoute), f"{route} cannot have a right"
        rights = set(needs(route.dependant))
        assert len(rights) == 1, f"{route.path} needs {rights or 'nothing'}"
        for method in sorted(getattr(route, "methods", [""])):
            rows.append(Row(method, route.path, rights.pop() if len(rights) == 1 else ""))
            rights = {rows[-1].right}
    return sorted(rows, key=lambda row: row.path.endswith("/close") + 2 * (row.method == "DELETE"))


ROWS: Final = table(list(list_routes()))


def test_every_route_needs_one_right() -> None:
    """What is for everyone is on the list of what is; a right of a session has one in its path."""
    assert {row.path for row in ROWS if row.right == "public"} <= PUBLIC
    for row in ROWS:
        assert row.right in RIGHTS
        if row.right not in ("public", "token", "operator", "metrics"):
            assert "{session}" in row.path, row.path
        if row.path.startswith("/v1/sessions/{"):
            assert row.path.startswith("/v1/sessions/{session}"), row.path


def test_nothing_is_served_beside_the_table() -> None:
    """The framework adds no address of its own but the description."""
    own = {getattr(route, "path", None) for route in build_app(None).routes}
    assert own - {row.path for row in ROWS} <= {"/openapi.json", None}


# -- the table -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hall:
    standing: Standing
    client: httpx2.AsyncClient


@asynccontextmanager
async def hall(redis_url: str) -> AsyncIterator[Hall]:
    """The doors, and a session in which ana may do everything, and bo is an agent."""
    async with doors(redis_url, clock=Hurrying()) as d, d.client() as client:
        bus = d.deps.backend.bus
        await bus.open(SESSION, SessionOpened())
        seats = [
            Draft(f"join:{name}", ParticipantJoined(participant=name, role=role, may=powers))
            for name, role, powers in (("ana", "person", CAPABILITIES), ("bo", "agent", None))
        ]
        await bus.publish(SESSION, seats)
        yield Hall(d, client)


def token(d: Hall, name: str, role: Role, session: str = SESSION, **given: Any) -> str:
    return d.standing.token(name, role=role, session=session, seconds=MONTHS, **given)


def altered(d: Hall, secret: str = SECRET, algorithm: str = "HS256", **changed: Any) -> str:
    """A token such as an operator has, made by other means."""
    now = int(d.standing.deps.clock())
    payload = {
        "iss": "parley", "aud": "parley", "sub": "eve", "ses": "*", "rol": "operator", "iat": now,
        "exp": now + int(MONTHS), "jti": "0123456789abcdef", **changed,
    }  # fmt: skip
    key = "" if algorithm == "none" else secret
    return jwt.encode(payload, key, algorithm=algorithm, headers={"kid": key_id(SECRET)})


async def refusal(d: Hall, row: Row, given: str | None) -> tuple[int, str, str]:
    """Status, slug and missing right of the answer; no slug where it lets one in."""
    headers = {} if given is None else {"Authorization": f"Bearer {given}"}
    if not row.method:
        return await _at_socket(d, row, headers)
    body: dict[str, Any] = {"json": {}} if row.method in ("POST", "PUT", "PATCH") else {}
    async with d.client.stream(row.method, row.url, headers=headers, **body) as response:
        if response.status_code < 400 or row.method == "HEAD":
            return response.status_code, "", ""
        await response.aread()
        return _read(response.status_code, response.json())


async def _at_socket(d: Hall, row: Row, headers: dict[str, str]) -> tuple[int, str, str]:
    url = d.standing.url.replace("http", "ws", 1) + row.url
    try:
        async with connect(url, additional_headers=headers, proxy=None, open_timeout=PATIENCE):
            return 101, "", ""
    except InvalidStatus as refused:
        return _read(refused.response.status_code, json.loads(refused.response.body))


def _read(status: int, problem: dict[str, Any]) -> tuple[int, str, str]:
    assert status == problem["status"]
    return status, problem["type"].rpartition(":")[2], problem.get("needs", "")


async def differing(
    d: Hall, given: str | None, expected: Any, rows: Sequence[Row] = ROWS
) -> list[tuple[str, str, object, object]]:
    """Where the doors answer otherwise than `expected(row)` says: None is to be let in."""
    differences: list[tuple[str, str, object, object]] = []
    for row in rows:
        if row.right in ("public", "metrics"):
            continue
        status, slug, missing = await refusal(d, row, given)
        wanted = expected(row)
        if wanted is None:
            shut = slug.startswith("token-") or slug == "other-session" or missing == row.right
            if shut or status >= 500:
                differences.append((row.method, row.path, (status, slug), wanted))
        elif slug != wanted:
            differences.append((row.method, row.path, (status, slug), wanted))
    return differences


FORGED: Final[dict[str, Callable[[Hall], str | None]]] = {
    "none": lambda d: None,
    "another key": lambda d: altered(d, OTHER),
    "no algorithm": lambda d: altered(d, algorithm="none"),
    "a ticket": lambda d: altered(d, aud="parley-ticket"),
    "expired": lambda d: altered(d, iat=int(time.time()) - 7200, exp=int(time.time()) - 3600),
}


@pytest.mark.parametrize("way", FORGED)
async def test_no_route_lets_a_bad_token_in(redis_url: str, way: str) -> None:
    """Missing, of another key, unsigned, expired, or made for something else."""
    slug = {"none": "token-missing", "expired": "token-expired"}.get(way, "token-invalid")
    async with hall(redis_url) as d:
        assert await differing(d, FORGED[way](d), lambda row: slug) == []


async def test_no_route_lets_one_into_another_session(redis_url: str) -> None:
    """Before it says whether there is such a session."""

    def expected(row: Row) -> str | None:
        if "{session}" in row.path:
            return "other-session"
        return None if row.right == "token" else "forbidden"

    async with hall(redis_url) as d:
        given = token(d, "ana", "person", "elsewhere", may=CAPABILITIES)
        assert await differing(d, given, expected) == []


@pytest.mark.parametrize(
    ("role", "may", "rights"),
    [
        ("observer", CAPABILITIES, {"read"}),
        ("agent", None, {"read", "speak"}),
        ("agent", ("propose", "mute"), {"read", "speak", "mute"}),
        ("person", None, {"read", "speak", "vote"}),
        ("person", ("support",), {"read", "speak"}),
        ("person", ("moderate",), {"read", "speak", *CAPABILITIES}),
    ],
)
async def test_no_route_gives_more_than_the_token_does(
    redis_url: str, role: Role, may: tuple[str, ...] | None, rights: set[str]
) -> None:
    """By role, and by what the token lists; what it gives is not refused for want of it."""
    async with hall(redis_url) as d:
        given = token(d, "bo" if role == "agent" else "ana", role, may=may)
        rows = [row for row in ROWS if row.right not in rights | {"token"}]
        assert await differing(d, given, lambda row: "forbidden", rows) == []
        own = set(ACTS) & set(may or ()) or role == "agent"  # the fold has a say of its own there
        rows = [row for row in ROWS if row.right in {*rights, "token"} and not own]
        assert await differing(d, given, lambda row: None, rows) == []


async def test_the_operator_comes_in_everywhere(redis_url: str) -> None:
    """With every right; in whose name it speaks it has to say."""
    async with hall(redis_url) as d:
        assert await differing(d, token(d, "op", "operator", "*"), lambda row: None) == []


# -- sockets ------------------------------------------------------------------


async def test_a_socket_takes_a_ticket_once(redis_url: str) -> None:
    """A browser's socket has no header of its own: a ticket in the address stands for one."""
    [row] = [row for row in ROWS if not row.method]
    async with hall(redis_url) as d:
        made = build_claims("ana", "person", SESSION, d.standing.deps.clock(), seconds=MONTHS)
        path = f"{row.path}?ticket={d.standing.deps.tickets.issue(made, MONTHS)}"
        refusals = [await refusal(d, Row("", path, row.right), None) for _ in range(2)]
        assert refusals == [(101, "", ""), (401, "token-invalid", "")]
        given = token(d, "ana", "person")
        path = f"{row.path}?token={given}&access_token={given}"
        assert (await refusal(d, Row("", path, row.right), None))[1] == "token-missing"


@pytest.mark.parametrize(
    ("origin", "status"), [(None, 403), ("https://evil.example", 403), ("own", 101)]
)
async def test_a_socket_by_cookie_is_for_our_own_pages(
    redis_url: str, origin: str | None, status: int
) -> None:
    """Any page may open a socket, and the browser sends the cookie along."""
    [row] = [row for row in ROWS if not row.method]
    async with hall(redis_url) as d:
        made = build_claims("ana", "person", SESSION, d.standing.deps.clock(), seconds=MONTHS)
        bound = replace(made, key=hash_key("a key of a browser"))
        cookie = d.standing.deps.keyring.sign(bound, "parley-page")
        headers = {"Cookie": f"{COOKIE}={cookie}"}
        if origin is not None:
            headers["Origin"] = d.standing.url if origin == "own" else origin
        assert (await _at_socket(d, row, headers))[0] in (401, 403)
        keyed = replace(row, path=f"{row.path}?{KEY_QUERY}=a%20key%20of%20a%20browser")
        assert (await _at_socket(d, keyed, headers))[0] == status


# -- a caller ------------------------------------------------------------------


def caller(role: Role = "person", **given: Any) -> Caller:
    whole = {
        "name": "ana", "session": SESSION, "may": None, "operator": role == "operator",
        "jti": "0123456789abcdef", "expires": 0, **given,
    }  # fmt: skip
    return Caller(role=role, **whole)


def test_a_name_is_not_for_others_to_speak_in() -> None:
    """Only an operator names somebody, and has to; beside a seat it may leave it out."""
    assert caller().resolve_speaker(None) == caller().resolve_speaker("ana") == "ana"
    with pytest.raises(Problem, match="not-your-name"):
        caller().resolve_speaker("Ana")
    operator = caller("operator", name="op", session="*")
    assert operator.resolve_speaker("bo") == "bo"
    assert caller(operator=True).resolve_speaker(None) == "ana"
    with pytest.raises(Problem, match="forbidden"):
        operator.resolve_speaker(None)
    with pytest.raises(Problem, match="invalid"):
        operator.resolve_speaker("Parley")


def test_a_list_of_acts_allows_those_alone() -> None:
    """A list of capabilities only allows every act; what is no act is said by anyone."""
    assert caller().may_use_act("decide")
    assert caller(may=("vote",)).may_use_act("decide")
    assert caller(may=("ask", "vote")).may_use_act("ask")
    assert caller(may=("ask",)).may_use_act(None)
    assert not caller(may=("ask", "vote")).may_use_act("decide")


def test_an_operator_is_one_by_its_token_alone(redis_url: str) -> None:
    """The role of a signed token; a name such as `operator` gives nothing."""
    ring = Keyring([SECRET])
    made = build_claims("operator", "person", "*", time.time())
    assert ring.verify(ring.sign(made), time.time()).role == "person"
    assert not caller(name="operator", session="*").may_do("operator", SESSION)


@pytest.mark.parametrize(
    ("role", "call", "cure"),
    [
        ("agent", ("POST", f"/v1/sessions/{SESSION}/votes"), "made with --may vote"),
        ("agent", ("POST", f"/v1/sessions/{SESSION}/floor/pause"), "made with --may pause"),
        (
            "observer", ("POST", f"/v1/sessions/{SESSION}/messages"),
            "made with --role person or agent",
        ),
        ("person", ("POST", "/v1/sessions"), "made with --role operator"),
    ],
)  # fmt: skip
async def test_a_missing_right_is_told_with_the_token_that_has_it(
    redis_url: str, role: Role, call: tuple[str, str], cure: str
) -> None:
    """Whoever made the token is whom to ask."""
    async with hall(redis_url) as h:
        bearer = {"Authorization": f"Bearer {h.standing.token('zoe', role=role, session=SESSION)}"}
        refused = await h.client.request(*call, headers=bearer, json={})
    assert refused.status_code == 403
    assert (
        refused.json()["detail"] == f"The token does not give this right; one does that was {cure}."
    )


async def test_a_right_that_the_session_does_not_give_is_told_so(redis_url: str) -> None:
    """Another token would not help: the seat was taken without it."""
    async with hall(redis_url) as h:
        token = h.standing.token("bo", role="agent", session=SESSION, may=["vote"])
        bearer = {"Authorization": f"Bearer {token}"}
        votes = f"/v1/sessions/{SESSION}/votes"
        answers = [
            await h.client.post(votes, headers=bearer, json={"question": "A light?"}),
            await h.client.post(
                f"/v1/sessions/{SESSION}/entries",
                headers=bearer,
                json={"entries": [{"kind": "vote.initiated", "content": "A light?"}]},
            ),
        ]
    for answer in answers:
        assert (answer.status_code, answer.json()["needs"]) == (403, "vote"), answer.text
        assert answer.json()["detail"].startswith("The session does not give this right: ")
