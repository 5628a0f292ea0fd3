"""What can be asked of a session: its entries, minutes, layers, statistics, an item's story,
messages by words.

May import runtime, render, rows, settings and basics; publishes nothing. Start with
`memory_queries`.
"""
