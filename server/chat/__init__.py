"""A person in a session: what is typed, what it comes to, what is shown beside the talk."""
