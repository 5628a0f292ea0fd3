"""One verb a use case, called by every door: publish, vote, correct, moderate, open goals,
keep notes and results.

May import records, queries, chat_commands, runtime and below; never a door. Start with
`publication` and `votes`.
"""
