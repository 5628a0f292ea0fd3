"""The adapter for the OpenAI Agents SDK."""

from parley.server.integrations.openai_agents import Recorder, instructions, tools

__all__ = ["Recorder", "instructions", "tools"]
