"""Pydantic models of what requests carry and responses give, and JSON read strictly.

May import limits and patterns of `state` and `live`, nothing that does anything. Start with
`request_bodies`.
"""
