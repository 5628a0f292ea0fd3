"""What a reader is told within a budget of tokens: contexts, and an assistant's chat messages.

Reads memory, changes nothing. Imports every room below but `floor`. Start at `context`; the
part that providers may cache is `prefix`, the part that moves is `tail`.
"""
