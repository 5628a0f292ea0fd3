"""What model calls cost a session: prices, and accounts that reserve before and settle after.

Imports `models` and `cache`. Start at `accounts`.
"""
