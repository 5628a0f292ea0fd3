"""Transcripts as platforms export them: Slack, GitHub, IRC, mail.

May import transcripts.formats, transcripts.sources and basics. Each platform is one module
and its helpers.
"""
