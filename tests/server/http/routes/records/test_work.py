"""Notebooks, goals, tools, rules, lessons and names over HTTP."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import anyio
import httpx2
import pytest

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug


async def test_a_notebook_is_its_owners(redis_url: str) -> None:
    """Written on the revision that was read; an operator may look into it."""
    async with doors(redis_url) as d:
        await begin(d, note={"policy": "rewrite", "agents": {"ana": {"limit": 200}}})
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
            d.client(d.operator()) as operator,
        ):
            path = f"{PATH}/notebooks/ana"
            page = (await ana.get(path)).json()
            assert (page["text"], page["base"]) == ("", 0)
            body = {"text": "The pier first.", "base": 0}
            key = {"Idempotency-Key": "n1"}
            written = await ana.put(path, json=body, headers=key)
            assert written.status_code == 201, written.text
            again = await ana.put(path, json=body, headers=key)
            assert (again.status_code, again.json()["duplicate"]) == (200, True)
            stale = await ana.put(path, json={"text": "No.", "base": 0})
            assert (stale.status_code, slug(stale)) == (409, "note-moved")
            long = await ana.put(path, json={"text": "canary" * 100, "base": written.json()["n"]})
            assert (long.status_code, slug(long), long.json()["limit"]) == (422, "too-long", 200)
            assert slug(await bo.get(path)) == "not-your-name"
            assert slug(await bo.put(path, json=body)) == "not-your-name"
            assert "The pier first." in (await operator.get(path)).json()["text"]
            rows = (await ana.get(f"{path}/history")).json()["items"]
            assert [row["text"] for row in rows] == ["The pier first."]
            for path in ("entries", "messages"):
                assert "The pier first." not in (await bo.get(f"{PATH}/{path}")).text


@pytest.mark.parametrize("name", ["ops/ana", "a?b#c%2Fd 名"])
async def test_a_notebook_is_found_by_whatever_its_owner_is_called(
    redis_url: str, name: str
) -> None:
    """A slash is part of a name, and what follows it none of the address."""
    async with doors(redis_url) as d:
        await begin(d, note={"policy": "rewrite", "agents": {name: {"limit": 200}}})
        async with d.client(d.token(name, session=NAME)) as owner:
            path = f"{PATH}/notebooks/{quote(name, safe='')}"
            written = await owner.put(path, json={"text": "The pier first.", "base": 0})
            assert written.status_code == 201, written.text
            assert (await owner.get(path)).json()["text"] == "The pier first."
            rows = (await owner.get(f"{path}/history")).json()["items"]
            assert [row["text"] for row in rows] == ["The pier first."]


async def test_a_goal_has_tasks_and_steps(redis_url: str) -> None:
    """Opened, worked on, closed; what it came to is in its row."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            goal = await ana.post(f"{PATH}/goals", json={"title": "Light the pier"})
            assert (goal.status_code, goal.json()["ref"]) == (201, "E1"), goal.text
            task = await ana.post(f"{PATH}/tasks", json={"title": "Find a lamp", "parent": "e1"})
            later = {"title": "Mount it", "parent": "E1", "after": ["E2"]}
            blocked = await ana.post(f"{PATH}/tasks", json=later)
            assert (task.json()["status"], blocked.json()["status"]) == ("ready", "blocked")
            body = {"form": "reasoning", "content": "Asked around.", "of": "E2"}
            step = await ana.post(f"{PATH}/steps", json=body)
            assert (step.status_code, step.json()["ref"]) == (201, "E2")
            done = await ana.post(f"{PATH}/tasks/E2/close", json={"result": "Found one."})
            assert (done.status_code, done.json()["status"]) == (201, "completed")
            rows = (await ana.get(f"{PATH}/goals")).json()["items"]
            assert {row["ref"]: row["status"] for row in rows}["E3"] == "ready"
            wrong = await ana.post(f"{PATH}/goals/E2/close", json={})
            assert slug(wrong) == "refused"
            over = await ana.post(f"{PATH}/steps", json={**body, "of": "E9"})
            assert (over.status_code, slug(over)) == (409, "refused")


