"""What publishers and the bus agree on besides the entries: ids, bytes, keys and refusals.

Pure, but for nothing: no I/O. Imports `entries` alone. Start at `drafts`, then `errors`.
"""
