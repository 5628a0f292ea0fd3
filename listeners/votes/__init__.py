"""How votes end, who publishes the result, and what words take a side.

Imports `cache`, `rooms` and how `models` splits sentences. Start at `vote_results`.
"""
