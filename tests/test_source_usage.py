"""What the source documents show a user doing, done here: each in at most 1.2 times its lines."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley import Memory, Message, Session
from parley.listeners.models.model_port import Model
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.sessions.session import Session as SeatedSession
from parley.listeners.tools.assistant import PrefetchedResult
from parley.memory.settings.presets import load_preset
from parley.memory.statistics.statistics import count_memory
from parley.server.settings import resolve_defaults

Example = Callable[..., Awaitable[None]]
EXAMPLES: dict[str, tuple[int, Example]] = {}


def example(name: str, lines: int) -> Callable[[Example], Example]:
    """Hold an example to 1.2 times the `lines` of its source, but for blank ones and checks."""

    def keep(body: Example) -> Example:
        EXAMPLES[name] = (lines, body)
        return body

    return keep


def count_lines(body: Example) -> int:
    """Of its code, but for what checks it; `seated` counts as the two lines it stands for."""
    lines = [line.strip() for line in inspect.getsource(body).splitlines()[2:]]
    code = [line for line in lines if line and not line.startswith("assert ")]
    return len(code) + sum(" seated(" in line for line in code)


@asynccontextmanager
async def seated(
    url: str, preset: str, name: str, model: Model | None = None
) -> AsyncIterator[SeatedSession]:
    """The set-up, which sources leave out: a session of that preset, and a seat in it."""
    async with (
        Session.open("s", url, settings=load_preset(preset), model=model) as opened,
        opened.join(name) as joined,
    ):
        yield joined


async def answering(messages: list[dict[str, str]]) -> str:
    """In the place of a model."""
    return f"{len(messages)} messages were read."


@example("conversation: two calls", 3)
async def add_message_and_get_context(url: str, folder: Path) -> None:
    memory = Memory()
    memory.say("Ana", "I propose that we try the place by the bridge.")
    context = memory.context("Ben")
    assert "P1" in context


@example("conversation: an agent answers", 13)
async def generate_response(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        context = await lunch.context("Ben")
        recent = await lunch.get_recent_messages(15)
        system = f"You are Ben.\n\n## Context from earlier discussion\n{context}"
        messages = [each.entry for each in recent if isinstance(each.entry, Message)]
        talk = "\n".join(f"{each.participant}: {each.content}" for each in messages)
        reply = await answering([{"role": "system", "content": system},
                                 {"role": "user", "content": talk}])  # fmt: skip
        await lunch.say("Ben", reply)
        assert reply == "2 messages were read."


@example("conversation: save and restore", 4)
async def save_and_restore(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch, Session.open("again", url) as again:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        await lunch.save(folder / "memory.json")
        await again.load(folder / "memory.json", replace=True)
        assert [row["handle"] for row in await again.proposals()] == ["P1"]


@example("conversation: statistics", 9)
async def statistics(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        stats = await lunch.stats()
        assert (stats["proposals"], stats["participants"], stats["messages"]) == (1, 1, 1)


@example("experiment: a simple update", 12)
async def append_without_a_model(url: str, folder: Path) -> None:
    async with seated(url, "experiment", "Alice") as alice:
        await alice.say("I believe we should maximise the floor: it protects the weakest.")
        page = await alice.notebook.read()
        assert "maximise the floor" in page.text


@example("experiment: a statement is truncated", 7)
async def truncate_a_statement(url: str, folder: Path) -> None:
    async with seated(url, "experiment", "Alice") as alice:
        await alice.say("a" * 500)
        shown = max((await alice.notebook.read()).text.splitlines(), key=len)
        assert shown.count("a") <= 300
        assert shown.endswith("…")


@example("experiment: a complex update", 11)
async def integrate_with_a_model(url: str, folder: Path) -> None:
    model = ScriptedModel(lambda prompt, rng: "Consensus on the floor; I earned $24,000.")
    async with seated(url, "experiment", "Alice", model) as alice:
        await alice.say("Consensus was reached on the floor. I earned $24,000.")
        result = await alice.notebook.revise_now()
        assert "consensus" in result.lower()


@example("agent-managed: an update after a round", 8)
async def prompt_for_an_update(url: str, folder: Path) -> None:
    model = ScriptedModel(lambda prompt, rng: "Round 1: I chose the floor.")
    async with seated(url, "experiment", "Alice", model) as alice:
        round_content = "Prompt: Choose.\nYour response: The floor.\nOutcome: accepted."
        await alice.notebook.prompt_agent_for_memory_update(round_content, 5)
        page = await alice.notebook.read()
        assert page.standing == "Round 1: I chose the floor."


@example("exchanges: a tool's result is kept", 12)
async def cache_a_tool(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        assistant = desk.assistant
        await assistant.add_tool_result("birds", {"month": "june"}, "knot 30", ttl=3)
        kept = await assistant.lookup_tool("birds", {"month": "june"})
        assert kept is not None
        assert kept.result == "knot 30"
        assert await assistant.lookup_tool("birds", {"month": "may"}) is None


@example("exchanges: what is on the screen", 15)
async def inject_the_screen(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        assistant = desk.assistant
        fetched = PrefetchedResult("birds", {"month": "june"}, "knot 30")
        shown = await assistant.inject_screen_context("screen", "The birds of June", [fetched])
        assert [message["role"] for message in shown][:1] == ["assistant"]
        assert await assistant.inject_screen_context("screen", "The birds of June") == []


@example("exchanges: the oldest become a summary", 5)
async def keep_ten_exchanges(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        for k in range(12):
            await desk.assistant.finalize(f"Question {k}?", f"Answer {k}.")
        messages = (await desk.prepare_messages("And now?")).messages
        assert "Question 0?" in str(messages)
        assert len([row for row in messages if row["role"] == "assistant"]) <= 11


@example("layers: a goal with its tasks", 8)
async def process_goal(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        async with study.goals.process_goal("Explain the late arrival") as goal:
            await study.goals.record_tool_run("fetch", "812 rows")
            goal.result = "They wait for the tide."
        assert count_memory(study.memory)["session"]["completed_goals"] == 1


@example("layers: a long session of three goals", 6)
async def long_running_session(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        for goal, operations in (("doors", 50), ("fire", 75), ("windows", 30)):
            await study.goals.set_session_goal(f"Analyse the {goal}")
            for k in range(operations):
                await study.goals.record_tool_run("measure", f"{goal} {k}: 90 cm")
        stats = count_memory(study.memory)["session"]
        assert (stats["archived_goals"], stats["current_goal"][:2]) == (2, "E3")
        assert stats["estimated_tokens"] <= 12_000


@example("layers: usage", 20)
async def usage_statistics(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        async with study.goals.process_goal("Explain the late arrival"):
            await study.goals.record_step("Two archives hold counts.", discovered={"archives": "2"})
            stats = count_memory(study.memory)
        assert stats["execution"]["execution_steps"] == 1
        assert stats["session"]["current_goal"].startswith("E1 ")


@example("layers: settings of the environment", 4)
async def settings_of_the_environment(url: str, folder: Path) -> None:
    environment = {"AEC_MEMORY_SHORT_TERM_TOKEN_CAP": "5000"}
    settings = resolve_defaults({}, environment)
    assert settings.session.limits.short_term.cap == 5000


@pytest.mark.parametrize("name", EXAMPLES)
async def test_each_example_runs_and_is_short(redis_url: str, tmp_path: Path, name: str) -> None:
    lines, body = EXAMPLES[name]
    assert count_lines(body) <= 1.2 * lines
    await body(redis_url, tmp_path)


def test_the_catalogue_lists_every_example() -> None:
    """With the lines of its source and its own."""
    page = (Path(__file__).parents[1] / "docs" / "catalogue.md").read_text(encoding="utf-8")
    for name, (lines, body) in EXAMPLES.items():
        assert f"| {name} | {lines} | {count_lines(body)} | `{body.__name__}` |" in page
