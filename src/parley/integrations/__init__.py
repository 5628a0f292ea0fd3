"""Adapters for frameworks of agents: docs/integrations.md. `Team` is all that most need."""

from parley.server.integrations.team import Team

__all__ = ["Team"]