async def test_an_episode_of_any_kind_is_opened_and_closed(redis_url: str) -> None:
    """With what is open in it; a phase by whoever has the capability."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.operator()) as operator,
        ):
            phase = {"title": "Sounding out", "kind": "phase"}
            assert slug(await ana.post(f"{PATH}/episodes", json=phase)) == "forbidden"
            opened = await operator.post(f"{PATH}/episodes", json={**phase, "as": "bo"})
            assert (opened.status_code, opened.json()["ref"]) == (201, "E1")
            inner = await ana.post(f"{PATH}/episodes", json={"title": "First", "kind": "round"})
            assert inner.json()["parent"] == "E1"
            closed = await ana.post(f"{PATH}/episodes/E2/close", json={"result": "All heard."})
            assert (closed.status_code, closed.json()["status"]) == (201, "completed")
            last = await ana.post(f"{PATH}/episodes", json={"title": "Last", "kind": "round"})
            assert slug(await ana.post(f"{PATH}/episodes/E1/close", json={})) == "forbidden"
            body = {"status": "failed", "as": "bo"}
            ended = await operator.post(f"{PATH}/episodes/E1/close", json=body)
            assert (ended.json()["ref"], ended.json()["status"]) == ("E1", "failed")
            rows = (await ana.get(f"{PATH}/goals")).json()["items"]
            assert {row["ref"]: row["status"] for row in rows}[last.json()["ref"]] == "abandoned"
            twice = await operator.post(f"{PATH}/episodes/E1/close", json={"as": "bo"})
            assert (twice.status_code, slug(twice)) == (409, "refused")
            wrong = await ana.post(f"{PATH}/episodes/E9/close", json={})
            assert slug(wrong) == "refused"


async def test_a_result_of_a_tool_is_kept_and_found(redis_url: str) -> None:
    """By tool and arguments, whatever the order of their keys; a miss is no result."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            asked = {"tool": "weather", "arguments": {"city": "Oslo", "days": 2}}
            missing = await ana.post(f"{PATH}/tools/lookup", json=asked)
            assert (missing.status_code, slug(missing)) == (404, "no-result")
            kept = {**asked, "result": "Rain.", "ttl": 5}
            key = {"Idempotency-Key": "w"}
            for status in (201, 200):
                put = await ana.post(f"{PATH}/tools/results", json=kept, headers=key)
                assert put.status_code == status, put.text
            other = {"tool": "weather", "arguments": {"days": 2, "city": "Oslo"}}
            result = (await ana.post(f"{PATH}/tools/lookup", json=other)).json()
            assert (result["result"], result["kept"]) == ("Rain.", True)
            (row,) = (await ana.get(f"{PATH}/tools")).json()["items"]
            assert (row["tool"], row["original"], row["hits"]) == ("weather", 5, 1)


async def test_a_call_is_run_by_one_caller_and_its_result_given_to_all(redis_url: str) -> None:
    """Who asks meanwhile waits for it; who will not wait runs it as well."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            path, asked = f"{PATH}/tools/calls", {"tool": "weather", "arguments": {"city": "Oslo"}}
            begun = await ana.post(path, json=asked)
            assert (begun.status_code, list(begun.json())) == (201, ["call_id"])
            impatient = await bo.post(path, json={**asked, "wait": 0})
            assert impatient.status_code == 201
            async with anyio.create_task_group() as tasks:
                answers: list[httpx2.Response] = []

                async def wait() -> None:
                    answers.append(await bo.post(path, json=asked))

                tasks.start_soon(wait)
                put = {**asked, **begun.json(), "result": "Rain."}
                assert (await ana.post(f"{PATH}/tools/results", json=put)).status_code == 201
            (given,) = answers
            assert (given.status_code, given.json()["result"]) == (200, "Rain.")
            assert slug(await bo.post(path, json={**asked, "wait": 26})) == "invalid"


async def test_a_screen_is_noted_once_for_each_content(redis_url: str) -> None:
    """With what was fetched for it; the same content again has nothing to show."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            fetched = {"tool": "list_birds", "arguments": {"month": 6}, "result": "dunlin 12"}
            screen = {"screen": "birds", "content": "The birds of June", "results": [fetched]}
            shown = (await ana.post(f"{PATH}/context", json=screen)).json()["messages"]
            assert "The birds of June" in shown[0]["content"]
            assert shown[-1]["content"] == "dunlin 12"
            assert (await ana.post(f"{PATH}/context", json=screen)).json() == {"messages": []}
            other = await ana.post(f"{PATH}/context", json={**screen, "content": "Those of July"})
            assert len(other.json()["messages"]) == len(shown)
            (row,) = (await ana.get(f"{PATH}/tools")).json()["items"]
            assert (row["tool"], row["text"]) == ("list_birds", "dunlin 12")


async def test_a_notebooks_owner_is_told_what_to_ask_its_model(redis_url: str) -> None:
    """Both texts quoted, and the revision that the answer is written on."""
    async with doors(redis_url) as d:
        await begin(d, note={"policy": "append"})
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            path = f"{PATH}/notebooks/ana"
            await ana.put(path, json={"text": "The pier first.", "base": 0})
            happened = {"content": "Bo won the round."}
            asked = (await ana.post(f"{path}/prompt", json=happened)).json()
            assert '"The pier first."' in asked["prompt"]
            assert '"Bo won the round."' in asked["prompt"]
            answer = {"text": "Bo won; the pier next.", "base": asked["base"]}
            assert (await ana.put(path, json=answer)).status_code == 201
            assert slug(await bo.post(f"{path}/prompt", json=happened)) == "not-your-name"


async def settings_of(client: httpx2.AsyncClient) -> dict[str, Any]:
    rows = (await client.get(f"{PATH}/settings")).json()["items"]
    return {row["key"]: row["value"] for row in rows}


