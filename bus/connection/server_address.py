"""One server of an address: where it listens, and how one logs in there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from ssl import SSLContext
from typing import Any, Final

from msgspec import Struct

from parley.bus.connection.addresses import Address, Host

_TRUE: Final = frozenset({"true", "1", "yes", "on"})


class ServerAddress(Struct, frozen=True):
    """A server at `host`, or at the socket `path` where there is one."""

    host: Host
    path: str | None = None
    username: str | None = None
    password: str | None = None
    database: int = 0
    client_name: str | None = None
    tls: SSLContext | None = None

    @property
    def login(self) -> list[tuple[str, ...]]:
        """The commands that come before all others on a connection."""
        commands: list[tuple[str, ...]] = []
        if self.password is not None or self.username is not None:
            names = (self.username,) if self.username else ()
            commands.append(("AUTH", *names, self.password or ""))
        if self.client_name:
            commands.append(("CLIENT", "SETNAME", self.client_name))
        if self.database:
            commands.append(("SELECT", str(self.database)))
        return commands


def server_at(address: Address, host: Host | None = None) -> ServerAddress:
    """The server of `address` at that host; without one the first, or the only one.

    Raises `ValueError` for options of TLS that cannot be had, and for a password that cannot
    be read.
    """
    options = address.options
    return ServerAddress(
        host=host or next(iter(address.hosts), ("", 0)),
        path=address.path,
        username=options.get("username"),
        password=read_password(options),
        database=int(options.get("db", 0)),
        client_name=options.get("client_name"),
        tls=_tls(options) if options.get("ssl") else None,
    )


def sentinel_at(address: Address, host: Host) -> ServerAddress:
    """The Sentinel of `address` at that host. Raises `ValueError` as `server_at` does."""
    options = address.sentinel_options
    return ServerAddress(
        host,
        username=options.get("username"),
        password=options.get("password"),
        tls=_tls(address.options) if address.options.get("ssl") else None,
    )


def read_password(options: Mapping[str, Any]) -> str | None:
    """What stands in the address, else the first line of `password_file`."""
    if options.get("password") or not (name := options.get("password_file")):
        return options.get("password")
    try:
        lines = Path(name).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"its password_file cannot be read: {error}") from None
    if not lines or not lines[0].strip():
        raise ValueError(f"its password_file {name!r} is empty")
    return lines[0].strip()


def _tls(options: Mapping[str, Any]) -> SSLContext:
    """As the `ssl_…` options say; without any, the server's certificate is checked."""
    import ssl

    checks = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
    wanted = options.get("ssl_cert_reqs", "required")
    if wanted not in checks:
        raise ValueError(f"ssl_cert_reqs is one of {', '.join(checks)}")
    try:
        context = ssl.create_default_context(
            cafile=options.get("ssl_ca_certs"),
            capath=options.get("ssl_ca_path"),
            cadata=options.get("ssl_ca_data"),
        )
        if certificate := options.get("ssl_certfile"):
            context.load_cert_chain(
                certificate, options.get("ssl_keyfile"), options.get("ssl_password")
            )
    except OSError as error:  # ssl.SSLError too
        raise ValueError(f"its certificates cannot be read: {error}") from None
    checks_name = options.get("ssl_check_hostname", "true").casefold() in _TRUE
    context.check_hostname = checks_name and wanted != "none"
    context.verify_mode = checks[wanted]
    return context
