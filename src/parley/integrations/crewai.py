"""The adapter for CrewAI."""

from parley.server.integrations.crewai import backstory, recorder, tools

__all__ = ["backstory", "recorder", "tools"]
