"""What one server process holds for all requests: dependencies, rate limits, allowed origins,
the answer cache, metrics, health.

May import live, tokens, problems and the runtime. Start with `dependencies`.
"""
