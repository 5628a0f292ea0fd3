"""Each participant's notebook: a revision, and the lines of the shared history since.

Imports `state`, `settings`, `text`. Start at `notebooks`; `reflections` says when a rewrite is
called for.
"""
