"""One module a family of commands: thin, each parses, calls, shows."""
