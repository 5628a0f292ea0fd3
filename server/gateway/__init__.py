"""The doors: HTTP, server-sent events and WebSocket over the bus, for whoever holds a token.

A request passes `transport`, shows who it is (`identity`, by `tokens`), and comes to one of the
`routes`, which take and answer `shapes` or refuse by `problems`. What all of them share is in
`doors`: among it the rooms of this process and their streams (`live`), which `subscriptions`
tell to clients. `app` puts them together; `documents` describe them.
"""
