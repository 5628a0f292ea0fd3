"""The adapter for CrewAI, with a scripted model and no network."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from pydantic import PrivateAttr

from parley.integrations import Team
from tests.server.integrations.twelve_turns import (
    CHAIR,
    REFUSAL,
    REFUSED,
    SESSION,
    TURNS,
    Turn,
    check_acts,
    check_example,
    own_data,
    would_repeat,
)

pytest.importorskip("crewai", reason="crewai is not installed")

from crewai import Agent, BaseLLM, Crew, Task

__all__ = ["own_data"]  # a fixture


class Scripted(BaseLLM):
    """Calls the tool of a turn in CrewAI's own words, then ends with `words`."""

    _turn: Any = PrivateAttr()
    _words: str = PrivateAttr()
    _given: list[str] = PrivateAttr(default_factory=list)

    def call(self, messages: Any, *given: Any, **named: Any) -> str:
        self._given.append(str(messages))
        if len(self._given) % 2:
            turn = self._turn or would_repeat(self._given[-1])
            arguments = json.dumps(dict(turn.given))
            return f"Thought: I act.\nAction: {turn.tool}\nAction Input: {arguments}"
        return f"Thought: I now know the final answer\nFinal Answer: {self._words}"

    def supports_function_calling(self) -> bool:
        return False


def _run(team: Team, turn: Turn, words: str) -> list[str]:
    """What the model was given at each call."""
    llm = Scripted(model="scripted")
    llm._turn, llm._words = turn, words
    agent = Agent(
        role=turn.agent, goal="Agree on a design.", llm=llm,
        backstory=team.crewai_backstory(turn.agent, "You build."),
        tools=team.crewai_tools(turn.agent),
    )  # fmt: skip
    task = Task(
        description="Go on.", expected_output="Words.", agent=agent,
        callback=team.crewai_recorder(turn.agent),
    )  # fmt: skip
    result = Crew(agents=[agent], tasks=[task]).kickoff()
    assert str(result) == words
    return list(llm._given)


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent anywhere."""
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """What a task ends with is recorded too; the ledger is in the backstory."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            given = await anyio.to_thread.run_sync(_run, team, turn, "Done.")
    assert "Postgres it is" in given[0]
    await check_acts("Done.")


def test_a_refusal_reaches_the_model_in_our_words() -> None:
    """As the observation."""
    with Team(SESSION) as team:
        given = _run(team, REFUSED, "Well.")
    assert REFUSAL.replace("'", "") in given[1].replace("'", "").replace("\\", "")


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.crewai_team import main

    llm = Scripted(model="scripted")
    llm._turn, llm._words = None, "Done."
    await check_example(await anyio.to_thread.run_sync(main, llm))
