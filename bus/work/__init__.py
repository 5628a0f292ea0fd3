"""Work that falls due: who takes it, how it is committed, snapshots, and who is alive.

Imports `log` and below. Start at `lanes`.
"""
