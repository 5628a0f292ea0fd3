"""`Team`: one session for the agents of a program, in whatever framework they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from parley.server.integrations.talk_history import USER
from parley.server.integrations.team_talk import TeamTalk

if TYPE_CHECKING:
    from parley.server.integrations.autogen_agents import LedgerContext, LedgerMemory
    from parley.server.integrations.langgraph import TalkMessages
    from parley.server.integrations.llama_index import LedgerBlock
    from parley.server.integrations.openai_agents import Recorder, TalkSession


class Team(TeamTalk):
    """The session `session`, and what each framework asks for to take part in it.

        team = Team("orders", chair="lead")
        agent = Agent(
            name="backend", instructions=team.instructions("backend", ROLE),
            tools=team.tools("backend"), hooks=team.hooks("backend"),
        )

    Each method names the agent and imports its framework; it raises `ImportError`, which says
    what to install, if that is missing. The tools of every framework are the same: `propose`,
    `support`, `oppose`, `decide`, `say`, `get_context`.
    """

    def instructions(self, name: str, role: str = "") -> Callable[[Any, Any], Awaitable[str]]:
        """OpenAI Agents SDK, `Agent(instructions=…)`: `role` and the ledger."""
        from parley.server.integrations import openai_agents

        return openai_agents.instructions(self, name, role)

    def tools(self, name: str) -> list[Any]:
        """OpenAI Agents SDK, `Agent(tools=…)`."""
        from parley.server.integrations import openai_agents

        return openai_agents.tools(self, name)

    def hooks(self, name: str) -> Recorder:
        """OpenAI Agents SDK, `Agent(hooks=…)`: records what the agent ends its runs with."""
        from parley.server.integrations import openai_agents

        return openai_agents.Recorder(self, name)

    def agents_session(self, name: str, user: str = USER) -> TalkSession:
        """OpenAI Agents SDK, `Runner.run(…, session=…)`: the talk as its history, and recorded."""
        from parley.server.integrations import openai_agents

        return openai_agents.TalkSession(self, name, user)

    def autogen_memory(self, name: str) -> LedgerMemory:
        """AutoGen, `AssistantAgent(memory=[…])`."""
        from parley.server.integrations import autogen_agents

        return autogen_agents.LedgerMemory(self, name)

    def autogen_context(self, name: str, within: Any = None) -> LedgerContext:
        """AutoGen, `AssistantAgent(model_context=…)`: the ledger, anew at each call of the model.

        Messages are kept by the model context `within`; None: one that keeps all.
        """
        from parley.server.integrations import autogen_agents

        return autogen_agents.LedgerContext(self, name, within)

    def autogen_tools(self, name: str) -> list[Any]:
        """AutoGen, `AssistantAgent(tools=…)`."""
        from parley.server.integrations import autogen_agents

        return autogen_agents.tools(self, name)

    def autogen_recorded(self, stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """AutoGen, around `run_stream(…)`: the same stream; what agents write in it is recorded."""
        from parley.server.integrations import autogen_agents

        return autogen_agents.recorded(self, stream)

    def langgraph_node(self, name: str, node: Callable[..., Any]) -> Any:
        """LangGraph, `add_node(name, …)`: `node` with the ledger in its prompt, and recorded."""
        from parley.server.integrations import langgraph

        return langgraph.node(self, name, node)

    def langchain_history(self, name: str, user: str = USER) -> TalkMessages:
        """LangChain, a `BaseChatMessageHistory`: the talk as the agent's history, and recorded."""
        from parley.server.integrations import langgraph

        return langgraph.TalkMessages(self, name, user)

    def langchain_tools(self, name: str) -> list[Any]:
        """LangChain and LangGraph, `create_agent(tools=…)`, `bind_tools` and `ToolNode`."""
        from parley.server.integrations import langgraph

        return langgraph.tools(self, name)

    def crewai_tools(self, name: str) -> list[Any]:
        """CrewAI, `Agent(tools=…)`."""
        from parley.server.integrations import crewai

        return crewai.tools(self, name)

    def crewai_backstory(self, name: str, role: str = "") -> str:
        """CrewAI, `Agent(backstory=…)`: `role` and the ledger as it is now."""
        from parley.server.integrations import crewai

        return crewai.backstory(self, name, role)

    def crewai_recorder(self, name: str) -> Callable[[Any], None]:
        """CrewAI, `Task(callback=…)`: records the output of the task."""
        from parley.server.integrations import crewai

        return crewai.recorder(self, name)

    def llama_index_block(self, name: str) -> LedgerBlock:
        """LlamaIndex, `Memory.from_defaults(memory_blocks=[…])`."""
        from parley.server.integrations import llama_index

        return llama_index.LedgerBlock.of(self, name)

    def llama_index_tools(self, name: str) -> list[Any]:
        """LlamaIndex, `FunctionAgent(tools=…)`."""
        from parley.server.integrations import llama_index

        return llama_index.tools(self, name)

    def pydantic_ai_instructions(self, name: str, role: str = "") -> Callable[[], Awaitable[str]]:
        """Pydantic AI, `Agent(instructions=…)`: `role` and the ledger."""
        from parley.server.integrations import pydantic_ai

        return pydantic_ai.instructions(self, name, role)

    def pydantic_ai_toolset(self, name: str) -> Any:
        """Pydantic AI, `Agent(toolsets=[…])`."""
        from parley.server.integrations import pydantic_ai

        return pydantic_ai.toolset(self, name)

    def pydantic_ai_recorder(self, name: str) -> Callable[[Any], Awaitable[Any]]:
        """Pydantic AI, `agent.output_validator(…)`: records the output."""
        from parley.server.integrations import pydantic_ai

        return pydantic_ai.recorder(self, name)
