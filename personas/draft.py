"""A persona made of the keys of another tool, with a report on each key. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import FrontMatter
from parley.personas.persona import Persona
from parley.personas.persona_file import (
    MAX_DESCRIPTION,
    MAX_DISPLAY,
    MAX_INTEREST,
    MAX_INTERESTS,
    MODEL,
    SIZES,
    persona_of,
)

Fate = Literal["mapped", "kept", "dropped", "missing"]

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_PLACEHOLDER: Final = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")
_OURS: Final = frozenset({"name", "description", "model", "parley"})
_WHY: Final = {  # of keys that people will look for
    "allow_delegation": "nobody delegates here: agents address each other by name",
    "tools": "agents of a session call no tools of their own",
    "max_iter": "turns are limited by parley.budget.turns",
    "max_rpm": "spending is limited by parley.budget",
    "max_tokens": "tokens are limited by parley.budget.tokens",
    "memory": "memory is the session's",
    "cache": "results of tools are the session's",
    "temperature": "the setting model_temperature is for all",
}


@dataclass(frozen=True, slots=True)
class KeyReport:
    """What became of one key: `note` says where it went, or why not."""

    persona: str
    key: str
    fate: Fate
    note: str


class PersonaDraft:
    """Takes the keys of `tree` one by one; what nobody took is kept as a key of others."""

    def __init__(self, name: str, tree: Mapping[str, Any], source: str) -> None:
        self.name, self.source = name, source
        self.ours: dict[str, Any] = {}
        self._head: dict[str, Any] = {"name": name}
        self._rest = dict(tree)
        self.rows: list[KeyReport] = []

    def note(self, key: str, fate: Fate, note: str) -> None:
        self.rows.append(KeyReport(self.name, key, fate, note))

    def has(self, key: str) -> bool:
        return self._rest.get(key) not in _EMPTY

    def take(self, key: str, to: str) -> Any:
        """The value of `key`, reported as mapped to `to`; None where it is not there."""
        if not self.has(key):
            return None
        self.note(key, "mapped", to)
        return self._rest.pop(key)

    def text(self, key: str, to: str) -> str:
        """The value of `key` as `take` gives it, made into text whatever its shape."""
        return prose(self.take(key, to))

    def take_description(self, text: str, of: str = "") -> None:
        """Sets the description; `of` says what it was made of, where nobody wrote one."""
        self._head["description"] = self._short("description", one_line(text), MAX_DESCRIPTION)
        if of:
            self.note("description", "missing", f"made of {of}; say when it should speak")

    def take_display_name(self, text: str) -> None:
        """Sets the display name, unless it is the persona's own name."""
        text = self._short("display", one_line(text), MAX_DISPLAY)
        if text and text != self.name:
            self.ours["display"] = text

    def take_models(self, key: str) -> None:
        """Sets the model that `key` names, where none is set; its size follows from its name."""
        model = self._rest.get(key)
        if not self.has(key) or "model" in self._head:
            return
        if not isinstance(model, str) or MODEL.fullmatch(model) is None:
            self.note(key, "dropped", "is no name of one model; write model: large, small or one")
        elif model == "inherit" or model in SIZES.values():
            self._head["model"] = model
            self.note(key, "mapped", f"model {model}")
        elif model in SIZES:
            self._head["model"] = SIZES[model]
            self.note(key, "mapped", f"model {SIZES[model]}, a size where that was {model!r}")
        else:
            self._head["model"] = model
            self.note(key, "mapped", "model, by that name; see that your endpoint has it")
        del self._rest[key]

    def take_interests(self, *keys: str) -> None:
        """Sets the interests: the short texts of the first of `keys` that is there."""
        for key in keys:
            words = self._rest.get(key)
            if isinstance(words, list) and words and all(_is_word(word) for word in words):
                self.ours["interests"] = words[:MAX_INTERESTS]
                self.take(key, "parley.interests")
                return
        self.note("interests", "missing", "add the words that it is to listen for")

    def finish(self, body: str, *, report: bool = True) -> Persona:
        """The persona. Raises `PersonaRefused` where what was taken makes none."""
        body = body.strip()
        if not body:
            raise PersonaRefused(self.source, "says nothing that a model could be told")
        placeholders = sorted(set(_PLACEHOLDER.findall(body + self._head["description"])))
        if placeholders and report:
            self.note(
                ", ".join(placeholders[:5]), "kept", "a placeholder that nobody fills in here"
            )
        foreign = self._foreign()
        tree = {**self._head, **foreign}
        if self.ours:
            tree["parley"] = self.ours
        result = persona_of(FrontMatter(tree, {}, body), self.source)
        for remark in result.warnings:
            self.note("", "kept", remark.text)
        return result.persona

    def _foreign(self) -> dict[str, Any]:
        foreign = {}
        for key, value in self._rest.items():
            if value in _EMPTY:
                self.note(key, "dropped", "it is empty")
            elif key in _OURS:
                self.note(key, "dropped", "the key is Parley's own, and this is not its shape")
            else:
                foreign[key] = value
                self.note(key, "kept", _WHY.get(key, "Parley does not read it"))
        return foreign

    def _short(self, key: str, text: str, most: int) -> str:
        if len(text) <= most:
            return text
        self.note(key, "dropped", f"all but its first {most} characters")
        return text[: most - 1].rstrip() + "…"


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= MAX_INTEREST


def prose(value: Any) -> str:
    """Text as it is, a list as lines with dashes, a mapping as lines with names."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        pairs = ((one_line(key), one_line(prose(each))) for key, each in value.items())
        return "\n".join(f"- {key}: {each}" for key, each in pairs)
    if isinstance(value, list):
        return "\n".join(f"- {one_line(prose(each))}" for each in value)
    return str(value)


def one_line(text: str) -> str:
    """`text` with every run of white space as one space."""
    return " ".join(text.split())


def sentence(text: str) -> str:
    """The first sentence of the first paragraph of `text`, without marks of a heading."""
    paragraph = re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]
    line = one_line(paragraph.lstrip("#>*- \t"))
    return _SENTENCE.split(line, maxsplit=1)[0][:300]


def slug(text: str) -> str:
    """`text` as a name may be: small letters, digits, dashes; "" where nothing is left."""
    folded = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", text[:400]))
    ascii_ = folded.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_).strip("-")[:64].rstrip("-")
