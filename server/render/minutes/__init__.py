"""The minutes as sections of lines, and those as text, Markdown and HTML. Pure.

May import render and basics. Start with `minutes_sections` (what is said), then
`minutes_forms` (in which form).
"""
