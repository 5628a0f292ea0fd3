"""Scenarios played for callers: as many as may be, each for as long as its session is there."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, slug
from tests.support.processes.running import is_running
from tests.support.servers.patience import wait_until


async def test_no_more_scenarios_are_played_than_are_allowed(redis_url: str) -> None:
    """And none that is not bundled, nor in a session that is closed or not there."""
    async with doors(redis_url, runs=0) as d, d.client(d.operator()) as client:
        rows = (await client.get("/v1/scenarios")).json()["items"]
        body = {"scenario": next(row["scenario"] for row in rows if row["scripted"])}
        path = f"/v1/sessions/{NAME}/run"
        assert slug(await client.post(path, json=body)) == "no-session"
        opened = await client.post("/v1/sessions", json={"session": NAME, **body})
        assert opened.json()["participants"]
        many = await client.post(path, json=body)
        assert (many.status_code, slug(many)) == (429, "busy")
        assert int(many.headers["retry-after"]) > 0
        played = {"session": "played", "run": "script", **body}
        for _ in range(2):  # whoever tries again as told finds no half of the first try
            assert slug(await client.post("/v1/sessions", json=played)) == "busy"
        unknown = await client.post(path, json={"scenario": "./canary.yaml"})
        assert (slug(unknown), unknown.json()["field"]) == ("invalid", "scenario")
        titled = {"session": "x", "title": "Mine", "run": "script", **body}
        assert slug(await client.post("/v1/sessions", json=titled)) == "refused"
        await client.post(f"/v1/sessions/{NAME}/close")
        assert slug(await client.post(path, json=body)) == "closed"


async def test_a_play_that_cannot_begin_is_told_of_and_takes_no_place(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the log of the server: whoever asked has their answer by then."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with doors(redis_url, runs=1) as d, d.client(d.operator()) as client:
        rows = (await client.get("/v1/scenarios")).json()["items"]
        body = {"scenario": next(row["scenario"] for row in rows if row["scripted"])}
        await client.post("/v1/sessions", json={"session": NAME, **body})
        with capture_logs() as logged:
            for times in (1, 2):
                begun = await client.post(f"/v1/sessions/{NAME}/run", json=body)
                assert begun.is_success, begun.text
                await wait_until(partial(_have_failed, logged, times))
    assert {line["session"] for line in _failed(logged)} == {NAME}


def _have_failed(logged: list[MutableMapping[str, Any]], times: int) -> bool:
    return len(_failed(logged)) == times


def _failed(logged: list[MutableMapping[str, Any]]) -> list[MutableMapping[str, Any]]:
    return [line for line in logged if line["event"] == "run_failed"]


def _endless_player(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let plays be a program that never ends; the file in which each leaves its pid."""
    player, plays = folder / "player", folder / "plays"
    player.write_text(f"#!/bin/sh\necho $$ >> {plays}\nexec sleep 600\n")
    player.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(player))
    return plays


async def _scripted_play(client: httpx2.AsyncClient) -> dict[str, str]:
    """What asks for a session that plays a script."""
    rows = (await client.get("/v1/scenarios")).json()["items"]
    scenario = next(row["scenario"] for row in rows if row["scripted"])
    return {"session": NAME, "scenario": scenario, "run": "script"}


async def test_a_play_ends_with_its_session(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Removed or replaced: it would go on in another talk of that name, and spend for it."""
    plays = _endless_player(tmp_path, monkeypatch)
    async with doors(redis_url, runs=1) as d, d.client(d.operator()) as client:
        body = await _scripted_play(client)
        path = f"/v1/sessions/{NAME}"
        for played in (1, 2):
            begun = await client.post("/v1/sessions", json=body)
            assert begun.status_code == 201, begun.text
            await wait_until(lambda played=played: len(_pids(plays)) == played)
            if played == 1:
                assert (await client.delete(path)).status_code == 204
                assert not is_running(_pids(plays)[0])
        file = (await client.get(f"{path}/export")).content
        refused = await client.put(f"{path}/import?replace=true", content=file[:-9])
        assert (slug(refused), is_running(_pids(plays)[1])) == ("bad-file", True)
        assert (await client.put(f"{path}/import?replace=true", content=file)).status_code == 201
        assert not is_running(_pids(plays)[1])


async def test_a_play_ends_with_its_server(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is asked to leave, and is over before the server is."""
    plays = _endless_player(tmp_path, monkeypatch)
    async with doors(redis_url, runs=1) as d, d.client(d.operator()) as client:
        body = await _scripted_play(client)
        assert (await client.post("/v1/sessions", json=body)).status_code == 201
        await wait_until(lambda: len(_pids(plays)) == 1)
        assert is_running(_pids(plays)[0])
    assert not is_running(_pids(plays)[0])


def _pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.mark.long
async def test_a_scenario_is_opened_and_its_script_played(redis_url: str) -> None:
    """In a process of its own, to its end."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        body = await _scripted_play(client)
        assert (await client.post("/v1/sessions", json=body)).status_code == 201

        async def over() -> bool:
            return bool((await client.get(f"/v1/sessions/{NAME}")).json()["status"] == "closed")

        await wait_until(over)
