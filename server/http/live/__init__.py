"""Sessions as this process follows them: a channel of frames each, a bounded queue per client,
seats, the limit on streams.

May import tokens, problems and listeners. Start with `session_channels`, then
`client_queue`.
"""
