"""`python -m server`: the same as the command `parley`."""

from server.cli import main

main()
