"""A session as a process takes part in it, and the door for programs of others."""
