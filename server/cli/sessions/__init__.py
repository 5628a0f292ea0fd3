"""Commands about one session: say, watch, vote, floor, goals, notes, lessons, memory … Each
parses, calls, shows.

May import cli.shared, services, queries, records, render and below.
"""
