"""What is live in this process: rooms and who sits in them, their streams, each client's queue."""
