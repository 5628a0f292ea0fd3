"""Pydantic models of what requests carry and responses give, and JSON read strictly.

May import the limits in `state.dependencies`, nothing that does anything. Start with
`request_bodies`.
"""
