"""Who calls: how it is shown, what a route needs of it, and what it may do in a session."""
