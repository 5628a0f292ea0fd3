"""Rows in words for a terminal: one module a thing, and what each command shows. Nothing is
decided here.

May import rows, settings and basics. Start with `command_output`.
"""
