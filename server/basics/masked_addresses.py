"""Addresses as anybody may see them."""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "******"
_CREDENTIALS: Final = re.compile(r"(?:(https?://)\S*|(://[^/:@\s]*:)[^/\s]*)@")


def hide_credentials(text: str) -> str:
    """`text` with the passwords of its addresses masked.

    Of web addresses, whose name may be a token, all that stands before the host.
    """
    return _CREDENTIALS.sub(lambda match: f"{match[1] or match[2]}{MASK}@", text)
