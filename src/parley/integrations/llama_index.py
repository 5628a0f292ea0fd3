"""The adapter for LlamaIndex."""

from parley.server.integrations.llama_index import LedgerBlock, tools

__all__ = ["LedgerBlock", "tools"]
