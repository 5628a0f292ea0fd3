"""The adapter for LangGraph and LangChain."""

from parley.server.integrations.langgraph import node, tools

__all__ = ["node", "tools"]
