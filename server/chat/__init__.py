"""A person in a session at a terminal: what is typed is said, what is said is shown.

May import chat_commands, render, runtime and below. Start with `guest`.
"""
