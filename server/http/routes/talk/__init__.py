"""What changes a session or follows it live: sessions, messages, votes, floor, goals,
participants, settings, streams.

May import services, requests, subscriptions, identity and bodies. Start with
`message_routes`.
"""
