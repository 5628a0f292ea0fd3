"""One connection to a Redis: whole replies, refusals, and its end."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Final

import anyio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from parley.bus import Bus
from parley.bus.connection.addresses import parse_address
from parley.bus.connection.server_address import server_at
from parley.bus.connection.server_connection import ServerConnection, pack_commands
from parley.bus.connection.server_errors import ConnectionLost, LoginRefused, ReplyError
from parley.bus.contract.errors import Unavailable
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import everything, talk

LARGE: Final = 8 << 20  # bytes: more than any buffer between here and there


@asynccontextmanager
async def connection(url: str) -> AsyncIterator[ServerConnection]:
    opened = await ServerConnection.open(server_at(parse_address(url)))
    try:
        yield opened
    finally:
        opened.disconnect()


async def test_replies_come_in_order_and_a_refusal_is_one_of_them(redis_url: str) -> None:
    """Whoever sent several commands has an answer to each."""
    async with connection(redis_url) as to:
        commands = [("ECHO", "a"), ("NO-SUCH",), ("HMGET", "none", "f"), ("EXISTS", "none")]
        first, refused, *rest = await to.exchange(pack_commands(commands), len(commands))
        assert first == b"a"
        assert isinstance(refused, ReplyError)
        assert "unknown command" in str(refused)
        assert rest == [[None], 0]


async def test_large_arguments_and_replies_are_whole(redis_url: str) -> None:
    """However many pieces they travel in, and however slowly either side reads."""
    text = "x" * LARGE
    async with connection(redis_url) as to:
        (reply,) = await to.exchange(pack_commands([("ECHO", text)]), 1)
        assert reply == text.encode()


async def test_a_login_is_made_before_all_else(redis_server: RedisServer) -> None:
    """The name of the client and the database too."""
    with redis_server.client() as raw:
        raw.acl_setuser("ana", enabled=True, passwords=["+p/w"], keys=["*"], commands=["+@all"])
    url = f"unix://ana:p%2Fw@{redis_server.socket}?db=3&client_name=me"
    async with connection(url) as to:
        commands = [("ACL", "WHOAMI"), ("CLIENT", "GETNAME"), ("SET", "k", "v")]
        assert await to.exchange(pack_commands(commands), 3) == [b"ana", b"me", b"OK"]
    with redis_server.client() as raw:
        (database,) = raw.info("keyspace").items()
        assert database[0] == "db3"
        assert database[1]["keys"] == 1
    with pytest.raises(LoginRefused, match="WRONGPASS"):
        await ServerConnection.open(
            server_at(parse_address(f"unix://ana:no@{redis_server.socket}"))
        )


async def test_who_waits_hears_that_it_was_lost(redis_server: RedisServer) -> None:
    """At once, and whoever asks later."""
    async with connection(redis_server.url) as to:
        await to.send(pack_commands([("SUBSCRIBE", "c")]))
        assert await to.receive() == [b"subscribe", b"c", 1]
        with redis_server.client() as raw:
            raw.client_kill_filter(_type="pubsub")
        with anyio.fail_after(60), pytest.raises(ConnectionLost):
            await to.receive()
        with pytest.raises(ConnectionLost):
            await to.send(pack_commands([("PING",)]))


async def test_who_gives_up_waiting_for_a_message_misses_none(
    redis_url: str, any_server: RedisServer
) -> None:
    """A wait with a limit is no end of the subscription."""
    async with connection(redis_url) as to:
        await to.send(pack_commands([("SUBSCRIBE", "c")]))
        await to.receive()
        with anyio.move_on_after(0):
            await to.receive()
        with any_server.client() as raw:
            raw.publish("c", "hello")
        with anyio.fail_after(60):
            assert await to.receive() == [b"message", b"c", b"hello"]


async def test_what_is_no_redis_is_told_as_such(tmp_path: Path) -> None:
    """A web server at the address, say."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    web = await asyncio.start_unix_server(answer, tmp_path / "s")
    async with web, connection(f"unix://{tmp_path}/s") as to:
        with pytest.raises(ConnectionLost, match="Protocol error"):
            await to.exchange(pack_commands([("PING",)]), 1)


async def test_a_bus_speaks_tls_to_who_has_the_right_certificate(
    redis_url: str, any_server: RedisServer, tmp_path: Path
) -> None:
    """And to nobody else."""
    authority = tmp_path / "ca.pem"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*_certificate(tmp_path, authority))

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if redis_url.startswith("unix:"):
            back, forth = await asyncio.open_unix_connection(str(any_server.socket))
        else:
            back, forth = await asyncio.open_connection(*server_at(parse_address(redis_url)).host)
        async with asyncio.TaskGroup() as both:
            both.create_task(_copy(reader, forth))
            both.create_task(_copy(back, writer))

    server = await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context)
    async with server:
        place = f"rediss://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
        async with await Bus.connect(f"{place}?ssl_ca_certs={authority}") as bus:
            await talk(bus, "a", 3)
            assert len(await everything(bus, "a")) == 4
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await Bus.connect(place)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def _certificate(folder: Path, authority: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that vouches for itself, and its key; also in `authority`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    for file in (chain, authority):
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return chain, secret
