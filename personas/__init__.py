"""Who takes part: persona files, what other tools' agent files become, and the bundled cast.

Reads files at start-up and does nothing else; imports of Parley only names and limits of
`bus.entries`. Start at `persona_file` (the format), then `library` (who there is).
"""
