"""Questions with their answers, reusable results of tools, and models' shorter forms of both.

Imports `state`, `text`. Start at `exchanges`, then `tool_cache` and `short_forms`.
"""
