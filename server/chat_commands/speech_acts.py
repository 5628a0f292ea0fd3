"""Typed words and speech acts as the messages they are. Pure."""

from __future__ import annotations

from parley.bus.entries import Message
from parley.server.basics.entry_drafts import made
from parley.server.basics.errors import Misuse
from parley.server.chat_commands.typed_line import (
    Line,
    Publish,
    item_of,
    looks_like,
    participant_of,
)


def said(me: str, text: str, **fields: object) -> Publish:
    return Publish((made(Message, participant=me, content=text, **fields),))


def words(line: Line) -> Publish:
    return said(line.me, line.words("TEXT"), act=line.name)


def about_a_proposal(line: Line) -> Publish:
    ref, why = line.first("P3 [WHY]")
    return _reaction(line, item_of(line.memory, ref, "P"), why)


def about_a_decision(line: Line) -> Publish:
    ref, why = line.first("D1 [WHY]")
    return _reaction(line, item_of(line.memory, ref, "D"), why)


def _reaction(line: Line, ref: str, why: str) -> Publish:
    on = " on" if line.name == "abstain" else ""
    return said(line.me, why or f"I {line.name}{on} {ref}.", act=line.name, re=ref)


def amend(line: Line) -> Publish:
    ref, text = line.first("P3 TEXT")
    target = item_of(line.memory, ref, "P")
    if not text:
        raise Misuse(f"say what {target} should be instead: /amend {target} TEXT")
    return said(line.me, text, act="amend", re=target)


def decide(line: Line) -> Publish:
    word, rest = line.first("[P3] TEXT")
    if not looks_like(word, "P"):
        return words(line)
    ref = item_of(line.memory, word, "P")
    return said(line.me, rest or f"We go with {ref}.", act="decide", re=ref)


def address(line: Line) -> Publish:
    name, text = line.first("NAME TEXT")
    if not text:
        raise Misuse(f"say something to {name}: /to {name} TEXT")
    return said(line.me, text, to=(participant_of(line.memory, name),))
