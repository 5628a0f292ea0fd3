"""A team without any framework: on the embedded server, on Redis, on a server by its address."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import anyio
import pytest

from parley.integrations import Team
from parley.memory.context.item_lines import FRAME
from parley.memory.errors import DomainError
from parley.server.integrations.talk_history import TalkHistory
from parley.server.integrations.talk_hosts import Line
from parley.server.integrations.team_talk import NOTHING, VERBS, arguments_model
from tests.server.integrations.twelve_turns import (
    CHAIR,
    REFUSAL,
    REFUSED,
    SESSION,
    TURNS,
    check_acts,
    own_data,
    said,
)
from tests.support.doors.doors import served

__all__ = ["own_data"]  # a fixture


def _talk(team: Team) -> list[str]:
    return [team.act_now(turn.agent, turn.tool, **turn.given) for turn in TURNS]


async def test_every_turn_is_in_the_log_by_its_act() -> None:
    """And each answer says what it came to; a refusal is an answer too."""
    with Team(SESSION, chair=CHAIR) as team:
        assert team.ledger_now("ana") == NOTHING
        answers = await anyio.to_thread.run_sync(_talk, team)
        refused = await team.act(REFUSED.agent, REFUSED.tool, **REFUSED.given)
        ledger = await team.ledger("cy")
    assert answers[0].startswith("Recorded as #1. It made P1. P1 needs 2 more supporters")
    assert answers[8] == "Recorded as #9. It made D2. It is on P1."
    assert REFUSAL in refused
    assert ledger.startswith(FRAME)
    assert "Postgres it is" in ledger
    assert "I set it up on Monday" not in ledger  # the transcript is the framework's
    await check_acts("")


def test_a_team_is_for_every_loop_and_opens_again() -> None:
    """Frameworks call it from loops of their own; after `close` it goes on."""
    team = Team(SESSION)
    assert asyncio.run(team.record("ana", "Good morning.")) == 1
    team.close()
    assert team.record_now("ben", "Good morning to you.") == 2
    assert team.record_now("ben", " \n") is None
    assert asyncio.run(team.prompt("ana", "You are Ana.")) == f"You are Ana.\n\n{NOTHING}"
    team.close()
    team.close()
    assert [row[0] for row in asyncio.run(said())] == ["ana", "ben"]


def test_a_call_that_no_tool_takes_is_refused_in_words() -> None:
    """A tool or an argument that does not exist, and one that is missing: nothing is recorded."""
    with Team(SESSION) as team:
        assert team.act_now("ana", "accept", ref="P1") == (
            "Refused: there is no tool 'accept'; the tools are propose, support, oppose, decide, "
            "say, get_context"
        )
        assert team.act_now("ana", "support", ref="P1", reason="I like it.") == (
            "Refused: support takes no 'reason'; it takes ref, why"
        )
        assert team.act_now("ana", "support").startswith("Refused: support needs ref: its handle")
    assert asyncio.run(said()) == []


def test_what_an_act_is_on_has_either_name() -> None:
    """`ref` and `re` are one: models take the name of one tool for that of another."""
    with Team(SESSION, chair=CHAIR) as team:
        team.act_now("ana", "propose", content="We keep the orders in Postgres.")
        assert "on P1" in team.act_now("ben", "support", re="P1")
        assert "on P1" in team.act_now(CHAIR, "decide", content="Postgres it is.", ref="P1")
        assert "Active Proposals" not in team.ledger_now("ana")


def test_a_team_on_a_server_is_the_same(redis_url: str) -> None:
    """By an operator's token; what is refused comes in the server's words."""
    with served(redis_url) as d, Team(
        SESSION, chair=CHAIR, url=d.url, token=d.operator()
    ) as team:  # fmt: skip
        answers = _talk(team)
        assert answers[7] == "Recorded as #8. It made D1. It is on P2."
        assert "Refused: no-item: " in team.act_now("ana", "support", ref="P9")
        assert "Postgres it is" in team.ledger_now("cy")
        with Team(SESSION, url=d.url, token=d.operator()) as again:  # it is there already
            assert "Postgres it is" in again.ledger_now("cy")


async def _check_history(team: Team) -> None:
    for who, text in (("ana", "Good morning."), ("ben", "Where do they go?"), ("ana", "Here.")):
        await team.record(who, text)
    await team.take_back("ana", 3)
    history = TalkHistory(team, "ana")
    read = [(line.n, history.words(line)) for line in await team.talk("ana")]
    assert read == [(1, "Good morning."), (2, "ben: Where do they go?")]
    assert [line.n for line in await team.talk("ana", 1)] == [2]
    assert await team.talk("ana", 0) == []
    with pytest.raises(DomainError, match="message 2 is ben's"):
        await history.take_back()
    assert await TalkHistory(team, "ben").take_back() == Line(2, "ben", "Where do they go?")
    assert await TalkHistory(team, "ana").take_back() == Line(1, "ana", "Good morning.")
    assert await history.take_back() is None


async def test_a_history_is_the_talk_as_it_is_now() -> None:
    """Others by their names; the newest is taken back by its author, as far back as one likes."""
    with Team(SESSION) as team:
        await _check_history(team)


async def test_a_server_gives_the_same_history(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, the newest first."""
    monkeypatch.setattr("parley.server.integrations.talk_hosts._PAGE", 2)
    with served(redis_url) as d, Team(SESSION, url=d.url, token=d.operator()) as team:
        await _check_history(team)


def test_what_cannot_be_reached_says_so() -> None:
    """Each call raises; no thread is left behind."""
    with (
        Team(SESSION, url="http://127.0.0.1:9") as team,
        pytest.raises(Exception, match="no server"),
    ):
        team.ledger_now("ana")
    both = Team(SESSION, url="http://x", redis="redis://x")
    with both, pytest.raises(ValueError, match="not both"):
        both.ledger_now("ana")


_PLAIN = ("team", "team_talk", "talk_history", "talk_hosts", "talk_thread")


@pytest.mark.parametrize(
    ("ask", "module", "package"),
    [
        (lambda team: team.tools("a"), "agents", "openai-agents"),
        (lambda team: team.autogen_memory("a"), "autogen_core", "autogen-agentchat"),
        (lambda team: team.langchain_tools("a"), "langchain_core", "langgraph"),
        (lambda team: team.crewai_tools("a"), "crewai", "crewai"),
        (lambda team: team.llama_index_tools("a"), "llama_index", "llama-index-core"),
        (lambda team: team.pydantic_ai_toolset("a"), "pydantic_ai", "pydantic-ai-slim"),
    ],
)
def test_a_framework_that_is_missing_is_named(
    ask: Any, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to install."""
    own = [name for name in sys.modules if name.startswith("parley.server.integrations.")]
    for name in own:
        if name.rpartition(".")[2] not in _PLAIN:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("sys.meta_path", [_Missing(module), *sys.meta_path])
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        ask(Team(SESSION))


class _Missing:
    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.split(".")[0] == self._module:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_models_take_what_schemas_say() -> None:
    """Frameworks that take a model get the same arguments as those that take a schema."""
    for verb in VERBS:
        schema, model = verb.schema(), arguments_model(verb).model_json_schema()
        assert list(schema["properties"]) == list(model["properties"])
        assert schema["required"] == model.get("required", [])
