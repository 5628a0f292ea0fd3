"""What a caller sends never comes back in a refusal, nor shows up in the log.

Each route is called with a marker in every place that a request has: its path, its
query, its headers, each field of its body and the names of fields that there are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import httpx2
import pytest

from parley.bus import Draft
from parley.bus.entries import Message, ParticipantJoined, SessionOpened
from parley.memory.errors import (
    ContextOverflow,
    LimitExceeded,
    NoNotebook,
    NothingOpen,
    NotOpened,
    PackMissing,
    RedactionRefused,
    SettingsRefused,
    StaleRevision,
    UnknownRef,
    UpdateRefused,
)
from parley.personas.persona_file import CAPABILITIES
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.log_setup import configure_logging
from parley.server.http.http_app import build_app
from parley.server.http.problems.problem_details import Problem, problem_from_exception
from parley.server.http.problems.problem_types import KINDS
from parley.server.http.problems.validation_details import redact_input
from parley.server.http.tokens.bearer_tokens import Role
from tests.support.doors.doors import Hurrying, Standing, doors

SESSION: Final = "harbour"
MARK: Final = "canary7f3a"
METHODS: Final = ("get", "post", "put", "patch", "delete")

Json = dict[str, Any]


def description() -> Json:
    return build_app(None).openapi()


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method, path, methods[method]


def planted(schema: Json, document: Json, depth: int = 0) -> Any:
    """A value that `schema` nearly takes, with the marker wherever text may stand."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return planted(schema[several][0], document, depth)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        if depth > 6 or "properties" not in schema:
            return {MARK: MARK}
        return {
            name: planted(property_schema, document, depth + 1)
            for name, property_schema in schema["properties"].items()
        }
    if kind == "array":
        return [planted(schema.get("items", {}), document, depth + 1)]
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    return schema["enum"][0] if "enum" in schema else schema.get("const", MARK)


