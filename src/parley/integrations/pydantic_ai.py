"""The adapter for Pydantic AI."""

from parley.server.integrations.pydantic_ai import instructions, recorder, toolset

__all__ = ["instructions", "recorder", "toolset"]
