"""What the minutes add to the rows of a session: who moved, what is to do, what is still
asked. Pure.

May import its rooms `course` (what the talk was about) and `words` (whose, and whom they mean),
rows, render.minutes (for the sections that it numbers) and basics. Start with `minutes_report`.
"""
