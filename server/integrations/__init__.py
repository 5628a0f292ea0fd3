"""Adapters for frameworks of agents: a team's ledger in their prompts, and acts as their tools.

`Team` is the same for all; each framework has a module of its own, which imports it when it is
first used. Reached as `parley.integrations`.
"""
