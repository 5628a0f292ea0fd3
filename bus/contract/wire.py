"""Entries to bytes and back. Pure.

`encode` writes canonical JSON: sorted keys, defaults left out, UTF-8. `decode`
reads with msgspec structs derived from the pydantic models (0.6 against 4.5 us
for a message of 70 characters); a test holds that both read every entry alike.
The structs are made when the first entry is read, and of the models one is loaded when
the first entry of its kind is written.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from hashlib import blake2b
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, cast, get_args, get_origin

import msgspec
import orjson

from parley.bus.entries.record import Unknown

if TYPE_CHECKING:
    from parley.bus.entries import Entry, PackRef

Fields = tuple[tuple[str, Any], ...]  # name and default of each


def encode(entry: Entry) -> bytes:
    """The canonical bytes of `entry`, `kind` and `v` included.

    `entry` may be a model or what `decode` gave. Raises `TypeError` for text that
    is not UTF-8 (lone surrogates) and for settings that are not JSON.
    """
    return orjson.dumps(_data(entry), option=orjson.OPT_SORT_KEYS)


def _data(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": entry.kind, "v": entry.v}
    fields = _FIELDS.get(entry.kind) or _read_fields(entry)
    for name, default in fields:
        value = getattr(entry, name)
        if value != default:
            data[name] = _PLAIN[name](value) if name in _PLAIN else value
    return data


def replace_fields(entry: Entry, **fields: Any) -> Entry:
    """`entry`, a model or what `decode` gave, with other values in `fields`."""
    if isinstance(entry, msgspec.Struct):
        return cast("Entry", msgspec.structs.replace(entry, **fields))
    return entry.model_copy(update=fields)


def _plain_packs(packs: tuple[PackRef, ...]) -> list[dict[str, Any]]:
    # As dictionaries their keys are sorted; orjson keeps a dataclass' own order.
    rows = ({"name": ref.name, "hash": ref.hash, "pack": ref.pack} for ref in packs)
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def _plain_rows(rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Each row's fields that are set, sorted; what has its default is left out."""
    named = ({name: getattr(row, name) for name in type(row).__slots__} for row in rows)
    return [
        {
            key: value
            for key, value in fields.items()
            if value is not None and value is not False and value != ()
        }
        for fields in named
    ]


def fingerprint(body: bytes) -> str:
    """16 hex digits that tell two payloads under one id apart."""
    return blake2b(body, digest_size=8).hexdigest()


def decode(body: bytes) -> Entry | Unknown:
    """The entry in `body`; never raises: what cannot be read is `Unknown`."""
    if (
        len(body) > _SHORT
        and body.count(b"[") + body.count(b"{") > _NESTED
        and not is_writable_json(body)
    ):
        return Unknown(_kind(body), body)
    try:
        entry = cast("Entry", _decoder()(body))
    except (msgspec.DecodeError, UnicodeDecodeError):  # the latter where it is no UTF-8
        return Unknown(_kind(body), body)
    if entry.kind in _TREES and not _is_writable(entry):
        return Unknown(_kind(body), body)
    return entry


def _is_writable(entry: Entry) -> bool:
    try:
        orjson.dumps(_within(_data(entry)))
    except TypeError:
        return False
    return True


def _within(data: Any) -> Any:
    """`data` as deep as the rows and pages may be that entries are shown in."""
    return functools.reduce(lambda inner, _: [inner], range(_AROUND), data)


def is_writable_json(body: bytes) -> bool:
    """Whether `body` is JSON that `encode` could have written, nested no deeper.

    The depth is orjson's own less what stands around an entry where it is shown, so
    that a body reads alike everywhere: msgspec's is whatever the caller's stack leaves.
    """
    try:
        orjson.dumps(_within(orjson.loads(body)))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return False
    return True


def _kind(body: bytes) -> str:
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return "?"
    kind = data.get("kind") if isinstance(data, dict) else None
    return kind if isinstance(kind, str) else "?"


def _struct(model: type[Any]) -> type[Any]:
    fields: list[Any] = []
    for name, info in model.model_fields.items():
        if name == "kind":
            continue
        annotation = _sized(info.annotation)
        if info.is_required():
            fields.append((name, annotation))
        elif info.default_factory is not None:
            fields.append((name, annotation, msgspec.field(default_factory=info.default_factory)))
        else:
            fields.append((name, annotation, info.default))
    fields.sort(key=len)
    kind = model.model_fields["kind"].default
    return msgspec.defstruct(
        model.__name__,
        fields,
        tag_field="kind",
        tag=kind,
        frozen=True,
        gc=False,
        namespace={"kind": kind},
    )


def _sized(annotation: Any) -> Any:
    """`annotation` with whole numbers of 64 bits at most: others no encoder here takes."""
    if annotation is int:
        return _INTEGER
    if get_origin(annotation) in (UnionType, Union):
        return functools.reduce(operator.or_, map(_sized, get_args(annotation)))
    if get_origin(annotation) in (tuple, dict):
        return get_origin(annotation)[tuple(map(_sized, get_args(annotation)))]
    return annotation


def _fields(model: type[Any]) -> Fields:
    """Name and default of each field but kind and v; required ones equal nothing."""
    return tuple(
        (name, _NOTHING if info.is_required() else info.get_default(call_default_factory=True))
        for name, info in model.model_fields.items()
        if name not in ("kind", "v")
    )


_SHORT: Final = 1000  # bytes that hold 500 levels at most: msgspec reads those on any stack
# whose fields may be deep, or hold numbers in parts of their own
_TREES: Final = frozenset({
    "session.opened", "settings.changed", "tool.called", "tool.returned", "items.extracted",
})  # fmt: skip
_AROUND: Final = 8  # levels of an answer, a page or a file around an entry
_NESTED: Final = 242  # brackets that surely stay above orjson's limit of 254, less those
_NOTHING = object()
_INTEGER: Final = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_PLAIN: Final[dict[str, Callable[[Any], list[dict[str, Any]]]]] = {
    "checks": _plain_rows,
    "claims": _plain_rows,
    "packs": _plain_packs,
    "refused": _plain_rows,
}
_FIELDS: Final[dict[str, Fields]] = {}  # of the kinds that were written so far


def _read_fields(entry: Entry) -> Fields:
    model: type[Any] = type(entry)
    if isinstance(entry, msgspec.Struct):
        from parley.bus.entries.kinds import KINDS

        model = KINDS[entry.kind]
    fields = _FIELDS[entry.kind] = _fields(model)
    return fields


@functools.cache
def _decoder() -> Callable[[bytes], Any]:
    from parley.bus.entries.kinds import KINDS

    structs = functools.reduce(operator.or_, (_struct(model) for model in KINDS.values()))
    return msgspec.json.Decoder(structs).decode
