"""What a server's refusal means to the caller."""

from __future__ import annotations

import pytest

from parley.bus.connection.server_errors import ReplyError, translate_errors
from parley.bus.contract.errors import Unavailable


@pytest.mark.parametrize(
    ("reply", "cure"),
    [
        ("TRYAGAIN Multiple keys request during rehashing of slot", "is moving a slot"),
        ("CLUSTERDOWN The cluster is down", "'parley doctor' says which"),
        ("CLUSTERDOWN Hash slot not served", "'parley doctor' says which"),
        ("NOREPLICAS Not enough good replicas to write.", "lower min-replicas-to-write"),
    ],
)
def test_what_passes_by_itself_is_worth_another_try(reply: str, cure: str) -> None:
    """A slot that takes longer to move than a command is sent again for, among it."""
    error = translate_errors(ReplyError(reply), "redis://one:1")
    assert isinstance(error, Unavailable)
    assert cure in str(error)
