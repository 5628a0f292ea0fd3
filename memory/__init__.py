"""What a session has come to: a pure fold over its log, what it is owed, what a reader is told.

Imports `bus.entries` alone of the bus, and does no I/O. Start at `fold.apply`, `state.memory`
and `context.context`; the rooms, lowest first: text, settings, extraction, state, items and
their neighbours, fold.
"""
