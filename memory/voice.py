"""The name under which the server itself speaks."""

from typing import Final

VOICE: Final = "parley"  # takes no seat, and stands nowhere
