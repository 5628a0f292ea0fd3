"""Items that a model reads out of the talk, held to what was said.

Imports `models` and `summaries`. Start at `extractor`.
"""
