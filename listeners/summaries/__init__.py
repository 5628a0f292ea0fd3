"""Many messages in few words: extracts without a model, summaries and short forms with one.

Imports `models`. Start at `extracts`, then `model_summaries`.
"""
