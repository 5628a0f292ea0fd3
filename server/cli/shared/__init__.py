"""What several commands share: options, settings as flags, help pages, words from standard input.

May import settings and basics.
"""
