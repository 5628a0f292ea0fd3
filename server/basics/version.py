"""Which Parley this is. Imports nothing heavy, so that asking is quick."""

from __future__ import annotations


def version() -> str:
    """The installed version; `0` in a checkout that was never installed."""
    from importlib import metadata

    try:
        return metadata.version("parley-deliberation")
    except metadata.PackageNotFoundError:
        return "0"
