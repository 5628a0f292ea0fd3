"""`python -m parley`: the same as the command `parley`."""

from parley.server.cli.main import main

main()
