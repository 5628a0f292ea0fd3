"""The adapter for AutoGen."""

from parley.server.integrations.autogen_agents import LedgerMemory, recorded, tools

__all__ = ["LedgerMemory", "recorded", "tools"]
