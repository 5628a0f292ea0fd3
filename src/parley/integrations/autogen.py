"""The adapter for AutoGen."""

from parley.server.integrations.autogen_agents import (
    LedgerContext,
    LedgerMemory,
    recorded,
    tools,
)

__all__ = ["LedgerContext", "LedgerMemory", "recorded", "tools"]
