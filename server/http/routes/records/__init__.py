"""What a session remembers, as clients read it: memory, context, explanations, minutes, notes,
lessons, kept tool results.

May import queries, rows, requests, identity and bodies. Start with `memory_routes`.
"""
