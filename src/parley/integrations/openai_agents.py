"""The adapter for the OpenAI Agents SDK."""

from parley.server.integrations.openai_agents import Recorder, TalkSession, instructions, tools

__all__ = ["Recorder", "TalkSession", "instructions", "tools"]
