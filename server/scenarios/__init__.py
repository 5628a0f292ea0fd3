"""Whole deliberations written down before they begin: read, cast, and bounded in what they may
cost.

May import runtime, settings and basics; plays nothing. Start with `scenario` (the format)
and `cast`.
"""
