"""Commands about files, plays, servers and processes: analyze, run, minutes, serve, worker,
status …

May import cli.shared and everything below cli.
"""
