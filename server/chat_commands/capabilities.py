"""What somebody may do in a session: the rights asked for, and whether an act is allowed."""

from __future__ import annotations

from collections.abc import Sequence

from parley.bus.entries import ACTS
from parley.memory.floor.seats import is_allowed
from parley.memory.state.memory import Memory
from parley.personas.persona_file import CAPABILITIES
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.spelling import nearest


def check_allowed(memory: Memory, name: str, needs: str) -> None:
    """Raises `Failure` where `name` lacks the capability `needs`; "" is everybody's."""
    if needs and not is_allowed(memory, name, needs):
        raise Failure(
            f"{name!r} may not: it takes the capability {needs!r}, which the chairs have, and "
            f"whoever joined with it ('parley join … --may {needs}')"
        )


def parse_rights(may: Sequence[str] | None) -> tuple[str, ...] | None:
    """What a seat may, as it was asked for: with no act among it, every act as well.

    None asks for nothing in particular. Raises `Misuse` for what is neither an
    act nor a capability.
    """
    if not may:
        return None
    for right in may:
        if right not in ACTS and right not in CAPABILITIES:
            near = nearest(right, [*CAPABILITIES, *ACTS])
            raise Misuse(f"--may {right}: no act or capability; the nearest is {near!r}")
    acts = () if any(right in ACTS for right in may) else ACTS
    return tuple(dict.fromkeys((*acts, *may)))
