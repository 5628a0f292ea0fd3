"""Calls of tools: looked up before they run, run once, kept in the log; and an assistant on them.

Imports `cache`. Start at `toolbox`.
"""
