"""What a model read out of the talk: laid over the items that the fold found, never under them.

Imports `state` and `text`. Start at `kept_claims`, which says what may stand; readers ask
`item_overlay`.
"""
