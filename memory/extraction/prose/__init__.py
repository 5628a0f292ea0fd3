"""What prose does: whether a message proposes, what, and whether it rules. Learned.

word classes ──► unit_signs ──► prose_scores ──► memory.writing
(prose_tables)   what a unit    does it propose,  the ledger
                 shows          does it rule?

Everything is a sum of weights of signs, in whole numbers, fitted on recorded talk by
`benchmarks.fit_prose` and shipped as data (`english.json`): the same on every machine. Reads one
message and knows no session. Imports `extraction.writing`.
"""
