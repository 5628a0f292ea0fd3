"""What a session says to a person at a terminal, line by line."""
