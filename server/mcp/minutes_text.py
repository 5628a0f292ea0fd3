"""The minutes of a session as Markdown."""

from __future__ import annotations

from server.gateway.doors import Doors
from server.mcp import asking, telling
from server.mcp.rows import cited_in, memory_tree, with_quotes
from server.mcp.tool_results import Memory


async def minutes_markdown(doors: Doors, session: str) -> str:
    """What was decided, what is open, who stands where, with the messages that say so."""
    tree = memory_tree(await asking.memory_at(doors, session, None), "all")
    said = await doors.moments.records(session, cited_in(tree))
    return "# Minutes\n\n" + telling.memory(Memory.model_validate(with_quotes(tree, said)))
