"""Sessions as wholes: listed, removed, restored, exported as stored, redacted.

Imports `log` and below. Start at `sessions`.
"""
