"""One JSON shape a thing: decision, proposal, vote, goal, floor, kept result … as every door
gives it. Pure.

Imports nothing else of the server. Start with `item_rows` (decisions, proposals,
positions) and `vote_rows`.
"""
