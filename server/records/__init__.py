"""Whole sessions and whole transcripts: opened, replayed, analysed, saved as files, checked
against their log.

May import queries, minutes, transcripts, runtime and below. Start with `session_file` and
`transcript_replay`.
"""
