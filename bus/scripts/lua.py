"""The Lua scripts: every change of the log and its lanes is one of them.

Each file says its keys, arguments and replies; docs/wire.md collects them. Its line
`--#keys` has the type of each key, the last one that of all that follow: `any` is not
looked at, `?` marks a cache, and `appending` is the six of `SessionKeys.appending`. A
line `--#include name` pulls in `name.lua`. A line ending in `-- fence: name` is
a rule that may be switched off by name, so that a test can show what goes wrong
without it.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

_INCLUDE: Final = re.compile(r"^--#include (\w+)\n", re.MULTILINE)
_KEYS: Final = re.compile(r"^--#keys (.+)\n", re.MULTILINE)
_APPENDING: Final = "stream hash hash zset hash? zset"
_FENCE: Final = re.compile(r"^.*-- fence: (\w+).*$", re.MULTILINE)

NAMES: Final = (
    "publish", "open", "take", "commit", "finish", "renew", "yield", "drop",
    "set_aside", "repair", "beat", "stage", "remove", "restore", "redact", "mark", "charge",
    "shed", "index",
)  # fmt: skip


class Script(Struct, frozen=True):
    """One script as Redis knows it."""

    name: str
    text: str
    sha: str


class Scripts:
    """All scripts, with the lines of `overrides` put in the place of fences.

    A key of `overrides` is `<script>.<fence>` (`commit.identity`), its value the
    Lua line that stands there instead; an empty one removes the rule. Raises
    `ValueError` for a fence that no script has, so that a test cannot pass
    because it switched off nothing.
    """

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        texts = {name: _text(name) for name in NAMES}
        for key, line in (overrides or {}).items():
            name, _, fence = key.partition(".")
            if fence not in fences(name):
                raise ValueError(f"no script has the fence {key!r}")
            texts[name] = _replaced(texts[name], fence, line)
        self._scripts = {
            name: Script(name, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
            for name, text in texts.items()
        }

        whole = " ".join(script.sha for script in self._scripts.values())
        self.digest = hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest()[:12]

    def __getitem__(self, name: str) -> Script:
        return self._scripts[name]


def fences(name: str) -> frozenset[str]:
    """The rules of script `name` that may be switched off."""
    return frozenset(_FENCE.findall(_text(name))) if name in NAMES else frozenset()


@functools.cache
def key_types(name: str) -> tuple[str, ...]:
    """What script `name` declares of each of its keys: `stream`, `hash?` of a cache, `any`."""
    declared = _KEYS.search(Path(__file__).with_name(f"{name}.lua").read_text("utf-8"))
    return tuple(_kinds(declared[1])) if declared else ()


def _kinds(words: str) -> list[str]:
    return words.replace("appending", _APPENDING).split()


def _replaced(text: str, fence: str, line: str) -> str:
    return _FENCE.sub(lambda match: line if match[1] == fence else match[0], text)


@functools.cache
def _text(name: str) -> str:
    text = Path(__file__).with_name(f"{name}.lua").read_text("utf-8")
    return _INCLUDE.sub(lambda match: _text(match[1]), _KEYS.sub(_typed, text))


def _typed(match: re.Match[str]) -> str:
    """The tables of what the keys hold, and `keys.lua`, which looks at them."""
    kinds = _kinds(match[1])
    types = ", ".join(f"'{kind.rstrip('?')}'" for kind in kinds)
    caches = ", ".join(str(kind.endswith("?")).lower() for kind in kinds)
    return f"local TYPES, CACHES = {{{types}}}, {{{caches}}}\n{_text('keys')}"
