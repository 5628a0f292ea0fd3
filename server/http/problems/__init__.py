"""Refusals as problem details (RFC 9457): the slugs, the exceptions that become them,
responses that echo nothing sent.

May import basics alone. Start with `problem_types` for the list, `problem_details` for the
exception.
"""
