"""Where the servers of this machine listen, told beside their data for as long as they live.

Each has a file of its own there, and holds a lock on it: one that was killed is known
by a file that nobody holds.
"""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from parley.server.runtime.signing_secret import SigningKeys, key_id
from parley.server.settings import Settings

FILES: Final = "serve.*.json"


@contextmanager
def publish_address(settings: Settings, url: str, signing: SigningKeys) -> Iterator[None]:
    """Tell `url`, and which key signs there, while the body runs.

    Not where nobody else has the key; nor, which is no fault, where nothing can be written.
    """
    with ExitStack() as stack:
        if signing.source != "passing":
            with suppress(OSError):
                record = {"url": url, "kid": key_id(signing.secrets[0])}
                _write(stack, settings.data.expanduser(), record)
        yield


def read_addresses(settings: Settings, kids: Collection[str]) -> tuple[str, ...]:
    """The addresses of servers beside `data` that one of the keys signs for, in order."""
    addresses = [_read(file) for file in settings.data.expanduser().glob(FILES)]
    return tuple(sorted(url for url, kid in filter(None, addresses) if kid in kids))


def _write(stack: ExitStack, data: Path, record: dict[str, str]) -> None:
    """Under a name of its own first: where it has the name that others read, it is locked."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = data / FILES.replace("*", secrets.token_hex(4))
    own = file.with_suffix(".new")
    text_io_wrapper = stack.enter_context(own.open("w", encoding="ascii"))
    stack.callback(own.unlink, missing_ok=True)
    fcntl.flock(text_io_wrapper, fcntl.LOCK_EX)
    text_io_wrapper.write(json.dumps(record) + "\n")
    text_io_wrapper.flush()
    own.replace(file)
    stack.callback(file.unlink, missing_ok=True)


def _read(file: Path) -> tuple[str, str] | None:
    """Address and key; None of a server that is gone."""
    try:
        with file.open(encoding="ascii") as record:
            with suppress(BlockingIOError):
                fcntl.flock(record, fcntl.LOCK_SH | fcntl.LOCK_NB)
                file.unlink(missing_ok=True)
                return None
            address = json.load(record)
            return str(address["url"]), str(address["kid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
