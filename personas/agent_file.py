"""Markdown agents of other tools: front matter where there is some, and a prompt. Pure."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Final

from parley.personas.draft import PersonaDraft, one_line, prose, sentence
from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import parse_front_matter, split_text
from parley.personas.persona import Persona

_KEY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?")


def open_agent_file(text: str, source: str) -> tuple[dict[str, Any], str, str]:
    """Keys, body and what was odd about the front matter of a Markdown file.

    Front matter that is no YAML, such as a description with a colon in it, is
    read line by line, as the tools it was made for do.
    """
    head, body = split_text(text, source)
    if head is None:
        return {}, body, ""
    try:
        return parse_front_matter(head, source, first=2)[0], body, ""
    except PersonaRefused as refused:
        tree = _by_line(head)
        if not tree:
            raise
        return tree, body, f"read line by line: {refused.reason}"


def _by_line(head: str) -> dict[str, Any]:
    """`key: text` lines to the letter; what is indented or has no key goes on with the last."""
    tree: dict[str, Any] = {}
    last = ""
    for row in head.split("\n"):
        match = _KEY.fullmatch(row)
        if match is not None and match[1] not in tree:
            last = match[1]
            tree[last] = (match[2] or "").strip()
        elif last:
            tree[last] = f"{tree[last]}\n{row.strip()}".strip()
    return tree


def agent_name(tree: dict[str, Any], source: str) -> str:
    """What the agent is called: its name, or that of its file."""
    name = tree.get("name")
    return one_line(prose(name)) or PurePath(source).name.split(".")[0]


def convert_agent_file(
    name: str, tree: dict[str, Any], body: str, odd: str, source: str
) -> tuple[Persona, PersonaDraft]:
    """The persona `name`, with the report. Raises `PersonaRefused`."""
    draft = PersonaDraft(name, tree, source)
    if odd:
        draft.note("front matter", "kept", odd)
    own = draft.take("parley", "parley")
    if isinstance(own, dict):
        draft.ours.update(own)
    elif own is not None:
        draft.note("parley", "dropped", "has no keys below it")
    called = draft.text("name", "name")
    if "display" not in draft.ours:
        draft.take_display_name(called)
    about = draft.text("description", "description")
    draft.take_description(about or sentence(body) or name, "" if about else "its text")
    draft.take_models("model")
    if "interests" not in draft.ours:
        draft.take_interests()
    return draft.finish(body, report=False), draft
