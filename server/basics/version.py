"""Which Parley this is. Imports nothing heavy, so that asking is quick."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """The installed version; `0` in a checkout that was never installed."""
    try:
        return metadata.version("parley-deliberation")
    except metadata.PackageNotFoundError:
        return "0"
