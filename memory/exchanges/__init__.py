"""Questions with their answers, and results of tools that may be served again.

Imports `state`, `summaries`, `text`. Start at `exchanges`, then `tool_cache`.
"""
