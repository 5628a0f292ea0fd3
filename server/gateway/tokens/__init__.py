"""Signed tokens and tickets, and the caller that one of them tells of."""
