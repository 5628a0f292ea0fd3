"""What a line typed into a session means: something said, an act, a ballot, a moderator's
word. Pure.

May import basics. Start with `command_parser`; a `typed_line` knows who typed it and the
memory it is about.
"""
