"""What `parley doctor` says of a model: it asks."""

from __future__ import annotations

import pytest

from tests.support.doors.calls import Parley, Ran
from tests.support.servers.fake_openai import FakeOpenAI, Manners


@pytest.fixture
def doctor(redis_url: str, parley: Parley, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley doctor --json` beside a real server, with more flags."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    return lambda *flags: parley("doctor", "--json", *flags)


def of_model(ran: Ran) -> tuple[str, str]:
    (check,) = [row for row in ran.rows() if row["what"] == "model"]
    return check["state"], check["finding"]


def test_a_model_that_answers_is_told_with_its_pace(doctor: Parley) -> None:
    with FakeOpenAI() as endpoint:
        state, finding = of_model(doctor("--model-url", endpoint.url, "--model", "small-1"))
        assert endpoint.calls == 1
    assert state == "ok"
    assert "small-1 answered in" in finding
    assert "tokens a second" in finding


def test_a_slow_model_is_told_with_the_patience_that_it_wants(doctor: Parley) -> None:
    with FakeOpenAI(manners=Manners(first_token_seconds=0.5)) as endpoint:
        state, finding = of_model(doctor("--model-url", endpoint.url, "--patience", "2"))
    assert state == "warn"
    assert "--patience is 2; --patience" in finding


def test_a_port_where_nobody_listens_and_a_wrong_key_are_no_model(doctor: Parley) -> None:
    assert of_model(doctor("--model-url", "http://127.0.0.1:9/v1"))[0] == "fail"
    with FakeOpenAI() as endpoint:
        endpoint.fail("401")
        state, finding = of_model(doctor("--model-url", endpoint.url))
    assert (state, "invalid_api_key" in finding) == ("fail", True)
