"""The garbage collector of a command: at rest while it is put together, as usual once it serves.

What a command imports stays for good; to look through it again and again took a fifth of the
processor time of a short one.
"""

from __future__ import annotations

import gc


def rest_collector() -> None:
    """No collections from now on, until `wake_collector`."""
    gc.disable()


def wake_collector() -> None:
    """Collections as usual, of what was made since `rest_collector`: all before it stays.

    Does nothing where it does not rest.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
