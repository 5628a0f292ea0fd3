"""What is wrong with a Redis, looked at without writing to it: what `parley doctor` asks of one.

Imports `connection` and below. Start at `node_faults`; `node_reports` is what it goes by.
"""
