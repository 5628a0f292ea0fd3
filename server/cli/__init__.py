"""The command `parley`. May import everything; nothing imports it.

Start with `command_tree`: `sessions` has commands about one session, `operations` those
about files and processes.
"""
