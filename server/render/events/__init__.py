"""Entries and facts of a log in words, one line each, as a live view shows them. Pure but for
`live_text`.

May import basics. Start with `fact_text`.
"""
