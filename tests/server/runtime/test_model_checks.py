"""What `parley doctor` says of a model: it asks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.doors.calls import Parley
from tests.support.servers.fake_openai import FakeOpenAI, Manners, Parameter

OBJECT = '<json>{"reason": "By two.", "answer": "yes"}</json>'


@pytest.fixture
def doctor(redis_url: str, parley: Parley, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley doctor` beside a real server, with more flags."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    return lambda *flags: parley("doctor", *flags)


def checks(doctor: Parley, *flags: str) -> dict[str, dict[str, Any]]:
    """The rows about the model, by what they are of."""
    rows = doctor("--json", *flags).rows()
    return {row["what"]: row for row in rows if row["what"] in ("model", "endpoint", "patience")}


def endpoint(*refuses: Parameter, words: str = "One two three.") -> FakeOpenAI:
    """One that says `words` where no object is asked for."""
    asks = "Is seven more than five"
    return FakeOpenAI(
        answer=lambda user: OBJECT if asks in user else words,
        manners=Manners(refuses=frozenset(refuses), tokens_per_second=200.0),
    )


def test_a_model_that_answers_is_told_with_its_pace_and_what_it_supports(doctor: Parley) -> None:
    """Two questions, as the agents ask them: what is said is streamed, a bid is an object."""
    with endpoint() as fake:
        rows = checks(doctor, "--model-url", fake.url, "--model", "small-1")
        text = doctor("--model-url", fake.url, "--model", "small-1").out
    assert [bool(request["stream"]) for request in fake.requests] == [True, False] * 2
    assert [row["state"] for row in rows.values()] == ["ok"] * 3
    assert "small-1 answered in" in rows["model"]["finding"]
    assert 0 <= rows["model"]["first_seconds"] <= rows["model"]["seconds"]
    assert rows["model"]["tokens_a_second"] > 0
    assert rows["endpoint"]["supports"] == {
        "response_format": "json_schema", "objects": True, "system": True, "stream": True,
        "usage": True, "temperature": True, "length": "max_tokens", "most_tokens": None,
    }  # fmt: skip
    assert rows["patience"]["settings"] == {}
    assert "answers held to a JSON Schema; a system role; streams; counts its tokens" in text
    assert "tokens a second" in text
    assert "of --patience 60" in text


def test_a_check_of_health_asks_no_model(doctor: Parley) -> None:
    """What a container runs every half minute costs no tokens."""
    with endpoint() as fake:
        ran = doctor("--no-model", "--json", "--model-url", fake.url, "--model", "small-1")
    assert fake.requests == []
    whats = {row["what"] for row in ran.rows()}
    assert "python" in whats
    assert whats.isdisjoint({"model", "endpoint", "patience"})


def test_what_an_endpoint_refuses_is_told(doctor: Parley) -> None:
    with endpoint("json_schema", "json_object", "stream_options", "max_tokens") as fake:
        row = checks(doctor, "--model-url", fake.url)["endpoint"]
    assert row["state"] == "ok"
    assert (row["supports"]["response_format"], row["supports"]["objects"]) == (None, True)
    assert row["supports"]["usage"] is False
    assert row["supports"]["length"] == "max_completion_tokens"
    assert "objects are asked for between tags" in row["finding"]


def test_the_model_that_speaks_and_the_one_that_judges_are_both_asked(doctor: Parley) -> None:
    with endpoint() as fake:
        checks(doctor, "--model-url", fake.url, "--model", "s", "--model-large", "l")
    assert [request["model"] for request in fake.requests] == ["l", "s"]


@pytest.mark.parametrize(("answer", "objects"), [(OBJECT, True), ("Yes.", False)])
def test_a_format_that_is_ignored_is_noticed(doctor: Parley, answer: str, objects: bool) -> None:
    """It is asked again in words; a model that has no object then either cannot bid."""
    with FakeOpenAI(answer=lambda user: answer if "<json>" in user else "Yes, it is.") as fake:
        row = checks(doctor, "--model-url", fake.url)["endpoint"]
    assert len(fake.requests) == 3
    assert (row["supports"]["response_format"], row["supports"]["objects"]) == (None, objects)
    assert row["state"] == ("ok" if objects else "warn")
    assert ("no bids, no votes" in row["finding"]) is not objects


def test_a_slow_model_is_told_with_the_settings_that_it_wants(doctor: Parley) -> None:
    """A patience of twice what is said may take, or fewer words."""
    manners = Manners(first_token_seconds=0.05, tokens_per_second=100.0)
    with FakeOpenAI(answer=lambda _: "one two three " * 6 + OBJECT, manners=manners) as fake:
        row = checks(doctor, "--model-url", fake.url, "--patience", "3")["patience"]
    assert row["state"] == "warn"
    wanted = row["settings"]
    assert wanted["patience"] > 6
    assert wanted["speak_out"] < 600
    assert f"of --patience 3: --patience {wanted['patience']} would do" in row["finding"]
    assert f"--speak-out {wanted['speak_out']}" in row["finding"]


def test_a_port_where_nobody_listens_and_a_wrong_key_are_no_model(doctor: Parley) -> None:
    assert checks(doctor, "--model-url", "http://127.0.0.1:9/v1")["model"]["state"] == "fail"
    with FakeOpenAI() as fake:
        fake.fail("401")
        rows = checks(doctor, "--model-url", fake.url)
    assert list(rows) == ["model"]
    assert (rows["model"]["state"], "invalid_api_key" in rows["model"]["finding"]) == ("fail", True)
