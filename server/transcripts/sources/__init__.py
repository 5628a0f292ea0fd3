"""What every format of transcripts is read with: a file's bytes, text and JSON, and the
entries taken from it.

May import basics. Start with `transcript` (what reading came to) and `transcript_format`
(what a format is).
"""
