"""Transcripts in general formats: JSON Lines, Markdown, captions, and message lists of models
and agent frameworks.

May import transcripts.sources and basics. Each module is one format; `json_lines` is
Parley's own.
"""