def requests_of(path: str, operation: Json, document: Json) -> Iterator[Json]:
    """The path, the query and the headers with the marker; then bodies, the fitting one first."""
    filled = re.sub(r"\{\w+(:\w+)?\}", MARK, path.replace("{session}", SESSION))
    query = {
        parameter["name"]: MARK
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    headers = {"Idempotency-Key": MARK, "Last-Event-ID": MARK, f"X-{MARK}": MARK}
    yield {"url": filled, "params": {**query, MARK: MARK}, "headers": headers}
    yield {"url": path.replace("{session}", MARK).replace("{", "").replace("}", MARK)}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    typed = {"Content-Type": "application/json"}
    plain = filled.replace(MARK, "1")
    for text in bodies(planted(content["schema"], document)):
        yield {"url": plain, "content": text, "headers": {**typed, **headers}}
        plain, filled = filled, plain
    yield {"url": filled, "content": f'"{MARK}"', "headers": {"Content-Type": f"text/{MARK}"}}


def bodies(body: Any) -> Iterator[str]:
    """One that nearly fits; ones that are cut, of another type, with fields too many or wrong."""
    yield json.dumps(body)
    yield f'{{"{MARK}'
    yield f'"{MARK}"'
    if isinstance(body, dict):
        yield json.dumps({**body, MARK: MARK})
        for name in body:
            yield json.dumps({**body, name: {MARK: [MARK]}})


def everywhere() -> Iterator[Json]:
    """What no route looks at, but the server before it."""
    for name, value in (
        ("Host", f"{MARK}.example"), ("Authorization", f"Bearer {MARK}"),
        ("Origin", f"https://{MARK}.example"), ("Cookie", f"parley={MARK}"),
    ):  # fmt: skip
        yield {"method": "post", "url": "/v1/tickets", "headers": {name: value}, "json": {}}
    yield {"method": MARK, "url": f"/{MARK}"}
    yield {"method": MARK, "url": "/v1/me"}
    yield {"method": "get", "url": f"/v1/me?{MARK}=" + MARK * 1000}


async def furnish(d: Standing) -> None:
    bus = d.deps.backend.bus
    await bus.open(SESSION, SessionOpened())
    joined = ParticipantJoined(participant="ana", may=CAPABILITIES)
    message = Message(participant="ana", content="I propose we paint the boat.", act="propose")
    await bus.publish(SESSION, [Draft("join", joined), Draft("said", message)])


async def leaks(client: httpx2.AsyncClient, **request: Any) -> list[tuple[Any, ...]]:
    """The answer, where it holds the marker or is a fault of ours."""
    response = await client.request(**request)
    text = (response.text + str(dict(response.headers))).lower()
    if response.status_code >= 500 or (not response.is_success and MARK in text):
        return [(request, response.status_code, response.text)]
    return []


@pytest.mark.parametrize("role", ["operator", pytest.param("person", marks=pytest.mark.long)])
async def test_no_refusal_gives_back_what_was_sent(
    redis_url: str, capfd: pytest.CaptureFixture[str], role: Role
) -> None:
    """Over every operation that is described; and the log says nothing of it either."""
    document, leaked, count = description(), [], 0
    async with doors(redis_url, clock=Hurrying()) as d:
        await furnish(d)
        token = d.token("ana", role=role, may=[*CAPABILITIES], seconds=80 * 86_400)
        async with d.client(token) as client:
            for request in everywhere():
                leaked += await leaks(client, **request)
            for method, path, operation in operations(document):
                if path.endswith("/events"):
                    continue  # it does not end; its refusals are those of the others
                for request in requests_of(path, operation, document):
                    leaked += await leaks(client, method=method, **request)
                    count += 1
    assert leaked == []
    assert count > 20
    assert MARK not in "".join(capfd.readouterr())


async def test_a_fault_of_ours_is_told_by_its_id_alone(
    redis_url: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has the trace under that id, without what the variables held."""
    configure_logging("info", as_json=True)

    def broken(caller: Any) -> None:
        secret = MARK + caller.name
        raise RuntimeError(f"broken by {len(secret)}")

    monkeypatch.setattr("parley.server.http.routes.access.auth_routes.identity_row", broken)
    async with doors(redis_url) as d, d.client(d.token("ana")) as client:
        response = await client.get("/v1/me")
    body = response.json()
    assert (response.status_code, body["type"]) == (500, "urn:parley:problem:internal")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "broken" not in response.text
    logged = capfd.readouterr().err
    assert body["request"] in logged
    assert "broken by 13" in logged
    assert MARK not in logged


# -- words ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        SettingsRefused(MARK, "no such setting"), UnknownRef(MARK), NoNotebook(MARK),
        UpdateRefused(MARK, 3, (1, 2)), NotOpened(MARK, 3), NothingOpen(f"no goal {MARK!r}"),
        PackMissing(MARK, MARK), RedactionRefused(3, 4), StaleRevision(3, 2), ContextOverflow(1, 2),
        LimitExceeded(3, 2), Misuse(f"{MARK!r} is none"), Failure(f"no {MARK!r} in 'x {MARK}'"),
        RuntimeError(MARK),
    ],
)  # fmt: skip
def test_a_refusal_of_the_domain_is_told_without_its_values(error: Exception) -> None:
    """What it was about was in the request; what is wrong with it is our word."""
    body = problem_from_exception(error).body("id")
    assert MARK not in json.dumps(body)
    assert "--" not in body["detail"]
    assert "parley " not in body["detail"].lower()
    assert body["detail"]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("setting 'x.y': is none", "setting …: is none"),
        ("'P3' is neither a handle nor \"an id\"", "That is neither a handle nor …"),
        ("it takes it ('parley join … --may vote')", "it takes it"),
        ("too small; raise --budget", "too small"),
        ("none of 'it\\'s' and 'b'", "none of … and …"),
        ("the voters' word 'secret' and 'cut off", "the voters' word … and …"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("'all of it'", ""), ("--only this", ""),
    ],
)  # fmt: skip
def test_what_stands_in_quotes_is_left_out(text: str, redacted: str) -> None:
    """And advice for a shell; an apostrophe opens no quote, and one unclosed ends none."""
    assert redact_input(text) == redacted


def test_a_long_refusal_is_cut() -> None:
    """Whatever went into it."""
    assert len(redact_input("word " * 1000)) <= 300
    assert redact_input("it is " + repr(MARK * 100_000)) == "it is …"
    assert len(redact_input("('parley " * 100_000)) <= 300


@pytest.mark.parametrize("slug", KINDS)
def test_a_problem_is_as_it_is_described(slug: str) -> None:
    """Of the members that the description has, and of no other."""
    problem = Problem(slug, retry_after=0.2, field="a", value=MARK, allow="GET")
    body = problem.body("id")
    assert set(body) == {
        "type", "title", "status", "detail", "request", "retry_after", "field",
    }  # fmt: skip
    assert body["status"] == KINDS[slug].status
    assert problem.headers["Retry-After"] == "1"
