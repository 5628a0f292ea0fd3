"""Two agents of CrewAI that would propose the same, and do not.

    python examples/teams/crewai_team.py gpt-5-mini

The second reads in its backstory what the first proposed, and supports it.
"""

from __future__ import annotations

import sys
from typing import Any

from crewai import Agent, Crew, Task

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


def main(llm: Any) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            agent = Agent(
                role=name, goal="Agree on a design.", llm=llm,
                backstory=team.crewai_backstory(name, ROLE), tools=team.crewai_tools(name),
            )  # fmt: skip
            task = Task(
                description="It is your turn.", expected_output="What you did, in a sentence.",
                agent=agent, callback=team.crewai_recorder(name),
            )  # fmt: skip
            Crew(agents=[agent], tasks=[task]).kickoff()
        return team.ledger_now("lead")


if __name__ == "__main__":
    print(main(sys.argv[1]))
