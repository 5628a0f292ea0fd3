"""What the description promises is kept: made-up requests on every route, each answer checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import httpx2
import hypothesis
import pytest
import schemathesis
from schemathesis import checks

from parley.server.http.http_app import openapi_document
from tests.support.doors.doors import Standing, served
from tests.support.doors.gateway_talk import NAME, PATH
from tests.support.servers.patience import PATIENCE

DEFAULT: Final = 2  # cases an operation
LONG: Final = 30

# What a case may not do to the session that the others are tried on.
APART: Final = frozenset({"remove_session", "close_session", "import_session", "logout"})
ENDLESS: Final = frozenset({"/v1/sessions/{session}/events"})  # streams, tested by themselves

CHECKS: Final = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
)


@pytest.fixture
def standing(redis_url: str) -> Iterator[Standing]:
    """A server that no rate slows down, with a session in which something was said."""
    with served(redis_url, rate=100_000, reads=100_000, runs=0) as d:
        headers = {"Authorization": f"Bearer {d.operator()}"}
        with httpx2.Client(base_url=d.url, headers=headers, timeout=PATIENCE) as operator:
            begin(operator)
        yield d


def begin(operator: httpx2.Client) -> None:
    body = {"session": NAME, "settings": {"chair": ["ana"], "note": {"policy": "append"}}}
    assert operator.post("/v1/sessions", json=body).status_code == 201
    rows = [
        {"content": "I propose a light at the pier.", "participant": "ana"},
        {"content": "I support P1.", "participant": "bo"},
        {"kind": "vote.initiated", "content": "Adopt it?", "re": "P1", "participant": "ana"},
        {"kind": "episode.opened", "episode": "goal", "title": "Light", "participant": "ana"},
    ]
    assert operator.post(f"{PATH}/entries", json={"entries": rows}).status_code == 201


def tried(standing: Standing, count: int) -> None:
    """Each operation, `count` times, with requests that its description allows, and some more."""
    schema = schemathesis.openapi.from_dict(openapi_document())
    schema.config.update(base_url=standing.url)
    tokens = {
        "operator": standing.operator(),
        "": standing.token("ana", session="*", may=["moderate", "vote"]),
    }
    for ok in schema.get_all_operations():
        operation: Any = ok.ok()  # type: ignore[union-attr]  # of a schema that is sound
        if operation.path in ENDLESS:
            continue
        right = operation.definition.raw.get("x-parley-right", "public")
        token = tokens.get(right if right in tokens else "", "")
        _try(operation, token, count)


def _try(operation: Any, token: str, count: int) -> None:
    apart = operation.definition.raw["operationId"] in APART
    waits = operation.path.endswith("/tools/calls")

    @hypothesis.settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy())
    def check(case: Any) -> None:
        if "session" in (case.path_parameters or {}) and not apart:
            case.path_parameters["session"] = NAME
        if waits and isinstance(case.body, dict):
            case.body["wait"] = 0  # or the same call again waits for the first, which nobody runs
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
        case.cookies = {}
        case.call_and_validate(checks=CHECKS)

    check()


def test_every_route_keeps_to_its_description(standing: Standing) -> None:
    """No answer that is not described, no fault of the server."""
    tried(standing, DEFAULT)


@pytest.mark.long
def test_every_route_keeps_to_its_description_at_length(standing: Standing) -> None:
    """The same with many more requests."""
    tried(standing, LONG)