async def test_an_operator_changes_the_rules(redis_url: str) -> None:
    """What is no setting is refused before it is on the record."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.operator()) as operator,
            d.client(d.token("ana", session=NAME)) as ana,
        ):
            body = {"settings": {"summary": {"interval": 6}}}
            assert (await operator.patch(f"{PATH}/settings", json=body)).status_code == 201
            assert (await settings_of(ana))["summary.interval"] == 6
            assert slug(await ana.patch(f"{PATH}/settings", json=body)) == "forbidden"
            for tree in ({}, {"preset": "experiment"}, {"summary": {"interval": "canary"}},
                         {"canary": 1}, {"log_level": "debug"}, {"vote": {"confirm": 1}},
                         {"note": {"agents": {"ana": {"limit": "5"}}}}):  # fmt: skip
                refused = await operator.patch(f"{PATH}/settings", json={"settings": tree})
                assert (refused.status_code, slug(refused)) == (422, "refused"), tree
                assert "canary" not in refused.text
            as_json = {"Content-Type": "application/json"}
            for text in ("1e3", "1e16", "true", '" 5 "', '"5"', "5.0"):
                sent = f'{{"settings": {{"summary": {{"interval": {text}}}}}}}'
                refused = await operator.patch(f"{PATH}/settings", content=sent, headers=as_json)
                assert (refused.status_code, slug(refused)) == (422, "refused"), text
                assert "a whole number in digits, such as 12" in refused.json()["detail"]
                assert refused.json()["field"] == "settings.summary.interval"
            assert (await operator.patch(f"{PATH}/settings", json={"repack": True})).is_success
            assert (await ana.get(f"{PATH}/settings/advice")).json() == {"items": [], "next": None}
            assert (await operator.post(f"{PATH}/compact")).status_code == 201


async def test_an_item_is_corrected_and_a_name_explained(redis_url: str) -> None:
    """A correction of what is not there is refused; an alias is told of its participant."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.operator()) as operator,
            d.client(d.token("ana", session=NAME)) as ana,
        ):
            proposal = {"content": "I propose a light at the pier.", "as": "ann"}
            await operator.post(f"{PATH}/messages", json=proposal)
            body = {"ref": "p1", "op": "topic", "value": "light"}
            assert (await ana.post(f"{PATH}/corrections", json=body)).status_code == 201
            missing = await ana.post(f"{PATH}/corrections", json={**body, "ref": "P9"})
            assert (missing.status_code, slug(missing)) == (404, "no-item")
            alias = {"alias": "ann", "participant": "ana"}
            assert (await operator.post(f"{PATH}/aliases", json=alias)).status_code == 201
            await ana.post(f"{PATH}/messages", json={"content": "It is me."})
            (row,) = (await ana.get(f"{PATH}/participants")).json()["items"]
            assert (row["name"], row["aliases"], row["messages"]) == ("ana", ["ann"], 2)
            assert 0 <= row["hue"] < 16


async def test_words_are_taken_out_for_good(redis_url: str) -> None:
    """First foreseen, then done; afterwards no door shows them, not even of the past."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as operator:
            for words in ("Hello.", "My number is canary."):
                await operator.post(f"{PATH}/messages", json={"content": words, "as": "ana"})
            assert (await operator.get(f"{PATH}/participants", params={"at": 1})).is_success
            body = {"n": 2, "reason": "private"}
            shown = await operator.post(f"{PATH}/redactions", json={**body, "preview": True})
            assert (shown.status_code, shown.json()["words"]) == (200, "My number is canary.")
            done = await operator.post(f"{PATH}/redactions", json=body)
            assert (done.status_code, done.json()["again"]) == (201, False), done.text
            for path in ("messages", "entries"):
                assert "canary" not in (await operator.get(f"{PATH}/{path}")).text
            again = await operator.post(f"{PATH}/redactions", json=body)
            assert again.json()["again"] is True


async def test_one_session_learns_from_another(redis_url: str) -> None:
    """Looked at first, then brought; learning it twice changes nothing."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        async with d.client(d.operator()) as operator:
            await operator.post("/v1/sessions", json={"session": "new"})
            for body in (
                {"content": "I propose a light at the pier.", "as": "ana"},
                {"content": "Decided.", "act": "decide", "re": "P1", "as": "ana"},
                {"content": "Yes.", "act": "ratify", "re": "D1", "as": "ana"},
            ):
                await operator.post(f"{PATH}/messages", json=body)
            taught = (await operator.get(f"{PATH}/lessons", params={"teach": True})).json()
            path = "/v1/sessions/new/lessons"
            dry = await operator.post(path, json={"from": NAME, "dry_run": True})
            assert (dry.status_code, dry.json()["items"]) == (200, taught["items"])
            brought = await operator.post(path, json={"from": NAME})
            assert (brought.status_code, brought.json()["known"]) == (201, 0)
            learnt = (await operator.get(path)).json()["items"]
            assert len(learnt) == len(taught["items"]) > 0
            twice = await operator.post(path, json={"from": NAME})
            assert twice.json()["known"] == len(learnt)
            assert slug(await operator.post(path, json={"from": "new"})) == "refused"
