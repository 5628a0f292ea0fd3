"""What the source documents show a user doing, done here: each in at most 1.2 times its lines."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from parley import Memory, Message, Session
from parley.listeners.models.model_port import ContextOverflow, Model, ModelError, Prompt
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.sessions.session import Session as SeatedSession
from parley.listeners.tools.assistant import PrefetchedResult
from parley.memory.settings.presets import load_preset
from parley.memory.statistics.statistics import count_memory
from parley.server.settings import resolve_defaults

HERE = Path(__file__).parent
SOURCES = {
    name: (language, code)
    for name, language, code in re.findall(
        r"^## ([^\n]+)\n\n```(\w+)\n(.*?)\n```",
        (HERE / "data" / "source_examples.txt").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
}
Example = Callable[..., Awaitable[None]]
EXAMPLES: dict[str, Example] = {}


def example(name: str) -> Callable[[Example], Example]:
    """What the source of that heading shows, done here."""

    def keep(body: Example) -> Example:
        EXAMPLES[name] = body
        return body

    return keep


def count_lines(body: Example) -> int:
    """Of its code, but for what checks it; `seated` counts as the two lines it stands for."""
    lines = [line.strip() for line in inspect.getsource(body).splitlines()[2:]]
    code = [line for line in lines if line and not line.startswith("assert ")]
    return len(code) + sum(" seated(" in line for line in code)


def count_source(name: str) -> int:
    """Lines of a source, without comments, checks and the head of a test; of words, all lines."""
    language, text = SOURCES[name]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if language == "text":
        return len(lines)
    aside = re.compile(r'# |// |""".+"""$|assert |@pytest|(async )?def test_')
    return sum(not aside.match(line) for line in lines)


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


def answer_short_prompts(prompt: Prompt, rng: Random) -> str | ModelError:
    """In the place of a model with a small window."""
    if len(prompt.user) > 2500:
        return ContextOverflow("context_length_exceeded")
    return "Consensus on the floor."


@example("conversation: two calls")
async def add_message_and_get_context(url: str, folder: Path) -> None:
    memory = Memory()
    memory.say("Ana", "I propose that we try the place by the bridge.")
    context = memory.context("Ben")
    assert "P1" in context


@example("conversation: whether to speak")
async def evaluate_reaction(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        context = await lunch.context("Ben", brief=True)
        recent = await lunch.get_recent_messages(5)
        messages = [each.entry for each in recent if isinstance(each.entry, Message)]
        talk = "\n".join(f"{each.participant}: {each.content}" for each in messages)
        prompt = f"{context}\n---\nRecent messages:\n{talk}\n---\nShould Ben respond?"
        answer = await answering([{"role": "user", "content": prompt}])
        assert answer == "1 messages were read."


@example("conversation: an agent answers")
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


@example("conversation: save and restore")
async def save_and_restore(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch, Session.open("again", url) as again:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        await lunch.save(folder / "memory.json")
        await again.load(folder / "memory.json", replace=True)
        assert [row["handle"] for row in await again.proposals()] == ["P1"]


@example("conversation: statistics")
async def statistics(url: str, folder: Path) -> None:
    async with Session.open("lunch", url) as lunch:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        stats = await lunch.stats()
        assert (stats["proposals"], stats["participants"], stats["messages"]) == (1, 1, 1)


@example("experiment: a simple update")
async def append_without_a_model(url: str, folder: Path) -> None:
    async with seated(url, "experiment", "Alice") as alice:
        await alice.say("I believe we should maximise the floor: it protects the weakest.")
        page = await alice.notebook.read()
        assert "maximise the floor" in page.text


@example("experiment: a statement is truncated")
async def truncate_a_statement(url: str, folder: Path) -> None:
    async with seated(url, "experiment", "Alice") as alice:
        await alice.say("a" * 500)
        shown = max((await alice.notebook.read()).text.splitlines(), key=len)
        assert shown.count("a") <= 300
        assert shown.endswith("…")


@example("experiment: a complex update")
async def integrate_with_a_model(url: str, folder: Path) -> None:
    model = ScriptedModel(lambda prompt, rng: "Consensus on the floor; I earned $24,000.")
    async with seated(url, "experiment", "Alice", model) as alice:
        await alice.say("Consensus was reached on the floor. I earned $24,000.")
        result = await alice.notebook.revise_now()
        assert "consensus" in result.lower()


@example("experiment: a prompt that is too long")
async def think_again_with_less(url: str, folder: Path) -> None:
    model = ScriptedModel(answer_short_prompts)
    async with seated(url, "experiment", "Alice", model) as alice:
        for k in range(20):
            await alice.say(f"{k}: consensus was reached on the floor. " * 8)
        result = await alice.notebook.revise_now()
        assert result == "Consensus on the floor."
        assert [len(prompt.user) > 2500 for prompt in model.prompts][-2:] == [True, False]


@example("experiment: settings of a file")
async def settings_of_an_experiment(url: str, folder: Path) -> None:
    (folder / "parley.yaml").write_text(SOURCES["experiment: settings of a file"][1])
    session = resolve_defaults({}, {}, folder / "parley.yaml").session
    assert (session.note.style, session.limits.statement) == ("narrative", 300)
    assert (session.limits.reasoning, session.limits.history.cap) == (200, 100_000)


@example("agent-managed: settings of a file")
async def settings_of_agents(url: str, folder: Path) -> None:
    (folder / "parley.yaml").write_text(SOURCES["agent-managed: settings of a file"][1])
    assert resolve_defaults({}, {}, folder / "parley.yaml").session.limits.note.cap == 50_000


@example("agent-managed: an update after a round")
async def prompt_for_an_update(url: str, folder: Path) -> None:
    model = ScriptedModel(lambda prompt, rng: "Round 1: I chose the floor.")
    async with seated(url, "experiment", "Alice", model) as alice:
        round_content = "Prompt: Choose.\nYour response: The floor.\nOutcome: accepted."
        await alice.notebook.prompt_agent_for_memory_update(round_content, 5)
        page = await alice.notebook.read()
        assert page.standing == "Round 1: I chose the floor."


@example("exchanges: a tool's result is kept")
async def cache_a_tool(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        assistant = desk.assistant
        await assistant.add_tool_result("birds", {"month": "june"}, "knot 30", ttl=3)
        kept = await assistant.lookup_tool("birds", {"month": "june"})
        assert kept is not None
        assert kept.result == "knot 30"
        assert await assistant.lookup_tool("birds", {"month": "may"}) is None


@example("exchanges: what is on the screen")
async def inject_the_screen(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        assistant = desk.assistant
        fetched = PrefetchedResult("birds", {"month": "june"}, "knot 30")
        shown = await assistant.inject_screen_context("screen", "The birds of June", [fetched])
        assert [message["role"] for message in shown][:1] == ["assistant"]
        assert await assistant.inject_screen_context("screen", "The birds of June") == []


@example("exchanges: the oldest become a summary")
async def keep_ten_exchanges(url: str, folder: Path) -> None:
    async with seated(url, "assistant", "helper") as desk:
        for k in range(12):
            await desk.assistant.finalize(f"Question {k}?", f"Answer {k}.")
        messages = (await desk.prepare_messages("And now?")).messages
        assert "Question 0?" in str(messages)
        assert len([row for row in messages if row["role"] == "assistant"]) <= 11


@example("layers: a goal with its tasks")
async def process_goal(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        async with study.goals.process_goal("Explain the late arrival") as goal:
            await study.goals.record_tool_run("fetch", "812 rows")
            goal.result = "They wait for the tide."
        assert count_memory(study.memory)["session"]["completed_goals"] == 1


@example("layers: a long session of three goals")
async def long_running_session(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        for goal, operations in (("doors", 50), ("fire", 75), ("windows", 30)):
            await study.goals.set_session_goal(f"Analyse the {goal}")
            for k in range(operations):
                await study.goals.record_tool_run("measure", f"{goal} {k}: 90 cm")
        stats = count_memory(study.memory)["session"]
        assert (stats["archived_goals"], stats["current_goal"][:2]) == (2, "E3")
        assert stats["estimated_tokens"] <= 12_000


@example("layers: more than the cap of a session")
async def token_cap_management(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        await study.goals.set_session_goal("Analyse the doors")
        for k in range(500):
            await study.goals.record_tool_run("measure", f"door {k}: 90 cm, " + "oak " * 40)
        session = count_memory(study.memory)["session"]
        assert (session["tool_executions"], session["current_goal"][:2]) == (500, "E1")
        assert session["estimated_tokens"] <= 12_000


@example("layers: usage")
async def usage_statistics(url: str, folder: Path) -> None:
    async with seated(url, "analyst", "Ana") as study:
        async with study.goals.process_goal("Explain the late arrival"):
            await study.goals.record_step("Two archives hold counts.", discovered={"archives": "2"})
            stats = count_memory(study.memory)
        assert stats["execution"]["execution_steps"] == 1
        assert stats["session"]["current_goal"].startswith("E1 ")


@example("layers: settings of the environment")
async def settings_of_the_environment(url: str, folder: Path) -> None:
    exported = re.findall(r'export (\w+)="(.*)"', SOURCES["layers: settings of the environment"][1])
    settings = resolve_defaults({}, dict(exported))
    assert settings.session.limits.short_term.cap == 5000
    assert settings.session.limits.session.cap == 15_000
    assert settings.session.episodes.supersede is True
    assert settings.model == "gpt-4o-mini"


@pytest.mark.parametrize("name", SOURCES)
async def test_each_example_runs_and_is_short(redis_url: str, tmp_path: Path, name: str) -> None:
    body = EXAMPLES[name]
    assert count_lines(body) <= 1.2 * count_source(name)
    await body(redis_url, tmp_path)


def test_the_catalogue_lists_every_example() -> None:
    """With the lines of its source and its own, and no other."""
    page = (HERE.parent / "docs" / "catalogue.md").read_text(encoding="utf-8")
    table = page.split("## Their usage examples")[1]
    rows = [
        f"| {name} | {count_source(name)} | {count_lines(body)} | `{body.__name__}` |"
        for name, body in ((name, EXAMPLES[name]) for name in SOURCES)
    ]
    assert [line for line in table.splitlines() if line.endswith("` |")] == rows
    assert EXAMPLES.keys() == SOURCES.keys()
