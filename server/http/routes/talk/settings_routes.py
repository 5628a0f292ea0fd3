"""A session's settings, corrections, compaction, redaction."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from fastapi import APIRouter, Response

from parley.bus.contract.drafts import validate_entry
from parley.bus.entries import ItemCorrected
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.bodies.request_bodies import CorrectionBody, RedactionBody, SettingsBody
from parley.server.http.bodies.session_responses import Page, PreviewRow, ReceiptRow, RedactedRow
from parley.server.http.bodies.work_responses import AdviceRow, SettingRow
from parley.server.http.identity.authorization import Operator, Reader, Speaker
from parley.server.http.identity.token_grants import check_correction
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import (
    IdempotencyKey,
    entry_id,
    json_response,
    receipt_response,
)
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.runtime.packs import read_packs
from parley.server.services import redaction, session_settings, settings_advice
from parley.server.services.corrections import correct_item as corrected
from parley.server.services.publication import publish_entry
from parley.server.settings import SETTINGS, setting_inventory

router = APIRouter(tags=["rules"])

_TOLD: Final[dict[int | str, dict[str, Any]]] = {
    **problem_responses(
        "no-session", "no-item", "closed", "conflict", "not-your-name", "refused", "busy"
    ),
    200: {"model": ReceiptRow, "description": "It stood there before"},
    201: {"model": ReceiptRow},
}


@router.post("/v1/sessions/{session}/corrections", status_code=201, responses=_TOLD)
async def correct_item(
    session: SessionId,
    body: CorrectionBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:
    """Strike or re-title an item: a person any, an agent its own; it outranks every rule.

    To merge two, or to say whose one is, is for an operator or a chair.
    """
    by = caller.resolve_speaker(body.as_)
    value = normalize_handle(body.value) if body.op == "merge" and body.value else body.value
    entry = validate_entry(
        ItemCorrected, ref=normalize_handle(body.ref), by=by, op=body.op, value=value
    )
    check_correction(await deps.backend.reader.current(session), caller, by, entry)
    own = entry_id(by, key)
    receipt = await corrected(deps.backend, session, entry, own)
    deps.channels.nudge(session)
    return receipt_response(receipt, own)


@router.get(
    "/v1/sessions/{session}/settings",
    response_model=Page[SettingRow],
    responses=problem_responses("no-session", "not-yet"),
)
async def list_settings(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """Every setting of the session: what it is, what it would be, who said so, what it is about."""
    memory = await read_memory(deps, session, at)
    return {
        "items": [_setting(row) for row in setting_inventory.list_session_settings(memory.settings)]
    }


def _setting(row: setting_inventory.Row) -> dict[str, Any]:
    return {**asdict(row), "about": SETTINGS[row.key].description}


@router.get(
    "/v1/sessions/{session}/settings/advice",
    response_model=Page[AdviceRow],
    responses=problem_responses("no-session"),
)
async def list_advice(session: SessionId, caller: Reader, deps: DependenciesOf) -> Any:
    """What the session's own use suggests."""
    _, advice = await settings_advice.suggest_settings(deps.backend, session)
    return {"items": [settings_advice.advice_row(change) for change in advice]}


@router.patch("/v1/sessions/{session}/settings", status_code=201, responses=_TOLD)
async def change_settings(
    session: SessionId,
    body: SettingsBody,
    caller: Operator,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:
    """Put a partial tree of settings in force, from here on."""
    packs = read_packs(deps.settings.packs).opening if body.repack else None
    entry = session_settings.draft_change_of_tree(dict(body.settings), caller.name, packs)
    own = entry_id(caller.name, key)
    receipt = await publish_entry(deps.backend.bus, session, entry, own)
    deps.channels.nudge(session)
    return receipt_response(receipt, own)


@router.post("/v1/sessions/{session}/compact", status_code=201, responses=_TOLD)
async def compact_memory(
    session: SessionId, caller: Operator, deps: DependenciesOf, key: IdempotencyKey = None
) -> Response:
    """Shrink memory to its caps' targets."""
    own = entry_id(caller.name, key)
    entry = session_settings.draft_compaction(caller.name)
    receipt = await publish_entry(deps.backend.bus, session, entry, own)
    deps.channels.nudge(session)
    return receipt_response(receipt, own)


@router.post(
    "/v1/sessions/{session}/redactions",
    status_code=201,
    responses={
        **problem_responses("no-session", "refused", "conflict"),
        200: {"model": PreviewRow, "description": "What would go"},
        201: {"model": RedactedRow},
    },
)
async def redact_entry(
    session: SessionId, body: RedactionBody, caller: Operator, deps: DependenciesOf
) -> Response:
    """Take an entry's words out of the session for good; with `preview` only say what goes."""
    if body.preview:
        preview = await redaction.preview_redaction(deps.backend, session, body.n, body.renumber)
        return json_response(asdict(preview))
    done = await redaction.redact_entry(
        deps.backend, session, body.n, reason=body.reason, by=caller.name, renumber=body.renumber
    )
    deps.moments.forget(session)
    deps.channels.nudge(session)
    return json_response(done, 201)
