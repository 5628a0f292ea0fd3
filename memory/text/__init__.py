"""Text as memory handles it: folded, clipped, measured, compared, and escaped for a reader.

Knows no session; imports no other room. Start at `plain_text`; `similarity` says when two
ideas are one, `markdown_blocks` what each line of a message is.
"""
