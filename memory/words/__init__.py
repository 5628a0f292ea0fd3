"""Speech acts in the words of a message: by tags, votes and the patterns of a language. Pure.

What is read here knows no session: the same words are read the same everywhere.
"""
