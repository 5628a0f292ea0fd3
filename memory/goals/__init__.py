"""Goals, tasks and the stretches of a session: what was done, what it taught, what is let go of.

Imports `state`, `items`, `notebooks`, `exchanges`, `summaries`, `text`. Start at `episodes`,
then `work`; `eviction` holds `limits.session`.
"""
