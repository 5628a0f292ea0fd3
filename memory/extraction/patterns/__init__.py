"""Speech acts in the words of one message: by tags, votes and the patterns of a language.

Knows no session: the same words are read the same everywhere. Imports `text` and `errors`.
Start at `speech_acts`; `pattern_packs` is what a language's file may hold.
"""
