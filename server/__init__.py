"""What people and clients reach: the command line, HTTP, MCP, the page; and what they share.

May import everything below it; nothing imports it. Start at `cli.command_tree`, at
`http.http_app`, or at `services`: the verbs that every one of them calls.
"""
