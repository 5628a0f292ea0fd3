"""What every room of the server stands on: refusals by exit code, output, files on disk,
entries as typed.

Imports nothing else of the server. Start with `errors` (what users can mend) and `output`.
"""
