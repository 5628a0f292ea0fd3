"""Scenarios played: on a bus, rehearsed in this process, or the bundled demonstration; shown
as they go on.

May import scenarios, records, queries, render, runtime and below. Start with `play_run`,
then `play`.
"""
