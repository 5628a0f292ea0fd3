"""Whose words a message is, whom a name means, and which words of a sentence are about something.
Pure.

May import memory and bus entries alone. Start with `attribution`.
"""
