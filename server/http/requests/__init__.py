"""What routes of several resources do alike: publish messages, read memory now or in the past,
open sessions, run scenarios.

May import services, queries, identity, bodies and state, never routes. Start with
`message_requests` and `memory_reads`.
"""
