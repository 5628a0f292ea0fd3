"""The adapter for LangGraph and LangChain."""

from parley.server.integrations.langgraph import TalkMessages, node, tools

__all__ = ["TalkMessages", "node", "tools"]
