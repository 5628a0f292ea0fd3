"""The ledger as every door shows it: the fold's items with a model's reading laid over them.

Imports `extraction`, `state`. Start at `ledger_view`; `rulings` says whose word settles a
proposal. `memory/extraction/structure/shelves.py` says which items are sure enough to be shown.
"""
