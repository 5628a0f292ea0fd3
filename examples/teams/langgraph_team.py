"""Two nodes of LangGraph that would propose the same, and do not.

    python examples/teams/langgraph_team.py openai:gpt-5-mini

The second reads before its messages what the first proposed, and supports it.
"""

from __future__ import annotations

import sys
from typing import Any

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


def main(model: Any) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            tools = team.langchain_tools(name)
            bound = model.bind_tools(tools)

            def node(state: dict[str, Any], bound: Any = bound) -> dict[str, Any]:
                return {"messages": [bound.invoke(state["messages"])]}

            graph = StateGraph(MessagesState)
            graph.add_node(name, team.langgraph_node(name, node))
            graph.add_node("tools", ToolNode(tools))
            graph.add_edge(START, name)
            graph.add_conditional_edges(name, tools_condition)
            graph.add_edge("tools", name)
            graph.compile().invoke({"messages": [("system", ROLE), ("user", "Your turn.")]})
        return team.ledger_now("lead")


if __name__ == "__main__":
    from langchain.chat_models import init_chat_model

    print(main(init_chat_model(sys.argv[1])))
