"""Signed bearer tokens and one-time tickets, and the caller that a verified one stands for.

May import problems and the runtime's signing secret. Start with `bearer_tokens`.
"""
