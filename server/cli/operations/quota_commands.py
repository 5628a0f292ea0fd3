"""`parley quota …`: what the sessions of a tenant may come to, and what they have come to."""

from __future__ import annotations

from typing import Annotated

import typer

from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, startup

app = typer.Typer(
    cls=Family,
    help="Limit what sessions called TENANT.NAME come to.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="what its sessions begin with")]
_NONE = "none"


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="quota")


@app.command("set")
def set_(
    ctx: typer.Context,
    tenant: Tenant,
    sessions: Annotated[str | None, typer.Option(metavar="N", help="how many at once")] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", metavar="SIZE", help="of their entries: 500MiB")
    ] = None,
    rate: Annotated[str | None, typer.Option(metavar="N", help="entries a second")] = None,
    spend: Annotated[
        str | None, typer.Option(metavar="MICROS", help="for models in a calendar month")
    ] = None,
    json: Json = False,
) -> None:
    """Limit a tenant, or change what is given; 'none' lifts a limit. Counts what it has."""
    from parley.server.basics.byte_sizes import parse_size
    from parley.server.basics.errors import Misuse
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render.tables.tenant_table import show_tenant

    given = {"sessions": sessions, "bytes": size, "rate": rate, "spend": spend}
    if all(value is None for value in given.values()):
        raise Misuse("give what is limited: --sessions, --bytes, --rate or --spend")
    limits: dict[str, int | None] = {}
    for name, value in given.items():
        if value is None:
            continue
        if value != _NONE and name != "bytes" and not value.isdecimal():
            raise Misuse(f"--{name}: {value!r}; it takes a whole number, or 'none'")
        limits[name] = None if value == _NONE else parse_size(value)
    if limits.get("rate") == 0:
        raise Misuse("--rate: 0; it takes 1 or more, or 'none'")
    use = call_bus(startup(ctx), lambda bus: bus.tenancy.change_quota(tenant, limits))
    show_tenant(use, json)


@app.command("ls")
def list_(ctx: typer.Context, json: Json = False) -> None:
    """Tenants with a quota: what each has of what it may have."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render.tables.tenant_table import show_tenants

    show_tenants(call_bus(startup(ctx), lambda bus: bus.tenancy.list_tenants()), json)


@app.command("rm")
def remove(ctx: typer.Context, tenant: Tenant, json: Json = False) -> None:
    """Limit a tenant no longer. Its sessions stay."""
    from parley.bus.contract.quotas import Quota
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output

    call_bus(startup(ctx), lambda bus: bus.tenancy.set_quota(tenant, Quota()))
    command_output.show_done({"tenant": tenant}, f"{tenant} has no quota any more", json)
